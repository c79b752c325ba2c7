"""Ranks the same-site links of each page by hyperlink and DOM distance, and requests the best first."""

from collections.abc import AsyncIterator
from time import perf_counter
from typing import Any

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Response

from sitecrawl import stats
from sitecrawl.crawl.frontier import LINK_PRIORITY, SAMPLE_PRIORITY
from sitecrawl.crawl.work_turns import pause
from sitecrawl.items import PageItem
from sitecrawl.links.anchor_texts import link_texts
from sitecrawl.links.discovered import Discovered
from sitecrawl.links.relations import relations
from sitecrawl.links.selection import rank
from sitecrawl.links.urls import url_key
from sitecrawl.shell.site_spider import own_spider_of
from sitecrawl.storage.pages import DuePage, PageRepository


class SelectionMiddleware:
    """For each PageItem: records the n-SET, adds new URLs to the frontier, and yields requests while there is room."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "SelectionMiddleware":
        """Build from the running crawl."""
        return cls(crawler)

    async def process_spider_output(self, response: Response, result: AsyncIterator[Any]) -> AsyncIterator[Any]:
        """Yield every output of the spider; before each page, the requests for its links."""
        async for output in result:
            if isinstance(output, PageItem):
                await pause(output.page)
                try:
                    requests = self._select(output)
                except Exception:
                    crawl = own_spider_of(self.crawler).site_crawl
                    await crawl.page_store.lost(output)  # releases the URLs that were claimed so far
                    raise
                for request in requests:
                    yield request
                await self._promote(output)
                near = await own_spider_of(self.crawler).site_crawl.visits.bring_near(output.links, output.depth + 1)
                self.crawler.stats.inc_value(stats.LINKS_SHORTER, near)
            yield output

    def _select(self, item: PageItem) -> list[Request]:
        started = perf_counter()
        spider = own_spider_of(self.crawler)
        crawl, count = spider.site_crawl, self.crawler.stats.inc_value
        if item.nofollow:
            count(stats.PAGES_NOFOLLOW)
            return []
        out_of_scope = spider.discovery.out_of_scope
        anchors = crawl.anchors.read(item.page)
        sessions = crawl.closed_traps.session_values
        links = [one for one in out_of_scope.followed(anchors.found) if sessions.refusal(one.url) is None]
        size = crawl.extraction.set_size
        ranked = rank(item.page, links, size, crawl.config.selection_order)
        item.sample = tuple(one.anchor.url_key for one in ranked[:size])
        too_deep = crawl.frontier.too_deep(ranked, item.depth + 1)
        item.found = found = crawl.frontier.find(ranked, item.depth + 1, size)
        for key, url in anchors.others:
            crawl.frontier.spellings.seen(key, url)
        item.link_texts = link_texts(anchors.found)
        item.links = tuple(one.anchor.url_key for one in ranked)
        canonical = crawl.canonical(item)
        follows = out_of_scope.follows_links
        if canonical is not None and follows and out_of_scope.refusal(canonical) is None:
            named = crawl.frontier.add(url_key(canonical), canonical, item.depth, LINK_PRIORITY)
            found += [named] if named is not None else []
        found += self._related(item)
        count(stats.LINKS_FOUND, len(ranked))
        count(stats.LINKS_KNOWN, len(ranked) - len(found) - too_deep)
        if too_deep:
            crawl.report.too_deep[crawl.frontier.depth_limit(item.depth)] += too_deep
        count(stats.LINKS_NOFOLLOW, anchors.skipped.nofollow)
        count(stats.LINKS_TRAPPED, anchors.skipped.trapped)
        requests = [
            spider.pages.request(DuePage(one.url_key, one.url, one.depth, one.priority))
            for one in found
            if crawl.frontier.take(one.url_key)
        ]
        count(stats.LINKS_SELECTED, len(requests))
        requests += spider.trap_probes.requests(item.url, [one.url for one in found])
        crawl.report.seconds["select"] += perf_counter() - started
        return requests

    async def _promote(self, item: PageItem) -> None:
        """Raise the priority of known URLs that wait in the database and are members of this page's n-SET."""
        crawl, depth = own_spider_of(self.crawler).site_crawl, item.depth + 1
        if crawl.frontier.is_far(depth):
            return
        keys, priority = crawl.frontier.promote(item.sample), SAMPLE_PRIORITY - depth
        if keys:
            await crawl.writer.submit(lambda s: PageRepository(s).promote(crawl.site_id, keys, priority))
            self.crawler.stats.inc_value(stats.LINKS_PROMOTED, len(keys))

    def _related(self, item: PageItem) -> list[Discovered]:
        """Count the feeds that a page links to; return its translations that are new URLs."""
        spider = own_spider_of(self.crawler)
        crawl, count = spider.site_crawl, self.crawler.stats.inc_value
        related = relations(item.page, crawl.scope)
        count(stats.PAGES_CANONICAL_ELSEWHERE, int(related.canonical_elsewhere))
        if crawl.config.feeds and related.feeds:
            spider.discovery.sources.feeds(related.feeds, start=item.depth == 0)
            spider.wake()
        found = [spider.discovery.alternate(named, item.depth + 1) for named in related.alternates]
        new = [one for one in found if one is not None]
        count(stats.LINKS_ALTERNATES, len(new))
        return new
