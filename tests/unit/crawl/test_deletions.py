"""Tests of the end of a crawl: pages that are gone are deleted, or their deletion is held if they are too many."""

import asyncio
import datetime as dt

import pytest
from sqlalchemy import Engine, func, select, update

from sitecrawl.clock import now
from sitecrawl.config import Config
from sitecrawl.crawl import deletions
from sitecrawl.crawl.deletions import end_releases, release, too_many
from sitecrawl.crawl.page_lifecycle import FetchOutcome, FetchResult
from sitecrawl.crawl.site import HELD
from sitecrawl.errors import SiteLeasedError, UnknownSiteError
from sitecrawl.links.urls import url_id, url_key
from sitecrawl.storage.contents import ContentRepository
from sitecrawl.storage.db.engine import open_database, session_scope
from sitecrawl.storage.lease_owner import new_owner
from sitecrawl.storage.tables.models import CONTENT, PAGE
from tests.unit.crawl.crawling import ROOT, Crawling, crawled, during, html

NUMBERS = range(1, 9)


@pytest.mark.parametrize(
    ("deletions", "live", "held"), [(5, 5, False), (6, 20, True), (10, 100, False), (11, 100, True), (0, 0, False)]
)
def test_a_few_deletions_are_free_and_then_a_share_of_the_pages(deletions, live, held):
    assert too_many(deletions, live, Config(deletions_free=5, deletions_share=0.1)) is held


def two_crawls(url, gone, **settings):
    """Crawl the pages, then again with some of them removed; return the rows, the conclusion and the outcome."""

    async def first(crawling):
        await crawled(crawling, NUMBERS)

    async def second(crawling):
        for number in gone:
            address = f"{ROOT}{number}"
            fetch_outcome = FetchOutcome(FetchResult.REMOVED, "HTTP 410")
            await crawling.crawl.visits.settle(url_key(address), address, fetch_outcome, 410, 1)
        await crawled(crawling, [one for one in NUMBERS if one not in gone], conclude=False)
        return await crawling.crawl.conclude(), crawling.crawl.report.conclusion, crawling.crawl.outcome("finished")

    during(url, first, reason="finished")
    return during(url, second, reason=HELD, **settings)


def test_pages_that_were_removed_are_deleted_with_a_row(sqlite_url):
    rows, conclusion, outcome = two_crawls(sqlite_url, (2, 3))
    assert sorted((row.url, row.status, row.text) for row in rows) == [(f"{ROOT}{n}", "gone", "") for n in (2, 3)]
    assert (conclusion.deleted, conclusion.held, conclusion.live) == (2, 0, len(NUMBERS))
    assert outcome == "finished"


def test_a_few_wait_until_a_crawl_finds_a_page_that_stays(sqlite_url):
    async def first(crawling):
        await crawled(crawling, NUMBERS)

    def settled(*numbers, found=()):
        async def second(crawling):
            for number in numbers:
                address, removed = f"{ROOT}{number}", FetchOutcome(FetchResult.REMOVED, "HTTP 410")
                await crawling.crawl.visits.settle(url_key(address), address, removed, 410, 1)
            await crawled(crawling, found, conclude=False)
            return [row.url for row in await crawling.crawl.conclude()], crawling.crawl.outcome("finished")

        return second

    during(sqlite_url, first, reason="finished")
    assert during(sqlite_url, settled(2), reason="finished") == ([], "finished")
    assert during(sqlite_url, settled(3), reason="finished") == ([], "finished")
    assert during(sqlite_url, settled(), reason="finished") == ([], "finished")
    rows, outcome = during(sqlite_url, settled(found=(5,)), reason="finished")
    assert (sorted(rows), outcome) == ([f"{ROOT}2", f"{ROOT}3"], "finished")


