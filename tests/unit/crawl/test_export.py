"""Tests of the rows of an export: the stored contents, for a reader without earlier rows."""

import datetime as dt

import pytest
from sqlalchemy import update

from sitecrawl.crawl import export
from sitecrawl.crawl.export import stored_rows
from sitecrawl.crawl.page_lifecycle import FetchOutcome, FetchResult
from sitecrawl.links.urls import url_key
from sitecrawl.metadata.fields import RowStatus
from sitecrawl.storage import exports
from sitecrawl.storage.db.engine import open_database, session_scope
from sitecrawl.storage.exports import Chosen, KeptContent
from sitecrawl.storage.tables.models import CONTENT, PAGE
from tests.unit.crawl.crawling import ROOT, crawled, during, html
from tests.unit.storage.test_contents import record

NUMBERS = (1, 2, 3, 4, 5)


def exported(url, *, sites=None, **how):
    engine = open_database(url)

    async def site(crawling):
        return crawling.crawl.site

    one = during(url, site)
    try:
        return list(stored_rows(engine, [one] if sites is None else sites, **how))
    finally:
        engine.dispose()


@pytest.mark.parametrize(("listed", "read"), [(5000, 200), (2, 1), (1, 200), (5, 5)])
def test_each_page_has_one_row_by_url_however_it_is_read(sqlite_url, monkeypatch, listed, read):
    rows = during(sqlite_url, lambda crawling: crawled(crawling, NUMBERS), reason="finished")
    monkeypatch.setattr(export, "READ", read)
    pages = exports.ExportRepository.pages
    monkeypatch.setattr(
        exports.ExportRepository, "pages", lambda self, site_id, after: pages(self, site_id, after, listed)
    )
    found = exported(sqlite_url)
    assert [row.url for row in found] == [f"{ROOT}{number}" for number in NUMBERS]
    assert {row.status for row in found} == {"new"}
    assert sorted(row.text for row in found) == sorted(row.text for row in rows)
    assert {row.http_status for row in found} == {200}


def test_the_date_is_that_of_the_visit_that_found_the_text(sqlite_url):
    first = during(sqlite_url, lambda crawling: crawled(crawling, NUMBERS), reason="finished")
    before = exported(sqlite_url)
    during(sqlite_url, lambda crawling: crawled(crawling, NUMBERS), reason="finished")
    assert exported(sqlite_url) == before
    assert sorted(row.fetched_at for row in before) == sorted(row.fetched_at for row in first)


def test_markup_is_there_where_it_is_wanted_and_stored(sqlite_url):
    during(sqlite_url, lambda crawling: crawled(crawling, NUMBERS), reason="finished", content_html=True)
    assert {row.html for row in exported(sqlite_url)} == {None}
    assert {row.markdown for row in exported(sqlite_url, html=True)} == {None}
    marked = exported(sqlite_url, markdown=True)
    assert {row.html for row in marked} == {None}
    assert all("Story number" in row.markdown for row in marked)
    assert all("<p>Story number" in row.html and row.markdown for row in exported(sqlite_url, html=True, markdown=True))


def test_one_kind_alone(sqlite_url):
    during(sqlite_url, lambda crawling: crawled(crawling, NUMBERS), reason="finished")
    kinds = [row.kind for row in exported(sqlite_url)]
    for kind in ("content", "listing", "none"):
        assert len(exported(sqlite_url, chosen=kind)) == kinds.count(kind)


