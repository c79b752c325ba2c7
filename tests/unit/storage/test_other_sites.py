"""Reads and writes of one site neither count nor change another site with the same pages."""

import datetime as dt
import shutil

import pytest
from sqlalchemy import select, text

from sitecrawl.clock import now
from sitecrawl.links.anchor_texts import LinkText
from sitecrawl.links.closed_trap import Closed, ClosedKind
from sitecrawl.links.urls import url_key
from sitecrawl.storage.anchor_texts import LinkTextRepository
from sitecrawl.storage.bodies import BodyRepository
from sitecrawl.storage.closed import ClosedRepository
from sitecrawl.storage.content_change import Operation
from sitecrawl.storage.contents import ContentRepository
from sitecrawl.storage.crawls import CrawlRepository
from sitecrawl.storage.db.engine import open_database, session_scope
from sitecrawl.storage.db.session import Session
from sitecrawl.storage.deletions import DeletionRepository
from sitecrawl.storage.duplicate_pairs import DuplicatePairRepository
from sitecrawl.storage.exports import ExportRepository
from sitecrawl.storage.hosts import Breaker, HostRepository, StoredFailure, StoredHost
from sitecrawl.storage.layouts import LayoutRepository
from sitecrawl.storage.page_links import PageLinkRepository
from sitecrawl.storage.page_report import LifeRepository
from sitecrawl.storage.pages import PageRepository
from sitecrawl.storage.revisits import RevisitRepository
from sitecrawl.storage.robots import RobotsRepository
from sitecrawl.storage.search.repository import SearchIndex
from sitecrawl.storage.second_fetches import SecondFetch, SecondFetchRepository
from sitecrawl.storage.site_report import PageFilter, SiteReportRepository
from sitecrawl.storage.site_values import SiteValueRepository
from sitecrawl.storage.sites import SiteRepository
from sitecrawl.storage.sources import SourceKind, SourceRepository, StoredSource
from sitecrawl.storage.tables.models import METADATA, SITE
from sitecrawl.storage.templates import TemplateRepository
from sitecrawl.storage.visits import VisitRepository
from tests.unit.crawl.crawling import ROOT, during, html

MINE, OTHER = 1, 2
SINCE = dt.datetime(2020, 1, 1, tzinfo=dt.UTC)
LATER = dt.datetime(2090, 1, 1, tzinfo=dt.UTC)
KEYS = tuple(url_key(f"{ROOT}{number}") for number in range(1, 7))
ONE, TWO = KEYS[:2]


async def crawl(crawling):
    for number in range(1, 6):
        await crawling.page(f"{ROOT}{number}", html(number, links=(f"/{number + 1}", f"/more{number}")))
    await crawling.waiting()
    await crawling.page(f"{ROOT}6", html(1))  # a duplicate
    await crawling.waiting()


def add_the_rest(session):
    """Add rows of what that crawl has not met."""
    moment = now()
    host = StoredHost("example.org", Breaker.OPEN, 3, moment, 1, None, "down")
    HostRepository(session).put(MINE, host)
    HostRepository(session).suspend(MINE, StoredFailure(ONE, f"{ROOT}1", "example.org", "HTTP 500", 500, 1, None))
    RobotsRepository(session).keep(MINE, "example.org", b"User-agent: *", moment)
    ClosedRepository(session).put(MINE, [Closed(9, ClosedKind(1), ROOT, "many")], moment)
    source = StoredSource(7, f"{ROOT}map.xml", SourceKind.SITEMAP, read_at=moment, pages=3)
    SourceRepository(session).put(MINE, source)
    SecondFetchRepository(session).add(MINE, SecondFetch(1, ONE, 1, None), moment)
    LinkTextRepository(session).record(MINE, ONE, [LinkText(TWO, "The second story")], first=True)
    PageRepository(session).amend(MINE, [{"url_key": TWO, "deletion": 1, "unsettled": True}])


def add_other(session):
    """Add a site that has the rows of the first one under its own number."""
    names = [column.name for column in SITE.c if column.name not in ("id", "host")]
    copy(session, "site", {"id": str(OTHER), "host": "'other.example'"}, names, f"id = {MINE}")
    for table in METADATA.sorted_tables:
        if "site_id" in table.c:
            names = [column.name for column in table.c if column.name not in ("id", "site_id")]
            copy(session, table.name, {"site_id": str(OTHER)}, names, f"site_id = {MINE}")


