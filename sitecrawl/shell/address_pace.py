"""The rate of requests to one address, shared by all crawls of a process.

Sites that share a server share one request rate: a request to its address waits until the delay of the previous
request, of whichever site, has passed. Requests are served in the order of their calls, so no site waits for long. On a
busy machine the event loop sends requests late, so the duration of one round of the loop is added to the delay. The
latency of a response shows the latest moment at which its request was sent; the delay then counts from that moment.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from time import monotonic
from typing import Final

from sitecrawl.shell.internet import IpAddress

KEPT: Final = 1_000
"""Number of addresses above which unused ones are forgotten."""
ANSWERS: Final = 100
"""Number of responses of an address whose latencies are remembered."""


class AddressPace:
    """The earliest time of the next request to each address."""

    def __init__(
        self,
        clock: Callable[[], float] = monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._clock, self._sleep = clock, sleep
        self._free_at: dict[str, float] = {}
        self._lines: dict[str, asyncio.Lock] = {}
        self._latencies: dict[str, deque[float]] = {}
        """Latencies of the last responses by address, in seconds."""

    async def turn(self, address: str, delay: float) -> None:
        """Wait for the turn of a request; the address is then busy for `delay` seconds."""
        if delay <= 0 or not address:
            return
        if len(self._free_at) > KEPT:
            self._forget()
        async with self._lines.setdefault(address, asyncio.Lock()):
            # Meanwhile the response to the previous request may arrive, and show that that request was sent late.
            while (left := self._free_at.get(address, 0.0) - self._clock()) > 0:
                await self._sleep(left)
            woken = self._clock()
            await self._sleep(0)
            now = self._clock()
            # A busy event loop sends this request about as late as it resumed here, but the next one perhaps in time.
            self._free_at[address] = now + delay + (now - woken)

    def answered(self, address: str, sent: float, latency: float, delay: float) -> None:
        """Move the start of the delay to the latest moment at which an answered request may have been sent.

        `sent` is the time at which it was passed on, and the headers of the response arrived `latency` seconds later.
        The part of the latency above the minimum of the last responses may have passed before the request was sent. At
        most one `delay` is added.
        """
        if delay <= 0 or not address:
            return
        latencies = self._latencies.setdefault(address, deque(maxlen=ANSWERS))
        latencies.append(latency)
        late = min(latency - min(latencies), delay)
        self._free_at[address] = max(self._free_at.get(address, 0.0), sent + late + delay)

    def _forget(self) -> None:
        """Forget the addresses that are free and for which no request waits."""
        moment = self._clock()
        for address in [one for one, free in self._free_at.items() if free <= moment]:
            line = self._lines.get(address)
            if line is None or not line.locked():
                self._lines.pop(address, None)
                self._latencies.pop(address, None)
                del self._free_at[address]


def shared_address(addresses: Sequence[IpAddress]) -> str:
    """Return the lowest of a host's addresses, which identifies its server in any order of addresses; "" for none."""
    return str(min(addresses, key=lambda one: (one.version, int(one)))) if addresses else ""
