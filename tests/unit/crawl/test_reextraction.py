import asyncio
import json

import pytest
from sqlalchemy import text

from sitecrawl.config import Config
from sitecrawl.crawl.reextraction import SiteReextraction
from sitecrawl.errors import LeaseLostError, UnfinishedCrawlError, UnknownSiteError
from sitecrawl.links.urls import url_key
from sitecrawl.storage.db.engine import open_database, session_scope
from sitecrawl.storage.db.writer import BatchWriter
from sitecrawl.storage.sites import SiteRepository
from tests.unit.crawl.crawling import PAGES, Crawling, html


async def crawled(url):
    crawling = Crawling(url)
    for number in range(1, PAGES + 3):
        await crawling.page(f"https://example.org/{number}", html(number))
    await crawling.end()


@pytest.fixture
def reextraction(sqlite_url):
    asyncio.run(crawled(sqlite_url))
    engine = open_database(sqlite_url)
    writer = BatchWriter(engine)
    with session_scope(engine) as session:
        site = SiteRepository(session).get("example.org")
    yield SiteReextraction(Config(database_url=sqlite_url, extractor="everything", lease_seconds=60), writer, site)
    writer.shutdown()
    engine.dispose()


def told(run, sql):
    with session_scope(run.writer.batch._engine) as session:
        result = session.execute(text(sql))
        return [tuple(row) for row in result] if result.returns_rows else []


def test_nothing_is_written_once_another_process_has_the_site(reextraction):
    async def rows():
        async for _ in reextraction.rows():
            told(reextraction, "UPDATE site SET lease_owner = 'another'")

    with pytest.raises(LeaseLostError, match=r"example\.org: another process .* reextract example\.org"):
        asyncio.run(rows())
    written = told(reextraction, f"SELECT url_key FROM content WHERE crawl_id = {reextraction.crawl_id}")
    assert len(written) == 1  # the one before the lease was lost
    assert told(reextraction, "SELECT lease_owner FROM site") == [("another",)]
    assert told(reextraction, f"SELECT stats FROM crawl WHERE id = {reextraction.crawl_id}") == [(None,)]  # goes on


def test_a_site_that_has_the_number_of_a_forgotten_one_is_left_alone(reextraction):
    told(reextraction, "DELETE FROM site")
    told(
        reextraction,
        "INSERT INTO site (id, host, start_url, created_at, lease_epoch)"
        f" VALUES ({reextraction.site.id}, 'other.example', 'https://other.example/', CURRENT_TIMESTAMP, 1)",
    )

    async def rows():
        return [row.url async for row in reextraction.rows()]

    with pytest.raises(UnknownSiteError, match=r"example\.org was forgotten meanwhile"):
        asyncio.run(rows())
    assert told(reextraction, "SELECT lease_owner, lease_epoch FROM site") == [(None, 1)]


def test_a_page_whose_body_is_damaged_is_named_and_the_others_are_extracted(reextraction, caplog):
    told(reextraction, f"UPDATE body SET html = x'00' WHERE url_key = {url_key('https://example.org/2')}")

    async def rows():
        return [row.url async for row in reextraction.rows()]

    found = asyncio.run(rows())
    assert found == [f"https://example.org/{number}" for number in range(1, PAGES + 3) if number != 2]
    assert (reextraction.pages, reextraction.failed) == (PAGES + 1, 1)
    assert caplog.messages == ["https://example.org/2: the stored body is damaged; crawl the site again"]


def test_a_page_that_no_index_may_hold_stays_out_of_indexes(sqlite_url):
    async def first():
        crawling = Crawling(sqlite_url)
        for number in range(1, PAGES + 3):
            await crawling.page(f"https://example.org/{number}", html(number), noindex=number == 2)
        await crawling.end()

    asyncio.run(first())
    engine = open_database(sqlite_url)
    with session_scope(engine) as session:
        session.execute(text("DELETE FROM outbox"))
    found = again(sqlite_url, extractor="everything")
    with session_scope(engine) as session:
        queued = set(session.scalars(text("SELECT url_key FROM outbox")))
    engine.dispose()
    assert len(found) == PAGES + 2
    assert queued == {url_key(url) for url in found if url != "https://example.org/2"}


def test_each_page_that_is_stored_renews_the_lease(reextraction):
    async def ends():
        seen = []
        async for _ in reextraction.rows():
            seen.append(told(reextraction, "SELECT leased_until FROM site")[0][0])
            told(reextraction, "UPDATE site SET leased_until = '2001-01-01 00:00:00.000000'")
        return seen

    seen = asyncio.run(ends())
    assert len(seen) == PAGES + 2
    assert all(until > "2020" for until in seen)


def again(url, *overrides, corrected=False, **settings):
    """Extract the site again; return the rows by URL as (status, title)."""
    engine = open_database(url)
    writer = BatchWriter(engine)
    config = Config(database_url=url, content_min_chars=1, overrides=overrides, **settings)
    with session_scope(engine) as session:
        site = SiteRepository(session).get("example.org")

    async def rows():
        run = SiteReextraction(config, writer, site, corrected=corrected)
        return {row.url: (row.status, row.title) async for row in run.rows()}

    try:
        return asyncio.run(rows())
    finally:
        writer.shutdown()
        engine.dispose()


def test_an_override_of_titles_reaches_pages_whose_text_stays_and_so_does_its_end(sqlite_url, tmp_path):
    asyncio.run(crawled(sqlite_url))
    pages = [f"https://example.org/{number}" for number in range(1, PAGES + 3)]
    (tmp_path / "example.org.yaml").write_text("title: //a\n")
    assert again(sqlite_url) == {}
    assert again(sqlite_url, str(tmp_path)) == dict.fromkeys(pages, ("unchanged", "Home"))
    assert again(sqlite_url, str(tmp_path)) == {}
    assert again(sqlite_url) == {}  # whether an override was taken away is not known
    assert again(sqlite_url, corrected=True) == {url: ("unchanged", f"Title {url[-1]}") for url in pages}


