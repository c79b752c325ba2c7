"""The spider of a site without Scrapy's engine."""

import asyncio
from types import SimpleNamespace

import pytest
from scrapy.http import HtmlResponse

from sitecrawl import stats
from sitecrawl.crawl.sandbox import Sandbox
from sitecrawl.crawl.site import LEASE_LOST
from sitecrawl.crawl.work_turns import work_turns
from sitecrawl.errors import LeaseLostError
from sitecrawl.shell.site_spider import ProcessShare
from sitecrawl.spiders.site import SiteSpider
from tests.unit.crawl.crawling import PAGES, ROOT, during, html

ALONE_OR_NOT = pytest.mark.parametrize("is_alone", [True, False], ids=["alone", "in a worker"])


def spider_of(crawling, *, is_alone=True):
    """Return the spider of a crawl."""
    return SiteSpider(crawling.crawl, None if is_alone else ProcessShare(Sandbox(crawling.config)))


@ALONE_OR_NOT
def test_a_crawl_alone_fetches_nothing_while_waiting_pages_are_extracted(sqlite_url, is_alone):
    came = []

    async def emit(crawling):
        spider = spider_of(crawling, is_alone=is_alone)
        spider.engine = SimpleNamespace(hold=lambda: came.append("held"))
        spider.emit_waiting()
        return spider._wake.is_set()

    assert during(sqlite_url, emit)
    assert came == ["held"] * is_alone


@ALONE_OR_NOT
def test_waiting_pages_share_a_commit_unless_others_are_fetched_meanwhile(sqlite_url, is_alone):
    async def emit(crawling):
        for number in range(1, PAGES + 1):
            await crawling.page(f"{ROOT}{number}", html(number))
        spider = spider_of(crawling, is_alone=is_alone)
        together = [crawling.crawl.page_store.together async for _ in spider._waiting_items()]
        return together, crawling.crawl.page_store.together

    assert during(sqlite_url, emit) == ([is_alone] * (PAGES - 1), False)  # the last page was extracted at once


def test_a_page_is_parsed_once_no_parsed_page_waits(sqlite_url):
    async def read(crawling):
        spider, came = spider_of(crawling), []

        async def parsed():
            await work_turns().of_parsed()
            came.append("parsed")

        async def fetched():
            await spider.pages.page(HtmlResponse(ROOT, body=html(1).encode(), encoding="utf-8"))
            came.append("fetched")

        await asyncio.gather(work_turns().of_parsed(), fetched(), parsed())
        return came

    assert during(sqlite_url, read) == ["parsed", "fetched"]


def test_a_waiting_page_is_taken_once_no_parsed_page_waits(sqlite_url):
    async def emit(crawling):
        for number in range(1, PAGES + 1):
            await crawling.page(f"{ROOT}{number}", html(number))
        spider, store, came = spider_of(crawling), crawling.crawl.page_store, []
        next_waiting = store.next_waiting

        async def nothing_ahead(most):
            pass

        async def taken():
            came.append("taken")
            return await next_waiting()

        async def parsed():
            await work_turns().of_parsed()
            came.append("parsed")

        store.read_ahead, store.next_waiting = nothing_ahead, taken
        await asyncio.gather(work_turns().of_parsed(), anext(spider._waiting_items()), parsed())
        return came

    assert during(sqlite_url, emit) == ["parsed", "taken"]


def test_a_crawl_that_lost_its_lease_sets_its_closing_stats(sqlite_url, monkeypatch):
    async def close(crawling):
        spider, found, abandoned = spider_of(crawling), {}, []

        async def lost(_reason):
            raise LeaseLostError("another process has the site")

        async def abandon():
            abandoned.append(dict(found))

        spider.crawler = SimpleNamespace(stats=SimpleNamespace(set_value=found.__setitem__))
        monkeypatch.setattr(spider, "_close", lost)
        monkeypatch.setattr(crawling.crawl, "abandon", abandon)
        await spider._on_closed("finished")
        return spider.outcome, abandoned, found.keys()

    outcome, abandoned, found = during(sqlite_url, close)
    assert (outcome, abandoned) == (LEASE_LOST, [{}])
    assert {stats.STORAGE_OPERATIONS, f"{stats.SECONDS}/extract"} <= found
