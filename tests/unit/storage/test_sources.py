import datetime as dt

import pytest
from sqlalchemy import text

from sitecrawl.storage.db.engine import session_scope
from sitecrawl.storage.pages import PageRepository
from sitecrawl.storage.sites import SiteRepository
from sitecrawl.storage.sources import SourceKind, SourceRepository, StoredSource
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
    assert run("announce", {**dates, 99: NOW}) == dates
    assert run("announce", dates) == {}
    assert run("announce", {**dates, 2: NOW}) == {2: NOW}


def test_many_dates(run):
    assert len(run("announce", dict.fromkeys(range(2000), NOW + DAY))) == 3


def test_forgetting_a_site_forgets_its_sources(engine, run):
    run("put", SOURCE)
    with session_scope(engine) as session:
        SiteRepository(session).forget("example.org")
    assert run("all") == []
