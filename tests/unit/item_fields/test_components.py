"""The spider middleware and the item pipeline that add the fields, each in a crawl's crawler."""

import asyncio
import dataclasses
import gc
import logging

import pytest
from scrapy import Request, Spider, signals
from scrapy.http import HtmlResponse, JsonResponse, Response, TextResponse
from scrapy.utils.test import get_crawler

from sitecrawl import stats
from sitecrawl.item_fields.middleware import ItemFieldsMiddleware
from sitecrawl.item_fields.pipeline import ItemFieldsPipeline
from sitecrawl.items import PageItem
from sitecrawl.pipelines.content import ContentPipeline
from sitecrawl.pipelines.template import TemplatePipeline
from tests.unit.api.pages import URL, html
from tests.unit.item_fields.sites import store

FIELDS = {"main_content": "text", "name": "title"}
TEXT = "\n".join(
    ["Note 1"]
    + [f"Note 1 tells in sentence {i} of the {7 + i} boats that came in, and of what they carried." for i in range(4)]
)


@dataclasses.dataclass
class Note:
    url: str
    main_content: str = ""
    name: str | None = None


@dataclasses.dataclass
class Price:
    price: int


@pytest.fixture
def crawler(tmp_path):
    def made(**settings):
        database = {"SITECRAWL_DATABASE_URL": f"sqlite:///{tmp_path}/none.db", "SITECRAWL_ITEM_FIELDS": FIELDS}
        made = get_crawler(Spider, {**database, **settings})
        made.spider = Spider.from_crawler(made, name="notes")
        return made

    return made


def page(number=1, kind=HtmlResponse, **fields):
    return kind(URL.format(number), body=html(number).encode(), request=Request(URL.format(number)), **fields)


def counts(crawler):
    values = crawler.stats.get_stats()
    return {name.removeprefix("sitecrawl/items/"): n for name, n in values.items() if "sitecrawl/items/" in name}


def test_items_get_texts_in_the_charset_of_the_bytes(crawler):
    headers = {"Content-Type": "text/html; charset=iso-8859-1"}
    body = html(1).replace("boats", "b\u00f6\u00e4ts").encode()
    response = HtmlResponse(URL.format(1), headers=headers, body=body, request=Request(URL.format(1)))
    middleware = ItemFieldsMiddleware.from_crawler(crawler())
    item = middleware.get_processed_item({"url": response.url}, response)
    assert "the 7 b\u00f6\u00e4ts that" in item["main_content"]


def test_items_get_the_content_of_their_response_and_requests_pass(crawler):
    made = crawler()
    middleware = ItemFieldsMiddleware.from_crawler(made)
    request = Request("https://example.org/")
    given = [{"url": "a"}, request, Note("b"), {"url": "c", "name": "The spider's name"}, None]
    assert list(middleware.process_spider_output(page(), given)) == [
        {"url": "a", "main_content": TEXT, "name": "Note 1"},
        request,
        Note("b", TEXT, "Note 1"),
        {"url": "c", "main_content": TEXT, "name": "The spider's name"},
    ]
    assert counts(made) == {"extended": 3, "own_values": 1}


def test_callbacks_that_are_asynchronous_give_the_same(crawler):
    middleware = ItemFieldsMiddleware.from_crawler(crawler())

    async def output():
        yield {"url": "a"}

    async def all_of():
        return [one async for one in middleware.process_spider_output_async(page(), output())]

    assert asyncio.run(all_of()) == [{"url": "a", "main_content": TEXT, "name": "Note 1"}]


def test_a_page_is_extracted_once_for_all_its_items_and_the_selectors_of_the_spider_stay(crawler, monkeypatch):
    middleware = ItemFieldsMiddleware.from_crawler(crawler())
    read = []
    reader = middleware._fields._reader
    monkeypatch.setattr(reader, "read", lambda *given, real=reader.read: read.append(given) or real(*given))
    one, two = page(1), page(2)
    before = one.css("body").get()
    outputs = [middleware.process_spider_output(response, ({} for _ in range(3))) for response in (one, two)]
    items = [item for pair in zip(*outputs, strict=True) for item in pair]
    assert [item["name"] for item in items] == ["Note 1", "Note 2"] * 3
    assert [url for _, url in read] == [one.url, two.url]
    assert one.css("body").get() == before
    del one, two, outputs
    gc.collect()  # a response and its selector refer to each other
    assert len(middleware._found) == 0


