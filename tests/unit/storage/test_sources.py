import datetime as dt

import pytest
from sqlalchemy import select, text

from sitecrawl.storage.contents import ContentRepository
from sitecrawl.storage.db.engine import session_scope
from sitecrawl.storage.pages import PageRepository, PageStatus
from sitecrawl.storage.sites import SiteRepository
from sitecrawl.storage.sources import WRONG_DATES, SourceKind, SourceRepository, StoredSource
from sitecrawl.storage.tables.models import PAGE
from tests.unit.storage.test_contents import record
from tests.unit.storage.test_duplicates import fetch

NOW = dt.datetime(2026, 3, 1, tzinfo=dt.UTC)
DAY = dt.timedelta(days=1)
SOURCE = StoredSource(7, "https://example.org/s.xml", SourceKind.SITEMAP, None, '"e"', "date", NOW, None, 12)


@pytest.fixture
def site_id(engine):
    with session_scope(engine) as session:
        site_id = SiteRepository(session).get_or_add("example.org", "https://example.org/", NOW).id
        PageRepository(session).record(site_id, [fetch(key) for key in (1, 2, 3)])
        return site_id


@pytest.fixture
def run(engine, site_id):
    def run(method, *arguments):
        with session_scope(engine) as session:
            return getattr(SourceRepository(session), method)(site_id, *arguments)

    return run


def due(engine):
    with session_scope(engine, write=False) as session:
        return list(session.scalars(text("SELECT url_key FROM page WHERE next_fetch_at IS NOT NULL ORDER BY url_key")))


def test_sources_come_back(run):
    feed = StoredSource(3, "https://example.org/feed", SourceKind.FEED, 7)
    run("put", SOURCE)
    run("put", feed)
    assert run("all") == [feed, SOURCE]


def test_a_source_that_cannot_be_read_keeps_what_was_known(run):
    run("put", SOURCE)
    run("put", StoredSource(7, SOURCE.url, SourceKind.SITEMAP, 4, problem="HTML, not a sitemap\x00"))
    assert run("all") == [SOURCE._replace(parent=4, problem="HTML, not a sitemap")]
    run("put", StoredSource(7, SOURCE.url, SourceKind.SITEMAP, 4, problem="x" * 501))
    assert run("all") == [SOURCE._replace(parent=4, problem="x" * 500)]
    run("put", SOURCE._replace(etag=None, pages=3))
    assert run("all") == [SOURCE._replace(etag=None, pages=3)]


def test_a_source_that_is_as_it_was_is_read_again(run):
    run("put", SOURCE)
    run("read_again", 7, NOW + DAY)
    assert run("all") == [SOURCE._replace(read_at=NOW + DAY)]


def test_a_date_that_does_not_move_says_nothing_twice(run):
    dates = {1: NOW + DAY, 2: NOW - DAY}
    assert run("announce", 7, {**dates, 99: NOW}) == dates
    assert run("announce", 7, dates) == {}
    assert run("announce", 7, {**dates, 2: NOW}) == {2: NOW}


def test_a_date_that_its_source_does_not_give_any_more_is_forgotten(run):
    dates = {1: NOW + DAY, 2: NOW - DAY}
    run("announce", 7, dates)
    assert run("announce", 8, {3: NOW}) == {3: NOW}  # of another source
    assert run("announce", 7, {2: NOW - DAY}) == {}
    assert run("announce", 7, dates) == {1: NOW + DAY}
    assert run("announce", 8, {}) == {}
    assert run("announce", 7, {**dates, 3: NOW}) == {3: NOW}


def test_more_dates_than_fit_into_a_statement_are_announced(run):
    assert len(run("announce", 7, dict.fromkeys(range(2000), NOW + DAY))) == 3


def test_forgetting_a_site_forgets_its_sources(engine, run):
    run("put", SOURCE)
    with session_scope(engine) as session:
        SiteRepository(session).forget("example.org")
    assert run("all") == []


