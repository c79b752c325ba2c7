"""Tests of the open state of a crawl, and of what a resumed crawl loads."""

import asyncio
import datetime as dt

import pytest
from sqlalchemy import text, update

from sitecrawl.clock import now
from sitecrawl.config import Config
from sitecrawl.crawl.crawl_start import CrawlStart
from sitecrawl.crawl.crawl_state import trap_limits
from sitecrawl.crawl.page_lifecycle import FetchOutcome, FetchResult
from sitecrawl.crawl.site import SiteCrawl
from sitecrawl.crawl.stored_pages import HeldRows
from sitecrawl.dom.page import Page
from sitecrawl.errors import ConfigError, SiteLeasedError, UnknownSiteError
from sitecrawl.items import PageItem
from sitecrawl.links.urls import url_key
from sitecrawl.storage.db.engine import open_database, session_scope
from sitecrawl.storage.db.writer import BatchWriter, ProcessDatabase
from sitecrawl.storage.hosts import Breaker, HostRepository, StoredHost
from sitecrawl.storage.site_register import SiteRegister
from sitecrawl.storage.sites import SiteRepository
from sitecrawl.storage.tables.models import CRAWL
from tests.unit.crawl.crawling import PAGES, ROOT, crawled, during, html

LINKS = ("/a", "/b")


def test_the_settings_are_the_limits_of_traps():
    config = Config(
        max_path_segments=1, max_segment_repeats=2, max_query_parameters=3, max_query_variants=4, max_folder_variants=5
    )
    limits = trap_limits(config)
    assert (limits.path_segments, limits.segment_repeats, limits.query_parameters) == (1, 2, 3)
    assert (limits.query_variants, limits.folder_variants, limits.pages) == (4, 5, config.max_query_pages)


@pytest.mark.parametrize(
    ("declared", "found"),
    [
        ("/2", f"{ROOT}2"),
        ("https://example.org/2#part", f"{ROOT}2"),
        ("/1", None),
        ("https://other.example/1", None),
        ("ftp://example.org/2", None),
        (None, None),
    ],
)
def test_the_canonical_page_is_another_one_of_the_site(sqlite_url, declared, found):
    head = f"<link rel=canonical href='{declared}'>" if declared else ""

    async def canonical(crawling):
        item = crawling.item(f"{ROOT}1", html(1, head=head))
        return [crawling.crawl.canonical(item) for _ in range(2)]

    assert during(sqlite_url, canonical) == [found, found]


async def some(crawling):
    """Visit some pages of a crawl that is interrupted: one fails, and the first wait for their template."""
    await crawling.page(f"{ROOT}1", html(1, links=LINKS))
    await crawling.page(f"{ROOT}2", html(2))
    url = f"{ROOT}bad"
    await crawling.crawl.visits.settle(url_key(url), url, FetchOutcome(FetchResult.FAILED, "HTTP 500"), 500, 1)


def keys(*names):
    return {url_key(f"{ROOT}{name}") for name in names}


def test_a_crawl_goes_on_with_what_is_stored_of_it(sqlite_url):
    during(sqlite_url, some)

    async def state(crawling):
        crawl, frontier = crawling.crawl, crawling.crawl.frontier
        pages = frontier.known, frontier.settled, frontier.seen, frontier.pages, frontier.discoveries.last
        return (
            pages,
            list(crawl.waiting.pages),
            crawl.learning.unpublished,
            crawl.order.fetched,
            crawl.order.emitted.last,
        )

    pages, waiting, unpublished, fetches, rows = during(sqlite_url, state)
    known = keys("", "1", "2", "bad", "a", "b")
    assert pages[:4] == (known, keys("1", "2", "bad"), keys("", "a", "b"), 2)
    assert pages[4] == 3
    assert set(waiting) == keys("1", "2")
    assert unpublished == {1: sorted(keys("1", "2"))}
    assert (fetches, rows) == (len(known), 0)


def test_another_crawl_begins_with_the_pages_that_are_known(sqlite_url):
    during(sqlite_url, lambda crawling: crawled(crawling, range(1, PAGES + 1)), reason="finished")

    async def state(crawling):
        crawl, frontier = crawling.crawl, crawling.crawl.frontier
        return (
            frontier.known,
            frontier.settled,
            frontier.pages,
            frontier.seen,
            crawl.order.emitted_before,
            crawl.answered,
        )

    known = keys("", *range(1, PAGES + 1))
    assert during(sqlite_url, state) == (known, set(), 0, set(), 0, True)


def test_a_site_whose_reach_is_recorded_is_known_by_it(sqlite_url):
    async def record(crawling):
        await crawling.crawl.record_reach("public")
        return crawling.crawl.reach

    async def later(crawling):
        return crawling.crawl.reach, crawling.crawl.answered

    assert during(sqlite_url, record) == "public"
    assert during(sqlite_url, later) == ("public", False)


