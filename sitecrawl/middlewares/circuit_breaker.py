"""Stops asking a host that no longer answers: a circuit breaker, so that an outage costs no page its turn."""

import asyncio
import math
from time import monotonic
from typing import Any, Final, Protocol

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response

from sitecrawl import stats
from sitecrawl.clock import now
from sitecrawl.config import Config
from sitecrawl.crawl.host_health import BUSY, OUTAGE, HostHealth, Hosts, is_bad, netloc_of, told
from sitecrawl.crawl.site import SiteCrawl
from sitecrawl.links.urls import url_key
from sitecrawl.shell.exceptions import FAILED_STREAK, PAGE, PROBE, QUIET, PostponedRequest, given_up

GOOD: Final = 400
"""Answers below are good enough to be asked for again when the host is to be tested."""
SLICE: Final = 0.5
"""Seconds of a pause after which it is looked whether the crawl is being stopped."""


class Downloading(Protocol):
    """What is needed of Scrapy's engine."""

    async def download_async(self, request: Request) -> Response:
        """Return the answer to a request."""
        ...


class OutageMiddleware:
    """Counts failures in a row that speak of the host: no answer, 5xx, 403 or 429. Only a good page ends the row.

    From SITECRAWL_OUTAGE_FAILURES on the host is tested with a page that it gave before. If that fails too, everything
    for the host waits, and the test is repeated with other pages; after SITECRAWL_OUTAGE_PATIENCE seconds the host is
    given up. If a test succeeds, the failures were the pages' own, and the crawl goes on. A test that may not be sent
    (a trap, robots.txt) says nothing.
    """

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        config = Config.from_mapping(crawler.settings)
        self.crawl: SiteCrawl | None = getattr(crawler.spider, "site_crawl", None)
        self.hosts = Hosts(config.outage_failures, config.outage_patience)
        self.start_key: int | None = None
        if self.crawl is not None:
            self.hosts, self.start_key = self.crawl.hosts, url_key(self.crawl.start_url)
        self._locks: dict[str, asyncio.Lock] = {}

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "OutageMiddleware":
        """Build from the running crawl."""
        return cls(crawler)

    async def process_request(self, request: Request) -> None:
        """Wait until the host may be asked.

        Raises PostponedRequest or UnreachableRequest when it is given up, PostponedRequest when the crawl is stopped.
        """
        if request.meta.get(PROBE):
            return
        host = self._host(request)
        if host.suspect:
            async with self._locks.setdefault(host.name, asyncio.Lock()):
                await self._test(host)
        if host.given_up:
            raise given_up(self.hosts, host.name)
        if self._stopping:
            raise PostponedRequest("the crawl was stopped")

    def process_response(self, request: Request, response: Response) -> Response:
        """Count, and pass the answer on. That robots.txt or a sitemap answers is no proof that pages do."""
        if request.meta.get(PROBE):
            return response
        if is_bad(response.status):
            self._failed(request, f"HTTP {response.status}")
        elif PAGE in request.meta:
            host = self._host(request)
            if request.meta[PAGE] == self.start_key:
                self.hosts.home = host.name  # where a redirect of the start page leads, the site's pages are
            host.answered(request.url if response.status < GOOD else None)
        return response

    def process_exception(self, request: Request, exception: Exception) -> None:
        """Count what ends without an answer, but for requests that were never sent."""
        if not isinstance(exception, IgnoreRequest) and not request.meta.get(PROBE):
            self._failed(request, type(exception).__name__)

    def _failed(self, request: Request, why: str) -> None:
        request.meta[FAILED_STREAK] = self._host(request).failed(monotonic(), now(), why)

    async def _test(self, host: HostHealth) -> None:
        """Find out whether the host is up, waiting while it is not; without a page to test with the request tests."""
        stored = await self._stored(host)
        turn = 0
        while host.suspect and not self._stopping:
            candidates = host.candidates(stored)
            good = await self._probe(host, candidates[turn % len(candidates)]) if candidates else None
            if good:
                host.answered()
                return
            if candidates and good is None:  # it may not be asked for: another one
                continue
            turn += 1
            pause = self.hosts.down(host.name, monotonic())
            if pause is None:
                await self._give_up(host)
                return
            self.crawler.stats.inc_value(stats.OUTAGE_PAUSES)
            if self.crawler.spider is not None:
                self.crawler.spider.logger.warning("%s; waiting %.0f s", host.describe(), pause)
            if self.crawl is not None:
                await self.crawl.visits.note(host)
            await self._sleep(pause)
            if not candidates:
                return

    async def _stored(self, host: HostHealth) -> list[str]:
        return [] if self.crawl is None else await self.crawl.visits.good_urls(host.name)

    async def _probe(self, host: HostHealth, url: str) -> bool | None:
        """Say whether the host answers well; None when the URL may not be asked for, which is remembered."""
        engine: Downloading = self.crawler.engine
        self.crawler.stats.inc_value(stats.OUTAGE_PROBES)
        request = Request(url, meta={PROBE: True, **QUIET}, dont_filter=True)
        try:
            return not is_bad((await engine.download_async(request)).status)
        except IgnoreRequest:
            host.may_not_be_asked(url)
            return None
        except Exception:  # noqa: BLE001  (whatever keeps the answer away: there is none)
            return False

    async def _give_up(self, host: HostHealth) -> None:
        why = f"{host.describe()}; given up"
        if host.waits:
            why = f"{host.name} is left alone until {told(min(host.waits.values()))}, as it asks (Retry-After)"
        if self.crawl is None:
            host.give_up(why)
        else:
            await self.crawl.visits.give_up(host.name, BUSY if host.waits else OUTAGE, why)
        self.crawler.stats.inc_value(stats.OUTAGE_GIVEN_UP)
        if self.crawler.spider is not None:
            self.crawler.spider.logger.error("%s; the same command goes on later", host.given_up)

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
        return self.hosts.of(netloc_of(request.url))
