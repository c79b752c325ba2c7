"""`scrapy crawl site -a url=...`: Scrapy's command with one clear line per error and meaningful exit statuses."""

import argparse
import asyncio
import atexit
import csv
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

from sitecrawl.exit_status import FAILED, USAGE
from sitecrawl.file_access import owner_only
from sitecrawl.items import feed_fields
from sitecrawl.row_files import TAKEN, is_overwritten
from sitecrawl.shell.crawl_task import errors_of, failed_status
from sitecrawl.shell.logs import skip_unseen_records
from sitecrawl.spiders.crawl_result import crawl_result, stopped_early
from sitecrawl.spiders.site import SiteSpider
from sitecrawl.spiders.worker_process import YOUNG

if TYPE_CHECKING:
    from scrapy.crawler import AsyncCrawlerProcess

WHOLE: Final = re.compile(r"CONCURRENT_\w+|\w+_(TIMES|LIMIT|LIMIT_MB|SIZE|MAXSIZE|WARNSIZE)|DEPTH_PRIORITY")
"""Settings of Scrapy that take whole numbers only."""


class Command(CrawlCommand):
    """Crawl one website."""

    def short_desc(self) -> str:
        """Return the line of the command in the list of commands."""
        return "Crawl a website: crawl site -a url=https://example.org/ [-a max_pages=N] [-O FEED.jsonl]"

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        """Read the options; exit with one line and status 2 if one of Scrapy's own settings has an invalid value."""
        super().process_options(args, opts)
        assert self.settings is not None
        problem = scrapy_setting_problem(self.settings) or feed_problem(self.settings) or header_problem(self.settings)
        if problem is not None:
            sys.stderr.write(f"sitecrawl: {problem}\n")
            raise SystemExit(USAGE)

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Run the spider; the result becomes the exit status."""
        if any("." in arg or "://" in arg for arg in args):
            raise UsageError("give the website as -a url=, after the spider: crawl site -a url=https://example.org/")
        if len(args) != 1:
            raise UsageError("which spider? for instance: crawl site -a url=https://example.org/")
        process = cast("AsyncCrawlerProcess", self.crawler_process)
        if args[0] not in process.spider_loader.list():
            raise UsageError(f"unknown spider {args[0]!r}; known: site", print_help=False)
        crawler = process.create_crawler(args[0])
        task: asyncio.Task[None] = process.crawl(crawler, **opts.spargs)
        errors = errors_of(task)
        skip_unseen_records()
        gc.freeze()  # imports live as long as the process: no collection needs to visit them again
        gc.set_threshold(YOUNG)
        atexit.register(gc.freeze)  # at exit, the interpreter need not search for garbage
        process.start()
        if errors:
            self.exitcode = failed_status(errors[0])
        elif process.bootstrap_failed:
            self.exitcode = FAILED
        elif isinstance(crawler.spider, SiteSpider):
            if stopped_early(crawler.spider):
                crawler.spider.site_crawl.hand_back()
            result = crawl_result(crawler.spider)
            if result.message:
                sys.stderr.write(f"sitecrawl: {result.message}\n")
            self.exitcode = result.status


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
    """Return why a feed file cannot be written, or None; Scrapy would report it at the first row.

    The folders of the file are made.
    """
    for uri in map(str, settings.getdict("FEEDS")):
        path = Path(url2pathname(uri.removeprefix("file://")))
        if "%" in uri or (":" in uri and not uri.startswith("file:")):
            continue  # a name that is made later, or a server
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            missing = not path.exists()
            if not (missing or path.is_file() or path.is_dir()):
                continue  # a pipe or a device
            with open(path, "ab", opener=owner_only) as file:
                if missing:
                    path.unlink()
                elif is_overwritten(file.fileno()):
                    return f"{path}: the feed cannot be written ({TAKEN}); name another file"
        except OSError as error:
            why = "its folder is a file" if isinstance(error, (FileExistsError, NotADirectoryError)) else error.strerror
            return f"{path}: the feed cannot be written ({why}); name another file"
    return None


def header_problem(settings: BaseSettings) -> str | None:
    """Return why rows cannot be added to a CSV file, whose header may name other columns; None if they can."""
    fields = settings.get("FEED_EXPORT_FIELDS") or feed_fields(
        html=settings.getbool("SITECRAWL_CONTENT_HTML"),
        markdown=settings.getbool("SITECRAWL_CONTENT_MARKDOWN"),
        differences=settings.getbool("SITECRAWL_ROW_DIFFERENCES"),
    )
    for uri, options in settings.getdict("FEEDS").items():
        path = Path(url2pathname(str(uri).removeprefix("file://")))
        if options.get("format") != "csv" or options.get("overwrite", False) or not path.is_file():
            continue
        try:
            with path.open(encoding="utf-8", newline="") as file:
                header = next(csv.reader(file), [])
        except (OSError, UnicodeDecodeError, csv.Error):
            continue  # the error is reported when the feed is opened
        if header and header != list(fields):
            return f"{path}: its header names other columns than the rows of this crawl have; name another file, or -O"
    return None
