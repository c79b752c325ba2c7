"""Tests of the next requests of a crawl: how many at once, which spellings, and none in closed traps."""

import asyncio

import pytest
from sqlalchemy import text, update

from sitecrawl.crawl.next_pages import BATCH
from sitecrawl.crawl.page_lifecycle import FetchOutcome, FetchResult
from sitecrawl.errors import StorageError
from sitecrawl.links.urls import url_key
from sitecrawl.storage.db.engine import session_scope
from sitecrawl.storage.pages import PageRepository, PageStatus
from sitecrawl.storage.tables.models import CONTENT
from tests.unit.crawl.crawling import ROOT, Crawling, crawled, during, html
from tests.unit.crawl.faults import Driver, memory, opened_again

URL = f"{ROOT}1"
KEY = url_key(URL)
TRAP = f"{ROOT}deep/"


def page(crawling, key=KEY):
    with session_scope(crawling.crawl.engine) as session:
        return session.execute(
            text("SELECT url, status, reason, fetches FROM page WHERE url_key = :key"), {"key": key}
        ).one()


async def closed_trap(crawling, urls):
    """Discover URLs, the first of them most urgent, and close a folder."""
    crawl = crawling.crawl
    found = [crawl.frontier.add(url_key(url), url, 1, len(urls) - n) for n, url in enumerate(urls)]
    await crawl.visits.discover(found)
    await crawl.closed_traps.store([crawl.infinite_spaces.close(TRAP)])


def test_nothing_is_asked_for_where_there_is_no_room(sqlite_url):
    async def asks(crawling):
        crawl = crawling.crawl
        found = [crawl.frontier.add(url_key(f"{ROOT}{n}"), f"{ROOT}{n}", 1, n) for n in range(5)]
        await crawl.visits.discover(found)
        await crawl.visits.discover([])
        first = [one.url for one in await crawling.due()]
        return first, await crawling.due(), len(crawl.frontier.taken)

    assert during(sqlite_url, asks, frontier_window=2) == ([f"{ROOT}4", f"{ROOT}3"], [], 2)


def test_a_batch_leaves_room_for_links_that_are_found_meanwhile(sqlite_url):
    async def asks(crawling):
        crawl, urls = crawling.crawl, [f"{ROOT}{n}" for n in range(BATCH + 2)]
        await crawl.visits.discover([crawl.frontier.add(url_key(url), url, 1, 100) for url in urls])
        first = [one.url for one in await crawling.due()]
        return first == urls[:BATCH], crawl.frontier.room, [one.url for one in await crawling.due()] == urls[BATCH:]

    assert during(sqlite_url, asks, frontier_window=2 * BATCH) == (True, BATCH, True)


@pytest.mark.parametrize(
    ("limit", "due", "asked"),
    [
        (2, False, ["", "new0"]),
        (8, False, ["", "list", "1", "2", "new0", "new1", "new2", "new3"]),
        (8, True, [*(f"new{n}" for n in range(8))]),  # no visit has come yet
        (0, False, [f"new{n}" for n in range(8)]),
    ],
)
def test_a_limit_of_pages_is_shared_by_hubs_other_known_pages_and_new_urls(sqlite_url, limit, due, asked):
    """URLs that were never fetched come first without a limit."""

    async def first(crawling):
        await crawling.page(ROOT, html(0), depth=0)
        listed = tuple(f"/{n}" for n in range(1, 5))
        await crawling.page(f"{ROOT}list", html(9, links=listed))
        await crawled(crawling, [1, 2, 3, 4])
        crawl, urls = crawling.crawl, [f"{ROOT}new{n}" for n in range(8)]
        with session_scope(crawl.engine) as session:
            session.execute(update(CONTENT).where(CONTENT.c.url_key == url_key(f"{ROOT}list")).values(kind="listing"))
            for number in range(1, 5):
                PageRepository(session).promote(crawl.site_id, [url_key(f"{ROOT}{number}")], 100 - number)
        await crawl.visits.discover(
            [crawl.frontier.add(url_key(url), url, 1, 9 - n) for n, url in enumerate(urls)],
        )

    async def second(crawling):
        found = []
        while batch := await crawling.due():
            found += [one.url.removeprefix(ROOT) for one in batch]
        return found

    during(sqlite_url, first, reason="finished")
    assert during(sqlite_url, second, max_pages=limit, due=due)[: len(asked)] == asked


