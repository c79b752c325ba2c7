"""Tests of what a visit writes beside the page's row, on a real database."""

import asyncio
from dataclasses import replace

import pytest
from sqlalchemy import text

from sitecrawl.crawl.commit import Rules, store
from sitecrawl.crawl.page_lifecycle import FetchOutcome, FetchResult
from sitecrawl.crawl.visit_decision import Finds, Visit
from sitecrawl.links.urls import url_id, url_key
from sitecrawl.metadata.fields import RowStatus
from sitecrawl.storage.anchor_texts import Settled
from sitecrawl.storage.contents import ContentRepository
from sitecrawl.storage.db.engine import session_scope
from sitecrawl.storage.layouts import LayoutRepository
from sitecrawl.storage.pages import Fetch, PageRepository, PageStatus
from sitecrawl.storage.sites import SiteRepository
from tests.unit.crawl.crawling import PAGES, Crawling, html
from tests.unit.crawl.test_change_detection import NEW, NOW, OLD, item, record

ONE = "https://example.org/1"
PAGE = FetchOutcome(FetchResult.PAGE)


async def first_crawl(url, *bodies):
    crawling = Crawling(url)
    for number, body in enumerate(bodies, 1):
        await crawling.page(f"https://example.org/{number}", body)
    await crawling.end()


def read(crawling, sql):
    with session_scope(crawling.crawl.engine) as session:
        return [tuple(row) for row in session.execute(text(sql))]


def test_the_body_of_before_is_kept_while_a_page_waits(sqlite_url):
    """It distinguishes an edit from a change of template; the extraction drops it."""

    async def visits():
        await first_crawl(sqlite_url, *(html(number) for number in range(1, PAGES + 1)))
        crawling = Crawling(sqlite_url)
        crawl = crawling.crawl
        item = crawling.item(ONE, html(1, text="Edited."))
        await crawl.publishing.learn(item)
        await crawl.page_store.keep(item)
        site_id = crawl.site_id
        waiting = await crawl.writer.submit(lambda s: LayoutRepository(s).previous(site_id, item.url_key))
        await crawling.end()
        return waiting, read(crawling, "SELECT count(*) FROM body WHERE previous IS NOT NULL")

    assert asyncio.run(visits()) == (html(1), [(0,)])


def test_what_a_page_says_no_more_of_others_is_dropped(sqlite_url):
    async def visits():
        await first_crawl(sqlite_url, html(1, links=("/2",)), html(2))
        crawling = Crawling(sqlite_url)
        before = read(crawling, "SELECT text FROM link_text WHERE source IS NOT NULL ORDER BY text")
        await crawling.page(ONE, html(1))
        return before, read(crawling, "SELECT text FROM link_text WHERE source IS NOT NULL ORDER BY text")

    assert asyncio.run(visits()) == ([("Home",), ("Story about 2",)], [("Home",)])


def test_a_page_that_the_database_has_counted_is_not_counted_again(sqlite_url):
    """The row does not depend on the memory of the crawl."""

    async def visits():
        await first_crawl(sqlite_url, html(1), html(2))
        crawling = Crawling(sqlite_url)
        crawling.crawl.statistics._pages.discard(url_key(ONE))
        await crawling.page(ONE, html(1))
        return read(crawling, "SELECT pages FROM site_value WHERE field = 0")

    assert asyncio.run(visits()) == [(2,)]


@pytest.fixture
def session(sqlite_session):
    return sqlite_session


@pytest.fixture
def visited(session):
    """A function that stores a visit of page 1 with the main text of some tags, and returns what the feed is told."""
    site_id = SiteRepository(session).get_or_add("example.org", "https://example.org/", NOW).id

    def visit(crawl_id, body, tags=(), *, rules=(), fetch_outcome=PAGE, **values):
        one = item(body)
        about = (PageStatus.FETCHED, None, 200, 0, crawl_id, 1, None, None, NOW, body, (), 1)
        given = {"page": one.page, "content": record(one, tags, crawl_id, crawl_id), "finds": Finds(), **values}
        made = Visit(Fetch(1, ONE, *about), fetch_outcome, **given)
        settings = {"store_bodies": True, "keep_body": True, **dict(rules)}
        _, row = store(session, Rules(site_id, crawl_id, None, Settled(), 1000, **settings), made)
        return row

    visit.site_id = site_id
    return visit


LINE_MORE = (NEW, ("h2", "section", "b"))


def test_a_line_that_the_page_itself_confirms_is_no_change(visited):
    old = visited(1, OLD, ("h1", "p")).record
    kept = visited(2, *LINE_MORE)
    assert (kept.status, kept.record.text, kept.record.crawl_id) == (RowStatus.UNCHANGED, old.text, 2)
    assert (kept.url, kept.http_status, kept.depth, kept.fetched_at) == (ONE, 200, 0, NOW)


def test_without_the_page_or_its_body_of_before_the_text_that_was_made_counts(visited, session):
    old = visited(1, OLD, ("h1", "p")).record
    assert visited(2, *LINE_MORE, page=None).record.text != old.text
    session.execute(text("UPDATE body SET previous = x'00', html = x'00'"))
    assert visited(3, OLD, ("h1", "p")).status is RowStatus.CHANGED


