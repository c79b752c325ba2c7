"""Learns the site's template from each fetched page."""

from typing import Any

from scrapy.crawler import Crawler

from sitecrawl import stats
from sitecrawl.items import PageItem


class TemplatePipeline:
    """First pipeline (300): counts the page in the template; a snapshot is published when it is due."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "TemplatePipeline":
        """Build from the running crawl."""
        return cls(crawler)

    async def process_item(self, item: Any) -> Any:
        """Learn from a page that is fresh from the network; pass everything on."""
        if isinstance(item, PageItem) and not item.stored:
            spider: Any = self.crawler.spider
            learning = spider.site_crawl.learning
            before, learner = learning.version, learning.learner
            stable, drifted = learner.stable, learner.drifted
            if spider.site_crawl.learn(item):
                self.crawler.stats.inc_value(stats.TEMPLATE_LEARNED)
            if learner.stable and not stable:
                self.crawler.stats.set_value(stats.TEMPLATE_STABLE_AT, learner.stable_since)
            if learner.drifted and not drifted:
                self.crawler.stats.inc_value(stats.TEMPLATE_DRIFT)
                spider.logger.warning("%s: pages no longer match the template; learning it anew", spider.scope.key)
            if before == 0 and learning.version:
                self.crawler.stats.set_value(stats.TEMPLATE_READY_AT, learning.template.pages_seen)
            if learning.version != before:
                self.crawler.stats.set_value(stats.TEMPLATE_VERSION, learning.version)
                self.crawler.stats.set_value(stats.TEMPLATE_NODES, len(learning.template.nodes))
                spider.logger.info(
                    "%s: template version %d, %d pages, %d rows",
                    spider.scope.key,
                    learning.version,
                    learning.template.pages_seen,
                    len(learning.template.nodes),
                )
                if before == 0 and spider.site_crawl.ready:
                    spider.emit_waiting()
        return item