PAGES = {1: "unchanged", 2: "changed since", 3: "fetched now", 4: "deleted", 5: "a list", 6: "the home page"}


@pytest.fixture
def reported(engine, site_id):
    """Pages that an earlier crawl found unchanged, with dates from a sitemap; only page 1 is sure."""
    with session_scope(engine) as session:
        pages, contents = PageRepository(session), ContentRepository(session)
        pages.record(site_id, [fetch(key) for key in PAGES])
        plain = {
            "status": int(PageStatus.UNCHANGED),
            "lastmod": NOW - DAY,
            "lastmod_source": 7,
            "fetched_at": NOW,
            "crawl_id": 1,
            "depth": 1,
        }
        plain |= {"not_modified": 2, "deletion": None}
        for key, changes in (
            (1, {}),
            (2, {"lastmod": NOW}),
            (3, {"crawl_id": 2}),
            (4, {"deletion": 1}),
            (5, {}),
            (6, {"depth": 0}),
        ):
            contents.put(site_id, record(key=key, kind="listing" if key == 5 else "content"))
            pages.amend(site_id, [{"url_key": key, **plain, **changes}])
        yield SourceRepository(session)


def keys(sources, site_id):
    return [one.url_key for one in sources.unchanged(site_id, 2, {7})]


def test_only_pages_that_were_found_unchanged_after_their_date_need_no_visit(reported, site_id):
    assert keys(reported, site_id) == [1]
    assert keys(reported, site_id + 1) == []
    pages = PageRepository(reported.session)
    pages.amend(site_id, [{"url_key": 2, "lastmod": NOW - DAY, "discovery": 0}])
    assert keys(reported, site_id) == [2, 1]
    assert [one.url_key for one in reported.unchanged(site_id, 2, {8})] == []  # their source was not read
    pages.amend(site_id, [{"url_key": 1, "status": int(PageStatus.FETCHED)}])
    assert keys(reported, site_id) == [2]


@pytest.mark.parametrize(
    ("changes", "discovered_at", "found"),
    [
        (0.7, NOW, []),  # its date is older than its first fetch
        (0.7, NOW - 2 * DAY, [1]),  # the date may be that of the change
        (0.0, NOW, [1]),
    ],
)
def test_a_page_that_changed_although_its_date_is_older_is_visited(reported, site_id, changes, discovered_at, found):
    changed = {"url_key": 1, "changes": changes, "discovered_at": discovered_at}
    PageRepository(reported.session).amend(site_id, [changed])
    assert keys(reported, site_id) == found


@pytest.mark.parametrize(("wrong", "found"), [(WRONG_DATES - 1, [1]), (WRONG_DATES, [])])
def test_no_date_of_a_source_with_several_wrong_ones_saves_a_visit(reported, site_id, wrong, found):
    rows = [{"url_key": key, "changes": 0.7, "discovered_at": NOW} for key in list(PAGES)[2:][:wrong]]
    PageRepository(reported.session).amend(site_id, rows)
    assert keys(reported, site_id) == found


@pytest.mark.parametrize(
    ("interval", "due"), [(3600, NOW + dt.timedelta(hours=1)), (0, NOW + 9 * DAY), (None, NOW + 9 * DAY)]
)
def test_a_page_that_is_left_out_counts_as_unchanged_and_is_due_after_its_interval(reported, site_id, interval, due):
    (page,) = reported.unchanged(site_id, 2, {7, 8})
    reported.skip(site_id, [page._replace(interval=interval, next_fetch_at=NOW + 9 * DAY)], 2, NOW)
    columns = text("SELECT crawl_id, not_modified FROM page WHERE url_key = 1")
    assert tuple(reported.session.execute(columns).one()) == (2, 3)
    assert reported.session.scalar(select(PAGE.c.next_fetch_at).where(PAGE.c.url_key == 1)) == due
    assert keys(reported, site_id) == []
