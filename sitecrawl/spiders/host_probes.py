"""Probes failing hosts at the end of a crawl, to distinguish hosts that are down from broken pages."""

from collections.abc import Callable
from typing import Final

from scrapy import Request, Spider
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response
from twisted.python.failure import Failure

from sitecrawl import stats
from sitecrawl.crawl.host_health import BUSY, OUTAGE, HostHealth, is_bad
from sitecrawl.crawl.site import SiteCrawl
from sitecrawl.shell.exceptions import PROBE, QUIET
from sitecrawl.storage.hosts import netloc_of

TESTS: Final = 2
"""Pages of a host that must fail at the end of a crawl before the host counts as down: one page may be broken."""


class HostProbes:
    """Probes the hosts of one crawl whose last responses were failures."""

    def __init__(self, spider: Spider, crawl: SiteCrawl, wake: Callable[[], None]) -> None:
        """`wake` makes the spider look for due requests."""
        self.spider = spider
        self.crawl = crawl
        self.wake = wake
        self._failed: dict[tuple[str, int], set[str]] = {}
        """URLs that failed as probes, by host and streak."""

    async def requests(self) -> list[Request]:
        """Return probe requests for the hosts of suspended pages; call it once only such pages are left."""
        hosts, requests = self.crawl.hosts, []
        for name in sorted({one.host for one in hosts.suspended}):
            host = hosts.of(name)
            failed = self._failed_of(host)
            urls = [] if host.given_up else host.candidates(await self.crawl.visits.good_urls(name))
            left = [url for url in urls if url not in failed]
            if left and len(failed) < TESTS:
                requests.append(self._request(left[0]))
            elif failed:
                await self._down(host)
            elif not host.given_up:
                host.end_streak()  # without a page to probe with, no outage is proved, so the pages count as failed
        await self.settle()
        self.wake()
        return requests

    def _request(self, url: str) -> Request:
        self.spider.crawler.stats.inc_value(stats.OUTAGE_PROBES)
        meta = {PROBE: True, **QUIET}
        return Request(url, callback=self.probed, errback=self.probe_failed, dont_filter=True, meta=meta)

    async def settle(self) -> None:
        """Settle the pages whose failures can be attributed now."""
        if self.crawl.hosts.suspended or self.crawl.hosts.recovered():
            failed = await self.crawl.visits.settle_suspended()
            self.spider.crawler.stats.inc_value(stats.PAGES_FAILED, failed)

    async def probed(self, response: Response) -> None:
        """Settle the suspended pages if the host answers well, else count the failed probe."""
        request = response.request
        assert request is not None
        host = self.crawl.hosts.of(netloc_of(request.url))
        if is_bad(response.status):
            self._failed_of(host).add(request.url)
        else:
            host.answered()
        await self.settle()
        self.wake()

    async def probe_failed(self, failure: Failure) -> None:
        """Count a probe without a response, unless it was not allowed to be sent."""
        request: Request = failure.request  # type: ignore[attr-defined]
        host = self.crawl.hosts.of(netloc_of(request.url))
        if isinstance(failure.value, IgnoreRequest):
            host.may_not_be_asked(request.url)
        else:
            self._failed_of(host).add(request.url)
        self.wake()

    def _failed_of(self, host: HostHealth) -> set[str]:
        return self._failed.setdefault((host.name, host.streak), set())

    async def _down(self, host: HostHealth) -> None:
        """Give up a host that does not answer; its suspended pages are left to the next run."""
        await self.crawl.visits.give_up(host.name, BUSY if host.waits else OUTAGE, host.describe())
        self.spider.crawler.stats.inc_value(stats.OUTAGE_GIVEN_UP)
