"""Overrides that were changed since the last crawl reach pages that the server reports as unmodified."""

import asyncio

import pytest

from sitecrawl.config import Config
from sitecrawl.crawl.changed_overrides import Marked
from sitecrawl.crawl.reextraction import SiteReextraction
from sitecrawl.links.urls import url_key
from sitecrawl.storage.db.engine import open_database, session_scope
from sitecrawl.storage.db.writer import BatchWriter
from sitecrawl.storage.sites import SiteRepository
from tests.unit.crawl.crawling import PAGES, ROOT, Crawling, html

NUMBERS = range(1, PAGES + 3)


@pytest.fixture
def overrides(tmp_path):
    folder = tmp_path / "overrides"
    folder.mkdir()
    return folder


def written(folder, text):
    (folder / "example.org.yaml").write_text(text)
    return {"overrides": (str(folder),)}


def visited(url, *, unmodified, reason="finished", **settings):
    """Crawl the pages; return the rows, the marked pages, and the reported parts of overrides."""

    async def visits():
        crawling, rows = Crawling(url, **settings), []
        for number in NUMBERS:
            address = f"{ROOT}{number}"
            if unmodified:
                await crawling.crawl.visits.not_modified(url_key(address), address, 1)
            else:
                rows.append(await crawling.page(address, html(number)))
        rows += await crawling.end(reason)
        report = crawling.crawl.report
        return [row for row in rows if row is not None], report.overridden, report.unused

    return asyncio.run(visits())


def reextracted(url, **settings):
    async def run():
        engine = open_database(url)
        writer = BatchWriter(engine)
        with session_scope(engine) as session:
            site = SiteRepository(session).get("example.org")
        extraction = SiteReextraction(Config(database_url=url, content_min_chars=1, **settings), writer, site)
        rows = [row async for row in extraction.rows()]
        await writer.close()
        engine.dispose()
        return rows, extraction.unused

    return asyncio.run(run())


def test_a_new_a_changed_and_a_removed_override_reach_unmodified_pages(database_url, overrides):
    first, marked, _ = visited(database_url, unmodified=False)
    assert (len(first), marked) == (len(NUMBERS), Marked())
    heading = written(overrides, "content: h1")
    rows, marked, _ = visited(database_url, unmodified=True, **heading)
    assert marked == Marked(pages=len(NUMBERS))
    assert {row.url: row.text for row in rows} == {f"{ROOT}{number}": f"Title {number}" for number in NUMBERS}
    assert {(row.status, row.method) for row in rows} == {("changed", "override")}
    assert visited(database_url, unmodified=True, **heading)[:2] == ([], Marked())
    title = written(overrides, "content: h1\ntitle: .menu")
    assert {row.title for row in visited(database_url, unmodified=True, **title)[0]} == {"Home"}
    rows, _, _ = visited(database_url, unmodified=True)
    assert {row.url: row.text for row in rows} == {row.url: row.text for row in first}


def test_a_crawl_that_did_not_end_leaves_the_rest_to_the_next(sqlite_url, overrides):
    visited(sqlite_url, unmodified=False)
    heading = written(overrides, "content: h1")

    async def stopped():
        crawling = Crawling(sqlite_url, **heading)
        await crawling.crawl.close("shutdown", {})

    asyncio.run(stopped())
    rows, marked, _ = visited(sqlite_url, unmodified=True, **heading)
    assert (len(rows), marked.pages) == (len(NUMBERS), len(NUMBERS))


def test_pages_without_a_stored_body_are_counted(sqlite_url, overrides):
    visited(sqlite_url, unmodified=False, store_bodies=False)
    rows, marked, unused = visited(sqlite_url, unmodified=True, **written(overrides, "content: .nothing"))
    assert (rows, marked) == ([], Marked(0, len(NUMBERS)))
    assert unused == []  # no page was extracted


def test_reextract_applies_an_override_to_all_pages(sqlite_url, overrides):
    visited(sqlite_url, unmodified=False)
    heading = written(overrides, "{content: h1, exclude: .none}")
    rows, unused = reextracted(sqlite_url, **heading)
    assert len(rows) == len(NUMBERS)
    assert [one.partition("yaml: ")[2] for one in unused] == [f"exclude: .none selected nothing on {len(rows)} pages"]
    assert visited(sqlite_url, unmodified=True, **heading)[:2] == ([], Marked())


def test_parts_that_apply_to_no_page_are_reported_in_one_line(sqlite_url, overrides, caplog):
    typed = written(overrides, "content: artcle")
    assert len(visited(sqlite_url, unmodified=False, **typed)[2]) == 1
    (line,) = [one.getMessage() for one in caplog.records if "artcle" in one.getMessage()]
    assert line.startswith("example.org: ")
    assert f"example.org.yaml: content: artcle selected nothing on {len(NUMBERS)} pages; correct the file" in line
    assert visited(sqlite_url, unmodified=True, **typed)[2] == []  # no page was read
