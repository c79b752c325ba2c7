"""Tests of what a visit writes beside the page's row, on a real database."""

import asyncio

from sqlalchemy import text

from sitecrawl.links.urls import url_key
from sitecrawl.storage.db.engine import session_scope
from sitecrawl.storage.layouts import LayoutRepository
from tests.unit.crawl.crawling import PAGES, Crawling, html

ONE = "https://example.org/1"


async def first_crawl(url, *bodies):
    crawling = Crawling(url)
    for number, body in enumerate(bodies, 1):
        await crawling.page(f"https://example.org/{number}", body)
    await crawling.end()


def read(crawling, sql):
    with session_scope(crawling.crawl.engine) as session:
        return [tuple(row) for row in session.execute(text(sql))]


def test_the_body_of_before_is_kept_while_a_page_waits(sqlite_url):
    """It tells an edit from another template; the extraction drops it."""

    async def visits():
        await first_crawl(sqlite_url, *(html(number) for number in range(1, PAGES + 1)))
        crawling = Crawling(sqlite_url)
        crawl = crawling.crawl
        item = crawling.item(ONE, html(1, text="Edited."))
        await crawl.publishing.learn(item)
        await crawl.page_store.keep(item)
        site_id = crawl.site.id
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
    """Whatever the crawl remembers."""

    async def visits():
        await first_crawl(sqlite_url, html(1), html(2))
        crawling = Crawling(sqlite_url)
        crawling.crawl.statistics._pages.discard(url_key(ONE))
        await crawling.page(ONE, html(1))
        return read(crawling, "SELECT pages FROM site_value WHERE field = 0")

    assert asyncio.run(visits()) == [(2,)]
