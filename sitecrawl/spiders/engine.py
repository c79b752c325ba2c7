"""What the spider asks of Scrapy's engine, and what the engine of Scrapy 2.19 leaves to others.

Every 5 s, at its heartbeat, the engine looks for requests by itself. It does so too when a page was answered, but not
when an item of `start` has passed the pipelines, nor when it is let go on: a crawl would stand still until then.
"""

import asyncio
from typing import TYPE_CHECKING, Final

from scrapy.crawler import Crawler

if TYPE_CHECKING:
    from scrapy.core.engine import ExecutionEngine
    from scrapy.core.scraper import Slot

PASSING_LOOKS: Final = 0.02
"""Seconds between two looks whether items have passed the pipelines."""
CLOSING_LOOKS: Final = 0.5
"""Seconds between two looks whether the crawl waits for nothing."""


class Engine:
    """The engine of one crawl; before the crawl begins there is none, and nothing happens."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._ending: asyncio.Task[None] | None = None

    @property
    def _engine(self) -> "ExecutionEngine | None":
        return self._crawler._engine  # `engine` raises RuntimeError before the crawl begins

    @property
    def _passing(self) -> "Slot | None":
        """What the engine knows of responses and items that are under way in the spider and its pipelines."""
        return self._engine.scraper.slot if self._engine is not None else None

    def is_idle(self) -> bool:
        """Say whether nothing is asked for, under way or waiting in the scheduler."""
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
        """Say whether the crawl ends."""
        return self._ending is not None or self._passing is None or self._passing.closing is not None

    def hold(self) -> None:
        """Have no request go out."""
        if self._engine is not None:
            self._engine.pause()

    def go_on(self) -> None:
        """Have requests go out again, at once."""
        if self._engine is not None:
            self._engine.unpause()
            self._look()

    def _look(self) -> None:
        if self._engine is not None and self._engine._slot is not None:
            self._engine._slot.nextcall.schedule()

    async def passed(self) -> None:
        """Wait until all items have passed the pipelines or the crawl ends; have the engine look for requests then."""
        while True:
            await asyncio.sleep(PASSING_LOOKS)  # first of all: what was just yielded is not counted yet
            passing = self._passing
            if passing is None or self.is_closing():
                return
            if not passing.itemproc_size:
                self._look()
                return

    async def let_close(self) -> None:
        """Let a crawl close that has an item of `start` in its pipelines, which Scrapy waits for; never ends."""
        while True:
            await asyncio.sleep(CLOSING_LOOKS)
            passing, spider = self._passing, self._crawler.spider
            if passing is None or passing.closing is None or spider is None:
                continue
            if passing.is_idle() and not passing.closing.called:
                passing.closing.callback(spider)

    def end(self, reason: str) -> None:
        """End the crawl."""
        if self._engine is not None:  # in a task of its own: who calls this may be cancelled when the spider closes
            self._ending = asyncio.create_task(self._engine.close_spider_async(reason=reason))
