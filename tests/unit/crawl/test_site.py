"""Tests of one crawl from its lease to its end, without Scrapy."""

import asyncio
import datetime as dt

import pytest
from sqlalchemy import delete, select

from sitecrawl.clock import now
from sitecrawl.config import Config
from sitecrawl.crawl import crawl_state, site
from sitecrawl.crawl.crawl_start import CrawlStart
from sitecrawl.crawl.page_lifecycle import FetchOutcome, FetchResult
from sitecrawl.crawl.site import HELD, SiteCrawl, pause_after
from sitecrawl.errors import ConfigError, DatabaseLostError, LeaseLostError, SiteLeasedError, StorageError
from sitecrawl.links.urls import url_key
from sitecrawl.metadata.fields import RowStatus
from sitecrawl.page_kind import Kind
from sitecrawl.storage.crawls import CrawlRepository
from sitecrawl.storage.db.engine import open_database, session_scope
from sitecrawl.storage.db.writer import BatchWriter, ProcessDatabase
from sitecrawl.storage.sites import SiteRepository
from sitecrawl.storage.tables.models import PAGE, SITE
from tests.unit.crawl.crawling import PAGES, ROOT, Crawling, crawled, during, html


def latest(database_url):
    engine = open_database(database_url)
    with session_scope(engine) as session:
        found = SiteRepository(session).get("example.org")
        crawl = found and CrawlRepository(session).latest(found.id)
    engine.dispose()
    return crawl


def test_a_crawl_that_ends_is_finished_and_the_next_one_is_another(sqlite_url):
    during(sqlite_url, lambda crawling: crawled(crawling, (1, 2)), reason="finished")

    async def again(crawling):
        crawl = crawling.crawl
        return crawl.crawl_id, crawl.crawl.resumed, crawl.before.id, crawl.before.finished_at is not None

    assert during(sqlite_url, again) == (2, False, 1, True)


def test_a_crawl_that_was_interrupted_goes_on_and_gives_its_rows_again(sqlite_url, monkeypatch):
    async def first(crawling):
        rows = await crawled(crawling, range(1, PAGES + 3))
        return crawling.crawl.crawl_id, [row.url for row in rows]

    async def second(crawling):
        crawl = crawling.crawl
        rows = [row async for row in crawl.emitted_rows()]
        return crawl.crawl_id, crawl.crawl.resumed, [(row.url, row.status) for row in rows], crawl.order.emitted_before

    async def third(crawling):
        assert not crawling.crawl.forgotten  # read by the summary, which a crawl has even if it could not be closed
        return [row.url async for row in crawling.crawl.emitted_rows()]

    number, urls = during(sqlite_url, first)
    assert sorted(urls) == [f"{ROOT}{one}" for one in range(1, PAGES + 3)]
    assert during(sqlite_url, second) == (number, True, [(url, "new") for url in urls], len(urls))
    for at_once in (1, 2, len(urls), len(urls) + 1):
        monkeypatch.setattr(site, "ROWS", at_once)
        assert during(sqlite_url, third) == urls


@pytest.mark.parametrize(
    ("reason", "at_once"), [("shutdown", True), ("feed", True), ("outage", False), ("finished", False)]
)
def test_a_crawl_that_was_stopped_is_due_at_once_though_all_pages_were_fetched(sqlite_url, reason, at_once):
    async def all_pages(crawling):
        await crawled(crawling, range(1, PAGES + 3))
        with session_scope(crawling.crawl.engine) as session:
            session.execute(delete(PAGE).where(PAGE.c.crawl_id.is_(None)))  # what the pages link to

    began = now()
    during(sqlite_url, all_pages, reason=reason)
    engine = open_database(sqlite_url)
    with session_scope(engine) as session:
        _, due = SiteRepository(session).next_due()
    engine.dispose()
    assert (began <= due <= now()) is at_once


def test_a_crawl_that_was_stopped_before_it_began_hands_its_site_back(sqlite_url):
    crawl = SiteCrawl(Config(database_url=sqlite_url), CrawlStart(ROOT, 0))
    crawl.hand_back()
    crawl.writer.shutdown()
    engine = open_database(sqlite_url)
    with session_scope(engine) as session:
        sites = SiteRepository(session)
        assert sites.due(now(), 9) == [crawl.site_id]
        assert sites.lease_due("other", now(), 60, due=now(), pause=60) is not None
    engine.dispose()
    assert (latest(sqlite_url).finished_at, latest(sqlite_url).reason) == (None, "shutdown")


@pytest.mark.parametrize(
    ("reason", "stopped", "held", "full", "outcome"),
    [
        ("shutdown", "outage", 2, True, "shutdown"),
        ("finished", "outage", 2, True, "outage"),
        ("finished", "", 2, True, HELD),
        ("finished", "", 0, True, "max_pages"),
        ("finished", "", 0, False, "finished"),
    ],
)
def test_how_a_crawl_ended(sqlite_url, reason, stopped, held, full, outcome):
    async def ended(crawling):
        crawl = crawling.crawl
        crawl.frontier.stopped = stopped
        crawl.report.conclusion = crawl.report.conclusion._replace(held=held)
        crawl.frontier.max_pages, crawl.frontier.pages = 3, 3 if full else 2
        return crawl.outcome(reason)

    assert during(sqlite_url, ended) == outcome


