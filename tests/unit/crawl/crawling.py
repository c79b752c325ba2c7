"""A crawl of one small site on a real SQLite database, without Scrapy and without processes.

`Crawling` does to the crawl what the spider, the selection middleware and the pipelines do to it, one page at a time.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import TypeVar

import pytest

from sitecrawl.clock import now
from sitecrawl.config import Config
from sitecrawl.crawl import work_turns
from sitecrawl.crawl.crawl_start import CrawlStart
from sitecrawl.crawl.site import SiteCrawl
from sitecrawl.dom.page import Page
from sitecrawl.items import ContentItem, PageItem
from sitecrawl.links.anchor_texts import link_texts
from sitecrawl.links.selection import rank
from sitecrawl.links.urls import url_key
from sitecrawl.storage.pages import DuePage
from tests.empty_file import make_empty

T = TypeVar("T")
ROOT = "https://example.org/"
PAGES = 4
"""Pages after which the template of the site is published."""


def html(number: int, *, head: str = "", links: tuple[str, ...] = (), text: str = "") -> str:
    """Return a page of the site; its main text is different for each number."""
    anchors = "".join(f"<li><a href='{link}'>Story about {link.strip('/')}</a></li>" for link in links)
    words = " ".join(f"word{number}x{i}" for i in range(40))
    return (
        f"<html><head><title>Title {number}</title><meta name=author content='Author {number}'>{head}</head><body>"
        f"<div class=menu><a href='/'>Home</a></div><div class=main><h1>Title {number}</h1>"
        f"<p>Story number {number} is long enough to be a text of its own. {text or words}</p></div>"
        f"<ul class=more>{anchors}</ul></body></html>"
    )


class Crawling:
    """One crawl of `ROOT`, driven by hand."""

    def __init__(self, database_url: str, *, due: bool = False, **settings: object) -> None:
        given = {"database_url": database_url, "template_min_pages": PAGES, "content_min_chars": 1, **settings}
        self.config = Config(**given)
        make_empty(database_url)
        self.crawl = SiteCrawl(self.config, CrawlStart(ROOT, due=due))

    async def due(self) -> list[DuePage]:
        """Return the pages to request now."""
        return await self.crawl.next_pages.batch()

    def item(self, url: str, body: str, *, depth: int = 1, **fields: object) -> PageItem:
        """Return a fetched page, with what selection finds on it."""
        page = Page.from_html(body, url)
        given = {"http_status": 200, "depth": depth, "fetched_at": now(), **fields}
        item = PageItem(page=page, url_key=url_key(url), html=body, **given)
        self.crawl.frontier.arrive(item.url_key, page=True)
        anchors = self.crawl.anchors.read(page)
        size = self.crawl.extraction.set_size
        ranked = rank(page, anchors.found, size, self.config.selection_order)
        item.sample = tuple(one.anchor.url_key for one in ranked[:size])
        item.found = self.crawl.frontier.find(ranked, depth + 1, size)
        canonical = self.crawl.canonical(item)
        if canonical is not None:
            named = self.crawl.frontier.add(url_key(canonical), canonical, depth, 0)
            item.found += [named] if named is not None else []
        item.link_texts = link_texts(anchors.found)
        item.links = tuple(one.anchor.url_key for one in ranked)
        return item

    async def page(self, url: str, body: str, **fields: object) -> ContentItem | None:
        """Visit a page: learn from it, then extract it or have it wait."""
        return await self.store(self.item(url, body, **fields))

    async def store(self, item: PageItem) -> ContentItem | None:
        """Do what the pipelines do."""
        crawl = self.crawl
        if not item.stored:
            await crawl.publishing.learn(item)
            if crawl.page_store.is_alias(item) or not crawl.publishing.ready_for(item):
                await crawl.page_store.keep(item)
                return None
        return await crawl.page_store.extract(item)

    async def waiting(self) -> list[ContentItem]:
        """Extract the pages that waited, if they may be now."""
        rows = []
        crawl = self.crawl
        while crawl.publishing.ready and crawl.waiting.pages:
            item = await crawl.page_store.next_waiting()
            if item is not None:
                row = await crawl.page_store.extract(item)
                rows += [row] if row is not None else []
        return rows

    async def end(self, reason: str = "finished") -> list[ContentItem]:
        """Extract what waits, conclude and close."""
        rows = await self.waiting()
        await self.crawl.publishing.exhaust()
        rows += await self.waiting()
        rows += await self.crawl.conclude()
        await self.crawl.close(reason, {})
        return rows


def during(
    database_url: str, does: Callable[[Crawling], Awaitable[T]], *, reason: str = "shutdown", **settings: object
) -> T:
    """Return what an async function returns that is given an open crawl; the crawl is closed for a reason afterwards."""

    async def run() -> T:
        crawling = Crawling(database_url, **settings)
        try:
            return await does(crawling)
        finally:
            if crawling.crawl.writer.lost is None:
                await crawling.crawl.close(reason, {})

    return asyncio.run(run())


async def crawled(crawling: Crawling, numbers: Iterable[int], *, conclude: bool = True) -> list[ContentItem]:
    """Visit pages `/NUMBER` and end the crawl properly, without its `close`; return all rows."""
    rows = [await crawling.page(f"{ROOT}{number}", html(number)) for number in numbers]
    rows += await crawling.waiting()
    await crawling.crawl.publishing.exhaust()
    rows += await crawling.waiting()
    if conclude:
        rows += await crawling.crawl.conclude()
    return [row for row in rows if row is not None]


def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Let the smallest page count as a large one; return a list to which each pause between two of its steps is added."""
    noted: list[float] = []
    sleep = asyncio.sleep

    async def noting(seconds: float) -> None:
        noted.append(seconds)
        await sleep(seconds)

    monkeypatch.setattr(work_turns, "PAUSED_FROM", 0)
    monkeypatch.setattr(work_turns.asyncio, "sleep", noting)
    return noted
