"""Tests of the two pipelines, on a real crawl without an engine."""

import asyncio
import logging
from collections import Counter
from types import SimpleNamespace

import pytest
from scrapy import Spider, signals
from scrapy.exceptions import DropItem
from scrapy.utils.test import get_crawler
from sqlalchemy import update

from sitecrawl import stats
from sitecrawl.crawl.second_fetches import SecondFetches
from sitecrawl.errors import LeaseLostError
from sitecrawl.links.urls import url_key
from sitecrawl.pipelines.content import ContentPipeline
from sitecrawl.pipelines.template import TemplatePipeline
from sitecrawl.shell.site_spider import own_spider_of
from sitecrawl.storage.db.engine import session_scope
from sitecrawl.storage.tables.models import SITE
from tests.unit.crawl.crawling import PAGES, Crawling, html


class Shell:
    """The parts of Scrapy and of the spider that the pipelines use."""

    def __init__(self, crawl):
        self.counts, self.values = Counter(), {}
        self.site_crawl, self.scope, self.logger = crawl, crawl.scope, logging.getLogger("test")
        self.stats = SimpleNamespace(inc_value=self.count, set_value=self.values.__setitem__)
        self.spider = self
        self.emitting = self.woken = 0

    def wake(self):
        self.woken += 1

    def count(self, name, number=1):
        self.counts[name] += number

    def emit_waiting(self):
        self.emitting += 1


class Passing:
    """A crawl whose pages pass both pipelines."""

    def __init__(self, url, **settings):
        self.crawling = Crawling(url, **settings)
        self.shell = Shell(self.crawling.crawl)
        self.pipelines = TemplatePipeline.from_crawler(self.shell), ContentPipeline(self.shell)

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


def test_a_page_that_forbids_indexing_counts_once_though_it_waited(sqlite_url):
    async def passes():
        passing = Passing(sqlite_url)
        await passing.page(1, noindex=True)
        crawl = passing.crawling.crawl
        crawl.frontier.exhausted = True
        item = await crawl.page_store.next_waiting()
        row = await passing.pipelines[1].process_item(item)
        await crawl.close("shutdown", {})
        return row.url, passing.shell.counts

    url, counts = asyncio.run(passes())
    assert url == "https://example.org/1"
    assert (counts[stats.PAGES_NOINDEX], counts[stats.CONTENT_WAITING], counts[stats.CONTENT_EXTRACTED]) == (1, 1, 1)


def test_what_a_row_is_is_counted(sqlite_url):
    async def passes():
        passing = Passing(sqlite_url)
        for number in range(1, PAGES + 1):
            row = await passing.page(number)
        await passing.crawling.end("shutdown")
        return row, passing.shell.counts

    row, counts = asyncio.run(passes())
    names = (f"{stats.CONTENT_KIND}/{row.kind}", f"{stats.CONTENT_STATUS}/new", f"{stats.CONTENT_METHOD}/{row.method}")
    assert [counts[name] for name in (stats.CONTENT_EXTRACTED, *names)] == [1, 1, 1, 1]


def test_an_override_that_was_applied_is_counted(sqlite_url, tmp_path):
    (tmp_path / "example.org.yaml").write_text("content: h1\n")

    async def passes():
        passing = Passing(sqlite_url, overrides=(str(tmp_path),))
        for number in range(1, PAGES + 1):
            row = await passing.page(number)
        await passing.crawling.end("shutdown")
        return row.text, [name for name in passing.shell.counts if name.startswith(f"{stats.CONTENT_OVERRIDE}/")]

    text, names = asyncio.run(passes())
    assert text == f"Title {PAGES}"
    assert len(names) == 1


@pytest.mark.parametrize(("exhausted", "told"), [(True, 0), (False, None)])
def test_indexes_are_told_of_link_texts_when_all_pages_were_seen(sqlite_url, exhausted, told):
    async def closes():
        passing = Passing(sqlite_url)
        await passing.page(1)
        passing.crawling.crawl.frontier.exhausted = exhausted
        await passing.pipelines[1].close_spider()
        await passing.crawling.crawl.close("shutdown", {})
        return passing.shell.values.get(stats.CONTENT_RELINKED)

    assert asyncio.run(closes()) == told


def test_a_crawl_that_may_not_write_any_more_closes_without_telling_the_indexes(sqlite_url):
    """Scrapy would write a traceback of each such crawl into the log."""

    async def closes():
        passing = Passing(sqlite_url)
        await passing.page(1)
        crawl = passing.crawling.crawl
        crawl.frontier.exhausted = True
        with session_scope(crawl.engine) as session:
            session.execute(update(SITE).values(lease_epoch=SITE.c.lease_epoch + 1))  # another process took it
        await passing.pipelines[1].close_spider()
        with pytest.raises(LeaseLostError):
            await crawl.close("lease_lost", {})
        return passing.shell.values.get(stats.CONTENT_RELINKED)

    assert asyncio.run(closes()) is None


def test_a_spider_of_another_project_has_nothing_to_close():
    crawler = get_crawler(Spider)
    crawler.spider = Spider.from_crawler(crawler, name="another")
    asyncio.run(ContentPipeline.from_crawler(crawler).close_spider())
    assert crawler.stats.get_value(stats.CONTENT_RELINKED) is None
    with pytest.raises(TypeError, match="yielded a PageItem"):
        own_spider_of(crawler)


