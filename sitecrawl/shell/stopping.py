"""Pauses within a crawl that end when the crawl is stopped, so that a long pause does not delay its end."""

import asyncio
import math
from typing import Final

from scrapy.crawler import Crawler

SLICE: Final = 0.5
"""Seconds between checks, during a pause, whether the crawl is stopping."""


def is_stopping(crawler: Crawler) -> bool:
    """Return whether a crawl is ending, normally or because of a signal; False before its engine runs."""
    slot = crawler._engine._slot if crawler._engine is not None else None
    return slot is not None and slot.closing is not None


async def pause(crawler: Crawler, seconds: float) -> None:
    """Sleep for some seconds, or until the crawl is stopped."""
    for i in range(math.ceil(seconds / SLICE)):
        if is_stopping(crawler):
            return
        await asyncio.sleep(min(SLICE, seconds - i * SLICE))
