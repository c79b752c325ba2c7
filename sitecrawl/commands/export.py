"""`scrapy export [HOST ...]`: writes all stored pages from the database, without fetching."""

import argparse
import datetime as dt
import sys
from collections.abc import Iterable, Iterator, Sequence
from time import monotonic
from typing import IO, Final

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError
from sqlalchemy import Engine

from sitecrawl.clock import now
from sitecrawl.closed_pipe import reader_may_leave
from sitecrawl.config import Config
from sitecrawl.crawl.chunk_export import ChunkExport
from sitecrawl.crawl.export import stored_rows
from sitecrawl.errors import ConfigError, FeedFileError, SitecrawlError
from sitecrawl.exit_status import print_error
from sitecrawl.items import ContentItem, feed_fields
from sitecrawl.page_kind import Kind
from sitecrawl.plurals import counted
from sitecrawl.shell.formats import (
    CHUNK_FIELDS,
    FORMATS,
    Row,
    export_chunks,
    export_rows,
    format_of,
    parquet_library,
    write_rows,
)
from sitecrawl.storage.db.engine import open_existing, session_scope
from sitecrawl.storage.exports import Chosen, ExportRepository
from sitecrawl.storage.named_sites import NO_SITES, named_site
from sitecrawl.storage.sites import SiteRef, SiteRepository

STANDARD_OUTPUT: Final = "-"
KINDS: Final = (*map(str, Kind), "all")
INTERVAL: Final = 0.5
"""Seconds between refreshes of the line on a terminal."""


class Command(ScrapyCommand):
    """Write all stored pages."""

    requires_crawler_process = False

    def syntax(self) -> str:
        """Return the arguments, for the usage line."""
        return "[HOST ...] [--kind K] [--since DATE | --changed] [--chunks] [--format F] [-O FILE|FOLDER]"

    def short_desc(self) -> str:
        """Return the line of the command in the list of commands."""
        return "Write everything that is stored now, without fetching: export [HOST ...] [-O FILE]"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the options of the command to its parser."""
        super().add_options(parser)
        add = parser.add_argument
        add("--kind", choices=KINDS, default="all", help="kind of pages (default: all)")
        add("--format", choices=FORMATS, default=None, help="default: by the name of the file, else jsonl")
        part = parser.add_mutually_exclusive_group()
        part.add_argument("--since", metavar="DATE", default=None, help="only what changed since 2026-03-01T12:00")
        changed = "only what changed in the last crawl of each site; with --chunks: since the last such export"
        part.add_argument("--changed", action="store_true", help=changed)
        add("--chunks", action="store_true", help="pieces by heading and block, for retrieval, in place of pages")
        add("-O", "--output", metavar="FILE", default=None, help="a file, for md a folder (default: standard output)")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Write the pages; an error is reported in one line."""
        try:
            with reader_may_leave():
                self._run(list(dict.fromkeys(args)), opts)
        except KeyboardInterrupt:
            sys.stderr.write("\nsitecrawl: stopped; nothing was written\n")
            self.exitcode = 130
        except SitecrawlError as error:
            self.exitcode = print_error(error)

    def _run(self, hosts: Sequence[str], opts: argparse.Namespace) -> None:
        assert self.settings is not None
        config = Config.from_mapping(self.settings)
        target = None if opts.output in (None, STANDARD_OUTPUT) else opts.output
        form = format_of(target, opts.format)
        if form == "md" and target is None:
            raise ConfigError("Markdown is a folder of files; say which: --format md -O FOLDER")
        if form == "parquet":
            parquet_library()
            if target is None and sys.stdout.isatty():
                raise ConfigError("Parquet is not for a screen; say which file: --format parquet -O FILE")
        if target == "":
            raise UsageError("-O takes the name of a file")
        if form == "md" and opts.chunks:
            raise ConfigError("chunks are not Markdown files; use --format jsonl, csv or parquet")
        chosen = Chosen(None if opts.kind == "all" else opts.kind, _since(opts.since), opts.changed)
        engine = open_existing(config.database_url, config.body_store)
        try:
            with session_scope(engine, write=False) as session:
                named = [named_site(session, host, config.site_scope) for host in hosts]
                sites = named or SiteRepository(session).refs()
            if opts.chunks:
                number = _write_chunks(engine, sites, chosen, form, target, every=not hosts)
            else:
                number = _write(engine, sites, chosen, config, form, target)
        finally:
            engine.dispose()
        if not sites:
            sys.stderr.write(f"sitecrawl: {NO_SITES}\n")
        if target is not None:
            exported = sites[0].host if len(sites) == 1 else counted(len(sites), "site")
            sys.stderr.write(f"sitecrawl: {exported}: {counted(number, 'row')} in {target}\n")


def _since(text: str | None) -> dt.datetime | None:
    """Return the parsed time, in UTC unless the text names a time zone; None for None. Raises ConfigError."""
    if text is None:
        return None
    try:
        moment = dt.datetime.fromisoformat(text.strip())
        return moment.replace(tzinfo=moment.tzinfo or dt.UTC).astimezone(dt.UTC)
    except (ValueError, OverflowError):
        raise ConfigError(f"--since {text!r:.60} is not a date; write it as 2026-03-01 or 2026-03-01T12:00") from None


def _write(
    engine: Engine, sites: Sequence[SiteRef], chosen: Chosen, config: Config, form: str, target: str | None
) -> int:
    """Write the rows of sites; return their number. Raises FeedFileError, StorageError."""
    markdown = config.content_markdown or form == "md"
    rows: Iterable[ContentItem] = stored_rows(engine, sites, chosen, html=config.content_html, markdown=markdown)
    if config.progress == "on" or (config.progress == "auto" and sys.stderr.isatty()):
        with session_scope(engine, write=False) as session:
            total = ExportRepository(session).count([site.id for site in sites], chosen)
        rows = _shown(rows, total, sys.stderr)
    if target is None:
        return _to_output(rows, form, feed_fields(html=config.content_html, markdown=config.content_markdown))
    return export_rows(rows, target, form, config)


def _write_chunks(
    engine: Engine, sites: Sequence[SiteRef], chosen: Chosen, form: str, target: str | None, *, every: bool
) -> int:
    """Write the chunks of sites; return the number of rows. Raises FeedFileError, StorageError."""
    export = ChunkExport(engine, chosen.kind, now())
    rows = export.rows(sites, since=chosen.since, changed=chosen.last_crawl, every=every)
    number = _to_output(rows, form, CHUNK_FIELDS) if target is None else export_chunks(rows, target, form)
    export.finish()
    return number


def _to_output(rows: Iterable[Row], form: str, names: Sequence[str]) -> int:
    try:
        # a file of its own, since exporters close theirs when they fail, and standard output is still needed
        with open(sys.stdout.fileno(), "wb", closefd=False) as file:
            number = write_rows(rows, file, form, names)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise FeedFileError(f"standard output cannot be written ({error.strerror or error})") from error
    return number


def _shown(rows: Iterable[ContentItem], total: int, screen: IO[str]) -> Iterator[ContentItem]:
    """Pass rows on, printing progress on a terminal."""
    shown = 0.0
    for number, row in enumerate(rows, 1):
        if monotonic() - shown >= INTERVAL:
            shown = monotonic()
            screen.write(f"\r\x1b[2K{number} of {total} pages ({row.site})")
            screen.flush()
        yield row
    screen.write("\r\x1b[2K")
    screen.flush()
