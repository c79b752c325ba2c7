"""Tests of the two pipelines, on a real crawl without an engine."""

import asyncio
import logging
from collections import Counter
from types import SimpleNamespace

import pytest
from scrapy.exceptions import DropItem

from sitecrawl import stats
from sitecrawl.pipelines.content import ContentPipeline
from sitecrawl.pipelines.template import TemplatePipeline
from tests.unit.crawl.crawling import PAGES, Crawling, html


class Shell:
    """What the pipelines ask of Scrapy and of the spider."""

    def __init__(self, crawl):
        self.counts, self.values = Counter(), {}
        self.site_crawl, self.scope, self.logger = crawl, crawl.scope, logging.getLogger("test")
        self.stats = SimpleNamespace(inc_value=self.count, set_value=self.values.__setitem__)
        self.spider = self
        self.emitting = 0

    def count(self, name, number=1):
        self.counts[name] += number

    def emit_waiting(self):
        self.emitting += 1


class Passing:
    """A crawl whose pages pass both pipelines."""

    def __init__(self, url, **settings):
        self.crawling = Crawling(url, **settings)
        self.shell = Shell(self.crawling.crawl)
        self.pipelines = TemplatePipeline(self.shell), ContentPipeline(self.shell)

    async def page(self, number, **fields):
        """Return the row of a page, or why there is none."""
        item = self.crawling.item(f"https://example.org/{number}", html(number), **fields)
        try:
            for pipeline in self.pipelines:
                item = await pipeline.process_item(item)
        except DropItem as error:
            return str(error)
        return item


def test_pages_wait_until_the_template_is_ready(sqlite_url):
    async def passes():
        passing = Passing(sqlite_url)
        results = [await passing.page(number) for number in range(1, PAGES + 1)]
        await passing.crawling.end("shutdown")
        return results, passing.shell

    results, shell = asyncio.run(passes())
    assert [str(one).startswith("waits for the template") for one in results] == [True] * (PAGES - 1) + [False]
    assert (results[-1].status, results[-1].template_version) == ("new", 1)
    assert shell.emitting == 1
    assert shell.counts[stats.CONTENT_WAITING] == PAGES - 1
    assert shell.counts[stats.TEMPLATE_LEARNED] == PAGES
    assert shell.values[stats.TEMPLATE_VERSION] == 1


@pytest.mark.parametrize("emit_unchanged", [True, False])
def test_a_page_that_did_not_change_has_a_row_if_that_is_wanted(sqlite_url, emit_unchanged):
    async def passes():
        for _ in range(2):
            passing = Passing(sqlite_url, emit_unchanged=emit_unchanged)
            results = [await passing.page(number) for number in range(1, PAGES + 1)]
            await passing.crawling.end()
        return results[-1], passing.shell.counts

    last, counts = asyncio.run(passes())
    assert getattr(last, "status", last) == (
        "unchanged" if emit_unchanged else f"unchanged: https://example.org/{PAGES}"
    )
    assert counts[f"{stats.CONTENT_STATUS}/unchanged"] == PAGES


def test_other_items_pass(sqlite_url):
    async def passes():
        passing = Passing(sqlite_url)
        results = [await pipeline.process_item("another") for pipeline in passing.pipelines]
        await passing.crawling.crawl.close("shutdown", {})
        return results

    assert asyncio.run(passes()) == ["another", "another"]


def test_pages_that_forbid_indexing_are_counted(sqlite_url):
    async def passes():
        passing = Passing(sqlite_url)
        await passing.page(1, noindex=True)
        await passing.crawling.crawl.close("shutdown", {})
        return passing.shell.counts[stats.PAGES_NOINDEX]

    assert asyncio.run(passes()) == 1
