"""Stops asking a host that no longer answers: a circuit breaker, so that an outage costs no page its turn."""

import asyncio
import math
from time import monotonic
from typing import Any, Final

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response

from sitecrawl import stats
from sitecrawl.clock import now
from sitecrawl.config import Config
from sitecrawl.crawl.outage import OUTAGE, HostHealth, Hosts, is_bad
from sitecrawl.crawl.site import SiteCrawl
from sitecrawl.links.urls import host_of
from sitecrawl.refusals import FAILED_STREAK, PROBE, QUIET, PostponedRequest

GOOD: Final = 400
"""Answers below are good enough to be asked for again when the host is to be tested."""
SLICE: Final = 0.5
"""Seconds of a pause after which it is looked whether the crawl is being stopped."""


class OutageMiddleware:
    """Counts failures in a row that speak of the host: no answer, 5xx, 403 or 429.

    From SITECRAWL_OUTAGE_FAILURES on the host is tested with the URL that it answered well last. If that fails too,
    everything for the host waits, and the test is repeated; after SITECRAWL_OUTAGE_PATIENCE seconds it is given up,
    and what is left stays due. If the test succeeds, the failures were the pages' own, and the crawl goes on.
    """

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        config = Config.from_mapping(crawler.settings)
        self.crawl: SiteCrawl | None = getattr(crawler.spider, "site_crawl", None)
        self.hosts = Hosts(config.outage_failures, config.outage_patience)
        if self.crawl is not None:
            self.hosts = self.crawl.hosts
        self._locks: dict[str, asyncio.Lock] = {}

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "OutageMiddleware":
        """Build from the running crawl."""
        return cls(crawler)

    async def process_request(self, request: Request) -> None:
        """Wait until the host may be asked. Raises PostponedRequest when it is given up."""
        if request.meta.get(PROBE):
            return
        host = self._host(request)
        if host.suspect:
            async with self._locks.setdefault(host.name, asyncio.Lock()):
                await self._test(host)
        if host.given_up or self._stopping:
            raise PostponedRequest(host.given_up or "the crawl was stopped")

    def process_response(self, request: Request, response: Response) -> Response:
        """Count, and pass the answer on."""
        if request.meta.get(PROBE):
            return response
        host = self._host(request)
        if is_bad(response.status):
            self._failed(request, f"HTTP {response.status}")
        else:
            host.answered(request.url if response.status < GOOD else None)
        return response

    def process_exception(self, request: Request, exception: Exception) -> None:
        """Count what ends without an answer, but for requests that were never sent."""
        if not isinstance(exception, IgnoreRequest) and not request.meta.get(PROBE):
            self._failed(request, type(exception).__name__)

    def _failed(self, request: Request, why: str) -> None:
        request.meta[FAILED_STREAK] = self._host(request).failed(monotonic(), now(), why)

    async def _test(self, host: HostHealth) -> None:
        """Find out whether the host is up, waiting while it is not; without any good URL the request itself tests."""
        while host.suspect and not self._stopping:
            if host.good_url is not None and await self._probe(host.good_url):
                host.answered()
                return
            pause = host.down(monotonic())
            if pause is None:
                self._given_up(host)
                return
            self.crawler.stats.inc_value(stats.OUTAGE_PAUSES)
            if self.crawler.spider is not None:
                self.crawler.spider.logger.warning("%s; waiting %.0f s", host.describe(), pause)
            await self._sleep(pause)
            if host.good_url is None:
                return

    async def _probe(self, url: str) -> bool:
        engine: Any = self.crawler.engine
        self.crawler.stats.inc_value(stats.OUTAGE_PROBES)
        request = Request(url, meta={PROBE: True, **QUIET}, dont_filter=True)
        try:
            return not is_bad((await engine.download_async(request)).status)
        except Exception:  # noqa: BLE001  (whatever keeps the answer away: there is none)
            return False

    def _given_up(self, host: HostHealth) -> None:
        if self.crawler.spider is not None:
            self.crawler.spider.logger.error("%s; the same command goes on later", host.given_up)
        if self.crawl is not None:
            self.crawl.visits.give_up(host.name, OUTAGE, host.given_up)

    async def _sleep(self, seconds: float) -> None:
        for _ in range(math.ceil(seconds / SLICE)):
            if self._stopping:
                return
            await asyncio.sleep(SLICE)

    @property
    def _stopping(self) -> bool:
        engine: Any = self.crawler.engine
        slot = getattr(engine, "_slot", None)
        return slot is not None and slot.closing is not None

    def _host(self, request: Request) -> HostHealth:
        return self.hosts.of(host_of(request.url))