def test_known_pages_have_the_whole_limit_where_no_url_is_new_and_take_turns(sqlite_url):
    async def visits(crawling):
        found = []
        while batch := await crawling.due():
            for one in batch:
                found.append(one.url)
                await crawling.page(one.url, html(len(one.url)))
        await crawling.crawl.publishing.exhaust()
        await crawling.waiting()
        return found

    during(sqlite_url, lambda crawling: crawled(crawling, ["", *range(8)]), reason="finished")
    seen = [during(sqlite_url, visits, reason="finished", max_pages=3) for _ in range(3)]
    assert sorted(url for one in seen for url in one) == [ROOT, *(f"{ROOT}{number}" for number in range(8))]


def test_pages_that_a_new_page_links_to_come_before_known_pages_beyond_their_share(sqlite_url):
    """An archive whose pages each link to the next has one new URL at a time."""
    known = [str(number) for number in range(1, 8)]

    async def first(crawling):
        await crawling.page(ROOT, html(0), depth=0)
        await crawled(crawling, map(int, known))
        await linked(crawling, "new1")

    async def linked(crawling, name):
        found = crawling.crawl.frontier.add(url_key(f"{ROOT}{name}"), f"{ROOT}{name}", 1, 0)
        await crawling.crawl.visits.discover([found])

    async def second(crawling):
        found = []
        while batch := await crawling.due():
            for one in batch:
                name = one.url.removeprefix(ROOT)
                found.append(name)
                await crawling.page(one.url, html(len(found)))
                if name in ("new1", "new2"):
                    await linked(crawling, f"new{int(name[3]) + 1}")
        return found

    during(sqlite_url, first, reason="finished")
    asked = during(sqlite_url, second, max_pages=8)
    assert asked[4:7] == ["new1", "new2", "new3"]
    assert (asked[0], len(asked), set(asked[1:4]) < set(known), asked[7] in known) == ("", 8, True, True)


async def removed(crawling, url):
    await crawling.crawl.visits.settle(url_key(url), url, FetchOutcome(FetchResult.REMOVED, "HTTP 410"), 410, 1)


@pytest.mark.parametrize(("up", "rows"), [(True, [URL]), (False, [])])
def test_deletions_that_wait_are_decided_by_one_more_page_in_a_crawl_of_due_pages(sqlite_url, up, rows):
    """A site that is down says of it that it is gone too: nothing is deleted, and no further page is asked for."""

    async def visits(crawling):
        assert await crawling.due() == []
        await removed(crawling, URL)
        (witness,) = await crawling.due()
        if up:
            await crawling.page(witness.url, html(2))
        else:
            await removed(crawling, witness.url)
        assert await crawling.due() == []
        return [row.url for row in await crawling.crawl.conclude()]

    during(sqlite_url, lambda crawling: crawled(crawling, ["", *range(1, 8)]), reason="finished")
    assert during(sqlite_url, visits, due=True) == rows


def test_no_further_page_is_asked_for_if_a_page_of_the_crawl_stays(sqlite_url):
    async def visits(crawling):
        await removed(crawling, URL)
        await crawling.page(f"{ROOT}2", html(2))
        return await crawling.due()

    during(sqlite_url, lambda crawling: crawled(crawling, ["", *range(1, 8)]), reason="finished")
    assert during(sqlite_url, visits, due=True) == []


@pytest.mark.parametrize("state", ["taken", "arrived", "postponed"])
def test_what_is_under_way_takes_no_place_in_a_batch(sqlite_url, state):
    """The most urgent pages are under way: the batch is filled from those that follow."""

    async def asks(crawling):
        crawl, frontier = crawling.crawl, crawling.crawl.frontier
        await crawl.visits.discover([frontier.add(url_key(f"{ROOT}{n}"), f"{ROOT}{n}", 1, 9 - n) for n in range(6)])
        urgent = [url_key(f"{ROOT}{n}") for n in range(3)]
        if state == "arrived":
            frontier.arrived.update(dict.fromkeys(urgent, False))
        else:
            getattr(frontier, state).update(urgent)
            frontier.window += 3 * (state == "taken")
        return [one.url for one in await crawling.due()]

    assert during(sqlite_url, asks, frontier_window=2) == [f"{ROOT}3", f"{ROOT}4"]


