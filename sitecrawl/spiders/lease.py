"""Keeps the lease of a site while it is crawled."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from time import monotonic
from typing import Final

from sitecrawl.errors import DatabaseLostError, StorageError

logger = logging.getLogger(__name__)

RENEWALS: Final = 3
"""Times that a lease is renewed before it would run out."""


async def keep_lease(
    renew: Callable[[], Awaitable[bool]],
    seconds: float,
    site: str,
    *,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    clock: Callable[[], float] = monotonic,
) -> bool:
    """Renew a lease of so many seconds again and again; return False when it is lost, True when the database is.

    A renewal that fails is tried again at the next turn. The lease counts as lost when it was last renewed so long
    ago that it has run out: another process may have taken the site.
    """
    renewed = clock()
    while True:
        await sleep(seconds / RENEWALS)
        try:
            kept = await renew()
        except DatabaseLostError:
            return True
        except StorageError as error:
            kept = clock() - renewed < seconds
            logger.warning("%s: the lease could not be renewed (%s)", site, error)
        else:
            renewed = clock()
        if not kept:
            logger.error("%s: the lease was taken over; this crawl ends", site)
            return False
