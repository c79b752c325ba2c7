"""Keeps away from a host or page that says it has too much to do: 429 and 503, with or without Retry-After."""

import asyncio
import datetime as dt
from time import monotonic
from typing import Final

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.downloadermiddlewares.retry import get_retry_request
from scrapy.http import Response

from sitecrawl import stats
from sitecrawl.clock import now
from sitecrawl.config import Config
from sitecrawl.crawl.host_health import Hosts, netloc_of
from sitecrawl.crawl.site import SiteCrawl
from sitecrawl.retry_after import retry_after
from sitecrawl.shell.exceptions import NOT_BEFORE, PAGE, PROBE

TOO_MANY_REQUESTS: Final = 429
BUSY: Final = frozenset((TOO_MANY_REQUESTS, 503))
FIRST_PAUSE: Final = 1.0
LONGEST_PAUSE: Final = 60.0
"""Seconds to hold a host that names no time, doubled with each refusal in a row."""
_HELD: Final = "sitecrawl_held"
"""In `Request.meta`: seconds that the host was held for this request."""


class BackOffMiddleware:
    """Holds every request to a host while it is busy. What asks for a longer wait fails, and is left alone until then.

    Waits are bounded twice: one takes SITECRAWL_MAX_RETRY_AFTER seconds at most, and those of a host after which the
    same page was busy again SITECRAWL_OUTAGE_PATIENCE seconds together.
    """

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        config = Config.from_mapping(crawler.settings)
        self.longest, self.patience = config.max_retry_after, config.outage_patience
        crawl: SiteCrawl | None = getattr(crawler.spider, "site_crawl", None)
        self.hosts = Hosts(config.outage_failures, config.outage_patience) if crawl is None else crawl.hosts
        self._until: dict[str, float] = {}
        self._refusals: dict[str, int] = {}
        self._in_vain: dict[str, float] = {}

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "BackOffMiddleware":
        """Build from the running crawl."""
        return cls(crawler)

    async def process_request(self, request: Request) -> None:
        """Wait until the hold is over."""
        if (left := self._until.get(netloc_of(request.url), 0.0) - monotonic()) > 0:
            await asyncio.sleep(left)

    def process_response(self, request: Request, response: Response) -> Request | Response:
        """Hold the host and ask again later, or pass the answer on.

        The answer of a page that asks for a longer wait than a crawl takes is passed on with the moment in the
        request's NOT_BEFORE.
        """
        netloc = netloc_of(request.url)
        if request.meta.get(PROBE):
            return response
        if response.status not in BUSY:
            self._refusals.pop(netloc, None)
            return response
        refusals = self._refusals[netloc] = self._refusals.get(netloc, 0) + 1
        in_vain = self._in_vain[netloc] = self._in_vain.get(netloc, 0.0) + request.meta.pop(_HELD, 0.0)
        header = response.headers.get("Retry-After")
        asked = retry_after(header.decode("latin-1") if header else None, now())
        pause = min(FIRST_PAUSE * 2 ** min(refusals - 1, 10), LONGEST_PAUSE) if asked is None else asked
        if pause > self.longest or (asked is not None and in_vain + pause > self.patience):
            return self._left_alone(request, response, pause)
        spider = self.crawler.spider
        retry = get_retry_request(request, spider=spider, reason=f"HTTP {response.status}") if spider else None
        if retry is None:
            return response
        retry.meta[_HELD] = pause
        self._until[netloc] = max(self._until.get(netloc, 0.0), monotonic() + pause)
        self.crawler.stats.inc_value(f"{stats.BACKOFF}/held")
        return retry

    def _left_alone(self, request: Request, response: Response, pause: float) -> Response:
        """Note that a page is not to be asked for before a moment."""
        self.crawler.stats.inc_value(f"{stats.BACKOFF}/given_up")
        request.meta["dont_retry"] = True
        if PAGE in request.meta:
            until = request.meta[NOT_BEFORE] = now() + dt.timedelta(seconds=pause)
            self.hosts.of(netloc_of(request.url)).asked_to_wait(request.url, until)
        return response