def test_a_dropped_item_lets_go_of_its_page():
    crawler = get_crawler(Spider)
    pipeline = ContentPipeline.from_crawler(crawler)
    try:
        raise DropItem("waits")
    except DropItem as error:
        dropped = error
    crawler.signals.send_catch_log(signals.item_dropped, exception=dropped)
    assert dropped.__traceback__ is None
    assert pipeline.crawler is crawler


def test_a_redesign_is_told_once(sqlite_url, caplog):
    table = "<html><body><header><h2>T {0}</h2></header><table><tr><td>Cell of {0}</td></tr></table></body></html>"

    async def passes():
        passing = Passing(sqlite_url, template_min_pages=6)
        for number in range(1, 8):
            await passing.page(number)
        await passing.crawling.end()
        passing = Passing(sqlite_url, template_min_pages=6)
        for number in range(20, 20 + 6):
            item = passing.crawling.item(f"https://example.org/{number}", table.format(number))
            await passing.pipelines[0].process_item(item)
        await passing.crawling.crawl.close("shutdown", {})
        return passing.shell

    with caplog.at_level(logging.INFO):
        shell = asyncio.run(passes())
    assert shell.counts[stats.TEMPLATE_DRIFT] == 1
    assert "no longer match template version" in caplog.text


def test_when_a_template_was_ready_is_told(sqlite_url):
    async def passes():
        passing = Passing(sqlite_url)
        for number in range(1, PAGES + 2):
            await passing.page(number)
        nodes = len(passing.crawling.crawl.learning.template.nodes)
        await passing.crawling.crawl.close("shutdown", {})
        return passing.shell.values, nodes

    values, nodes = asyncio.run(passes())
    assert (values[stats.TEMPLATE_READY_AT], values[stats.TEMPLATE_NODES]) == (PAGES, nodes)


def test_a_page_that_is_extracted_again_has_a_row_if_that_is_another(sqlite_url):
    url = "https://example.org/1"

    async def passes():
        passing = Passing(sqlite_url)
        for number in range(1, PAGES + 1):
            await passing.page(number)
        await passing.crawling.waiting()
        crawl, results = passing.crawling.crawl, []
        crawl.waiting.again.add(url_key(url))
        crawl.waiting.pages.append(url_key(url))
        other = passing.crawling.item(url, html(1, text="Quite another text. " * 9))
        other.stored = other.again = True
        for item in (await crawl.page_store.next_waiting(), other):
            try:
                results.append(await passing.pipelines[1].process_item(item))
            except DropItem as error:
                results.append(str(error))
        await crawl.close("shutdown", {})
        return results, passing.shell.counts

    (same, another), counts = asyncio.run(passes())
    assert same == f"its row has not changed: {url}"
    assert "Quite another text." in another.text
    assert (counts[stats.CONTENT_SETTLED], counts[stats.CONTENT_REPLACED]) == (2, 1)


@pytest.mark.parametrize(
    ("status", "emit_unchanged", "stands"),
    [
        ("unchanged", False, True),
        ("unchanged", True, False),
        ("changed", False, False),
        (None, True, True),
    ],
)
def test_the_row_of_a_page_that_is_extracted_again_stands_if_nothing_is_new(status, emit_unchanged, stands):
    shell = Shell(SimpleNamespace(scope=None))
    item, content = SimpleNamespace(url="https://example.org/1"), status and SimpleNamespace(status=status)
    if stands:
        with pytest.raises(DropItem, match="its row has not changed"):
            ContentPipeline(shell)._settled(item, content, emit_unchanged=emit_unchanged)
    else:
        assert ContentPipeline(shell)._settled(item, content, emit_unchanged=emit_unchanged) is content
    assert shell.counts == {stats.CONTENT_SETTLED: 1} | ({} if stands else {stats.CONTENT_REPLACED: 1})


def test_a_page_without_a_row_is_dropped(sqlite_url, monkeypatch):
    async def none(item):
        return None

    async def passes():
        passing = Passing(sqlite_url)
        for number in range(1, PAGES):
            await passing.page(number)
        monkeypatch.setattr(passing.crawling.crawl.page_store, "extract", none)
        result = await passing.page(PAGES)
        await passing.crawling.crawl.close("shutdown", {})
        return result, passing.shell.counts[stats.CONTENT_EXTRACTED]

    assert asyncio.run(passes()) == (f"no row: https://example.org/{PAGES}", 0)


def test_it_is_told_once_when_the_template_stopped_changing(sqlite_url):
    async def passes():
        passing, told = Passing(sqlite_url), []
        for number in range(1, PAGES + 4):
            learn = passing.crawling.crawl.publishing.learn
            if number == PAGES + 1:

                async def learn_and_settle(item, learn=learn):
                    learned = await learn(item)
                    passing.crawling.crawl.learning.learner.stable_since = 17
                    return learned

                passing.crawling.crawl.publishing.learn = learn_and_settle
            await passing.page(number)
            told.append(passing.shell.values.pop(stats.TEMPLATE_STABLE_AT, None))
        await passing.crawling.crawl.close("shutdown", {})
        return told

    assert asyncio.run(passes()) == [None] * PAGES + [17] + [None] * 2


@pytest.mark.parametrize("due", [True, False])
def test_second_fetches_that_are_due_wake_the_spider(sqlite_url, monkeypatch, due):
    monkeypatch.setattr(SecondFetches, "due", due)

    async def passes():
        passing = Passing(sqlite_url)
        await passing.page(1)
        await passing.crawling.crawl.close("shutdown", {})
        return passing.shell.woken

    assert asyncio.run(passes()) == int(due)
