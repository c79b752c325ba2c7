"""Tests of visits that gave no page: the stored records, the memory of the crawl, and the next requests."""

from dataclasses import replace

import pytest
from sqlalchemy import text

from sitecrawl.clock import now
from sitecrawl.crawl.crawl_start import CrawlStart
from sitecrawl.crawl.frontier import LINK_PRIORITY
from sitecrawl.crawl.hosts import Suspended
from sitecrawl.crawl.page_lifecycle import FetchOutcome, FetchResult
from sitecrawl.crawl.site import SiteCrawl
from sitecrawl.errors import StorageError
from sitecrawl.links.urls import url_key
from sitecrawl.storage.db.engine import session_scope
from sitecrawl.storage.hosts import HostRepository
from sitecrawl.storage.page_report import LEFT
from sitecrawl.storage.pages import PageRepository
from tests.unit.crawl.crawling import PAGES, ROOT, crawled, during, html

URL = f"{ROOT}1"
KEY = url_key(URL)


def page(crawling, key=KEY):
    with session_scope(crawling.crawl.engine) as session:
        return session.execute(
            text("SELECT url, status, reason, http_status, depth, not_modified FROM page WHERE url_key = :key"),
            {"key": key},
        ).one()


def ended(url, fetch_outcome, http_status, **how):
    async def settles(crawling):
        crawl = crawling.crawl
        crawl.frontier.taken.add(KEY)
        decision = await crawl.visits.settle(KEY, URL, fetch_outcome, http_status, 2, **how)
        again = await crawl.visits.settle(KEY, URL, fetch_outcome, http_status, 2, **how)
        frontier = crawl.frontier
        state = KEY in frontier.settled, KEY in frontier.taken, frontier.pages
        return decision, again, state, page(crawling), crawl.report.failures, crawl.report.exclusions

    return during(url, settles)


def test_a_failure_is_recorded_once_and_counted_by_its_reason(sqlite_url):
    decision, again, state, row, failures, exclusions = ended(
        sqlite_url, FetchOutcome(FetchResult.FAILED, "HTTP 500"), 500
    )
    assert decision is not None
    assert (again, state) == (None, (True, False, 0))
    assert (row.url, row.reason, row.http_status, row.depth) == (URL, "HTTP 500", 500, 2)
    assert (failures, exclusions) == ({"HTTP 500": 1}, [])


def test_an_exclusion_is_no_failure(sqlite_url):
    *_, row, failures, exclusions = ended(sqlite_url, FetchOutcome(FetchResult.REFUSED, "a trap"), None)
    assert (row.reason, failures, exclusions) == ("a trap", {}, ["a trap"])


@pytest.mark.parametrize(
    ("url", "result", "target", "noted"),
    [
        (ROOT, FetchResult.MOVED, "https://example.net/", "https://example.net/"),
        (ROOT, FetchResult.MOVED_FOR_NOW, "https://example.net/", "https://example.net/"),
        (ROOT, FetchResult.MOVED, f"{ROOT}home", ""),
        (ROOT, FetchResult.FAILED, "https://example.net/", ""),
        (f"{ROOT}1", FetchResult.MOVED, "https://example.net/", ""),
    ],
)
def test_a_start_page_that_leads_to_another_site_is_noted(sqlite_url, url, result, target, noted):
    async def visit(crawling):
        await crawling.crawl.visits.settle(url_key(url), url, FetchOutcome(result, target), 301, 0)
        return crawling.crawl.report.elsewhere

    assert during(sqlite_url, visit) == noted


def test_the_moment_before_which_a_page_is_left_alone_is_told(sqlite_url):
    moment = now()
    *_, row, _, _ = ended(sqlite_url, FetchOutcome(FetchResult.FAILED, "HTTP 503"), 503, not_before=moment)
    assert row.reason == f"HTTP 503; not asked again before {moment:%Y-%m-%d %H:%M} UTC"


def test_failures_of_one_reason_are_added_up_and_ten_exclusions_are_kept(sqlite_url):
    async def many(crawling):
        crawl = crawling.crawl
        for number in range(12):
            url = f"{ROOT}bad{number}"
            await crawl.visits.settle(url_key(url), url, FetchOutcome(FetchResult.FAILED, "HTTP 500"), 500, 1)
            url = f"{ROOT}trap{number}"
            await crawl.visits.settle(url_key(url), url, FetchOutcome(FetchResult.REFUSED, f"trap {number}"), None, 1)
        return crawl.report.failures, crawl.report.exclusions, crawl.order.fetched

    assert during(sqlite_url, many) == ({"HTTP 500": 12}, [f"trap {n}" for n in range(10)], 24)