@pytest.mark.parametrize(
    "response",
    [
        Response("https://example.org/a.png", body=b"\x89PNG"),
        JsonResponse("https://example.org/a.json", body=b"{}"),
        TextResponse("https://example.org/a.txt", body=b"words", headers={"Content-Type": "text/plain"}),
        HtmlResponse("https://example.org/empty", body=b""),
        HtmlResponse("https://example.org/long", body=b"<p>words</p>" * 400_000),
    ],
)
def test_items_of_a_page_that_cannot_be_read_pass_unchanged(crawler, response):
    made = crawler()
    items = [{"url": "a"}, {"url": "b"}]
    assert list(ItemFieldsMiddleware.from_crawler(made).process_spider_output(response, items)) == [
        {"url": "a"},
        {"url": "b"},
    ]
    assert counts(made) == {"unreadable": 2}


def test_a_downloaders_own_class_of_html_is_read(crawler):
    class Rendered(TextResponse):
        pass

    response = page(kind=Rendered, headers={"Content-Type": "text/html"}, encoding="utf-8")
    (item,) = ItemFieldsMiddleware.from_crawler(crawler()).process_spider_output(response, [{}])
    assert item["main_content"] == TEXT


def test_items_without_a_response_pass(crawler):
    made = crawler()
    middleware = ItemFieldsMiddleware.from_crawler(made)

    async def start():
        yield {"url": "a"}

    async def all_of():
        return [one async for one in middleware.process_start(start())]

    assert asyncio.run(all_of()) == [{"url": "a"}]
    assert counts(made) == {"unreadable": 1}


def test_a_class_without_the_field_is_one_line_for_all_its_items(crawler, caplog):
    made = crawler()
    given = [Price(1), Price(2), {"url": "a"}]
    items = list(ItemFieldsMiddleware.from_crawler(made).process_spider_output(page(), given))
    assert items[:2] == [Price(1), Price(2)]
    (record,) = [one for one in caplog.records if one.levelno >= logging.WARNING]
    assert record.getMessage() == (
        "Price has no field 'main_content', 'name'; add it to the class, or correct SITECRAWL_ITEM_FIELDS; items of"
        " this class pass unchanged"
    )
    assert counts(made) == {"refused": 2, "extended": 1}


def test_an_error_of_the_method_itself_loses_no_item(crawler, monkeypatch, caplog):
    made = crawler()
    middleware = ItemFieldsMiddleware.from_crawler(made)

    def fail(*_):
        raise ZeroDivisionError

    monkeypatch.setattr(middleware._fields._reader, "read", fail)
    assert list(middleware.process_spider_output(page(), [{"url": "a"}])) == [{"url": "a"}]
    assert counts(made) == {"unreadable": 1}
    assert caplog.records[-1].exc_info is not None


def test_the_stored_template_is_used_and_the_database_closed_at_the_end(crawler, tmp_path):
    database = store(tmp_path / "sites.db", "journal.example")
    made = crawler(SITECRAWL_DATABASE_URL=database, SITECRAWL_ITEM_FIELDS={"version": "template_version"})
    middleware = ItemFieldsMiddleware.from_crawler(made)
    assert list(middleware.process_spider_output(page(40), [{}])) == [{"version": 1}]
    assert counts(made) == {"extended": 1, "with_template": 1}
    made.signals.send_catch_log(signals.spider_closed, spider=made.spider, reason="finished")
    assert len(middleware._fields._reader.sites) == 0
    assert made.stats.get_value(f"{stats.SECONDS}/items") > 0


def test_the_html_may_be_in_a_field(crawler):
    made = crawler(SITECRAWL_ITEM_HTML="body", SITECRAWL_ITEM_URL="link")
    pipeline = ItemFieldsPipeline.from_crawler(made)
    given = {"link": URL.format(1), "body": html(1)}
    added = {"main_content": TEXT, "name": "Note 1"}
    assert pipeline.process_item(dict(given)) == given | added
    assert pipeline.process_item({"body": html(1).encode()}) == {"body": html(1).encode(), **added}
    assert pipeline.process_item({"link": "x"}) == {"link": "x"}
    assert pipeline.process_item({"link": "x", "body": html(1)}) == {"link": "x", "body": html(1)}
    assert pipeline.process_item("no item") == "no item"
    assert counts(made) == {"extended": 2, "unreadable": 2}


@pytest.mark.parametrize("item", [{"url": "a"}, Note("b"), Price(1), "no item at all"])
def test_items_of_every_kind_pass_the_pipelines_of_the_site_spider(crawler, item):
    made = crawler()

    async def passed():
        template, content = TemplatePipeline.from_crawler(made), ContentPipeline.from_crawler(made)
        return await content.process_item(await template.process_item(item))

    assert not isinstance(item, PageItem)
    assert asyncio.run(passed()) is item
