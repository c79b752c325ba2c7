"""Stops asking a server that no longer answers: a circuit breaker, so that an outage costs no page its turn."""

import asyncio
from time import monotonic
from typing import Final

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response

from sitecrawl import stats
from sitecrawl.config import Config

REASON: Final = "outage"
"""Reason with which the crawl is closed; the next one goes on with what is left."""
FIRST_PAUSE: Final = 5.0
LONGEST_PAUSE: Final = 300.0
"""Seconds before the server is asked again, doubled with each failure (RELIABILITY 4.7)."""
WALLS: Final = frozenset((403, 429))


class OutageMiddleware:
    """Counts failures in a row that speak of the server: no answer, 5xx, 403 or 429 for everything.

    From SITECRAWL_OUTAGE_FAILURES on, all requests wait before each further try; after SITECRAWL_OUTAGE_PATIENCE
    seconds the crawl is closed, to be resumed. Any other answer ends the count.
    """

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        config = Config.from_mapping(crawler.settings)
        self.most, self.patience = config.outage_failures, config.outage_patience
        self._failures = 0
        self._began = self._until = 0.0
        self._closing: asyncio.Task[None] | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "OutageMiddleware":
        """Build from the running crawl."""
        return cls(crawler)

    async def process_request(self, request: Request) -> None:
        """Wait until the server may be asked again."""
        if (left := self._until - monotonic()) > 0 and self._closing is None:
            await asyncio.sleep(left)
        if self._closing is not None:
            raise IgnoreRequest("the server does not answer")

    def process_response(self, request: Request, response: Response) -> Response:
        """Count, and pass the answer on."""
        if response.status >= 500 or response.status in WALLS:
            self._failed(f"HTTP {response.status}")
        else:
            self._failures, self._until = 0, 0.0
        return response

    def process_exception(self, request: Request, exception: Exception) -> None:
        """Count what ends without an answer, but for requests that were never sent."""
        if not isinstance(exception, IgnoreRequest):
            self._failed(type(exception).__name__)

    def _failed(self, why: str) -> None:
        moment = monotonic()
        if not self._failures:
            self._began = moment
        self._failures += 1
        over = self._failures - self.most
        if not self.most or over < 0:
            return
        if moment - self._began > self.patience:
            self._close(why, moment - self._began)
            return
        if moment >= self._until:  # one pause for all requests that were under way
            pause = min(FIRST_PAUSE * 2 ** min(over, 10), LONGEST_PAUSE, self.patience)
            self._until = moment + pause
            self.crawler.stats.inc_value(stats.OUTAGE_PAUSES)
            if self.crawler.spider is not None:
                self.crawler.spider.logger.warning(
                    "%d failures in a row, the last was %s; waiting %.0f s", self._failures, why, pause
                )

    def _close(self, why: str, seconds: float) -> None:
        engine, spider = self.crawler.engine, self.crawler.spider
        if self._closing is None and engine is not None and spider is not None:
            spider.logger.error(
                "no answer for %.0f s (%d failures in a row, the last was %s); closed, the same command goes on later",
                seconds,
                self._failures,
                why,
            )
            self._closing = asyncio.create_task(engine.close_spider_async(reason=REASON))