def test_the_start_page_is_tried_again_soon_also_if_it_never_was_a_page(sqlite_url):
    async def dead(crawling):
        crawl = crawling.crawl
        for number, depth in ((1, 0), (2, 1)):
            url = f"{ROOT}{number}"
            await crawl.visits.settle(url_key(url), url, FetchOutcome(FetchResult.NOT_FOUND, "HTTP 404"), 404, depth)
        with session_scope(crawl.engine) as session:
            return session.execute(text("SELECT next_reason FROM page ORDER BY depth")).scalars().all()

    assert during(sqlite_url, dead) == ["dead, found so once: 2 h", "a dead link, found so once: 14 d"]


@pytest.mark.parametrize("requested", [True, False])
def test_a_visit_without_a_request_is_no_fetch(sqlite_url, requested):
    async def forbidden(crawling):
        fetch_outcome = FetchOutcome(FetchResult.FORBIDDEN, "forbidden by robots.txt")
        await crawling.crawl.visits.settle(KEY, URL, fetch_outcome, None, 1, requested=requested)
        with session_scope(crawling.crawl.engine) as session:
            return PageRepository(session).state(crawling.crawl.site_id, KEY).fetches

    assert during(sqlite_url, forbidden) == requested


def test_a_page_that_is_postponed_stays_due_with_the_reason(sqlite_url):
    async def postponed(crawling):
        crawl = crawling.crawl
        await crawl.visits.discover([crawl.frontier.add(KEY, URL, 1, 5)])
        first = await crawling.due()
        await crawl.visits.postpone(KEY, "not now")
        return (
            [one.url for one in first],
            await crawling.due(),
            page(crawling),
            crawl.report.postponed,
            crawl.frontier.taken,
        )

    urls, due, row, reasons, taken = during(sqlite_url, postponed)
    assert (urls, due, taken, reasons) == ([URL], [], set(), ["not now"])
    assert row.reason == f"{LEFT}: not now"

    async def next_run(crawling):
        return [one.url for one in await crawling.due()]

    assert during(sqlite_url, next_run) == [URL]


def test_the_depth_of_a_waiting_page_falls_when_a_shorter_way_is_found(sqlite_url):
    async def nearer(crawling):
        crawl = crawling.crawl
        crawl.frontier.limit_depth(20)
        await crawl.visits.discover([crawl.frontier.add(KEY, URL, 12, crawl.frontier.link_priority(12))])
        found = [await crawl.visits.bring_near([KEY, KEY + 1], depth) for depth in (12, 9, 3, 3)]
        return found, crawl.frontier.depth(KEY, 12), [(one.depth, one.priority) for one in await crawling.due()]

    assert during(sqlite_url, nearer) == ([0, 1, 1, 0], 3, [(3, LINK_PRIORITY - 3)])


def test_a_shorter_way_that_could_not_be_stored_is_found_again(sqlite_url, monkeypatch):
    def refuse(*_):
        raise StorageError("refused")

    async def nearer(crawling):
        crawl = crawling.crawl
        crawl.frontier.limit_depth(20)
        await crawl.visits.discover([crawl.frontier.add(KEY, URL, 12, 0)])
        with monkeypatch.context() as patch:
            patch.setattr(PageRepository, "bring_near", refuse)
            with pytest.raises(StorageError):
                await crawl.visits.bring_near([KEY], 3)
        return crawl.frontier.depth(KEY, 12), await crawl.visits.bring_near([KEY], 3)

    assert during(sqlite_url, nearer) == (12, 1)


