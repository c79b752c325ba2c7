"""Handles pages that only redirect (`meta refresh`) like HTTP redirects."""

from scrapy import Spider

from sitecrawl import stats
from sitecrawl.crawl.frontier import LINK_PRIORITY
from sitecrawl.crawl.page_lifecycle import FetchOutcome, FetchResult
from sitecrawl.crawl.site import SiteCrawl
from sitecrawl.dom.page import Page
from sitecrawl.links.meta_refresh import for_good, redirects
from sitecrawl.links.urls import url_key


class PageRedirects:
    """Follows such pages in one crawl, up to the limit for consecutive HTTP redirects."""

    def __init__(self, spider: Spider, crawl: SiteCrawl) -> None:
        self.spider = spider
        self.crawl = crawl
        self._hops: dict[int, int] = {}
        """Number of consecutive redirecting pages that led to a URL, by URL key."""
        self._targets: dict[int, int] = {}
        """Target of each redirecting page that is not stored yet, by URL key."""

    async def followed(self, page: Page, key: int, depth: int) -> FetchOutcome | None:
        """Add the target of a redirecting page to the frontier; return the fetch outcome of the page itself.

        Return None for a page that does not redirect.
        """
        refresh = redirects(page)
        if refresh is None:
            return None
        hops = self._hops.pop(key, 0) + 1
        if hops > self.spider.settings.getint("REDIRECT_MAX_TIMES"):
            return FetchOutcome(FetchResult.FAILED, f"meta refresh: {hops} in a row")
        self.spider.crawler.stats.inc_value(stats.PAGES_REDIRECTED)
        if self.crawl.scope.contains(refresh.href):
            self._targets[key] = url_key(refresh.href)
            await self._find(refresh.href, depth, hops)
        return FetchOutcome(FetchResult.MOVED if for_good(page, refresh) else FetchResult.MOVED_FOR_NOW, refresh.href)

    def stored(self, key: int) -> None:
        """Record that a page is stored; the target of its refresh counts as seen, like a link."""
        target = self._targets.pop(key, None)
        if target is not None:
            self.crawl.frontier.seen.add(target)

    async def _find(self, target: str, depth: int, hops: int) -> None:
        crawl, key = self.crawl, url_key(target)
        if crawl.frontier.knows(key):
            return
        if crawl.guard.allows(target) is not None:
            self.spider.crawler.stats.inc_value(stats.LINKS_TRAPPED)
            return
        found = crawl.frontier.add(key, target, depth, LINK_PRIORITY)
        if found is not None:
            self._hops[key] = hops
            await crawl.visits.discover([found])
