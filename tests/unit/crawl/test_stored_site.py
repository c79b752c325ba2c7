"""Tests of reading a site when a crawl opens it, and of the number of transactions."""

import asyncio
import dataclasses

import pytest

from sitecrawl.crawl.page_lifecycle import FetchOutcome, FetchResult
from sitecrawl.crawl.stored_site import stored_site
from sitecrawl.errors import ConfigError
from sitecrawl.links.urls import url_key
from sitecrawl.storage.db.engine import session_scope
from tests.unit.crawl.crawling import Crawling, html

HOME = "https://example.org/1"
LOST = "https://example.org/9"
MOST = 7
"""Transactions in which a crawl of a site with one layout is opened; some were once one for each thing read."""


@pytest.fixture
def crawled(sqlite_url):
    async def crawl():
        crawling = Crawling(sqlite_url)
        for number in range(1, 6):
            await crawling.page(f"https://example.org/{number}", html(number))
        lost = FetchOutcome(FetchResult.FAILED, "no answer")
        await crawling.crawl.visits.settle(url_key(LOST), LOST, lost, None, 1)
        await crawling.crawl.closed_traps.store([crawling.crawl.infinite_spaces.close("https://example.org/t/")])
        await crawling.end()

    asyncio.run(crawl())
    return sqlite_url


def read(url, **settings):
    crawl = Crawling(url).crawl
    with session_scope(crawl.engine, write=False) as session:
        config = dataclasses.replace(crawl.config, **settings)
        return stored_site(session, config, crawl.site_id, crawl.crawl_id, crawl.frontier.keys, due=False)


def test_a_site_is_opened_in_few_transactions(crawled):
    assert Crawling(crawled).crawl.writer.batch.batches <= MOST


def test_a_new_site_has_nothing(sqlite_url):
    found = read(sqlite_url)
    assert (found.reach, found.answered, found.last_discovery, found.home) == (None, False, 0, None)
    assert (found.unanswered, found.closed, found.hosts, found.suspended) == ([], [], [], [])


def test_what_earlier_crawls_stored_is_read(crawled):
    found = read(crawled)
    assert found.answered
    assert found.home == "example.org"
    assert found.last_discovery == 1
    assert [(url, why) for _, url, why in found.unanswered] == [(LOST, "no answer")]
    assert [one.closed.place for one in found.closed] == ["https://example.org/t/"]
    assert len(found.statistics.pages) == 5


def test_intervals_that_contradict_each_other_are_an_error(crawled):
    with pytest.raises(ConfigError, match="interval"):
        read(crawled, recrawl_min_interval=10**6, recrawl_max_interval=10)
