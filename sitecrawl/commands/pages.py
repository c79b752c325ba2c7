"""`scrapy pages HOST [--status S] [--url U] [--crawls] [--closed] [--json]`: pages, crawls and closed traps."""

import argparse
import datetime as dt
import json
import sys
from typing import Any, Final

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from sitecrawl.closed_pipe import reader_may_leave
from sitecrawl.config import Config
from sitecrawl.crawl import url_problems
from sitecrawl.errors import SitecrawlError, UnknownSiteError
from sitecrawl.exit_status import print_error
from sitecrawl.links.urls import url_key
from sitecrawl.plurals import counted
from sitecrawl.storage.closed import ClosedRepository
from sitecrawl.storage.crawls import CrawlRepository, CrawlSummary
from sitecrawl.storage.db.engine import open_to_read, session_scope
from sitecrawl.storage.db.session import Session
from sitecrawl.storage.named_sites import named_site
from sitecrawl.storage.page_report import LifeRepository, PageLife
from sitecrawl.storage.pages import PageStatus
from sitecrawl.storage.sites import SiteRef

HELD: Final = "held"
STATUSES: Final = (*(status.name.lower() for status in PageStatus), HELD)
CRAWLS: Final = 50
"""Crawls shown, newest first."""


class Command(ScrapyCommand):
    """Show the pages of a site with their status."""

    requires_crawler_process = False

    def syntax(self) -> str:
        """Return the arguments, for the usage line."""
        return "HOST [--status S] [--url URL] [--crawls] [--closed] [--json]"

    def short_desc(self) -> str:
        """Return the line of the command in the list of commands."""
        return "Show the life of a site's pages: pages HOST [--status S] [--url URL] [--crawls] [--closed] [--json]"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the options of the command to its parser."""
        super().add_options(parser)
        parser.add_argument("--status", choices=STATUSES, help="only pages in this state; held: to be deleted")
        parser.add_argument("--url", help="all that is known of one page")
        parser.add_argument("--crawls", action="store_true", help=f"the last {CRAWLS} crawls with their figures")
        closed = "folders, paths and parameters that are closed as traps, and why"
        parser.add_argument("--closed", action="store_true", help=closed)
        parser.add_argument("--json", action="store_true", help="one JSON object a line")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Print the requested lines; an error is reported in one line."""
        if len(args) != 1:
            raise UsageError(self.syntax())
        try:
            with reader_may_leave():
                self._run(args[0], opts)
        except SitecrawlError as error:
            self.exitcode = print_error(error)

    def _run(self, host: str, opts: argparse.Namespace) -> None:
        assert self.settings is not None
        config = Config.from_mapping(self.settings)
        engine = open_to_read(config.database_url)
        try:
            with session_scope(engine, write=False) as session:
                site = named_site(session, host, config.site_scope)
                if opts.crawls:
                    _print_crawls(session, site, as_json=opts.json)
                elif opts.closed:
                    _print_closed(session, site, as_json=opts.json)
                elif opts.url:
                    _print_page(session, site, opts.url, as_json=opts.json)
                else:
                    _print_pages(session, site, opts.status, as_json=opts.json)
        finally:
            engine.dispose()


def _print_pages(session: Session, site: SiteRef, status: str | None, *, as_json: bool) -> None:
    held = status == HELD
    chosen = PageStatus[status.upper()] if status and not held else None
    count = 0
    for page in LifeRepository(session).pages(site.id, status=chosen, held=held):
        count += 1
        print(_json(page._asdict()) if as_json else page_line(page))
    if as_json:
        return
    for line in url_problems.lines(LifeRepository(session).troubles(site.id)):
        if status is None or status == url_problems.COMMAND[line.kind]:
            print(url_problems.text(line))
    print(counted(count, "page"))
    places = len(ClosedRepository(session).all(site.id))
    if places:
        print(f"{counted(places, 'place')} closed as traps; see: pages {site.host} --closed")


def _print_closed(session: Session, site: SiteRef, *, as_json: bool) -> None:
    closed = ClosedRepository(session).all(site.id)
    if not closed:
        sys.stderr.write(f"sitecrawl: {site.host}: nothing is closed as a trap\n")
    for stored in closed:
        place = {"place": stored.closed.place, "kind": stored.closed.kind.name.lower(), "reason": stored.closed.reason}
        if as_json:
            print(_json({**place, "closed_at": stored.closed_at}))
        else:
            print(f"{_when(stored.closed_at):16}  {stored.closed.place}  ({stored.closed.reason})")