def test_a_page_that_failed_because_of_its_host_is_asked_for_with_its_other_spelling(sqlite_url):
    """Once: after that it failed like others."""
    other = "https://www.example.org/1"

    async def fail(crawling):
        crawl = crawling.crawl
        frontier = crawl.frontier
        await crawl.visits.discover(
            [frontier.add(KEY, other, 1, 5), frontier.add(url_key(f"{ROOT}2"), f"{ROOT}2", 1, 4)]
        )
        first = [one.url for one in await crawling.due()]
        frontier.add(KEY, URL, 1, 5)  # a page links to it so
        for key, url in ((KEY, other), (url_key(f"{ROOT}2"), f"{ROOT}2")):
            await crawl.visits.settle(key, url, FetchOutcome(FetchResult.FAILED, "no such host"), None, 1)
            frontier.spellings.failed(key, "no such host")
        before = dict(crawl.report.failures)
        second = [one.url for one in await crawling.due()]
        row = page(crawling)
        await crawl.visits.settle(KEY, URL, FetchOutcome(FetchResult.FAILED, "HTTP 500"), 500, 1)
        return first, before, second, row.url, crawl.report.failures, [one.url for one in await crawling.due()]

    first, before, second, stored, failures, third = during(sqlite_url, fail)
    assert first == [other, f"{ROOT}2"]
    assert before == {"no such host": 2}
    assert (second, stored) == ([URL], URL)
    assert failures == {"no such host": 1, "HTTP 500": 1}
    assert third == []


def test_a_failure_that_is_tried_again_is_no_failure_any_more(sqlite_url):
    other = "https://www.example.org/1"

    async def fail(crawling):
        crawl = crawling.crawl
        await crawl.visits.discover([crawl.frontier.add(KEY, other, 1, 5)])
        await crawling.due()
        crawl.frontier.add(KEY, URL, 1, 5)
        await crawl.visits.settle(KEY, other, FetchOutcome(FetchResult.FAILED, "no such host"), None, 1)
        crawl.frontier.spellings.failed(KEY, "no such host")
        before = dict(crawl.report.failures)
        await crawling.due()
        return before, crawl.report.failures

    assert during(sqlite_url, fail) == ({"no such host": 1}, {})


@pytest.mark.parametrize("open_urls", [[], [URL]])
def test_known_urls_in_a_closed_trap_are_settled_without_a_request(sqlite_url, open_urls):
    """Also where the most urgent batch is all in the trap."""
    trapped = [f"{TRAP}{n}" for n in range(5)]

    async def asks(crawling):
        await closed_trap(crawling, [*trapped, *open_urls])
        crawl = crawling.crawl
        found = [one.url for one in await crawling.due()]
        rows = [page(crawling, url_key(url)) for url in trapped]
        frontier = crawl.frontier
        state = frontier.taken == {url_key(url) for url in open_urls}, len(frontier.settled), len(frontier.arrived)
        return found, rows, state, crawl.next_pages.trapped, crawl.report.exclusions, await crawling.due()

    found, rows, state, count, exclusions, second = during(sqlite_url, asks, frontier_window=2)
    reason = f"a trap: {TRAP} answers any URL with a page of new links"
    assert found == open_urls
    assert [tuple(row) for row in rows] == [(url, int(PageStatus.EXCLUDED), reason, 0) for url in trapped]
    assert state == (True, 5, 0)
    assert (count, exclusions) == (5, [reason] * 5)
    assert second == []


def test_a_trap_that_cannot_be_stored_leaves_memory_as_sql_says(tmp_path):
    """Each statement fails in turn; the same pages are requested right afterwards."""

    async def asks(name, failing):
        crawling = Crawling(f"sqlite:///{tmp_path}/{name}.db")
        driver = Driver(crawling.crawl.engine)
        await closed_trap(crawling, [f"{TRAP}1", URL, f"{TRAP}2"])
        with driver.failing_at(failing):
            if failing:
                with pytest.raises(StorageError):
                    await crawling.due()
                assert memory(crawling.crawl) == opened_again(crawling.crawl)
                assert crawling.crawl.frontier.taken == set()
            else:
                await crawling.due()
            count = len(driver.statements)
        found = [one.url for one in await crawling.due()]
        rows = [page(crawling, url_key(f"{TRAP}{n}")).status for n in (1, 2)]
        await crawling.crawl.close("shutdown", {})
        return found, rows, count

    excluded = [int(PageStatus.EXCLUDED)] * 2
    found, rows, count = asyncio.run(asks("undisturbed", 0))
    assert (found, rows) == ([], excluded), "asked for before"
    for failing in range(1, count + 1):
        found, rows, _ = asyncio.run(asks(str(failing), failing))
        assert (found, rows) == ([URL], excluded)
    assert count > 3
