"""Stores each page, and emits its main content once its template is ready."""

from typing import Any

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.exceptions import DropItem

from sitecrawl import stats
from sitecrawl.crawl.anchor_text_sync import relink
from sitecrawl.errors import WritingEndedError
from sitecrawl.items import ContentItem, PageItem
from sitecrawl.metadata.fields import RowStatus
from sitecrawl.shell.site_spider import own_spider_of, site_crawl_of


class ContentPipeline:
    """Second pipeline (priority 400): turns a PageItem into a ContentItem, after the page's commit."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "ContentPipeline":
        """Build from the running crawl."""
        pipeline = cls(crawler)
        crawler.signals.connect(pipeline.item_dropped, signals.item_dropped)
        return pipeline

    def item_dropped(self, exception: DropItem) -> None:
        """Drop the traceback of a dropped item: it would keep the page in memory until Python collects cycles."""
        exception.__traceback__ = None

    async def close_spider(self) -> None:
        """Queue pages whose inbound anchor texts changed for the indexes, if the crawl read all pages."""
        crawl = site_crawl_of(self.crawler)
        if crawl is None or not crawl.frontier.exhausted:
            return
        try:
            relinked = await relink(crawl.writer, crawl.site_id, crawl.crawl_id)
        except WritingEndedError:
            return  # the end of the crawl reports why; the crawl that resumes this one queues them
        self.crawler.stats.set_value(stats.CONTENT_RELINKED, relinked)

    def _settled(self, item: PageItem, content: ContentItem | None, *, emit_unchanged: bool) -> ContentItem:
        """Return the new row of a page that was extracted again. Raises DropItem if the row has not changed."""
        self.crawler.stats.inc_value(stats.CONTENT_SETTLED)
        if content is None or (content.status == RowStatus.UNCHANGED and not emit_unchanged):
            raise DropItem(f"its row has not changed: {item.url}", log_level="DEBUG")
        self.crawler.stats.inc_value(stats.CONTENT_REPLACED)
        return content

    async def process_item(self, item: Any) -> ContentItem:
        """Return the feed row of a page.

        Raises DropItem for a page that waits in the database, or that has not changed since the last crawl.
        """
        if not isinstance(item, PageItem):
            return item  # type: ignore[no-any-return]
        crawl, collect = own_spider_of(self.crawler).site_crawl, self.crawler.stats
        if item.noindex and not item.stored:
            collect.inc_value(stats.PAGES_NOINDEX)
        if not item.stored and (crawl.page_store.is_alias(item) or not crawl.publishing.ready_for(item)):
            collect.inc_value(stats.CONTENT_WAITING)
            await crawl.page_store.keep(item)
            raise DropItem(f"waits for the template, or for its canonical page: {item.url}", log_level="DEBUG")
        content = await crawl.page_store.extract(item)
        if item.again:
            return self._settled(item, content, emit_unchanged=crawl.config.emit_unchanged)
        if content is None:
            raise DropItem(f"no row: {item.url}", log_level="DEBUG")
        collect.inc_value(stats.CONTENT_EXTRACTED)
        collect.inc_value(f"{stats.CONTENT_KIND}/{content.kind}")
        collect.inc_value(f"{stats.CONTENT_STATUS}/{content.status}")
        collect.inc_value(f"{stats.CONTENT_METHOD}/{content.method}")
        if item.override:
            collect.inc_value(f"{stats.CONTENT_OVERRIDE}/{item.override}")
        if content.status == RowStatus.UNCHANGED and not crawl.config.emit_unchanged:
            raise DropItem(f"unchanged: {item.url}", log_level="DEBUG")
        return content