def page_line(page: PageLife) -> str:
    """Return a page on one line: status, last fetch outcome, number of fetches, next visit, URL, and reason."""
    planned = f"next {_when(page.next_fetch_at)}" if page.next_fetch_at else ""
    doomed = f"  [to be deleted, by crawl {page.deletion}]" if page.deletion is not None else ""
    reason = f"  ({page.reason})" if page.reason else ""
    fetches = counted(page.fetches, "fetch", "fetches")
    return (
        f"{page.status:10} {page.http_status or '-':>4} {fetches:>12}  {_when(page.fetched_at):16}  {planned:21}"
        f"  {page.url}{reason}{doomed}"
    )


def _print_page(session: Session, site: SiteRef, url: str, *, as_json: bool) -> None:
    page = next(LifeRepository(session).pages(site.id, url_key=url_key(url)), None)
    if page is None:
        raise UnknownSiteError(f"{url}: the database has no such page of {site.host}", f"sitecrawl pages {site.host}")
    print(_json(page._asdict()) if as_json else page_story(page))


def page_story(page: PageLife) -> str:
    """Return all facts about a page, one per line."""
    answer = f"HTTP {page.http_status}" if page.http_status else "none"
    since = f", {page.not_modified} since the last body that was read were unchanged" if page.not_modified else ""
    facts = [
        ("url", page.url),
        ("status", page.status + (f": {page.reason}" if page.reason else "")),
        ("last answer", f"{answer}, {_when(page.fetched_at)}"),
        ("fetches", f"{page.fetches}{since}"),
        ("failures", f"{page.errors} in a row" if page.errors else "none"),
        ("missing", f"in {counted(page.strikes, 'crawl')} in a row" if page.strikes else "no"),
        ("deletion", f"decided by crawl {page.deletion}, not carried out" if page.deletion is not None else "none"),
        ("found", f"{_when(page.discovered_at)}, {counted(page.depth, 'link')} from the start"),
        ("text changed", _when(page.changed_at)),
        ("next visit", f"{_when(page.next_fetch_at)}" + (f" ({page.next_reason})" if page.next_reason else "")),
        ("feed", f"{page.row}, {page.kind}, {counted(page.words or 0, 'word')}" if page.row else "never in it"),
        ("index", "holds it" if page.indexed else "does not hold it"),
        ("duplicate of", page.duplicate_of or "none"),
    ]
    return "\n".join(f"{name:13} {value}" for name, value in facts)


def _print_crawls(session: Session, site: SiteRef, *, as_json: bool) -> None:
    for crawl in CrawlRepository(session).history(site.id, CRAWLS):
        print(_json(crawl._asdict()) if as_json else crawl_line(crawl))


def crawl_line(crawl: CrawlSummary) -> str:
    """Return a crawl on one line: its time, its outcome, and its figures."""
    stats = crawl.stats or {}
    seconds = f"{(crawl.finished_at - crawl.started_at).total_seconds():.0f} s" if crawl.finished_at else ""
    parts = [f"{stats.get('pages', '-')} pages"]
    for title, group in (("rows", "rows"), ("URLs", "urls")):
        counts = [f"{count} {name}" for name, count in sorted(_counts(stats.get(group)))]
        if counts:
            parts.append(f"{title}: {', '.join(counts)}")
    if stats.get("held"):
        parts.append(f"{stats['held']} held")
    ended = crawl.reason or "killed, or running"
    if crawl.finished_at is None:
        ended = f"not finished: {ended}"
    return f"{crawl.id:6}  {_when(crawl.started_at)}  {seconds:>8}  {ended:12}  {'; '.join(parts)}"


def _counts(figures: object) -> list[tuple[str, Any]]:
    return list(figures.items()) if isinstance(figures, dict) else []


def _when(moment: dt.datetime | None) -> str:
    return f"{moment:%Y-%m-%d %H:%M}" if moment is not None else "never"


def _json(values: dict[str, Any]) -> str:
    return json.dumps(values, default=lambda moment: moment.isoformat(timespec="seconds"), ensure_ascii=False)
