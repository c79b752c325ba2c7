"""Tests of the results of a response, without Scrapy's engine: an item, a row, or an outcome in the database."""

from types import SimpleNamespace

import pytest
from scrapy import Request
from scrapy.http import HtmlResponse, Response, TextResponse
from scrapy.settings import Settings
from sqlalchemy import select

from sitecrawl import stats
from sitecrawl.crawl.sandbox import Sandbox
from sitecrawl.errors import PageNotTriedError, StorageError
from sitecrawl.items import ContentItem, PageItem
from sitecrawl.links.urls import url_key
from sitecrawl.spiders.pages import PageReader
from sitecrawl.storage.page_state import PageStatus
from sitecrawl.storage.tables.models import PAGE
from tests.unit.crawl.crawling import ROOT, during, html

URL = f"{ROOT}1"


class Reading:
    """The PageReader of an open crawl, with counted stats."""

    def __init__(self, crawling):
        self.crawling, self.counted, self.probed = crawling, {}, 0
        self.settings = Settings({"REDIRECT_MAX_TIMES": 3, "USER_AGENT": "sitecrawl/1"})
        spider = SimpleNamespace(name="site", settings=self.settings, crawler=SimpleNamespace(stats=self))
        self.reader = PageReader(
            spider, crawling.crawl, SimpleNamespace(settle=self._settled), Sandbox(crawling.config)
        )

    async def _settled(self):
        self.probed += 1

    def inc_value(self, name, count=1):
        self.counted[name] = self.counted.get(name, 0) + count

    async def read(
        self, url=URL, *, asked=None, status=200, body="", kind=HtmlResponse, headers=None, key=None, encoding="utf-8"
    ):
        """Return the reader's result for the response to a page that was taken from the frontier."""
        asked = asked or url
        crawl, key = self.crawling.crawl, key or url_key(asked)
        crawl.frontier.known.add(key)
        crawl.frontier.taken.add(key)
        given = {} if kind is Response else {"encoding": encoding}
        request = Request(asked, meta={"url_key": key, "depth": 1})
        response = kind(url, status=status, body=body.encode(), headers=headers or {}, request=request, **given)
        return [one async for one in self.reader.read(response)]

    def stored(self, url=URL):
        """Return status, reason and HTTP status of a URL in the database; None if it is not there."""
        with self.crawling.crawl.engine.connect() as connection:
            columns = PAGE.c.status, PAGE.c.reason, PAGE.c.http_status
            row = connection.execute(select(*columns).where(PAGE.c.url_key == url_key(url))).one_or_none()
        return None if row is None else (PageStatus(row[0]), *row[1:])


def reading(sqlite_url, does, **settings):
    """Return what an async function returns that is given a Reading, and the stats that were counted."""

    async def run(crawling):
        one = Reading(crawling)
        crawling.crawl.frontier.add(url_key(URL), URL, 1, 0)
        await crawling.crawl.visits.discover([])
        return await does(one), one.counted

    return during(sqlite_url, run, **settings)


@pytest.mark.parametrize("charset", ["iso-8859-1", "windows-1251", "hex"])
def test_the_stored_body_is_read_in_the_charset_of_its_bytes(sqlite_url, charset):
    """`reextract` and an item's HTML read the body, so it must be the text that was extracted."""
    headers = {"Content-Type": f"text/html; charset={charset}"}
    body = html(1).replace("</body>", "<p>D\u00e9j\u00e0 vu, une fa\u00e7ade \u00e9t\u00e9</p></body>")
    assert "fa\u00e7ade" in body
    (item,), _ = reading(sqlite_url, lambda one: one.read(body=body, headers=headers, encoding=None))
    assert item.html == body
    assert "fa\u00e7ade" in " ".join(item.page.flat.text)


def test_a_page_becomes_an_item_with_what_its_headers_say(sqlite_url):
    headers = {
        "ETag": '"a"',
        "Last-Modified": "Sat, 01 Nov 2025 10:00:00 GMT",
        "Date": "Sat, 08 Nov 2025 10:00:00 GMT",
        "Content-Language": "de",
        "X-Robots-Tag": "nofollow",
    }

    async def read(one):
        return await one.read(body=html(1), headers=headers), one.probed

    ((item,), probed), counted = reading(sqlite_url, read)
    assert isinstance(item, PageItem)
    assert probed == 1  # what the host's silence had held up is settled first
    assert (item.url, item.depth, item.http_status, item.html) == (URL, 1, 200, html(1))
    assert (item.etag, item.last_modified) == ('"a"', "Sat, 01 Nov 2025 10:00:00 GMT")
    assert (item.content_language, item.noindex, item.nofollow) == ("de", False, True)
    assert counted == {stats.PAGES_PARSED: 1}


def test_a_page_that_expires_is_not_asked_for_by_its_validators(sqlite_url):
    headers = {"ETag": '"a"', "X-Robots-Tag": "unavailable_after: 2099-01-01"}
    (item,), _ = reading(sqlite_url, lambda one: one.read(body=html(1), headers=headers))
    assert (item.etag, item.noindex) == (None, False)


@pytest.mark.parametrize("kind", ["application/x-ruby", "text/html", "application/octet-stream"])
def test_a_page_that_begins_with_a_tag_may_have_any_type(sqlite_url, kind):
    (item,), _ = reading(sqlite_url, lambda one: one.read(body=html(1), headers={"Content-Type": kind}))
    assert item.html == html(1)