def copy(session, table, changed, names, where):
    into, values = ", ".join([*changed, *names]), ", ".join([*changed.values(), *names])
    session.execute(text(f"INSERT INTO {table} ({into}) SELECT {values} FROM {table} WHERE {where}"))


def rows_of(session, site_id):
    return {
        table.name: sorted(map(repr, session.execute(select(*table.c).where(table.c.site_id == site_id))))
        for table in METADATA.sorted_tables
        if "site_id" in table.c
    }


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    """A database of one site."""
    path = tmp_path_factory.mktemp("sites") / "one.db"
    during(f"sqlite:///{path}", crawl, reason="finished")
    engine = open_database(f"sqlite:///{path}")
    with session_scope(engine) as session:
        add_the_rest(session)
    yield engine
    engine.dispose()


@pytest.fixture(scope="module")
def together(alone, tmp_path_factory):
    """The same with another site."""
    path = tmp_path_factory.mktemp("sites") / "two.db"
    alone.dispose()
    shutil.copy(alone.url.database, path)
    engine = open_database(f"sqlite:///{path}")
    with session_scope(engine) as session:
        add_other(session)
    yield engine
    engine.dispose()


@pytest.fixture(scope="module")
def before(together):
    with session_scope(together) as session:
        return rows_of(session, MINE), rows_of(session, OTHER)


def summary(sites):
    return [one for one in sites if one.host == "example.org"]


READS = {
    "bodies": lambda s: [BodyRepository(s).stored(MINE, key) for key in KEYS],
    "fetched": lambda s: BodyRepository(s).fetched(MINE),
    "closed": lambda s: ClosedRepository(s).all(MINE),
    "contents": lambda s: [ContentRepository(s).get(MINE, key) for key in KEYS],
    "emitted": lambda s: list(ContentRepository(s).emitted(MINE, 1)),
    "last row": lambda s: ContentRepository(s).last_emitted(MINE, 1),
    "kinds": lambda s: ContentRepository(s).counts(MINE, 1),
    "indexed": lambda s: [ContentRepository(s).indexed(MINE, key) for key in KEYS],
    "crawl": lambda s: CrawlRepository(s).latest(MINE),
    "crawls": lambda s: CrawlRepository(s).history(MINE, 9),
    "deletions": lambda s: DeletionRepository(s).pending(MINE),
    "live": lambda s: DeletionRepository(s).live(MINE, 9),
    "duplicates": lambda s: DuplicatePairRepository(s).pairs(MINE),
    "number of duplicates": lambda s: DuplicatePairRepository(s).count(MINE),
    "exports": lambda s: ExportRepository(s).pages(MINE, None),
    "number of exports": lambda s: ExportRepository(s).count([MINE]),
    "hosts": lambda s: HostRepository(s).all(MINE),
    "suspended": lambda s: HostRepository(s).suspended(MINE),
    "good URLs": lambda s: HostRepository(s).good_urls(MINE, "example.org", LATER),
    "home": lambda s: HostRepository(s).home(MINE),
    "counted": lambda s: LayoutRepository(s).counted(MINE),
    "used": lambda s: LayoutRepository(s).used(MINE),
    "sample": lambda s: LayoutRepository(s).sample(MINE, 1, 9),
    "unsettled": lambda s: LayoutRepository(s).unsettled(MINE),
    "pages of a layout": lambda s: LayoutRepository(s).pages(MINE, 1, 9),
    "pages with bodies": lambda s: LayoutRepository(s).bodies(MINE),
    "layout": lambda s: [LayoutRepository(s).layout(MINE, key) for key in KEYS],
    "link texts": lambda s: LinkTextRepository(s).of(MINE, TWO),
    "links out": lambda s: PageLinkRepository(s).out(MINE, ONE),
    "links into": lambda s: PageLinkRepository(s).into(MINE, TWO, 9),
    "lives": lambda s: list(LifeRepository(s).pages(MINE)),
    "troubles": lambda s: LifeRepository(s).troubles(MINE),
    "known": lambda s: sorted(PageRepository(s).known(MINE)),
    "outcomes": lambda s: sorted(PageRepository(s).outcomes(MINE)),
    "addresses": lambda s: PageRepository(s).addresses(MINE, None, 99),
    "discovery": lambda s: PageRepository(s).last_discovery(MINE),
    "state": lambda s: [PageRepository(s).state(MINE, key) for key in KEYS],
    "frontier": lambda s: PageRepository(s).frontier(MINE, 9, LATER, 99),
    "statuses": lambda s: PageRepository(s).counts(MINE),
    "validators": lambda s: RevisitRepository(s).validators(MINE, KEYS),
    "links": lambda s: sorted(RevisitRepository(s).links(MINE, 1)),
    "links of": lambda s: RevisitRepository(s).links_of(MINE, KEYS),
    "robots": lambda s: RobotsRepository(s).last(MINE, "example.org", SINCE),
    "second fetches": lambda s: SecondFetchRepository(s).all(MINE),
    "site": lambda s: SiteReportRepository(s).state(MINE),
    "sample of contents": lambda s: SiteReportRepository(s).sample(MINE),
    "numbers of pages": lambda s: SiteReportRepository(s).counts(MINE),
    "list of pages": lambda s: SiteReportRepository(s).pages(MINE, PageFilter()),
    "doubtful pages": lambda s: SiteReportRepository(s).doubtful(MINE, 3, 9),
    "values": lambda s: SiteValueRepository(s).load(MINE),
    "surveyed": lambda s: SiteValueRepository(s).surveyed(MINE),
    "summary": lambda s: summary(SiteRepository(s).all()),
    "sources": lambda s: SourceRepository(s).all(MINE),
    "templates": lambda s: TemplateRepository(s).layouts(MINE),
    "template": lambda s: TemplateRepository(s).load(MINE, 1),
    "planned": lambda s: VisitRepository(s).first(MINE, 9),
}