def test_a_stored_page_is_not_compared_where_bodies_are_not_kept(visited):
    old = visited(1, OLD, ("h1", "p")).record
    assert visited(2, *LINE_MORE, stored=True, rules={"store_bodies": False}).record.text != old.text
    visited(3, OLD, ("h1", "p"))
    assert visited(4, *LINE_MORE, rules={"store_bodies": False}).status is RowStatus.UNCHANGED


@pytest.mark.parametrize(("counting", "words"), [(frozenset(), "8"), (frozenset(("read 8 times",)), "7")])
def test_numbers_that_change_at_each_visit_are_stored_as_they_were(visited, counting, words):
    rows = []
    for crawl_id, count in ((1, 7), (2, 8)):
        body = f"<h1>Harbour</h1><p>The ships came in.</p><em>Read {count} times</em>"
        made = replace(record(item(body), ("h1", "p", "em"), 1, crawl_id), digest="0" * 32)  # without the number
        rows.append(visited(crawl_id, body, content=made, counting=counting))
    assert rows[1].status is RowStatus.UNCHANGED
    assert rows[1].record.text.splitlines()[-1] == f"Read {words} times"


@pytest.mark.parametrize("keep", [False, True])
def test_the_body_of_a_page_is_kept_until_it_is_extracted_or_longer(visited, session, keep):
    bodies = text("SELECT count(*) FROM body")
    rules = {"keep_body": keep}
    visited(1, OLD, content=None, rules=rules)  # it waits
    assert session.scalar(bodies) == 1
    visited(1, OLD, ("h1", "p"), finds=None, stored=True, rules=rules)
    assert session.scalar(bodies) == keep
    visited(2, OLD, ("h1", "p"), rules=rules)
    assert session.scalar(bodies) == keep


def test_the_row_of_a_changed_page_has_the_text_of_the_last_crawl(visited):
    first = visited(1, OLD, ("h1", "p"))
    edited = visited(2, OLD.replace("all", "one"), ("h1", "p"))
    again = visited(2, OLD.replace("all", "two"), ("h1", "p"), stored=True, again=True, finds=None)
    assert [(row.status, row.earlier) for row in (first, edited, again)] == [
        (RowStatus.NEW, None),
        (RowStatus.CHANGED, first.record.text),
        (RowStatus.CHANGED, first.record.text),
    ]
    assert visited(3, OLD.replace("all", "two"), ("h1", "p")).earlier is None


@pytest.mark.parametrize("wanted", [False, True])
def test_a_page_that_was_not_modified_has_a_row_where_that_is_wanted(visited, session, wanted):
    old = visited(1, OLD, ("h1", "p")).record
    nothing = {"page": None, "content": None, "finds": None, "fetch_outcome": FetchOutcome(FetchResult.NOT_MODIFIED)}
    row = visited(2, OLD, **nothing, emit_order=5, rules={"emit_unchanged": wanted})
    assert session.execute(text("SELECT status, crawl_id, emit_order FROM content")).one() == ("unchanged", 2, 5)
    if wanted:
        assert (row.status, row.record.text, row.record.emit_order) == (RowStatus.UNCHANGED, old.text, 5)
    else:
        assert row is None
    gone = {**nothing, "fetch_outcome": FetchOutcome(FetchResult.FAILED, "HTTP 503")}
    assert visited(3, OLD, **gone, rules={"emit_unchanged": True}) is None


@pytest.mark.parametrize("indexed", [False, True])
def test_a_page_that_names_a_canonical_page_is_its_duplicate_if_that_is_indexed(visited, session, indexed):
    other = "https://example.org/2"
    about = (PageStatus.FETCHED, None, 200, 0, 1, 2, None, None, NOW, "<p>", (), 2)
    PageRepository(session).record(visited.site_id, [Fetch(url_key(other), other, *about)])
    one = replace(record(item(OLD), ("em",), 1, 1), url_key=url_key(other))
    ContentRepository(session).put(visited.site_id, one, index=indexed)
    row = visited(1, OLD, ("h1", "p"), fetch_outcome=FetchOutcome(FetchResult.PAGE, canonical=other))
    assert row.record.duplicate_of == (url_id(other) if indexed else None)
    assert not ContentRepository(session).indexed(visited.site_id, 1)


def test_a_page_that_is_extracted_again_has_a_row_if_its_text_or_a_corrected_field_differs(visited):
    again = {"stored": True, "again": True, "finds": None}
    made = record(item(OLD), ("h1", "p"), 1, 1)
    visited(1, OLD, ("h1", "p"))
    other = replace(made, author="Ann", crawl_id=2)
    assert visited(2, OLD, **again, content=replace(made, crawl_id=2)) is None
    assert visited(2, OLD, **again, content=other) is None
    assert visited(2, OLD, **again, content=other, corrected=("title",)) is None
    assert visited(2, OLD, **again, content=other, corrected=("author",)).record.author == "Ann"
    assert (
        visited(2, OLD, **again, content=replace(made, author="Bob", crawl_id=2), settles=True).record.author == "Bob"
    )
    assert visited(3, OLD, ("h1",), **again, page=None).record.text == "Harbour"
