"""Tests of the selection of links, on a real crawl without an engine."""

import asyncio
from collections import Counter
from types import SimpleNamespace

import pytest
from scrapy.http import Response

from sitecrawl import stats
from sitecrawl.crawl.discovery import Discovery
from sitecrawl.crawl.frontier import SAMPLE_PRIORITY, SITEMAP_PRIORITY
from sitecrawl.crawl.sources import Sources
from sitecrawl.dom.page import Page
from sitecrawl.items import PageItem
from sitecrawl.links.urls import url_key
from sitecrawl.middlewares import selection
from sitecrawl.middlewares.selection import SelectionMiddleware
from sitecrawl.storage.pages import PageRepository
from tests.unit.crawl.crawling import Crawling, html, pauses
from tests.unit.crawl.faults import memory, opened_again
from tests.unit.storage.test_visits import NOW

URL = "https://example.org/1"


class Shell:
    """The parts of Scrapy and of the spider that the middleware uses."""

    def __init__(self, crawl):
        self.counts = Counter()
        self.woken = 0
        self.discovery = Discovery(crawl)
        self.site_crawl = crawl
        self.pages = SimpleNamespace(request=lambda page: page.url)
        self.trap_probes = SimpleNamespace(requests=lambda url, new: [])
        self.stats = SimpleNamespace(inc_value=self.count)
        self.spider = self

    def count(self, name, number=1):
        self.counts[name] += number

    def wake(self):
        self.woken += 1


def select(url, body, check, before=None, settings=None, **fields):
    """Pass a page through the middleware; return its output, and the result of `check` for the shell."""

    async def passes():
        crawling = Crawling(url, **{"frontier_window": 2, **(settings or {})})
        shell = Shell(crawling.crawl)
        item = PageItem(Page.from_html(body, URL), url_key(URL), body, 200, fields.pop("depth", 1), NOW, **fields)
        if before is not None:
            await before(crawling.crawl)
        crawling.crawl.frontier.arrive(item.url_key, page=True)

        async def output():
            yield item

        try:
            middleware = SelectionMiddleware.from_crawler(shell)
            passed = [one async for one in middleware.process_spider_output(Response(URL), output())]
        except ValueError as error:
            passed = [error]
        result = check(shell, item)
        if asyncio.iscoroutine(result):
            result = await result
        await crawling.crawl.close("shutdown", {})
        return passed, result

    return asyncio.run(passes())


def test_links_are_asked_for_while_there_is_room_and_the_page_comes_last(sqlite_url):
    body = html(1, links=("/2", "/3", "/4"))
    passed, (found, counts) = select(sqlite_url, body, lambda shell, item: (item.found, shell.counts))
    assert len(passed) == 3
    assert passed[-1].url == URL
    assert {one.url for one in found} == {f"https://example.org/{name}" for name in ("", "2", "3", "4")}
    assert {one.depth for one in found} == {2}
    assert set(passed[:2]) <= {one.url for one in found}
    assert (counts[stats.LINKS_FOUND], counts[stats.LINKS_SELECTED]) == (4, 2)


def test_what_was_found_is_claimed_and_not_yet_known(sqlite_url):
    def check(shell, item):
        frontier = shell.site_crawl.frontier
        return frontier.claimed, frontier.known, frontier.seen, {one.url_key for one in item.found}

    _, (claimed, known, seen, found) = select(sqlite_url, html(1, links=("/2",)), check)
    assert claimed == found
    assert known == seen == set()


def test_a_page_knows_its_links_and_its_n_set(sqlite_url):
    def check(shell, item):
        return item.links, item.sample

    _, (links, sample) = select(sqlite_url, html(1, links=("/2", "/3")), check)
    assert set(links) == {url_key(f"https://example.org/{name}") for name in ("", "2", "3")}
    assert set(sample) <= set(links)
    assert sample