def test_an_override_of_titles_for_one_host_of_a_domain_reaches_its_pages_alone(sqlite_url, tmp_path):
    """The start page is on another host, which has none."""
    url, domain = "https://news.example.org/9", {"site_scope": "domain"}

    async def crawled():
        crawling = Crawling(sqlite_url, **domain)
        for number in range(1, PAGES + 3):
            await crawling.page(f"https://example.org/{number}", html(number))
        await crawling.page(url, html(9))
        await crawling.end()

    asyncio.run(crawled())
    (tmp_path / "news.example.org.yaml").write_text("title: //a\n")
    assert again(sqlite_url, str(tmp_path), **domain) == {url: ("unchanged", "Home")}


def test_a_page_that_is_of_another_kind_now_is_stored_though_its_text_stays(sqlite_url):
    asyncio.run(crawled(sqlite_url))
    engine, url = open_database(sqlite_url), "https://example.org/3"
    with session_scope(engine) as session:
        session.execute(text(f"UPDATE content SET kind = 'listing' WHERE url_key = {url_key(url)}"))
    engine.dispose()
    assert again(sqlite_url) == {url: ("changed", "Title 3")}
    assert again(sqlite_url) == {}


def test_pages_are_extracted_again_in_a_crawl_of_its_own_whose_figures_are_kept(reextraction):
    async def ends():
        return [row.emit_order if hasattr(row, "emit_order") else row.url async for row in reextraction.rows()]

    rows = asyncio.run(ends())
    assert len(rows) == reextraction.pages == PAGES + 2
    ((stats, reason, ended),) = told(
        reextraction, f"SELECT stats, reason, finished_at IS NOT NULL FROM crawl WHERE id = {reextraction.crawl_id}"
    )
    assert json.loads(stats) == {"pages": PAGES + 2, "changed": PAGES + 2, "failed": 0}
    assert (reason, ended) == ("reextract", 1)
    assert told(reextraction, "SELECT lease_owner FROM site") == [(None,)]
    orders = told(
        reextraction, f"SELECT emit_order FROM content WHERE crawl_id = {reextraction.crawl_id} ORDER BY emit_order"
    )
    assert [order for (order,) in orders] == list(range(1, len(orders) + 1))


def test_pages_of_a_crawl_that_did_not_end_are_not_extracted_again(reextraction):
    told(reextraction, "UPDATE crawl SET finished_at = NULL")

    async def rows():
        return [row async for row in reextraction.rows()]

    with pytest.raises(
        UnfinishedCrawlError, match=r"example\.org: its last crawl did not end; run: sitecrawl crawl site"
    ):
        asyncio.run(rows())
    assert told(reextraction, "SELECT lease_owner FROM site") == [(None,)]
    assert told(reextraction, "SELECT count(*) FROM crawl") == [(1,)]


def test_what_an_interrupted_run_wrote_comes_again_and_the_rest_follows_it(reextraction):
    async def runs():
        begun = reextraction.rows()
        first = [(await anext(begun)).url for _ in range(3)]
        await begun.aclose()
        second = SiteReextraction(reextraction.config, reextraction.writer.batch, reextraction.site)
        rows = [row.url async for row in second.rows()]
        return first, rows, (second.pages, second.changed), (second.crawl_id, reextraction.crawl_id)

    first, rows, counts, crawls = asyncio.run(runs())
    assert rows == [f"https://example.org/{number}" for number in range(1, PAGES + 3)]
    assert (first, counts) == (rows[:3], (PAGES - 1, PAGES - 1))
    assert crawls[0] == crawls[1]
    orders = told(reextraction, f"SELECT emit_order FROM content WHERE crawl_id = {crawls[0]} ORDER BY emit_order")
    assert [order for (order,) in orders] == list(range(1, PAGES + 3))


def test_a_page_whose_body_is_not_kept_is_left_as_it_is(reextraction):
    told(reextraction, f"DELETE FROM body WHERE url_key = {url_key('https://example.org/2')}")

    async def rows():
        keys = [url_key(f"https://example.org/{one}") for one in (2, 99)]
        reextraction._order = 0
        return [await reextraction._page_row(key) for key in keys], [row.url async for row in reextraction.rows()]

    nothing, found = asyncio.run(rows())
    assert nothing == [None, None]
    assert (len(found), reextraction.pages, reextraction.failed) == (PAGES + 1, PAGES + 1, 0)


def test_the_row_of_a_page_keeps_what_its_fetch_said(reextraction):
    rows = (
        "SELECT url_key, url, status, http_status, crawl_id, fetch_order, fetches, etag, sample, fetched_at FROM page"
    )
    before = told(reextraction, rows)

    async def run():
        return [row.status async for row in reextraction.rows()]

    assert len(asyncio.run(run())) == PAGES + 2
    assert told(reextraction, rows) == before


def test_a_reextraction_that_loses_its_site_after_the_last_page_is_not_finished(reextraction):
    async def rows():
        found = []
        async for row in reextraction.rows():
            found.append(row.url)
            if len(found) == PAGES + 2:
                told(reextraction, "UPDATE site SET lease_owner = 'another'")

    with pytest.raises(LeaseLostError, match=r"another process took the site over"):
        asyncio.run(rows())
    crawl = f"SELECT stats FROM crawl WHERE id = {reextraction.crawl_id}"
    assert told(reextraction, crawl) == [(None,)]
    assert told(reextraction, "SELECT lease_owner FROM site") == [("another",)]