@pytest.mark.parametrize(("result", "indexed"), [(FetchResult.TRAPPED, 1), (FetchResult.REFUSED, 3)])
def test_duplicates_in_a_closed_trap_are_deleted_before_their_original_changes(sqlite_url, result, indexed):
    """However many they are: they would be visited no more, and take the place of the original with its old text."""
    address, copies = f"{ROOT}1", [f"{ROOT}1?session={number}" for number in (1, 2)]

    async def first(crawling):
        await crawled(crawling, NUMBERS)
        for url in copies:
            await crawling.page(url, html(1))
        await crawling.crawl.conclude()

    async def second(crawling):
        for url in copies:
            await crawling.crawl.visits.settle(url_key(url), url, FetchOutcome(result, "a trap: why"), None, 1)
        await crawling.page(address, html(50))
        rows = await crawling.crawl.conclude()
        return sorted((row.url, row.status) for row in rows if row.url in copies)

    during(sqlite_url, first, reason="finished")
    gone = [(url, "gone") for url in copies]
    rows = during(sqlite_url, second, reason="finished", deletions_free=0, deletions_share=0.0)
    assert rows == (gone if result is FetchResult.TRAPPED else [(url, "changed") for url in copies])
    with open_database(sqlite_url).connect() as connection:
        held = (
            select(func.count())
            .select_from(CONTENT)
            .where(CONTENT.c.indexed, CONTENT.c.url_key.in_([url_key(url) for url in (address, *copies)]))
        )
        assert connection.execute(held).scalar() == indexed


@pytest.mark.parametrize(("same", "deleted"), [(True, list(NUMBERS)), (False, [])])
def test_pages_that_moved_with_their_text_are_not_held(sqlite_url, same, deleted):
    async def first(crawling):
        await crawled(crawling, NUMBERS)

    async def second(crawling):
        for number in NUMBERS:
            address, target = f"{ROOT}{number}", f"{ROOT}{number}/"
            await crawling.crawl.visits.settle(
                url_key(address), address, FetchOutcome(FetchResult.MOVED, target), None, 1
            )
            await crawling.page(target, html(number if same else number + 50))
        await crawled(crawling, (), conclude=False)
        gone = [row.url for row in await crawling.crawl.conclude() if row.status == "gone"]
        return sorted(gone), crawling.crawl.report.conclusion.held

    during(sqlite_url, first, reason="finished")
    held = len(NUMBERS) - len(deleted)
    assert during(sqlite_url, second, reason=HELD) == ([f"{ROOT}{number}" for number in deleted], held)


def test_those_that_wait_are_held_once_they_are_too_many(sqlite_url):
    async def first(crawling):
        await crawled(crawling, NUMBERS)

    def removed(number):
        async def later(crawling):
            address, gone = f"{ROOT}{number}", FetchOutcome(FetchResult.REMOVED, "HTTP 410")
            await crawling.crawl.visits.settle(url_key(address), address, gone, 410, 1)
            await crawling.crawl.conclude()
            return crawling.crawl.report.conclusion.held

        return later

    during(sqlite_url, first, reason="finished")
    assert [during(sqlite_url, removed(number), reason="finished") for number in range(1, 6)] == [0, 0, 0, 4, 5]


def test_too_many_are_held_until_they_are_released(sqlite_url):
    rows, conclusion, outcome = two_crawls(sqlite_url, (2, 3), deletions_free=1, deletions_share=0.1)
    assert (rows, conclusion.deleted, conclusion.held, outcome) == ([], 0, 2, HELD)
    config = Config(database_url=sqlite_url)
    gone = [(f"{ROOT}{n}", "gone") for n in (2, 3)]
    released = release(config, "example.org", new_owner(), now())
    assert sorted((row.url, row.status) for row in released.rows) == gone
    again = release(config, "example.org", new_owner(), now())  # its end was not noted: the rows may be in no feed
    assert sorted((row.url, row.status) for row in again.rows) == gone
    end_releases(config, [released.crawl_id, again.crawl_id], now())
    assert release(config, "example.org", new_owner(), now()) == ([], None)


def test_what_can_not_be_released(sqlite_url):
    config = Config(database_url=sqlite_url)
    with pytest.raises(UnknownSiteError, match=r"other\.example"):
        release(config, "other.example", new_owner(), now())

    async def leased(crawling):
        with pytest.raises(SiteLeasedError):
            release(config, "example.org", "another", now())

    during(sqlite_url, leased)


def test_a_crawl_that_was_interrupted_keeps_its_own_deletions(sqlite_url):
    async def interrupted(crawling):
        address = f"{ROOT}2"
        await crawling.crawl.visits.settle(
            url_key(address), address, FetchOutcome(FetchResult.REMOVED, "HTTP 410"), 410, 1
        )

    during(sqlite_url, lambda crawling: crawled(crawling, NUMBERS), reason="finished")
    during(sqlite_url, interrupted, reason="shutdown")
    assert release(Config(database_url=sqlite_url), "example.org", new_owner(), now()).rows == []