@pytest.mark.parametrize(
    ("settings", "kept"),
    [({}, True), ({"store_bodies": False}, False), ({"store_bodies": False, "extractor": "temex"}, True)],
)
def test_bodies_are_kept_where_that_is_wanted_or_needed(sqlite_url, settings, kept):
    async def rules(crawling):
        rules, crawl = crawling.crawl.rules, crawling.crawl
        return rules.keep_body, rules.site_id == crawl.site_id, rules.crawl_id == crawl.crawl_id, rules.emit_unchanged

    assert during(sqlite_url, rules, **settings) == (kept, True, True, False)


def test_a_crawl_of_what_is_due_asks_for_no_other_page(sqlite_url):
    during(sqlite_url, lambda crawling: crawled(crawling, range(1, PAGES + 1)), reason="finished")

    async def due(crawling):
        found = []
        for only_due in (False, True):
            crawling.crawl.schedule.due = only_due
            found.append(len(await crawling.due()))
            crawling.crawl.frontier.taken.clear()
        return found

    assert during(sqlite_url, due) == [PAGES + 1, 1]  # the home page was never fetched


def test_the_depth_is_a_limit_of_the_frontier(sqlite_url):
    async def depth(crawling):
        return crawling.crawl.frontier.depth_limit(0), crawling.crawl.frontier.window

    assert during(sqlite_url, depth, frontier_window=9) == (20, 9)
    assert during(sqlite_url, depth, frontier_window=9, depth_step=0) == (0, 9)

    async def other(crawling):
        await crawling.crawl.close("shutdown", {})
        crawl = SiteCrawl(crawling.config, CrawlStart(ROOT, max_depth=3, due=True))
        found = crawl.frontier.max_depth, crawl.start.due, crawl.schedule.due
        await crawl.close("shutdown", {})
        crawling.crawl = SiteCrawl(crawling.config, CrawlStart(ROOT))
        return found

    assert during(sqlite_url, other) == (3, True, True)


def test_spellings_are_those_on_other_origins_than_the_start_url(sqlite_url):
    async def home(crawling):
        return crawling.crawl.frontier.spellings.home

    assert during(sqlite_url, home) == ROOT.rstrip("/")


def test_pages_without_an_answer_may_be_asked_for_with_another_spelling_in_the_next_crawl(sqlite_url):
    other = "https://www.example.org/9"

    async def fail(crawling):
        crawl = crawling.crawl
        await crawl.visits.discover([crawl.frontier.add(url_key(other), other, 1, 5)])
        await crawl.visits.settle(url_key(other), other, FetchOutcome(FetchResult.FAILED, "no such host"), None, 1)

    async def next_one(crawling):
        spellings = crawling.crawl.frontier.spellings
        before = spellings.take()
        spellings.seen(url_key(other), f"{ROOT}9")
        return before, spellings.take()

    during(sqlite_url, fail, reason="finished")
    assert during(sqlite_url, next_one) == ([], [(url_key(other), f"{ROOT}9", "no such host")])


@pytest.mark.parametrize(("scope", "spread"), [("domain", True), ("host", False)])
def test_the_pages_of_a_domain_may_be_on_several_hosts(sqlite_url, scope, spread):
    async def hosts(crawling):
        return crawling.crawl.hosts.spread, crawling.crawl.hosts.home

    assert during(sqlite_url, hosts, site_scope=scope) == (spread, "example.org")


def test_the_settings_of_the_site_itself_apply_to_its_crawl(sqlite_url):
    async def sets(crawling):
        crawl = crawling.crawl
        await crawl.writer.submit(lambda s: SiteRegister(s).set_options("example.org", {"max_pages": 3}))
        return crawl.frontier.max_pages, crawl.config.max_pages

    async def later(crawling):
        crawl = crawling.crawl
        return crawl.frontier.max_pages, crawl.config.max_pages, crawl.options.config is crawl.config

    assert during(sqlite_url, sets, max_pages=9) == (9, 9)
    assert during(sqlite_url, later, max_pages=9) == (3, 3, True)


@pytest.mark.parametrize("url", ["https://", "https://[example.org/", "https://example.org:port/"])
def test_a_start_url_that_cannot_be_asked_for_is_refused_before_anything_is_opened(tmp_path, url):
    config = Config(database_url=f"sqlite:///{tmp_path}/new.db")
    with pytest.raises(ConfigError, match="give a start URL such as"):
        SiteCrawl(config, CrawlStart(url))
    assert list(tmp_path.iterdir()) == []


