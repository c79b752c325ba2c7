"""Schedules the CPU work of the crawls of a process: one step of work in each iteration of the event loop.

The crawls of a process share an event loop. Without this, an iteration would take as long as one step of every crawl,
while responses wait in their sockets; and a site with large pages, which take several iterations to read, would be
requested less often than others. So each step waits for its turn, one per iteration:

- Steps on parsed pages go first, so that few pages are in memory.
- Requests and pages to be parsed follow, those of the site with the fewest requests first. So an overloaded process
  requests all its sites equally often, and no faster than it reads their pages.

The only crawl of a process does not wait.
"""

import asyncio
import itertools
from collections import deque
from collections.abc import Iterator
from heapq import heappop, heappush
from typing import Final
from weakref import WeakKeyDictionary

from sitecrawl.dom.page import Page

PAUSED_FROM: Final = 10_000
"""Nodes of a page above which the event loop runs before each step of the page in any case."""
BEHIND: Final = 4
"""Maximum requests by which a site counts as behind the site with the most: a larger deficit is not caught up."""


_Turn = asyncio.Future[None]


class WorkTurns:
    """The steps that wait for a turn in one event loop, in their order."""

    def __init__(self) -> None:
        self._parsed: deque[_Turn] = deque()
        self._further: list[tuple[int, int, _Turn]] = []
        """A heap of (requests to the site, order of arrival, turn)."""
        self._requests: dict[int, int] = {}
        """Number of requests by site id, for all sites that the process has crawled."""
        self._most = 0
        """The highest number of requests to a site when one of its steps had its turn."""
        self._comes = itertools.count()
        self._is_taken = False
        """Whether a step has had its turn in this iteration."""

    async def of_parsed(self) -> None:
        """Wait for the turn of the next step on a parsed page."""
        if not self._is_free():
            turn = asyncio.get_running_loop().create_future()
            self._parsed.append(turn)
            await turn

    async def of_request(self, site_id: int) -> None:
        """Wait for the turn of a request to a site."""
        self._requests[site_id] = self._requests_of(site_id) + 1
        await self.of_page(site_id)

    async def of_page(self, site_id: int) -> None:
        """Wait for the turn of an unparsed page of a site: to parse it, or to read it from the database."""
        requests = self._requests_of(site_id)
        if self._is_free():
            self._most = max(self._most, requests)
        else:
            turn = asyncio.get_running_loop().create_future()
            heappush(self._further, (requests, next(self._comes), turn))
            await turn

    def _requests_of(self, site_id: int) -> int:
        return max(self._requests.get(site_id, 0), self._most - BEHIND)

    def _is_free(self) -> bool:
        """Return whether the turn of this iteration is free, and take it if so."""
        if self._is_taken:
            return False
        self._is_taken = True
        asyncio.get_running_loop().call_soon(self._next)
        return True

    def _next(self) -> None:
        """Give the turn of this iteration to the first waiting step."""
        for turn in self._in_order():
            if not turn.done():  # the waiting task may have been cancelled
                turn.set_result(None)
                asyncio.get_running_loop().call_soon(self._next)
                return
        self._is_taken = False

    def _in_order(self) -> Iterator[_Turn]:
        """Yield the waiting turns in their order, removing each."""
        while self._parsed:
            yield self._parsed.popleft()
        while self._further:
            requests, _, turn = heappop(self._further)
            self._most = max(self._most, requests)
            yield turn


_TURNS: Final[WeakKeyDictionary[asyncio.AbstractEventLoop, WorkTurns]] = WeakKeyDictionary()


def work_turns() -> WorkTurns:
    """Return the turns of the running event loop."""
    return _TURNS.setdefault(asyncio.get_running_loop(), WorkTurns())


async def pause(page: Page) -> None:
    """Wait for the turn of the next step on a page; the event loop runs first if the page is large."""
    if len(page.flat) > PAUSED_FROM:
        await asyncio.sleep(0)
    await work_turns().of_parsed()
