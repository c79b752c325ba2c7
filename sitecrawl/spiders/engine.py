"""The spider's calls to Scrapy's engine, and workarounds for gaps in the engine of Scrapy 2.19.

The engine looks for new requests every 5 s (its heartbeat) and after each response, but neither when an item of `start`
has passed the pipelines nor when the engine is unpaused: a crawl would idle until the next heartbeat. And if the engine
is stopped while it closes the spider, it does not wait until the spider is closed.
"""

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from scrapy.crawler import Crawler

from sitecrawl.shell.exceptions import PostponedRequest

if TYPE_CHECKING:
    from scrapy.core.engine import ExecutionEngine
    from scrapy.core.scraper import Slot

PASSING_LOOKS: Final = 0.02
"""Seconds between checks whether all items have passed through the pipelines."""
CLOSED_LOOKS: Final = 0.05
"""Seconds between checks whether the spider is closed."""
CLOSING_LOOKS: Final = 0.5
"""Seconds between checks whether a crawl is stopped, and whether a closing crawl is idle."""


class Engine:
    """Scrapy's engine of one crawl. Before the crawl begins there is no engine, and calls do nothing."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._ending: asyncio.Task[None] | None = None

    @property
    def _engine(self) -> "ExecutionEngine | None":
        return self._crawler._engine  # `engine` raises RuntimeError before the crawl begins

    @property
    def _passing(self) -> "Slot | None":
        """Scrapy's record of the responses and items in the spider and its pipelines; None without an engine."""
        return self._engine.scraper.slot if self._engine is not None else None

    def is_idle(self) -> bool:
        """Return whether no request is scheduled, in flight or being processed."""
        engine, passing = self._engine, self._passing
        return bool(
            engine is not None
            and passing is not None
            and not engine.downloader.active
            and passing.is_idle()
            and engine.scheduler is not None
            and not engine.scheduler.has_pending_requests()
        )

    def is_closing(self) -> bool:
        """Return whether the crawl is ending."""
        return self._ending is not None or self._passing is None or self._passing.closing is not None

    def hold(self) -> None:
        """Pause the sending of requests."""
        if self._engine is not None:
            self._engine.pause()

    def go_on(self) -> None:
        """Resume the sending of requests at once."""
        if self._engine is not None:
            self._engine.unpause()
            self._look()

    def _look(self) -> None:
        if self._engine is not None and self._engine._slot is not None:
            self._engine._slot.nextcall.schedule()

    async def passed(self) -> None:
        """Wait until all items have passed the pipelines or the crawl ends; then make the engine look for requests."""
        while True:
            await asyncio.sleep(PASSING_LOOKS)  # at first, too: items that were just yielded are not counted yet
            passing = self._passing
            if passing is None or self.is_closing():
                return
            if not passing.itemproc_size:
                self._look()
                return

    async def when_stopped(self, do: Callable[[], None]) -> None:
        """Wait until a signal stops the crawl, then call `do`. Runs until then, or until cancelled."""
        while self._crawler.crawling:  # noqa: ASYNC110  (Scrapy has no event)
            await asyncio.sleep(CLOSING_LOOKS)
        do()

    async def let_stop(self) -> None:
        """Postpone requests that wait in the downloader for their delay, once a signal stops the crawl.

        Scrapy would still send them, each after a delay of perhaps a minute. Runs until cancelled.
        """
        while True:
            await asyncio.sleep(CLOSING_LOOKS)
            if self._engine is None or self._crawler.crawling:
                continue
            for slot in self._engine.downloader.slots.values():
                while slot.queue:
                    _, download = slot.queue.popleft()
                    download.errback(PostponedRequest("the crawl was stopped"))

    async def let_close(self) -> None:
        """Close the spider once its pipelines are idle; after an item of `start` Scrapy waits. Runs until cancelled."""
        while True:
            await asyncio.sleep(CLOSING_LOOKS)
            passing, spider = self._passing, self._crawler.spider
            if passing is None or passing.closing is None or spider is None:
                continue
            if passing.is_idle() and not passing.closing.called:
                passing.closing.callback(spider)

    async def closed(self) -> None:
        """Wait until the spider is closed and the crawl finished. Call it after the engine has stopped.

        A signal that comes while the spider is being closed stops the engine first.
        """
        while self._engine is not None and self._engine.spider is not None:  # noqa: ASYNC110  (Scrapy has no event)
            await asyncio.sleep(CLOSED_LOOKS)

    def end(self, reason: str) -> None:
        """End the crawl with a finish reason."""
        if self._engine is not None:  # in a separate task: closing the spider may cancel the caller
            self._ending = asyncio.create_task(self._engine.close_spider_async(reason=reason))