def test_the_next_run_knows_which_waiting_pages_are_far(sqlite_url):
    async def leave(crawling):
        crawl = crawling.crawl
        await crawl.visits.discover([crawl.frontier.add(KEY, URL, 12, 0), crawl.frontier.add(KEY + 1, f"{URL}1", 2, 0)])

    async def far(crawling):
        await crawling.crawl.close("shutdown", {})
        found = []
        for limit in (0, 20):
            crawl = SiteCrawl(replace(crawling.config, depth_step=limit), CrawlStart(ROOT))
            found.append(crawl.frontier.far)
            await crawl.close("shutdown", {})
        crawling.crawl = SiteCrawl(crawling.config, CrawlStart(ROOT))
        return found

    during(sqlite_url, leave)
    assert during(sqlite_url, far) == [{}, {KEY: 12}]


def second_crawl(url, does, *, emit_unchanged=False, **fields):
    """Crawl pages with an ETag, and return what a function makes of the next crawl."""

    async def first(crawling):
        for number in range(1, PAGES + 1):
            await crawling.page(f"{ROOT}{number}", html(number, links=("/1", "/2")), etag=f'"{number}"', **fields)
        await crawled(crawling, ())

    during(url, first, reason="finished")
    return during(url, does, emit_unchanged=emit_unchanged)


def test_known_pages_are_asked_for_with_their_validators(sqlite_url):
    async def asks(crawling):
        return {page.url: (page.etag, page.last_modified) for page in await crawling.due()}

    found = second_crawl(sqlite_url, asks, last_modified="Sat, 03 Feb 2024 04:05:06 GMT")
    date = "Sat, 03 Feb 2024 04:05:06 GMT"
    assert found == {f"{ROOT}{n}": (f'"{n}"', date) for n in range(1, PAGES + 1)} | {ROOT: (None, None)}


@pytest.mark.parametrize(("broken", "left"), [("template", []), ("link", [f"{ROOT}2"]), ("turn", [])])
def test_a_whole_page_is_asked_for_where_a_304_would_not_be_enough(sqlite_url, broken, left):
    """When a page that it links to is not known, for instance: page 2 alone does not link to page 2."""

    async def asks(crawling):
        crawl = crawling.crawl
        if broken == "template":
            crawl.learning.reset()
        elif broken == "link":
            crawl.frontier.known.discard(url_key(f"{ROOT}2"))
        else:
            object.__setattr__(crawl.config, "full_fetch_every", 1)
        return [page.url for page in await crawling.due() if page.etag]

    assert second_crawl(sqlite_url, asks) == left


@pytest.mark.parametrize(
    ("depth", "kind", "given_up"), [(0, "content", False), (1, "listing", False), (1, "content", True)]
)
def test_only_a_page_that_leads_to_no_others_changes_too_fast_to_keep_up_with(sqlite_url, depth, kind, given_up):
    async def not_modified(crawling):
        crawl = crawling.crawl
        with session_scope(crawl.engine) as session:
            session.execute(text("UPDATE page SET comparisons = 50, changes = 50, changed_seconds = 30000"))
            session.execute(text("UPDATE content SET kind = :kind"), {"kind": kind})
        await crawling.due()
        await crawl.visits.not_modified(KEY, URL, depth)
        with session_scope(crawl.engine, write=False) as session:
            return session.scalar(text("SELECT next_reason FROM page WHERE url_key = :key"), {"key": KEY})

    assert ("too fast to keep up with" in second_crawl(sqlite_url, not_modified)) is given_up


@pytest.mark.parametrize("emit_unchanged", [True, False])
def test_a_page_that_was_not_modified_counts_as_a_page_whose_links_are_seen(sqlite_url, emit_unchanged):
    async def not_modified(crawling):
        crawl = crawling.crawl
        await crawling.due()
        row = await crawl.visits.not_modified(KEY, URL, 1)
        again = await crawl.visits.not_modified(KEY, URL, 1)
        seen = url_key(f"{ROOT}2") in crawl.frontier.seen
        stored = page(crawling)
        assert stored.http_status == 304
        return row, again, seen, crawl.frontier.pages, KEY in crawl.frontier.settled, stored.not_modified

    row, again, *state = second_crawl(sqlite_url, not_modified, emit_unchanged=emit_unchanged)
    assert (again, state) == (None, [True, 1, True, 1])
    if emit_unchanged:
        assert (row.url, row.status, row.site) == (URL, "unchanged", "example.org")
    else:
        assert row is None


