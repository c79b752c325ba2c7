"""Pauses within a crawl that end when it is stopped, so that a long one does not delay the end."""

import asyncio
import math
from typing import Final

from scrapy.crawler import Crawler

SLICE: Final = 0.5
"""Seconds between checks, during a pause, whether the crawl is stopping."""


def is_stopping(crawler: Crawler) -> bool:
    """Return whether a crawl is ending, in order or by a signal; False before its engine runs."""
    slot = crawler._engine._slot if crawler._engine is not None else None
    return slot is not None and slot.closing is not None


async def pause(crawler: Crawler, seconds: float) -> None:
    """Sleep, but no longer than until the crawl is stopping."""
    for i in range(math.ceil(seconds / SLICE)):
        if is_stopping(crawler):
            return
        await asyncio.sleep(min(SLICE, seconds - i * SLICE))