def test_a_page_whose_canonical_page_is_not_in_the_index_takes_its_place(sqlite_url):
    """Each text is in the index once: the alias is sent to it if its canonical page never came."""

    async def crawls(crawling):
        for number in NUMBERS:
            await crawling.page(f"{ROOT}{number}", html(number))
        head = "<link rel=canonical href='/70'>"
        await crawling.page(f"{ROOT}7a", html("7a", head=head))
        rows = await crawled(crawling, ())
        engine = crawling.crawl.engine
        with session_scope(engine) as session:
            indexed = ContentRepository(session).indexed(crawling.crawl.site_id, url_key(f"{ROOT}7a"))
        return [row.url for row in rows], indexed

    urls, indexed = during(sqlite_url, crawls, reason="finished")
    assert f"{ROOT}7a" in urls
    assert indexed


def test_the_clock_of_a_release_is_that_of_its_rows(sqlite_url):
    two_crawls(sqlite_url, (2,), deletions_free=0, deletions_share=0.0)
    moment = now() + dt.timedelta(days=1)
    (row,) = release(Config(database_url=sqlite_url), "example.org", new_owner(), moment).rows
    assert row.status == "gone"


def test_a_release_gives_the_site_back(sqlite_url):
    two_crawls(sqlite_url, (2,), deletions_free=0, deletions_share=0.0)
    release(Config(database_url=sqlite_url), "example.org", "somebody else", now())

    async def again():
        await Crawling(sqlite_url).crawl.close("shutdown", {})

    asyncio.run(again())


def test_the_database_is_closed_after_a_release(sqlite_url, monkeypatch):
    during(sqlite_url, lambda crawling: crawled(crawling, NUMBERS), reason="finished")
    closed = []
    monkeypatch.setattr(Engine, "dispose", lambda self, **_: closed.append(self.url.database))
    config = Config(database_url=sqlite_url)
    for does in (lambda: release(config, "example.org", new_owner(), now()), lambda: end_releases(config, [], now())):
        opened = len(closed)
        deletions.open_database(sqlite_url)
        opening = len(closed) - opened
        does()
        assert len(closed) - opened == 2 * opening + 1


def test_a_page_that_was_extracted_before_the_one_it_names_is_its_duplicate_in_the_end(sqlite_url):
    async def crawls(crawling):
        await crawled(crawling, NUMBERS, conclude=False)
        await crawling.page(f"{ROOT}7a", html("7a", head="<link rel=canonical href='/70'>"))
        await crawling.page(f"{ROOT}70", html(70))
        await crawling.crawl.conclude()
        with session_scope(crawling.crawl.engine) as session:
            contents = ContentRepository(session)
            site_id, key = crawling.crawl.site_id, url_key(f"{ROOT}7a")
            return contents.get(site_id, key).record.duplicate_of, contents.indexed(site_id, key)

    assert during(sqlite_url, crawls, reason="finished") == (url_id(f"{ROOT}70"), False)


def test_a_page_that_redirects_for_now_for_weeks_is_deleted(sqlite_url):
    """Visits 7 days, 14 days and 15 days after the first that missed it; the clock is turned by the stored visit."""
    url, told = f"{ROOT}1", []

    def later(days):
        async def visit(crawling):
            missed = now() - dt.timedelta(days=days)
            with session_scope(crawling.crawl.engine) as session:
                session.execute(update(PAGE).where(PAGE.c.url == url).values(missing_since=missed))
            outcome = FetchOutcome(FetchResult.MOVED_FOR_NOW, f"{ROOT}2")
            await crawling.crawl.visits.settle(url_key(url), url, outcome, 302, 1)
            await crawled(crawling, NUMBERS[1:], conclude=False)
            told.append([(row.url, row.status) for row in await crawling.crawl.conclude() if row.status == "gone"])

        during(sqlite_url, visit, reason="finished")

    during(sqlite_url, lambda crawling: crawled(crawling, NUMBERS), reason="finished")
    for days in (0, 7, 14, 15):
        later(days)
    assert told == [[], [], [(url, "gone")], []]
