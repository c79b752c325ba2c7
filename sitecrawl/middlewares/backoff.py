"""Keeps away from a host that says it has too much to do: 429 and 503, with or without Retry-After."""

import asyncio
import datetime as dt
from email.utils import parsedate_to_datetime
from time import monotonic
from typing import Final

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.downloadermiddlewares.retry import get_retry_request
from scrapy.http import Response

from sitecrawl import stats
from sitecrawl.clock import now
from sitecrawl.config import Config
from sitecrawl.crawl.site import SiteCrawl
from sitecrawl.links.urls import host_of
from sitecrawl.refusals import PROBE, PostponedRequest

TOO_MANY_REQUESTS: Final = 429
BUSY: Final = frozenset((TOO_MANY_REQUESTS, 503))
REASON: Final = "busy"
"""Why a crawl ended that is to be resumed."""
FIRST_PAUSE: Final = 1.0
LONGEST_PAUSE: Final = 60.0
"""Seconds to hold a host that names no time, doubled with each refusal in a row (RELIABILITY 4.7)."""


class BackOffMiddleware:
    """Holds every request to a host while it is busy; what would wait longer than allowed is left to the next crawl."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self.longest = Config.from_mapping(crawler.settings).max_retry_after
        self.crawl: SiteCrawl | None = getattr(crawler.spider, "site_crawl", None)
        self._until: dict[str, float] = {}
        self._refusals: dict[str, int] = {}

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "BackOffMiddleware":
        """Build from the running crawl."""
        return cls(crawler)

    async def process_request(self, request: Request) -> None:
        """Wait until the hold is over."""
        if (left := self._until.get(host_of(request.url), 0.0) - monotonic()) > 0:
            await asyncio.sleep(left)

    def process_response(self, request: Request, response: Response) -> Request | Response:
        """Hold the host and ask again later, or pass the answer on.

        Raises PostponedRequest when the host asks for a longer wait than a crawl takes: 503 for the page, 429 for
        all that is left.
        """
        host = host_of(request.url)
        if request.meta.get(PROBE):
            return response
        if response.status not in BUSY:
            self._refusals.pop(host, None)
            return response
        refusals = self._refusals[host] = self._refusals.get(host, 0) + 1
        pause = retry_after(response, now())
        if pause is None:
            pause = min(FIRST_PAUSE * 2 ** min(refusals - 1, 10), LONGEST_PAUSE)
        if pause > self.longest:
            self.crawler.stats.inc_value(f"{stats.BACKOFF}/given_up")
            why = f"{host} asks to be left alone for {pause:.0f} s (HTTP {response.status}, Retry-After)"
            if response.status == TOO_MANY_REQUESTS and self.crawl is not None:
                self.crawl.visits.give_up(host, REASON, why)
            raise PostponedRequest(why)
        spider = self.crawler.spider
        retry = get_retry_request(request, spider=spider, reason=f"HTTP {response.status}") if spider else None
        if retry is None:
            return response
        self._until[host] = max(self._until.get(host, 0.0), monotonic() + pause)
        self.crawler.stats.inc_value(f"{stats.BACKOFF}/held")
        return retry


def retry_after(response: Response, now: dt.datetime) -> float | None:
    """Return the seconds of a Retry-After header, given as seconds or as a date (RFC 9110 10.2.3); None without one."""
    value = (response.headers.get("Retry-After") or b"").decode("latin-1").strip()
    if value.isdigit():
        return float(value)
    try:
        moment = parsedate_to_datetime(value)
    except (TypeError, ValueError):
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=dt.UTC)
    return max(0.0, (moment - now).total_seconds())