def test_known_pages_of_an_n_set_come_earlier(sqlite_url):
    """They wait in the database, and the page is compared with them."""

    async def wait(crawl):
        one = crawl.frontier.add(url_key(f"{URL}/2"), f"{URL}/2", 5, SITEMAP_PRIORITY)
        await crawl.visits.discover([one])

    async def check(shell, item):
        crawl = shell.site_crawl
        rows = await crawl.writer.submit(lambda s: PageRepository(s).frontier(crawl.site_id, crawl.crawl_id, NOW, 9))
        return shell.counts[stats.LINKS_PROMOTED], {row.url: row.priority for row in rows}

    _, (promoted, priorities) = select(sqlite_url, html(1, links=("/1/2",)), check, before=wait)
    assert promoted == 1
    assert priorities[f"{URL}/2"] == SAMPLE_PRIORITY - 2  # of a page at depth 1


@pytest.mark.parametrize(("limit", "expected"), [(20, (1, 2)), (0, (0, 9))])
def test_a_page_is_a_shorter_way_to_a_waiting_page(sqlite_url, limit, expected):
    async def wait(crawl):
        crawl.frontier.limit_depth(limit)
        one = crawl.frontier.add(url_key(f"{URL}/2"), f"{URL}/2", 9, -9)
        await crawl.visits.discover([one])

    async def check(shell, item):
        crawl = shell.site_crawl
        rows = await crawl.writer.submit(lambda s: PageRepository(s).frontier(crawl.site_id, crawl.crawl_id, NOW, 9))
        return shell.counts[stats.LINKS_SHORTER], {row.url: row.depth for row in rows}[f"{URL}/2"]

    assert select(sqlite_url, html(1, links=("/1/2",)), check, before=wait)[1] == expected


def test_an_n_set_far_from_the_start_is_not_asked_for_first(sqlite_url):
    async def wait(crawl):
        crawl.frontier.limit_depth(1)  # the page itself is at depth 1
        one = crawl.frontier.add(url_key(f"{URL}/2"), f"{URL}/2", 1, SITEMAP_PRIORITY)
        await crawl.visits.discover([one])

    _, promoted = select(
        sqlite_url, html(1, links=("/1/2",)), lambda shell, item: shell.counts[stats.LINKS_PROMOTED], before=wait
    )
    assert promoted == 0


def test_links_that_are_not_to_be_followed_are_counted(sqlite_url):
    passed, (found, counts) = select(
        sqlite_url, html(1, links=("/2",)), lambda shell, item: (item.found, shell.counts), nofollow=True
    )
    assert (len(passed), found, counts[stats.PAGES_NOFOLLOW]) == (1, [], 1)


def test_the_canonical_page_and_translations_are_found(sqlite_url):
    head = "<link rel=canonical href='/main'><link rel=alternate hreflang=de href='/de/1'>"
    _, found = select(sqlite_url, html(1, head=head), lambda shell, item: {one.url: one.depth for one in item.found})
    assert found["https://example.org/main"] == 1  # the page itself is at depth 1
    assert found["https://example.org/de/1"] == 2


@pytest.mark.parametrize("failing", ["relations", "link_texts"])
def test_a_failure_leaves_nothing_under_way(sqlite_url, monkeypatch, failing):
    def refuse(*_):
        raise ValueError("refused")

    monkeypatch.setattr(selection, failing, refuse)
    passed, (now, again) = select(
        sqlite_url,
        html(1, links=("/2", "/3")),
        lambda shell, item: (memory(shell.site_crawl), opened_again(shell.site_crawl)),
    )
    assert [str(one) for one in passed] == ["refused"]
    assert now == again
    assert {url_key("https://example.org/2"), url_key("https://example.org/3")} <= now["known"]


