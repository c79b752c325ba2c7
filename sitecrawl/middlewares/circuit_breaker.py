"""Circuit breaker per host: during an outage, the pages that were due must not count as failed."""

import asyncio
from time import monotonic
from typing import Final, Protocol
from urllib.parse import urlsplit

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response

from sitecrawl import stats
from sitecrawl.clock import now
from sitecrawl.config import Config
from sitecrawl.crawl.host_health import BUSY, OUTAGE, HostHealth, is_bad, time_text
from sitecrawl.crawl.hosts import Hosts
from sitecrawl.links.urls import url_key
from sitecrawl.shell.exceptions import FAILED_STREAK, PAGE, PROBE, QUIET, PostponedRequest, given_up
from sitecrawl.shell.site_spider import site_crawl_of
from sitecrawl.shell.stopping import is_stopping, pause
from sitecrawl.storage.hosts import netloc_of

GOOD: Final = 400
"""Pages with a lower HTTP status may be used to probe the host."""


class Downloading(Protocol):
    """The method of Scrapy's engine that the probes use."""

    async def download_async(self, request: Request) -> Response:
        """Return the response to a request."""
        ...


class CircuitBreakerMiddleware:
    """Counts consecutive failures of a host: no response, 5xx, 403 or 429. Only a good page ends the streak.

    After SITECRAWL_OUTAGE_FAILURES failures the host is probed with a page that it served before. If that fails too,
    all requests to the host wait, and the probe is repeated with other pages. After SITECRAWL_OUTAGE_PATIENCE seconds
    the host is given up. If a probe succeeds, the failures concerned single pages, and the crawl continues. A probe
    that may not be sent (a trap, robots.txt) says nothing about the host. A request for robots.txt never waits for a
    probe, since the probe waits for robots.txt.
    """

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        config = Config.from_mapping(crawler.settings)
        self.crawl = site_crawl_of(crawler)
        self.hosts = Hosts(config.outage_failures, config.outage_patience)
        self.start_key: int | None = None
        if self.crawl is not None:
            self.hosts, self.start_key = self.crawl.hosts, url_key(self.crawl.start_url)
        self._locks: dict[str, asyncio.Lock] = {}

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "CircuitBreakerMiddleware":
        """Build from the running crawl."""
        return cls(crawler)

    async def process_request(self, request: Request) -> None:
        """Wait until requests to the host are allowed.

        Raises PostponedRequest or UnreachableRequest if the host is given up, and PostponedRequest if the crawl is
        stopping.
        """
        if request.meta.get(PROBE):
            return
        host = self._host(request)
        if host.suspect and not _is_robots(request):
            async with self._locks.setdefault(host.name, asyncio.Lock()):
                await self._test(host)
        if host.given_up:
            raise given_up(self.hosts, host.name)
        if is_stopping(self.crawler):
            raise PostponedRequest("the crawl was stopped")

    def process_response(self, request: Request, response: Response) -> Response:
        """Count the response and return it. Only good pages count as good, not a robots.txt or a sitemap."""
        if request.meta.get(PROBE):
            return response
        if is_bad(response.status):
            self._failed(request, f"HTTP {response.status}")
        elif PAGE in request.meta:
            host = self._host(request)
            if request.meta[PAGE] == self.start_key:
                self.hosts.home = host.name  # after redirects of the start page, this host has the site's pages
            host.answered(request.url if response.status < GOOD else None)
        return response

    def process_exception(self, request: Request, exception: Exception) -> None:
        """Count a request that ended without a response, unless it was never sent."""
        if not isinstance(exception, IgnoreRequest) and not request.meta.get(PROBE):
            self._failed(request, type(exception).__name__)

    def _failed(self, request: Request, why: str) -> None:
        request.meta[FAILED_STREAK] = self._host(request).failed(monotonic(), now(), why)

    async def _test(self, host: HostHealth) -> None:
        """Probe the host until it answers or is given up; without a page to probe with, let the request pass."""
        stored = await self._stored(host)
        turn = 0
        while host.suspect and not is_stopping(self.crawler):
            candidates = host.candidates(stored)
            good = await self._probe(host, candidates[turn % len(candidates)]) if candidates else None
            if good:
                host.answered()
                return
            if candidates and good is None:  # the probe may not be requested: try another page
                continue
            turn += 1
            seconds = self.hosts.down(host.name, monotonic())
            if seconds is None:
                await self._give_up(host)
                return
            self.crawler.stats.inc_value(stats.OUTAGE_PAUSES)
            if self.crawler.spider is not None:
                self.crawler.spider.logger.warning("%s; waiting %.0f s", host.describe(), seconds)
            if self.crawl is not None:
                await self.crawl.visits.note(host)
            await pause(self.crawler, seconds)
            if not candidates:
                return

    async def _stored(self, host: HostHealth) -> list[str]:
        return [] if self.crawl is None else await self.crawl.visits.good_urls(host.name)

    async def _probe(self, host: HostHealth, url: str) -> bool | None:
        """Return whether the host answers a probe well; None if the URL may not be requested, which is recorded."""
        engine: Downloading = self.crawler.engine
        self.crawler.stats.inc_value(stats.OUTAGE_PROBES)
        request = Request(url, meta={PROBE: True, **QUIET}, dont_filter=True)
        try:
            return not is_bad((await engine.download_async(request)).status)
        except IgnoreRequest:
            host.may_not_be_asked(url)
            return None
        except Exception:  # noqa: BLE001  (any error means that there is no answer)
            return False

    async def _give_up(self, host: HostHealth) -> None:
        why = f"{host.describe()}; given up"
        if host.waits:
            asked = min(host.waits.values())
            until = asked if self.crawl is None else self.crawl.visits.not_before(asked)
            why = f"{host.name} asks to be left alone until {time_text(until)} (Retry-After)"
        if self.crawl is None:
            host.give_up(why)
        else:
            await self.crawl.visits.give_up(host.name, BUSY if host.waits else OUTAGE, why)
        self.crawler.stats.inc_value(stats.OUTAGE_GIVEN_UP)
        if self.crawler.spider is not None:
            self.crawler.spider.logger.error("%s; run the same command later to continue", host.given_up)

    def _host(self, request: Request) -> HostHealth:
        return self.hosts.of(netloc_of(request.url))


def _is_robots(request: Request) -> bool:
    """Return whether a request is for the robots.txt of a host, directly or by a redirect."""
    first = request.meta.get("redirect_urls", (request.url,))[0]
    return bool(request.meta.get("dont_obey_robotstxt")) and urlsplit(first).path == "/robots.txt"
