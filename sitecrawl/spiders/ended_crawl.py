"""Makes the log line of a worker about a crawl that has ended."""

from time import monotonic

from scrapy.crawler import Crawler

from sitecrawl.clock import now
from sitecrawl.crawl.site import DATABASE
from sitecrawl.exit_status import FAILED
from sitecrawl.fleet.crawl_line import RESULTS, CrawlLine
from sitecrawl.spiders.crawl_result import crawl_result
from sitecrawl.spiders.site import SiteSpider
from sitecrawl.storage.sites import SiteRef


def line_of(spider: SiteSpider, crawler: Crawler, begun: float) -> CrawlLine:
    """Return the log line of a crawl; `begun` is its start as a time of `monotonic`."""
    crawl, result = spider.site_crawl, crawl_result(spider)
    contents: dict[str, int] = {}
    for (_, status), count in (spider.counts[0] if spider.counts is not None else {}).items():
        contents[status] = contents.get(status, 0) + count
    return CrawlLine(
        time=f"{now():%Y-%m-%dT%H:%M:%S}Z",
        site=spider.scope.key,
        outcome=spider.outcome,
        result=RESULTS[result.status],
        crawl=crawl.crawl_id,
        resumed=crawl.crawl.resumed,
        pages=crawl.frontier.pages,
        new=contents.get("new", 0),
        changed=contents.get("changed", 0),
        gone=contents.get("gone", 0),
        failed=sum(crawl.report.failures.values()),
        requests=int(crawler.stats.get_value("downloader/request_count", 0) or 0),
        seconds=round(monotonic() - begun, 1),
        message="" if spider.outcome == DATABASE or not result.status else result.message,
    )


def unopened(site: SiteRef, why: str, begun: float) -> CrawlLine:
    """Return the log line of a site whose crawl could not be opened; `why` is the error."""
    return CrawlLine(
        time=f"{now():%Y-%m-%dT%H:%M:%S}Z",
        site=site.host,
        outcome="failed",
        result=RESULTS[FAILED],
        seconds=round(monotonic() - begun, 1),
        message=why,
    )
