"""Tests of what is asked of Scrapy's engine, with one that only has what is asked for."""

import asyncio
from types import SimpleNamespace

import pytest

from sitecrawl.spiders import engine
from sitecrawl.spiders.engine import Engine


@pytest.fixture(autouse=True)
def looks(monkeypatch):
    monkeypatch.setattr(engine, "CLOSING_LOOKS", 0.0)
    monkeypatch.setattr(engine, "CLOSED_LOOKS", 0.0)


def test_a_function_is_called_once_a_signal_stops_the_crawl():
    crawler, called = SimpleNamespace(crawling=True), []

    async def run():
        waiting = asyncio.create_task(Engine(crawler).when_stopped(lambda: called.append(crawler.crawling)))
        for _ in range(5):
            await asyncio.sleep(0)
        assert called == []
        crawler.crawling = False
        await waiting

    asyncio.run(run())
    assert called == [False]


@pytest.mark.parametrize("present", [None, SimpleNamespace(spider=None)], ids=["no engine", "no spider"])
def test_a_crawl_without_a_spider_is_closed(present):
    asyncio.run(asyncio.wait_for(Engine(SimpleNamespace(_engine=present)).closed(), 5))


def test_the_end_waits_until_the_spider_is_closed():
    present = SimpleNamespace(spider="open")

    async def run():
        waiting = asyncio.create_task(Engine(SimpleNamespace(_engine=present)).closed())
        for _ in range(5):
            await asyncio.sleep(0)
        assert not waiting.done()
        present.spider = None
        await waiting

    asyncio.run(asyncio.wait_for(run(), 5))
