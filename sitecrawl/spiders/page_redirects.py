"""Pages that only send their readers on (`meta refresh`): redirects, as those of HTTP are."""

from scrapy import Spider

from sitecrawl import stats
from sitecrawl.crawl.frontier import LINK_PRIORITY
from sitecrawl.crawl.page_lifecycle import Answer, Finding
from sitecrawl.crawl.site import SiteCrawl
from sitecrawl.dom.page import Page
from sitecrawl.links.meta_refresh import for_good, redirects
from sitecrawl.links.urls import url_key


class Refreshes:
    """Follows such pages in one crawl, as many in a row as redirects of HTTP."""

    def __init__(self, spider: Spider, crawl: SiteCrawl) -> None:
        self.spider = spider
        self.crawl = crawl
        self._hops: dict[int, int] = {}
        """How many such pages led to a URL, one after the other."""

    async def followed(self, page: Page, key: int, depth: int) -> Finding | None:
        """Give the target of a page that only sends its readers on to the frontier; return what the page is then.

        None for a page that is to be read.
        """
        refresh = redirects(page)
        if refresh is None:
            return None
        hops = self._hops.pop(key, 0) + 1
        if hops > self.spider.settings.getint("REDIRECT_MAX_TIMES"):
            return Finding(Answer.FAILED, f"meta refresh: {hops} in a row")
        self.spider.crawler.stats.inc_value(stats.PAGES_REDIRECTED)
        if self.crawl.scope.contains(refresh.href):
            await self._find(refresh.href, depth, hops)
        return Finding(Answer.MOVED if for_good(page, refresh) else Answer.MOVED_FOR_NOW, refresh.href)

    async def _find(self, target: str, depth: int, hops: int) -> None:
        crawl, key = self.crawl, url_key(target)
        crawl.frontier.seen.add(key)
        if crawl.frontier.knows(key):
            return
        if crawl.guard.allows(target) is not None:
            self.spider.crawler.stats.inc_value(stats.LINKS_TRAPPED)
            return
        found = crawl.frontier.add(key, target, depth, LINK_PRIORITY)
        if found is not None:
            self._hops[key] = hops
            await crawl.visits.discover([found])