def test_links_are_counted_by_what_becomes_of_them(sqlite_url):
    async def know(crawl):
        one = crawl.frontier.add(url_key("https://example.org/2"), "https://example.org/2", 5, SITEMAP_PRIORITY)
        await crawl.visits.discover([one])

    links = (
        "<a rel=nofollow href=/9>Nine</a><a href=/a/a/a/a/a/a/a/a/a>A trap</a><a href=https://other.example/>Away</a>"
    )
    body = html(1, links=("/2", "/3"), text=links)
    _, counts = select(sqlite_url, body, lambda shell, item: shell.counts, before=know)
    names = (stats.LINKS_FOUND, stats.LINKS_KNOWN, stats.LINKS_NOFOLLOW, stats.LINKS_TRAPPED, stats.LINKS_SELECTED)
    assert [counts[name] for name in names] == [3, 1, 1, 1, 2]


def test_links_beyond_the_limit_of_depth_are_counted(sqlite_url):
    async def limit(crawl):
        crawl.frontier.limit_depth(1)

    body = html(1, links=("/2", "/3"))
    _, (counts, too_deep) = select(
        sqlite_url, body, lambda shell, item: (shell.counts, shell.site_crawl.report.too_deep), before=limit
    )
    assert [counts[stats.LINKS_FOUND], counts[stats.LINKS_KNOWN], too_deep] == [3, 0, {1: 3}]  # and the front page


def test_the_time_of_a_selection_is_added_up(sqlite_url, monkeypatch):
    moments = iter([10.0, 12.5])
    monkeypatch.setattr(selection, "perf_counter", lambda: next(moments))
    _, seconds = select(sqlite_url, html(1), lambda shell, item: shell.site_crawl.report.seconds["select"])
    assert seconds == 2.5


def test_the_other_spelling_of_a_link_of_the_same_page_is_remembered(sqlite_url):
    links = ("https://www.example.org/2", "https://example.org/2")

    def check(shell, item):
        spellings, key = shell.site_crawl.frontier.spellings, url_key(links[0])
        spellings.failed(key, "no such host")
        return spellings.take()

    _, again = select(sqlite_url, html(1, links=links), check)
    assert again == [(url_key(links[0]), links[1], "no such host")]


@pytest.mark.parametrize(
    ("feeds", "named", "depth"), [(True, True, 0), (True, True, 1), (True, False, 0), (False, True, 0)]
)
def test_the_feeds_that_a_page_names_are_noted_if_feeds_are_read(sqlite_url, monkeypatch, feeds, named, depth):
    noted = []
    monkeypatch.setattr(Sources, "feeds", lambda self, urls, *, start: noted.append(([one.url for one in urls], start)))
    head = "<link rel=alternate type=application/rss+xml href=/news.xml>" if named else ""
    body = html(1, head=head)
    _, woken = select(sqlite_url, body, lambda shell, item: shell.woken, settings={"feeds": feeds}, depth=depth)
    assert noted == ([(["https://example.org/news.xml"], depth == 0)] if feeds and named else [])
    assert woken == len(noted)


def test_the_canonical_pages_and_translations_are_counted(sqlite_url):
    alternates = "<link rel=alternate hreflang=de href='/de/1'><link rel=alternate hreflang=fr href='/fr/1'>"
    head = f"<link rel=canonical href='https://other.example/main'>{alternates}"
    _, counts = select(sqlite_url, html(1, head=head), lambda shell, item: shell.counts)
    assert (counts[stats.PAGES_CANONICAL_ELSEWHERE], counts[stats.LINKS_ALTERNATES]) == (1, 2)
    _, counts = select(sqlite_url, html(1), lambda shell, item: shell.counts)
    assert (counts[stats.PAGES_CANONICAL_ELSEWHERE], counts[stats.LINKS_ALTERNATES]) == (0, 0)


def test_other_requests_go_on_before_the_links_of_a_large_page_are_chosen(sqlite_url, monkeypatch):
    noted = pauses(monkeypatch)
    select(sqlite_url, html(1, links=("/2",)), lambda *_: None)
    assert noted == [0]
