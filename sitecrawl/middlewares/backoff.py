"""Holds requests to a host or page that answers 429 or 503, with or without Retry-After."""

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
from sitecrawl.crawl.hosts import Hosts
from sitecrawl.retry_after import retry_after
from sitecrawl.shell.exceptions import NOT_BEFORE, PAGE, PROBE, PostponedRequest
from sitecrawl.shell.site_spider import site_crawl_of
from sitecrawl.shell.stopping import is_stopping, pause
from sitecrawl.storage.hosts import netloc_of

TOO_MANY_REQUESTS: Final = 429
UNAVAILABLE: Final = 503
BUSY: Final = frozenset((TOO_MANY_REQUESTS, UNAVAILABLE))
FIRST_PAUSE: Final = 1.0
"""Seconds of the first hold of a host that sends no Retry-After [OWN]."""
LONGEST_PAUSE: Final = 60.0
"""Maximum seconds to hold a host that sends no Retry-After. The pause begins at `FIRST_PAUSE` and doubles with each
consecutive refusal."""
LONGEST_UNAVAILABLE_PAUSE: Final = 5.0
"""The same after a 503 if the circuit breaker is on [OWN]: it then probes a host that is down after ten requests in
some 40 s, and its own longer pauses follow. A 429 asks for fewer requests and keeps the longer pauses."""
_HELD: Final = "sitecrawl_held"
"""Key of `Request.meta`: seconds that the host was held for this request."""


def pause_after(refusals: int, http_status: int, *, breaks: bool) -> float:
    """Return the seconds to hold a host that sends no Retry-After after a number of consecutive refusals.

    `breaks` is whether the circuit breaker decides about hosts that are down.
    """
    longest = LONGEST_UNAVAILABLE_PAUSE if breaks and http_status == UNAVAILABLE else LONGEST_PAUSE
    return FIRST_PAUSE * float(min(2 ** (refusals - 1), longest / FIRST_PAUSE))


class BackOffMiddleware:
    """Holds every request to a busy host. A page with a longer Retry-After fails, and is not requested before it ends.

    A single wait takes at most SITECRAWL_MAX_RETRY_AFTER seconds. Waits that end with another refusal add up to
    at most SITECRAWL_OUTAGE_PATIENCE seconds per host.
    """

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        config = Config.from_mapping(crawler.settings)
        self.longest, self.patience = config.max_retry_after, config.outage_patience
        self.breaks = config.outage_failures > 0
        self.retries = crawler.settings.getbool("RETRY_ENABLED")
        crawl = site_crawl_of(crawler)
        self.hosts = Hosts(config.outage_failures, config.outage_patience) if crawl is None else crawl.hosts
        self._until: dict[str, float] = {}
        self._refusals: dict[str, int] = {}
        self._in_vain: dict[str, float] = {}

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "BackOffMiddleware":
        """Build from the running crawl."""
        return cls(crawler)

    async def process_request(self, request: Request) -> None:
        """Wait until the hold of the host is over. Raises PostponedRequest if the crawl is stopped first."""
        if (left := self._until.get(netloc_of(request.url), 0.0) - monotonic()) > 0:
            await pause(self.crawler, left)
            if is_stopping(self.crawler):
                raise PostponedRequest("the crawl was stopped")

    def process_response(self, request: Request, response: Response) -> Request | Response:
        """Hold the host and retry the request, or return the response.

        If Retry-After is longer than a crawl waits, the response is returned, and the time at which Retry-After ends is
        in the request's meta (NOT_BEFORE).
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
        wait = pause_after(refusals, response.status, breaks=self.breaks) if asked is None else asked
        if wait > self.longest or (asked is not None and in_vain + wait > self.patience):
            return self._left_alone(request, response, wait)
        spider = self.crawler.spider if self.retries else None
        retry = get_retry_request(request, spider=spider, reason=f"HTTP {response.status}") if spider else None
        if retry is None:
            request.meta["dont_retry"] = True  # Scrapy's own middleware would only report it again
            return response
        retry.meta[_HELD] = wait
        self._until[netloc] = max(self._until.get(netloc, 0.0), monotonic() + wait)
        self.crawler.stats.inc_value(f"{stats.BACKOFF}/held")
        return retry

    def _left_alone(self, request: Request, response: Response, wait: float) -> Response:
        """Record the time before which a page must not be requested; return the response."""
        self.crawler.stats.inc_value(f"{stats.BACKOFF}/given_up")
        request.meta["dont_retry"] = True
        if PAGE in request.meta:
            until = request.meta[NOT_BEFORE] = now() + dt.timedelta(seconds=wait)
            self.hosts.of(netloc_of(request.url)).asked_to_wait(request.url, until)
        return response