def test_a_page_of_another_kind_by_the_same_text_has_left_its_kind(sqlite_url):
    during(sqlite_url, lambda crawling: crawled(crawling, NUMBERS), reason="finished")
    rows = exported(sqlite_url)
    moment = dt.datetime.now(dt.UTC).replace(microsecond=0) + dt.timedelta(hours=1)
    engine = open_database(sqlite_url)
    with session_scope(engine) as session:
        one = CONTENT.c.url_key == url_key(f"{ROOT}1")
        session.execute(update(CONTENT).where(one).values(kind="listing", status=RowStatus.CHANGED))
        session.execute(update(PAGE).where(PAGE.c.url_key == url_key(f"{ROOT}1")).values(changed_at=moment))
    engine.dispose()
    (left,) = exported(sqlite_url, chosen=Chosen("content", moment))
    assert (left.url, left.status, left.kind, left.text, left.title) == (f"{ROOT}1", "gone", "none", "", None)
    assert left.fetched_at == moment.isoformat()
    (now,) = exported(sqlite_url, chosen=Chosen("listing", moment))
    assert (now.status, now.kind, now.text) == ("changed", "listing", rows[0].text)
    assert exported(sqlite_url, chosen=Chosen("content", moment + dt.timedelta(seconds=1))) == []


def test_a_page_that_answered_otherwise_since_keeps_the_status_of_its_text(sqlite_url):
    async def fails(crawling):
        url = f"{ROOT}1"
        await crawling.crawl.visits.settle(url_key(url), url, FetchOutcome(FetchResult.FAILED, "HTTP 503"), 503, 1)

    during(sqlite_url, lambda crawling: crawled(crawling, NUMBERS), reason="finished")
    during(sqlite_url, fails)
    assert {row.http_status for row in exported(sqlite_url)} == {200}


@pytest.mark.parametrize(("stored", "row"), [(200, 200), (201, 201), (203, 203), (304, 200), (503, 200), (None, 200)])
def test_a_row_has_the_status_of_a_response_with_a_page(sqlite_url, stored, row):
    async def visited(crawling):
        await crawling.page(f"{ROOT}1", html(1), http_status=stored or 200)
        return await crawled(crawling, (2,))

    during(sqlite_url, visited, reason="finished")
    engine = open_database(sqlite_url)
    with session_scope(engine) as session:
        session.execute(update(PAGE).where(PAGE.c.url == f"{ROOT}1").values(http_status=stored))
    engine.dispose()
    assert [one.http_status for one in exported(sqlite_url)] == [row, 200]


def test_no_sites_have_no_rows(sqlite_url):
    assert exported(sqlite_url, sites=[]) == []


DAY = dt.timedelta(days=1)
MOMENT = dt.datetime(2026, 3, 1, tzinfo=dt.UTC)


@pytest.mark.parametrize(
    ("stored", "found", "chosen", "row"),
    [
        ("changed", MOMENT, Chosen(), "new"),
        ("unchanged", MOMENT, Chosen("content"), "new"),
        ("gone", MOMENT, Chosen(since=MOMENT), "gone"),
        ("new", None, Chosen(since=MOMENT), "new"),
        ("changed", MOMENT - DAY, Chosen(since=MOMENT), "changed"),
        ("changed", None, Chosen(since=MOMENT), "changed"),
        ("changed", MOMENT, Chosen(since=MOMENT), "new"),  # its reader has no row of it
        ("unchanged", MOMENT - DAY, Chosen(since=MOMENT), "changed"),
        ("changed", MOMENT, Chosen(last_crawl=True), "changed"),
        ("unchanged", MOMENT, Chosen(last_crawl=True), "unchanged"),
    ],
)
def test_the_status_of_a_row_is_that_for_its_reader(stored, found, chosen, row):
    content = KeptContent(record(), f"{ROOT}1", 200, 1, None, RowStatus(stored), found)
    assert export.exported(content, "example.org", html=False, markdown=False, chosen=chosen).status == row


@pytest.mark.parametrize(("status", "date"), [("gone", MOMENT), ("changed", MOMENT - DAY)])
def test_the_date_of_a_deleted_page_is_that_of_its_deletion(status, date):
    content = KeptContent(record(extracted_at=MOMENT), f"{ROOT}1", 200, 1, MOMENT - DAY, RowStatus(status))
    row = export.exported(content, "example.org", html=False, markdown=False, chosen=Chosen(since=MOMENT))
    assert row.fetched_at == date.isoformat(timespec="seconds")