@pytest.mark.parametrize(
    ("given", "reason", "stat"),
    [
        ({"body": "%PDF", "kind": Response, "headers": {"Content-Type": "application/pdf"}}, "not HTML", "not_html"),
        ({"body": "x", "kind": TextResponse, "headers": {"Content-Type": "text/plain"}}, "not HTML", "not_html"),
        (
            {"body": "#!/usr/bin/ruby\nputs '<html>'", "headers": {"Content-Type": "application/x-ruby"}},
            "not HTML (application/x-ruby)",
            "not_html",
        ),
        ({"body": "  "}, "the page is empty", "empty"),
        ({"body": "<!--x-->"}, "the page is empty", "empty"),
    ],
)
def test_a_response_without_a_page_is_recorded_with_the_reason(sqlite_url, given, reason, stat):
    async def read(one):
        return await one.read(**given), one.stored()

    (items, stored), counted = reading(sqlite_url, read)
    assert items == []
    assert (stored[0], stored[2]) == (PageStatus.EXCLUDED, 200)
    assert stored[1].startswith(reason)
    assert counted == {f"sitecrawl/pages/{stat}": 1}


def test_a_page_that_says_it_was_not_found_is_none(sqlite_url):
    async def read(one):
        body = "<title>404 Not Found</title><h1>Page not found</h1><p>The page does not exist."
        return await one.read(body=body), one.stored()

    (items, stored), counted = reading(sqlite_url, read)
    assert (items, counted) == ([], {stats.PAGES_PRETENDED: 1})
    assert stored[0] is PageStatus.EXCLUDED
    assert "soft 404" in stored[1]


def test_a_redirect_is_recorded_and_its_target_becomes_the_item(sqlite_url):
    target = f"{ROOT}2"

    async def read(one):
        (item,) = await one.read(target, asked=URL, body=html(2))
        again = await one.read(target, asked=f"{ROOT}3", body=html(2))
        return item.url_key == url_key(target), again, one.stored()[0]

    (same, again, status), counted = reading(sqlite_url, read)
    assert (same, again, status) == (True, [], PageStatus.REDIRECTED)
    assert counted == {stats.PAGES_REDIRECTED: 2, stats.PAGES_DUPLICATE: 1, stats.PAGES_PARSED: 1}


def test_a_redirect_to_another_spelling_of_a_url_is_none(sqlite_url):
    (item,), counted = reading(sqlite_url, lambda one: one.read(f"{URL}#top", asked=URL, body=html(1)))
    assert (item.url_key, counted) == (url_key(URL), {stats.PAGES_PARSED: 1})


def test_a_304_after_a_redirect_is_a_failure(sqlite_url):
    async def read(one):
        return await one.read(f"{ROOT}2", asked=URL, status=304), one.stored()

    (items, stored), _ = reading(sqlite_url, read)
    assert items == []
    assert stored == (PageStatus.ERROR, "HTTP 304 after a redirect", 304)


@pytest.fixture
def crawled_url(sqlite_url):
    """Return a database with one page of an earlier crawl, which is due."""

    async def crawl(crawling):
        for number in range(1, 5):
            await crawling.page(f"{ROOT}{number}", html(number), etag='"a"')
        await crawling.waiting()
        await crawling.crawl.publishing.exhaust()
        return [*await crawling.waiting(), *await crawling.crawl.conclude()]

    during(sqlite_url, crawl, reason="finished")
    return sqlite_url


def test_a_304_and_a_body_of_before_repeat_the_row_without_a_parse(crawled_url):
    async def read(one):
        assert {URL, f"{ROOT}2"} <= {page.url for page in await one.crawling.due()}
        rows = await one.read(status=304)
        return rows + await one.read(f"{ROOT}2", body=html(2))

    rows, counted = reading(crawled_url, read, emit_unchanged=True)
    assert [(type(row), row.url, row.status) for row in rows] == [
        (ContentItem, URL, "unchanged"),
        (ContentItem, f"{ROOT}2", "unchanged"),
    ]
    assert counted == {stats.PAGES_NOT_MODIFIED: 1, stats.PAGES_IDENTICAL: 1}


def test_an_identical_page_that_cannot_be_stored_is_read_like_any_other(crawled_url, monkeypatch):
    async def read(one):
        async def fails(*_):
            raise StorageError("no room")

        await one.crawling.due()
        monkeypatch.setattr(one.crawling.crawl.visits, "identical", fails)
        return await one.read(f"{ROOT}2", body=html(2))

    (item,), counted = reading(crawled_url, read)
    assert (type(item), counted) == (PageItem, {stats.PAGES_PARSED: 1})


def test_a_heavy_page_that_cannot_be_tried_is_left_to_the_next_crawl(sqlite_url, monkeypatch):
    async def read(one):
        async def fails(response):
            raise PageNotTriedError(response.url, "no process")

        monkeypatch.setattr(one.reader, "page", fails)
        return await one.read(body=html(1)), one.crawling.crawl.report.postponed, one.stored()

    (items, postponed, _), counted = reading(sqlite_url, read)
    assert (items, counted) == ([], {stats.PAGES_UNTRIED: 1})
    assert len(postponed) == 1
    assert "no process" in postponed[0]
