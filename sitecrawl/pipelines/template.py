"""Learns the site's template from each fetched page."""

from typing import Any

from scrapy.crawler import Crawler

from sitecrawl import stats
from sitecrawl.items import PageItem
from sitecrawl.shell.site_spider import SiteSpider, own_spider_of
from sitecrawl.templates.trie import SiteTemplate


class TemplatePipeline:
    """First pipeline (priority 300): learns the template from each page, and publishes it when it is due."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "TemplatePipeline":
        """Build from the running crawl."""
        return cls(crawler)

    async def process_item(self, item: Any) -> Any:
        """Learn from a page that was fetched in this crawl; return the item, whatever it is."""
        if isinstance(item, PageItem) and not item.stored:
            spider = own_spider_of(self.crawler)
            crawl = spider.site_crawl
            learning = crawl.learning
            before, drifts, undecided = learning.version, learning.drifts, learning.undecided
            stable = learning.learner.stable
            if await crawl.publishing.learn(item):
                self.crawler.stats.inc_value(stats.TEMPLATE_LEARNED)
            if learning.learner.stable and not stable:
                self.crawler.stats.set_value(stats.TEMPLATE_STABLE_AT, learning.learner.stable_since)
            if learning.drifts != drifts:
                self.crawler.stats.inc_value(stats.TEMPLATE_DRIFT)
                spider.logger.warning(
                    "%s: pages no longer match template version %d; learning another layout", spider.scope.key, before
                )
            newest = learning.layouts.newest
            if newest is not None and newest.template is not None and newest.template.version != before:
                if before == 0:
                    self.crawler.stats.set_value(stats.TEMPLATE_READY_AT, newest.template.pages_seen)
                report(spider, self.crawler, newest.number, newest.template)
            if crawl.second_fetches.due:
                spider.wake()
            if undecided and crawl.page_store.waiting and crawl.publishing.ready:
                spider.emit_waiting()
        return item


def report(spider: SiteSpider, crawler: Crawler, layout: int, template: SiteTemplate) -> None:
    """Log the template that is now in use, and set its stats."""
    crawler.stats.set_value(stats.TEMPLATE_VERSION, template.version)
    crawler.stats.set_value(stats.TEMPLATE_NODES, len(template.nodes))
    spider.logger.info(
        "%s: template version %d (layout %d), %d pages, %d rows",
        spider.scope.key,
        template.version,
        layout,
        template.pages_seen,
        len(template.nodes),
    )
