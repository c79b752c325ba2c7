"""Limits how many pages are fetched at once, so that slow sites do not keep the service from answering for others."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from sitecrawl.errors import ServiceBusyError

FETCHES: Final = 32
"""Maximum number of pages that are fetched at once; a body takes up to `DOWNLOAD_MAXSIZE` of memory [OWN]."""
OF_HOST: Final = 8
"""Maximum number of them of one host [OWN]."""
PATIENCE: Final = 5.0
"""Seconds that a request waits for its place before it is refused [OWN]."""


class Places:
    """The places for pages that are being fetched."""

    def __init__(self, fetches: int = FETCHES, of_host: int = OF_HOST, patience: float = PATIENCE) -> None:
        self._of_host, self._patience = of_host, patience
        self._all = asyncio.Semaphore(fetches)
        self._hosts: dict[str, asyncio.Semaphore] = {}
        self._asking: dict[str, int] = {}
        """Number of requests that have a place for a host, or wait for one."""

    @asynccontextmanager
    async def place(self, host: str) -> AsyncIterator[None]:
        """Hold a place for a page of a host. Raises ServiceBusyError if none becomes free in time."""
        self._asking[host] = self._asking.get(host, 0) + 1
        own = self._hosts.setdefault(host, asyncio.Semaphore(self._of_host))
        try:
            await self._acquire(own, f"{host} is slow, and other pages of it are being fetched")
            try:
                await self._acquire(self._all, "too many slow pages are being fetched")
                try:
                    yield
                finally:
                    self._all.release()
            finally:
                own.release()
        finally:
            self._asking[host] -= 1
            if not self._asking[host]:
                del self._asking[host], self._hosts[host]

    async def _acquire(self, places: asyncio.Semaphore, why: str) -> None:
        try:
            async with asyncio.timeout(self._patience):
                await places.acquire()
        except TimeoutError as error:
            raise ServiceBusyError(f"{why}; ask again in a while") from error
