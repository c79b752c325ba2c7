"""`scrapy reextract [HOST ...] [-O FEED]`: extracts stored pages again, without fetching."""

import argparse
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing
from typing import Any, cast

from scrapy import Spider
from scrapy.commands import BaseRunSpiderCommand
from scrapy.crawler import AsyncCrawlerProcess, Crawler

from sitecrawl import stats
from sitecrawl.config import Config
from sitecrawl.crawl.reextraction import SiteReextraction
from sitecrawl.errors import SitecrawlError
from sitecrawl.exit_status import DONE, FAILED, PARTIAL
from sitecrawl.extractors.base import get_extractor
from sitecrawl.items import ContentItem
from sitecrawl.links.scope import SiteScope
from sitecrawl.overrides.folders import Overrides
from sitecrawl.overrides.unused import warning
from sitecrawl.plurals import counted
from sitecrawl.shell.crawl_task import errors_of, failed_status
from sitecrawl.storage.db.engine import open_existing
from sitecrawl.storage.db.session import Session
from sitecrawl.storage.db.writer import BatchWriter
from sitecrawl.storage.named_sites import NO_SITES, named_site
from sitecrawl.storage.sites import SiteRef, SiteRepository


class ReextractSpider(Spider):
    """A spider without requests: its items come from the database and pass the pipelines and feeds as in a crawl."""

    name = "reextract"
    of_sitecrawl = True

    def __init__(self, config: Config, hosts: list[str], *, corrected: bool = False, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.config, self.corrected = config, corrected
        self.problems: list[str] = []
        self.sites = 0
        self.unreadable = 0
        self.feed_failure = ""
        get_extractor(config.extractor, **(config.extractor_options or {}))
        self.engine = open_existing(config.database_url, config.body_store)
        self.writer = BatchWriter(self.engine, batch=config.database_batch)
        try:
            self.chosen = self.writer.run(lambda s: _chosen(s, hosts, config.site_scope))
            if not self.chosen:
                sys.stderr.write(f"sitecrawl: {NO_SITES}\n")
            _check_overrides(config, self.chosen)
        except BaseException:
            self.writer.shutdown()
            raise

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> "ReextractSpider":
        """Open the database and find the sites. Raises ConfigError, ExtractorError, StorageError."""
        config = Config.from_mapping(crawler.settings)
        return super().from_crawler(crawler, *args, config=config, **kwargs)

    def end_without_feed(self, why: str) -> None:
        """End the run because rows cannot be written; the next run yields all of them."""
        self.feed_failure = why

    async def start(self) -> AsyncIterator[ContentItem]:
        """Yield the rows of each site; a site that cannot be extracted now does not stop the others."""
        count = self.crawler.stats.inc_value
        try:
            for site in self.chosen:
                try:
                    run = SiteReextraction(self.config, self.writer, site, corrected=self.corrected)
                    async with aclosing(run.rows()) as rows:
                        async for row in rows:
                            yield row
                            if self.feed_failure:
                                return  # the site is not finished
                except SitecrawlError as error:
                    self.problems.append(str(error))
                    continue
                self.sites += 1
                self.unreadable += run.failed
                count(stats.REEXTRACT_PAGES, run.pages)
                count(stats.REEXTRACT_CHANGED, run.changed)
                count(stats.PAGES_UNREADABLE, run.failed)
                count(stats.OVERRIDES_UNUSED, len(run.unused))
                left = f"; {run.failed} cannot be read, the log says why: crawl the site again" if run.failed else ""
                sys.stderr.write(
                    f"{site.host}: {counted(run.pages, 'page')} extracted again, {run.changed} changed{left}\n"
                )
                if run.unused:
                    sys.stderr.write(f"sitecrawl: {site.host}: {warning(run.unused)}\n")
        finally:
            await self.writer.close()
            self.engine.dispose()


def _chosen(session: Session, hosts: list[str], scope: str) -> list[SiteRef]:
    """Return the sites of these hosts or URLs, or all by host. Raises UnknownSiteError, ConfigError."""
    sites = SiteRepository(session)
    return [named_site(session, host, scope) for host in hosts or [one.host for one in sites.all()]]


def _check_overrides(config: Config, sites: Sequence[SiteRef]) -> None:
    """Read the overrides of sites. Raises ConfigError for an invalid file."""
    overrides = Overrides(config.overrides)
    for site in sites:
        overrides.load(SiteScope.of(site.start_url, config.site_scope))


class Command(BaseRunSpiderCommand):
    """Extract stored pages again."""

    def syntax(self) -> str:
        """Return the arguments, for the usage line."""
        return "[HOST ...] [--corrected] [-O FEED.jsonl]"

    def short_desc(self) -> str:
        """Return the line of the command in the list of commands."""
        return "Extract stored pages again, without fetching: reextract [HOST ...] [-O FEED.jsonl]"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the options of the command to its parser."""
        super().add_options(parser)
        parser.add_argument(
            "--corrected",
            action="store_true",
            help="store pages of which only the title or the date differs too; needed when an override was taken away",
        )

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Run the command; the exit status is 3 if some sites or pages could not be extracted, 1 if no site could."""
        process = cast("AsyncCrawlerProcess", self.crawler_process)
        crawler = process.create_crawler(ReextractSpider)
        errors = errors_of(process.crawl(crawler, hosts=args, corrected=opts.corrected))
        process.start()
        if errors:
            self.exitcode = failed_status(errors[0])
            return
        spider = crawler.spider
        problems = spider.problems if isinstance(spider, ReextractSpider) else []
        for problem in problems:
            sys.stderr.write(f"sitecrawl: {problem}\n")
        if process.bootstrap_failed or not isinstance(spider, ReextractSpider):
            self.exitcode = FAILED
        elif spider.feed_failure:
            sys.stderr.write(
                f"sitecrawl: the feed cannot be written ({spider.feed_failure}); free some space or name another file,"
                " then the same command resumes it and writes all rows\n"
            )
            self.exitcode = PARTIAL
        elif problems:
            self.exitcode = PARTIAL if spider.sites else FAILED
        else:
            self.exitcode = PARTIAL if spider.unreadable else DONE
