"""Asks a host that fails once more, at the end, to know whether the host is down or its pages are broken."""

from collections.abc import Callable

from scrapy import Request, Spider
from scrapy.http import Response
from twisted.python.failure import Failure

from sitecrawl import stats
from sitecrawl.crawl.outage import OUTAGE, is_bad
from sitecrawl.crawl.site import SiteCrawl
from sitecrawl.links.urls import host_of
from sitecrawl.refusals import PROBE, QUIET


class Probes:
    """The hosts of one crawl whose last answers were failures."""

    def __init__(self, spider: Spider, crawl: SiteCrawl, wake: Callable[[], None]) -> None:
        """`wake` has the spider look for what is to be asked for."""
        self.spider = spider
        self.crawl = crawl
        self.wake = wake

    def requests(self) -> list[Request]:
        """Nothing is left but pages that failed: ask their hosts once more, to know whose fault it was."""
        hosts = self.crawl.hosts
        urls = {one.host: hosts.of(one.host).good_url for one in hosts.suspended}
        for host, url in urls.items():
            if url is None:  # it never answered: there is no outage to wait for
                hosts.of(host).answered()
        self.wake()
        return [
            Request(url, callback=self.probed, errback=self.probe_failed, dont_filter=True, meta={PROBE: True, **QUIET})
            for url in urls.values()
            if url is not None
        ]

    async def settle(self) -> None:
        """Settle the pages whose failures are understood now."""
        if self.crawl.hosts.suspended:
            failed = await self.crawl.visits.settle_suspended()
            self.spider.crawler.stats.inc_value(stats.PAGES_FAILED, failed)

    async def probed(self, response: Response) -> None:
        """Settle what failed last: the host answers, or it is down."""
        host = self.crawl.hosts.of(host_of(response.url))
        if is_bad(response.status):
            self.crawl.visits.give_up(host.name, OUTAGE, host.describe())
        else:
            host.answered()
        await self.settle()
        self.wake()

    async def probe_failed(self, failure: Failure) -> None:
        """Leave what failed last to the next run: the host is down."""
        request: Request = failure.request  # type: ignore[attr-defined]
        host = self.crawl.hosts.of(host_of(request.url))
        self.crawl.visits.give_up(host.name, OUTAGE, host.describe())
        await self.settle()
        self.wake()
