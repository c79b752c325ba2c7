"""Tests of the calls to Scrapy's engine, with an engine that has only the members that are used."""

import asyncio
from collections import deque
from types import SimpleNamespace

import pytest
from twisted.internet.defer import Deferred

from sitecrawl.shell.exceptions import PostponedRequest
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


def test_a_signal_postpones_requests_that_wait_for_their_delay():
    """With a Crawl-delay of 30 s each would be sent up to 30 s after the signal."""
    slots = {host: SimpleNamespace(queue=deque()) for host in ("e.org", "www.e.org")}
    crawler = SimpleNamespace(crawling=True, _engine=SimpleNamespace(downloader=SimpleNamespace(slots=slots)))

    def enqueue(host):
        failed = []
        download = Deferred()
        download.addErrback(lambda failure: failed.append(failure.type))
        slots[host].queue.append((None, download))
        return failed

    async def run():
        stopping = asyncio.create_task(Engine(crawler).let_stop())
        first = enqueue("e.org"), enqueue("www.e.org")
        for _ in range(5):
            await asyncio.sleep(0)
        assert first == ([], [])
        crawler.crawling = False
        for _ in range(5):
            await asyncio.sleep(0)
        assert first == ([PostponedRequest], [PostponedRequest])
        later = enqueue("e.org")  # it was in a middleware
        for _ in range(5):
            await asyncio.sleep(0)
        assert later == [PostponedRequest]
        stopping.cancel()

    asyncio.run(run())


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
