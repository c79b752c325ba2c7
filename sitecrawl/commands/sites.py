"""`scrapy sites list | forget HOST ...`: the websites in the database."""

import argparse
import sys

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError
from sqlalchemy import Engine

from sitecrawl.clock import now
from sitecrawl.closed_pipe import reader_may_leave
from sitecrawl.config import Config
from sitecrawl.errors import ConfigError, SitecrawlError, UnknownSiteError
from sitecrawl.storage.db.engine import open_database, session_scope
from sitecrawl.storage.lease_owner import new_owner
from sitecrawl.storage.outbox import Outbox
from sitecrawl.storage.pages import PageRepository
from sitecrawl.storage.sites import SiteRepository


class Command(ScrapyCommand):
    """List or forget websites."""

    requires_crawler_process = False

    def syntax(self) -> str:
        """Arguments."""
        return "list | forget HOST ..."

    def short_desc(self) -> str:
        """One line for the list of commands."""
        return "The websites in the database: sites list | forget HOST ..."

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Run the requested action; errors are one line."""
        if args[:1] not in (["list"], ["forget"]) or (len(args) > 1) != (args[0] == "forget"):
            raise UsageError(self.syntax())
        assert self.settings is not None
        try:
            with reader_may_leave():
                _run(args, Config.from_mapping(self.settings))
        except SitecrawlError as error:
            sys.stderr.write(f"sitecrawl: {error}\n")
            self.exitcode = 2 if isinstance(error, ConfigError) else 1


def _run(args: list[str], config: Config) -> None:
    engine = open_database(config.database_url)
    try:
        if args[0] == "list":
            _list(engine)
        for host in dict.fromkeys(args[1:]):
            print(_forgotten(engine, host, config), flush=True)
    finally:
        engine.dispose()


def _list(engine: Engine) -> None:
    with session_scope(engine, write=False) as session:
        sites = SiteRepository(session).all()
    for one in sites:
        crawled = f"last crawl {one.last_crawl:%Y-%m-%d %H:%M} UTC" if one.last_crawl else "never crawled"
        print(f"{one.host:40} {one.pages:8} URLs {one.contents:8} contents  {crawled}  {one.start_url}")
    sys.stdout.flush()


def _forgotten(engine: Engine, host: str, config: Config) -> str:
    """Delete everything about a site; return the message. Raises UnknownSiteError, SiteLeasedError, StorageError."""
    with session_scope(engine) as session:
        sites = SiteRepository(session)
        site = sites.get(host)
        if site is None:
            raise UnknownSiteError(f"{host}: the database holds nothing about this site; see: sitecrawl sites list")
        sites.lease(site.id, new_owner(), now(), config.lease_seconds)  # so that nobody crawls it meanwhile
        urls = sum(PageRepository(session).counts(site.id).values())
        sites.forget(host, now())
        outbox = Outbox(session)
        told = " Its deletion waits for the indexes: sitecrawl index --once" if outbox.sinks() else ""
        return f"{host}: forgotten, with {urls} URLs.{told}"
