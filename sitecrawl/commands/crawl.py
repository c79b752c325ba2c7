"""`scrapy crawl site -a url=...`: Scrapy's command with one clear line per error and meaningful exit statuses."""

import argparse
import asyncio
import gc
import logging
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast
from urllib.request import url2pathname

from scrapy.commands.crawl import Command as CrawlCommand
from scrapy.exceptions import UsageError
from scrapy.settings import BaseSettings, default_settings

from sitecrawl.crawl.site import DATABASE, FEED, HELD, STOPPED
from sitecrawl.errors import ConfigError, ExtractorError, SitecrawlError
from sitecrawl.file_access import owner_only
from sitecrawl.shell.addresses import PUBLIC
from sitecrawl.spiders.site import SiteSpider

if TYPE_CHECKING:
    from scrapy.crawler import AsyncCrawlerProcess

WHOLE: Final = re.compile(r"CONCURRENT_\w+|\w+_(TIMES|LIMIT|LIMIT_MB|SIZE|MAXSIZE|WARNSIZE)|DEPTH_PRIORITY")
"""Settings of Scrapy that take whole numbers only."""
DONE, FAILED, USAGE, PARTIAL = 0, 1, 2, 3
YOUNG: Final = 5000
"""Objects between cyclic garbage collections (Python: 700 or 2,000): pages are in no cycle and are freed by
reference counts."""
ERROR_SHARE: Final = 0.2
"""Share of failed fetches above which a finished crawl counts as partial."""


class Command(CrawlCommand):
    """Crawl one website."""

    def short_desc(self) -> str:
        """One line for the list of commands."""
        return "Crawl a website: crawl site -a url=https://example.org/ [-a max_pages=N] [-O FEED.jsonl]"

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        """Read the options; values that Scrapy's own settings cannot take end with one line and status 2."""
        super().process_options(args, opts)
        assert self.settings is not None
        problem = scrapy_setting_problem(self.settings) or feed_problem(self.settings)
        if problem is not None:
            sys.stderr.write(f"sitecrawl: {problem}\n")
            raise SystemExit(USAGE)

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Run the spider; the exit status tells the result."""
        if len(args) != 1:
            raise UsageError("which spider? for instance: crawl site -a url=https://example.org/")
        process = cast("AsyncCrawlerProcess", self.crawler_process)
        if args[0] not in process.spider_loader.list():
            raise UsageError(f"unknown spider {args[0]!r}; known: site", print_help=False)
        crawler = process.create_crawler(args[0])
        task: asyncio.Task[None] = process.crawl(crawler, **opts.spargs)
        errors: list[BaseException] = []
        task.add_done_callback(lambda done: _note(done, errors))
        gc.freeze()  # imports live as long as the process: no collection needs to visit them again
        gc.set_threshold(YOUNG)
        process.start()
        if errors:
            sys.stderr.write(f"sitecrawl: {errors[0]}\n")
            if not isinstance(errors[0], SitecrawlError):
                raise errors[0]
            self.exitcode = USAGE if isinstance(errors[0], ConfigError | ExtractorError) else FAILED
        elif process.bootstrap_failed:
            self.exitcode = FAILED
        elif isinstance(crawler.spider, SiteSpider):
            self.exitcode = exit_status(crawler.spider)


def scrapy_setting_problem(settings: BaseSettings) -> str | None:
    """Return the problem with a Scrapy setting that takes a number or one of two values; None if there is none."""
    for name, default in vars(default_settings).items():
        if not name.isupper() or isinstance(default, type) or not isinstance(default, bool | int | float):
            continue
        value, takes = settings[name], "a number"
        read: Callable[[str], object] = settings.getfloat
        if isinstance(default, bool):
            read, takes = settings.getbool, "True or False"
        elif WHOLE.fullmatch(name):
            read, takes = settings.getint, "a whole number"
        try:
            if value is not None:
                read(name)
        except (TypeError, ValueError):
            return f"{name}={value!r} cannot be used: it takes {takes}"
    level = str(settings["LOG_LEVEL"]).upper()
    if level not in logging.getLevelNamesMapping() and not level.isdigit():
        return f"LOG_LEVEL={settings['LOG_LEVEL']!r} cannot be used: one of DEBUG, INFO, WARNING, ERROR, CRITICAL"
    return None


def feed_problem(settings: BaseSettings) -> str | None:
    """Return why a feed file cannot be written, or None; Scrapy opens it only with the first row."""
    for uri in map(str, settings.getdict("FEEDS")):
        path = Path(url2pathname(uri.removeprefix("file://")))
        if "%" in uri or (":" in uri and not uri.startswith("file:")) or not path.parent.is_dir():
            continue  # a name that is made later, a server, a folder that is made with the file
        missing = not path.exists()
        if not (missing or path.is_file() or path.is_dir()):
            continue  # a pipe or a device
        try:
            with open(path, "ab", opener=owner_only):
                if missing:
                    path.unlink()
        except OSError as error:
            return f"{path}: the feed cannot be written ({error.strerror}); name another file"
    return None


def _note(task: "asyncio.Task[None]", errors: list[BaseException]) -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        errors.append(error)


def _stopped_early(spider: SiteSpider) -> bool:
    """Tell whether a signal came before Scrapy's engine ran: Scrapy then ends without closing the spider."""
    slot = getattr(spider.crawler.engine, "_slot", None)
    return not spider.crawler.crawling and spider.outcome == "failed" and (slot is None or slot.closing is None)