def test_the_figures_of_a_crawl(sqlite_url):
    async def figures(crawling):
        await crawling.page(f"{ROOT}1", html(1, links=("/2", "/90")))
        await crawled(crawling, range(2, PAGES + 1))
        address = f"{ROOT}91"
        await crawling.crawl.visits.settle(
            url_key(address), address, FetchOutcome(FetchResult.FAILED, "HTTP 500"), 500, 1
        )
        counts = await crawling.crawl.counts()
        return await crawling.crawl.figures(*counts), counts

    figures, (contents, urls) = during(sqlite_url, figures)
    assert (figures["pages"], figures["rows"], figures["held"]) == (PAGES, {"new": PAGES}, 0)
    assert figures["template_version"] == 1
    assert figures["unlinked"] == 4  # 1, 3, 4 and the one that failed; 2, 90 and the home page are linked to
    assert sum(contents.values()) == PAGES
    assert urls["error"] == figures["urls"]["error"] == 1
    assert (figures["known"], figures["kinds"]) == (urls, {"content": PAGES})
    assert figures["urls"].get("discovered", 0) == 0
    assert urls["discovered"] == 2
    assert sum(urls.values()) == PAGES + 3


def test_the_figures_have_no_kind_of_pages_that_are_gone(sqlite_url):
    async def figures(crawling):
        counts = {(Kind.CONTENT, RowStatus.NEW): 3, (Kind.LISTING, RowStatus.UNCHANGED): 2}
        return await crawling.crawl.figures({**counts, (Kind.CONTENT, RowStatus.GONE): 4}, {})

    found = during(sqlite_url, figures)
    assert (found["kinds"], found["rows"]) == ({"content": 3, "listing": 2}, {"new": 3, "unchanged": 2, "gone": 4})


def test_a_page_is_stored_once_it_has_an_outcome_and_its_content(sqlite_url):
    async def stored(crawling):
        crawl = crawling.crawl
        url = f"{ROOT}1"
        before = crawl.is_stored(url)
        await crawling.page(url, html(1))
        after = crawl.is_stored(url)
        crawl.waiting.unextracted.append(url_key(url))
        return before, after, crawl.is_stored(url)

    assert during(sqlite_url, stored) == (False, True, False)


def test_the_lease_keeps_a_second_crawl_out_and_is_given_back(sqlite_url):
    async def second(crawling):
        with pytest.raises(SiteLeasedError):
            Crawling(sqlite_url)
        kept = await crawling.crawl.renew()
        crawling.crawl.owner = "nobody"
        return kept, await crawling.crawl.renew()

    async def first():
        crawling = Crawling(sqlite_url)
        owner = crawling.crawl.owner
        try:
            return await second(crawling)
        finally:
            crawling.crawl.owner = owner
            await crawling.crawl.close("shutdown", {})

    assert asyncio.run(first()) == (True, False)
    during(sqlite_url, lambda crawling: asyncio.sleep(0))  # the lease is free


def test_a_lease_that_was_taken_for_a_crawl_is_handed_over(sqlite_url):
    during(sqlite_url, lambda crawling: asyncio.sleep(0))
    engine = open_database(sqlite_url)
    with session_scope(engine) as session:
        known = SiteRepository(session).get("example.org")
        SiteRepository(session).lease(known.id, "the one who hands it over", now(), 60)
    with pytest.raises(SiteLeasedError):
        Crawling(sqlite_url)

    async def handed():
        crawl = SiteCrawl(Config(database_url=sqlite_url), CrawlStart(ROOT, owner="the one who hands it over"))
        await crawl.close("shutdown", {})

    asyncio.run(handed())
    engine.dispose()


@pytest.mark.parametrize("url", ["example.org", "ftp://example.org/", "https://"])
def test_what_is_no_website(sqlite_url, url):
    with pytest.raises(ConfigError):
        SiteCrawl(Config(database_url=sqlite_url), CrawlStart(url))


def test_a_site_of_which_nothing_was_fetched_is_forgotten_where_that_is_asked_for(sqlite_url):
    async def nothing():
        for forget in (False, True):
            crawl = SiteCrawl(Config(database_url=sqlite_url), CrawlStart(ROOT))
            await crawl.close("finished", {}, forget=forget)
            yielded.append((crawl.forgotten, latest(sqlite_url) is None))

    yielded = []
    asyncio.run(nothing())
    assert yielded == [(False, False), (True, True)]


@pytest.mark.parametrize("outcome", ["finished", "held", "shutdown", "lease_lost", "database"])
def test_a_crawl_that_ended_or_was_stopped_in_order_leaves_the_plan_as_it_is(outcome):
    assert pause_after(outcome, Config()) == 0


@pytest.mark.parametrize("outcome", ["robots.txt unreadable", "outage", "address", "failed"])
def test_a_site_that_does_not_answer_is_left_alone_for_a_while(outcome):
    assert pause_after(outcome, Config(recrawl_error_interval=7200)) == 7200


