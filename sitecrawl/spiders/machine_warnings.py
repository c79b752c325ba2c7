"""Warnings about the machine that a crawl runs on."""

from typing import Final

from scrapy import Spider

from sitecrawl import stats
from sitecrawl.crawl.site import SiteCrawl
from sitecrawl.dom.flattening import flatten

CLOCK_TOLERANCE: Final = 60.0
"""Maximum difference in seconds between the clocks of two machines."""


def warn_of_machine(spider: Spider, crawl: SiteCrawl) -> None:
    """Warn if the clock was set back, or if the compiled modules are missing; set the stats of both."""
    counted = spider.crawler.stats
    if crawl.clock_back > CLOCK_TOLERANCE:
        counted.set_value(stats.CLOCK_SET_BACK, round(crawl.clock_back))
        spider.logger.warning(
            "%s: the clock of this machine is %.0f s behind the start of the last crawl; check it",
            crawl.scope.key,
            crawl.clock_back,
        )
    if not flatten.is_compiled:
        counted.set_value(stats.FLATTEN_REFERENCE, 1)
        if flatten.problem and crawl.config.extension == "auto":
            spider.logger.warning("pages are flattened in Python, much slower: the compiled twin: %s", flatten.problem)