@pytest.mark.parametrize("read", READS.values(), ids=READS)
def test_what_is_read_of_a_site_is_the_same_whatever_other_sites_have(alone, together, read):
    found = []
    for engine in (alone, together):
        with session_scope(engine) as session:
            found.append(repr(read(session)))
    assert found[0] == found[1]


def retire(session):
    TemplateRepository(session).retire(MINE, [1], now())


WRITES = {
    "drop a body": lambda s: BodyRepository(s).drop(MINE, ONE),
    "open a trap": lambda s: ClosedRepository(s).open(MINE, [9]),
    "forget traps": lambda s: ClosedRepository(s).forget(MINE),
    "queue a page": lambda s: ContentRepository(s).queue(MINE, ONE, Operation.DELETE, now()),
    "emit unchanged": lambda s: ContentRepository(s).unchanged(MINE, ONE, 7, 77),
    "forget a host": lambda s: HostRepository(s).forget(MINE, "example.org"),
    "understand a page": lambda s: HostRepository(s).understood(MINE, [ONE]),
    "place a page": lambda s: LayoutRepository(s).place(MINE, ONE, 3, counted=False),
    "unsettle a layout": lambda s: LayoutRepository(s).unsettle(MINE, 1),
    "keep a body": lambda s: LayoutRepository(s).keep_previous(MINE, ONE),
    "forget layouts": lambda s: PageRepository(s).forget_layouts(MINE),
    "forget what was learned": lambda s: PageRepository(s).forget_learned(MINE),
    "mark as learned": lambda s: PageRepository(s).mark_learned(MINE, [ONE], 9),
    "make all due": lambda s: PageRepository(s).all_due(MINE, SINCE),
    "promote pages": lambda s: PageRepository(s).promote(MINE, KEYS, 32000),
    "respell a page": lambda s: PageRepository(s).respell(MINE, ONE, f"{ROOT}one"),
    "leave a page": lambda s: PageRepository(s).left(MINE, url_key(f"{ROOT}more1"), "too deep"),
    "bring visits down": lambda s: PageRepository(s).bring_down(MINE, SINCE, "sooner", dead=False),
    "remove from the search": lambda s: SearchIndex(s).remove(MINE, ONE),
    "forget second fetches": lambda s: SecondFetchRepository(s).forget(MINE),
    "forget those of a layout": lambda s: SecondFetchRepository(s).forget(MINE, [1]),
    "read a source again": lambda s: SourceRepository(s).read_again(MINE, 7, LATER),
    "forget a template": lambda s: TemplateRepository(s).forget(MINE),
    "retire a template": retire,
}


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
def test_what_is_written_of_a_site_leaves_other_sites_alone(together, before, write):
    session, (mine, other) = Session(together), before
    try:
        write(session)
        assert rows_of(session, OTHER) == other
        assert rows_of(session, MINE) != mine
    finally:
        session.end(commit=False)
