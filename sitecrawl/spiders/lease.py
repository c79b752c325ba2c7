"""Renews the lease of a site while it is crawled."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from time import monotonic
from typing import Final

from sitecrawl.errors import DatabaseLostError, LeaseLostError, StorageError

logger = logging.getLogger(__name__)

RENEWALS: Final = 3
"""Renewals per lease period."""


async def keep_lease(
    renew: Callable[[], Awaitable[bool]],
    seconds: float,
    site: str,
    *,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    clock: Callable[[], float] = monotonic,
) -> bool:
    """Renew a lease of `seconds` until cancelled. Return False if the lease is lost, True if the database is lost.

    A failed renewal is retried after the usual interval. The lease counts as lost once its last renewal is older than
    `seconds`, since another process may have taken the site.
    """
    renewed = clock()
    while True:
        await sleep(seconds / RENEWALS)
        try:
            kept = await renew()
        except DatabaseLostError:
            return True
        except LeaseLostError:
            kept = False
        except StorageError as error:
            kept = clock() - renewed < seconds
            logger.warning("%s: the lease could not be renewed (%s)", site, error)
        else:
            renewed = clock()
        if not kept:
            logger.error("%s: the lease was taken over; this crawl ends", site)
            return False