@pytest.mark.parametrize("outcome", ["finished", "max_pages", "held"])
def test_a_site_with_pages_that_could_not_be_stored_is_left_alone_for_a_while(outcome):
    assert pause_after(outcome, Config(recrawl_error_interval=7200), broken=True) == 7200
    assert pause_after("shutdown", Config(), broken=True) == 0


def test_a_limit_of_pages_is_a_limit_a_day():
    assert pause_after("max_pages", Config(recrawl_initial_interval=86_400)) == 86_400


@pytest.mark.parametrize(("rests", "least", "most"), [(True, 86_000, 86_400), (False, -60, 0)])
def test_the_end_of_a_crawl_by_its_limit_of_pages_says_when_its_site_is_due(sqlite_url, rests, least, most):
    async def limited():
        crawl = SiteCrawl(Config(database_url=sqlite_url), CrawlStart(ROOT, rests=rests))
        await crawl.visits.discover([crawl.frontier.add(url_key(ROOT), ROOT, 0, 1)])  # left for the next crawl
        await crawl.close("max_pages", {})

    asyncio.run(limited())
    engine = open_database(sqlite_url)
    with session_scope(engine) as session:
        due = session.scalar(select(SITE.c.next_crawl_at))
    engine.dispose()
    assert least <= (due - now()).total_seconds() <= most


def test_why_a_crawl_is_left_is_kept(sqlite_url):
    async def left(crawling):
        crawling.crawl.report.given_up = "example.org has not answered"

    during(sqlite_url, left)
    crawl = latest(sqlite_url)
    assert (crawl.finished_at, crawl.reason) == (None, "example.org has not answered")
    during(sqlite_url, lambda crawling: asyncio.sleep(0), reason="finished")
    assert latest(sqlite_url).reason == "finished"


def test_what_failed_is_known_when_the_crawl_is_closed(sqlite_url):
    async def failing():
        crawling = Crawling(sqlite_url)
        await crawled(crawling, (1, 2))
        url = f"{ROOT}broken"
        await crawling.crawl.visits.settle(url_key(url), url, FetchOutcome(FetchResult.FAILED, "HTTP 500"), 500, 1)
        before = list(crawling.crawl.troubles)
        await crawling.crawl.close("finished", {})
        return before, [(one.reason, one.urls, one.example) for one in crawling.crawl.troubles]

    before, after = asyncio.run(failing())
    assert before == []
    assert ("HTTP 500", 1, f"{ROOT}broken") in after


def test_a_crawl_whose_database_is_lost_gives_the_site_back_if_it_can(sqlite_url):
    async def lost():
        crawling = Crawling(sqlite_url)
        await crawling.crawl.abandon()

    asyncio.run(lost())
    during(sqlite_url, lambda crawling: asyncio.sleep(0))


def test_a_clock_that_was_set_back_is_seen(sqlite_url, monkeypatch):
    during(sqlite_url, lambda crawling: asyncio.sleep(0))
    monkeypatch.setattr(crawl_state, "now", lambda: now() - dt.timedelta(hours=1))

    async def back(crawling):
        return crawling.crawl.clock_back

    assert 3500 < during(sqlite_url, back) < 3700


@pytest.mark.parametrize(
    ("error", "reason"),
    [(LeaseLostError("taken"), "lease_lost"), (DatabaseLostError("gone"), "database"), (None, "database")],
)
def test_why_nothing_can_be_written_is_the_end_of_the_crawl(error, reason):
    assert site.end_of_writing(error) == {"lease_lost": site.LEASE_LOST, "database": site.DATABASE}[reason]


def test_pages_that_are_gone_have_rows_when_the_crawl_is_concluded(sqlite_url):
    during(sqlite_url, lambda crawling: crawled(crawling, range(1, PAGES + 1)), reason="finished")

    async def second(crawling):
        crawl, gone = crawling.crawl, url_key(f"{ROOT}2")
        crawl.frontier.taken.add(gone)
        await crawl.visits.settle(gone, f"{ROOT}2", FetchOutcome(FetchResult.REMOVED, "HTTP 410"), 410, 1)
        await crawled(crawling, (1,), conclude=False)
        return [(row.url, row.status) for row in await crawl.conclude()], crawl.order.emitted.last

    assert during(sqlite_url, second) == ([(f"{ROOT}2", "gone")], 2)


def test_a_crawl_that_is_closed_stops_its_own_writer_and_none_that_others_use(sqlite_url):
    engine = open_database(sqlite_url)
    database = ProcessDatabase(engine, BatchWriter(engine))

    async def closed(given):
        crawl = SiteCrawl(Config(database_url=sqlite_url), CrawlStart(ROOT), given)
        await crawl.close("shutdown", {})
        return await crawl.renew()

    assert asyncio.run(closed(database)) is False  # the lease was given back, which the writer still finds
    with pytest.raises(StorageError, match="the database writer is closed"):
        asyncio.run(closed(None))
    database.writer.shutdown()
    engine.dispose()