def exit_status(spider: SiteSpider) -> int:
    """Return the exit status of a crawl, after printing the reason if it is not 0: 0 done, 1 failed, 3 done in part."""
    crawl = spider.site_crawl
    failed = sum(crawl.failures.values())
    reasons = sorted(crawl.failures.items(), key=lambda item: -item[1])[:3]
    why = "; ".join(f"{reason} ({count})" for reason, count in reasons)
    if spider.outcome == DATABASE:
        sys.stderr.write(f"sitecrawl: {spider.scope.key}: stopped: {crawl.writer.lost}; the same command resumes it\n")
        return PARTIAL if crawl.frontier.pages else FAILED
    if spider.outcome == FEED:
        sys.stderr.write(
            f"sitecrawl: {spider.scope.key}: stopped: the feed cannot be written ({spider.feed_failure}); free some"
            " space or name another file, then the same command resumes it and writes all rows\n"
        )
        return PARTIAL
    if crawl.moved is not None:
        why, remedy = crawl.moved
        kept = "nothing was fetched from there, and stored pages stay"
        sys.stderr.write(f"sitecrawl: {spider.scope.key}: refused: {why}; {kept}; {remedy}\n")
        return PARTIAL if crawl.frontier.pages else FAILED
    if spider.outcome == HELD:
        held, live, host = crawl.conclusion.held, crawl.conclusion.live, spider.scope.key
        sys.stderr.write(
            f"sitecrawl: {host}: held: {held} of {live} pages would be deleted, more than"
            f" {crawl.config.deletions_share:.0%}; none was. See: pages {host} --status held;"
            f" if they are gone indeed: recrawl --release {host}\n"
        )
        return PARTIAL
    if (spider.outcome == STOPPED or _stopped_early(spider)) and not spider.broken:  # an ordered stop is a success
        sys.stderr.write(f"sitecrawl: {spider.scope.key}: stopped by a signal; the same command resumes it\n")
        return DONE
    if not crawl.frontier.pages and (
        failed or crawl.given_up or crawl.postponed or not crawl.due
    ):  # nothing may be due
        excluded = crawl.given_up or next(iter(crawl.postponed or crawl.exclusions), "")
        kept = "; nothing is kept of the site" if crawl.forgotten else ""
        if kept and crawl.reach == PUBLIC:
            kept = "; of the site it is kept alone that its name was public"
        sys.stderr.write(
            f"sitecrawl: {spider.start_url}: nothing was fetched: {why or excluded or spider.outcome}{kept}\n"
        )
        return FAILED
    if spider.outcome not in ("finished", "max_pages"):
        sys.stderr.write(f"sitecrawl: {spider.scope.key}: stopped ({spider.outcome}); the same command resumes it\n")
        return PARTIAL
    if spider.broken:
        sys.stderr.write(
            f"sitecrawl: {spider.scope.key}: {len(spider.broken)} pages could not be stored, the log says why; the next"
            f" crawl tries again: {spider.broken[0]}\n"
        )
        return PARTIAL
    if failed > ERROR_SHARE * (failed + crawl.frontier.pages):
        sys.stderr.write(f"sitecrawl: {spider.scope.key}: {failed} pages could not be fetched: {why}\n")
        return PARTIAL
    if crawl.postponed:
        left, why = len(crawl.postponed), crawl.postponed[0]
        sys.stderr.write(f"sitecrawl: {spider.scope.key}: {left} pages are left to the next crawl: {why}\n")
        return PARTIAL
    return DONE
