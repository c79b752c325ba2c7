"""The process that extracts the stored pages of a site again, as `sitecrawl reextract HOST` does.

It reads `{"host", "settings"}` as JSON from standard input, and writes its progress as one JSON object per line.
"""

import asyncio
import json
import sys
from contextlib import suppress
from typing import Final

from sitecrawl import twins
from sitecrawl.config import Config
from sitecrawl.crawl.reextraction import SiteReextraction
from sitecrawl.errors import SitecrawlError, UnknownSiteError
from sitecrawl.storage.db.engine import open_database
from sitecrawl.storage.db.writer import BatchWriter
from sitecrawl.storage.layouts import LayoutRepository
from sitecrawl.storage.sites import SiteRepository

EVERY: Final = 0.2
"""Seconds between two lines of progress."""


async def run(config: Config, host: str) -> None:
    """Extract the stored pages of a site again, and report the progress. Raises SitecrawlError."""
    engine = open_database(config.database_url, config.body_store)
    writer = BatchWriter(engine, batch=config.database_batch)
    try:
        site = await writer.submit(lambda s: SiteRepository(s).get(host))
        if site is None:
            raise UnknownSiteError(f"{host}: the database holds nothing about this site; choose another one")
        total = len(await writer.submit(lambda s: LayoutRepository(s).bodies(site.id)))
        work = SiteReextraction(config, writer, site, corrected=True)
        reporting = asyncio.create_task(_report_always(work, total))
        try:
            async for _ in work.rows():
                pass
        finally:
            reporting.cancel()
            with suppress(asyncio.CancelledError):
                await reporting
        _report(work, total)
    finally:
        await writer.close()
        engine.dispose()


def main() -> int:
    """Run the job described on standard input; return the exit status."""
    given = json.load(sys.stdin)
    try:
        config = Config.from_mapping(given["settings"])
        twins.choose(config.extension)
        asyncio.run(run(config, given["host"]))
    except SitecrawlError as error:
        _write({"error": str(error)})
        return 1
    return 0


async def _report_always(work: SiteReextraction, total: int) -> None:
    while True:
        _report(work, total)
        await asyncio.sleep(EVERY)


def _report(work: SiteReextraction, total: int) -> None:
    _write({"pages": work.pages, "of": total, "changed": work.changed, "failed": work.failed})


def _write(message: dict[str, object]) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