def test_pages_of_an_interrupted_crawl_that_no_template_counts_are_learned_by_the_next_run(sqlite_url):
    """Those without a layout are compared with the templates there are; the others are counted with theirs."""
    during(sqlite_url, lambda crawling: crawled(crawling, range(1, PAGES + 1)), reason="finished")

    async def interrupted(crawling):
        for number in range(1, PAGES + 3):
            await crawling.page(f"{ROOT}{number}", html(number))
        await crawling.crawl.writer.flush()
        keys = {name: url_key(f"{ROOT}{name}") for name in (1, PAGES + 1, PAGES + 2)}
        with session_scope(crawling.crawl.engine) as session:
            for column, key in (("layout = NULL", keys[PAGES + 1]), ("layout = 1", keys[PAGES + 2])):
                session.execute(text(f"UPDATE page SET learned_version = NULL, {column} WHERE url_key = {key}"))
            session.execute(text(f"UPDATE page SET learned_version = NULL WHERE url_key = {keys[1]}"))
            session.execute(text(f"DELETE FROM body WHERE url_key = {keys[1]}"))

    async def next_one(crawling):
        learning = crawling.crawl.learning
        return learning.unpublished, crawling.crawl.crawl.resumed

    during(sqlite_url, interrupted)
    unpublished, resumed = during(sqlite_url, next_one)
    assert resumed
    assert unpublished == {1: [url_key(f"{ROOT}{PAGES + 2}")]}


def test_the_database_of_a_process_outlives_each_of_its_crawls(sqlite_url):
    engine = open_database(sqlite_url)
    database = ProcessDatabase(engine, BatchWriter(engine))
    config = Config(database_url=sqlite_url)

    async def crawls():
        for host in ("a.example", "b.example"):
            crawl = SiteCrawl(config, CrawlStart(f"https://{host}/"), database)
            assert crawl.engine is engine
            await crawl.close("shutdown", {})

    asyncio.run(crawls())
    sites = database.writer.run(lambda s: [one.host for one in SiteRepository(s).refs()])
    assert sorted(sites) == ["a.example", "b.example"]
    database.writer.run(lambda s: SiteRepository(s).lease(SiteRepository(s).get("a.example").id, "x", now(), 60))
    with pytest.raises(SiteLeasedError):
        SiteCrawl(config, CrawlStart("https://a.example/"), database)
    assert database.writer.run(lambda s: SiteRepository(s).get("a.example").host) == "a.example"
    database.writer.shutdown()
    engine.dispose()


def test_a_crawl_that_ends_holds_no_page_any_more(sqlite_url):
    engine = open_database(sqlite_url)
    database, held = ProcessDatabase(engine, BatchWriter(engine)), HeldRows(1_000)

    async def play():
        crawl = SiteCrawl(Config(database_url=sqlite_url), CrawlStart(ROOT), database, held)
        page = Page.from_html(html(1), f"{ROOT}1")
        given = {"http_status": 200, "depth": 1, "fetched_at": now()}
        crawl.bodies.hold(PageItem(page=page, url_key=url_key(page.url), html=html(1), **given))
        assert held.left == 1_000 - len(page.flat)
        await crawl.close("shutdown", {})

    asyncio.run(play())
    assert held.left == 1_000
    database.writer.shutdown()
    engine.dispose()


def test_a_clock_that_was_set_back_is_noticed_by_the_crawl_before(sqlite_url):
    async def back(crawling):
        return crawling.crawl.clock_back

    assert during(sqlite_url, back, reason="finished") == 0.0
    engine = open_database(sqlite_url)
    with session_scope(engine) as session:
        session.execute(update(CRAWL).values(started_at=now() + dt.timedelta(hours=1)))
    engine.dispose()
    assert 3000 < during(sqlite_url, back) <= 3600


def test_what_is_the_sites_is_known_from_the_first_page_of_a_later_crawl_on(sqlite_url):
    async def decided(crawling):
        return crawling.crawl.statistics.decided, len(crawling.crawl.statistics.values._counts)

    assert during(sqlite_url, decided) == (False, 0)
    during(sqlite_url, lambda crawling: crawled(crawling, range(1, PAGES + 1)), reason="finished")
    known, counts = during(sqlite_url, decided)
    assert known
    assert counts


@pytest.mark.parametrize(("scope", "stopped"), [("host", True), ("domain", False)])
def test_a_home_that_asked_to_be_left_alone_stops_the_crawl_of_its_host(sqlite_url, scope, stopped):
    async def fails(crawling):
        crawl, moment = crawling.crawl, now() + dt.timedelta(days=1)
        row = StoredHost("example.org", Breaker.GIVEN_UP, 1, None, 1, moment, "asked to wait")
        await crawl.writer.submit(lambda s: HostRepository(s).put(crawl.site_id, row))

    async def later(crawling):
        return crawling.crawl.report.given_up, bool(crawling.crawl.frontier.stopped)

    during(sqlite_url, fails, site_scope=scope)
    said, held = during(sqlite_url, later, site_scope=scope)
    assert (said, held) == ("asked to wait", stopped)


def test_only_due_pages_of_an_unknown_site_are_none(sqlite_url):
    config = Config(database_url=sqlite_url)
    with pytest.raises(UnknownSiteError, match="crawl it without due=1"):
        SiteCrawl(config, CrawlStart("https://unknown.example/", due=True))
    engine = open_database(sqlite_url)
    with session_scope(engine, write=False) as session:
        assert SiteRepository(session).hosts(5) == []
    engine.dispose()