def test_a_304_is_taken_at_its_word_once(sqlite_url):
    """The record of a request is dropped with its answer, so no page is seen twice."""

    async def later(crawling):
        crawl = crawling.crawl
        await crawling.due()
        await crawl.visits.settle(KEY, URL, FetchOutcome(FetchResult.FAILED, "HTTP 500"), 500, 1)
        return KEY in crawl.visits.known.asked, crawl.frontier.seen

    assert second_crawl(sqlite_url, later) == (False, set())


def test_a_visit_is_numbered_and_holds_what_came_with_the_page(sqlite_url):
    async def fetches(crawling):
        item = crawling.item(URL, html(1), etag='"a"', last_modified="then", content_language="de")
        visits = crawling.crawl.visits
        bare, full = visits.fetch(KEY, URL, 404, 3), visits.fetch(KEY, URL, 200, 1, item)
        return bare, full, item

    bare, full, item = during(sqlite_url, fetches)
    assert (bare.fetch_order, full.fetch_order) == (1, 2)
    assert (bare.http_status, bare.depth, bare.html, bare.etag, bare.links, bare.sample) == (404, 3, None, None, (), ())
    assert (full.html, full.etag, full.last_modified, full.content_language) == (item.html, '"a"', "then", "de")
    assert (full.links, full.sample, full.fetched_at) == (item.links, item.sample, item.fetched_at)


def test_urls_that_could_not_be_stored_may_be_found_again(sqlite_url, monkeypatch):
    def refuse(*_):
        raise ValueError("refused")

    async def find(crawling):
        crawl = crawling.crawl
        found = crawl.frontier.add(KEY, URL, 1, 5)
        with monkeypatch.context() as patch, pytest.raises(ValueError, match="refused"):
            patch.setattr(PageRepository, "discover", refuse)
            await crawl.visits.discover([found])
        before = crawl.frontier.knows(KEY)
        again = crawl.frontier.add(KEY, URL, 1, 5)
        await crawl.visits.discover([again])
        return before, again.discovery == found.discovery, KEY in crawl.frontier.known, page(crawling).url

    assert during(sqlite_url, find) == (False, True, True, URL)


def test_a_suspended_failure_is_stored_with_the_state_of_its_host(sqlite_url):
    async def suspends(crawling):
        crawl = crawling.crawl
        host = crawl.hosts.of("example.org")
        streak = host.failed(1.0, now(), "HTTP 500")
        one = Suspended(KEY, URL, FetchOutcome(FetchResult.FAILED, "HTTP 500"), 500, 1, host.name, streak, None)
        await crawl.visits.suspend(one)
        repository, site_id = HostRepository, crawl.site_id
        rows = await crawl.writer.submit(lambda s: repository(s).all(site_id))
        failures = await crawl.writer.submit(lambda s: repository(s).suspended(site_id))
        return rows == [host.row()], failures == [one.row()], host.stored, crawl.hosts.suspended == [one]

    assert during(sqlite_url, suspends) == (True, True, True, True)


def test_the_state_of_a_host_is_stored_when_it_is_noted(sqlite_url):
    async def notes(crawling):
        crawl = crawling.crawl
        host = crawl.hosts.of("example.org")
        host.failed(1.0, now(), "HTTP 500")
        await crawl.visits.note(host)
        site_id = crawl.site_id
        return await crawl.writer.submit(lambda s: HostRepository(s).all(site_id)) == [host.row()], host.stored

    assert during(sqlite_url, notes) == (True, True)


@pytest.mark.parametrize("down", [True, False])
def test_a_suspended_page_is_asked_for_again_if_its_host_was_down(sqlite_url, down):
    async def settles(crawling):
        crawl = crawling.crawl
        host = crawl.hosts.of("example.org")
        streak = host.failed(1.0, now(), "HTTP 500")
        crawl.frontier.taken.add(KEY)
        one = Suspended(KEY, URL, FetchOutcome(FetchResult.FAILED, "HTTP 500"), 500, 1, host.name, streak, None)
        await crawl.visits.suspend(one)
        before = await crawl.visits.settle_suspended(), KEY in crawl.frontier.taken, crawl.hosts.suspended == [one]
        if down:
            host.outages.add(streak)
        host.answered()
        failed = await crawl.visits.settle_suspended()
        return before, failed, KEY in crawl.frontier.taken, KEY in crawl.frontier.settled, crawl.hosts.suspended

    assert during(sqlite_url, settles) == ((0, True, True), int(not down), False, not down, [])
