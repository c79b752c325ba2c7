"""Turns of the pages of a process: one step of work in each round of the event loop.

The crawls of a process share an event loop. Without turns a round would take as long as one step of each crawl, and
answers would wait in their sockets meanwhile. A site with large pages, which take several rounds to read, would be
asked less often than others. So steps get turns, one a round:

- Steps on parsed pages go first, so that few pages are in memory.
- Requests and pages to be parsed follow, those of the site with the fewest requests first. So a process with more work
  than time asks its sites equally often, and no faster than it reads their pages.

A crawl that is alone does not wait.
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
"""Nodes of a page before each of whose steps the event loop runs in any case."""
BEHIND: Final = 4
"""Maximum requests by which a site lags behind the site with most: a site that was rarely asked catches up no more."""


_Turn = asyncio.Future[None]


class WorkTurns:
    """The steps that wait for a turn in one event loop, in their order."""

    def __init__(self) -> None:
        self._parsed: deque[_Turn] = deque()
        self._further: list[tuple[int, int, _Turn]] = []
        """A heap of (requests to the site, number in the order of coming, turn)."""
        self._requests: dict[int, int] = {}
        """By site id, of all sites that the process has crawled."""
        self._most = 0
        """The requests to the site with most, of those that had a turn."""
        self._comes = itertools.count()
        self._is_taken = False
        """Whether a step has had its turn in this round."""

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
        """Wait for the turn of a page of a site that is not parsed: to parse it, or to read it from the database."""
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
        """Take the turn of this round and return True, if nobody has it."""
        if self._is_taken:
            return False
        self._is_taken = True
        asyncio.get_running_loop().call_soon(self._next)
        return True

    def _next(self) -> None:
        """Give the turn of this round to the first in line."""
        for turn in self._in_order():
            if not turn.done():  # who waited may have been cancelled
                turn.set_result(None)
                asyncio.get_running_loop().call_soon(self._next)
                return
        self._is_taken = False

    def _in_order(self) -> Iterator[_Turn]:
        """Take those that wait out of the line, one by one."""
        while self._parsed:
            yield self._parsed.popleft()
        while self._further:
            requests, _, turn = heappop(self._further)
            self._most = max(self._most, requests)
            yield turn


_TURNS: Final[WeakKeyDictionary[asyncio.AbstractEventLoop, WorkTurns]] = WeakKeyDictionary()


def work_turns() -> WorkTurns:
    """Return the line of the running event loop."""
    return _TURNS.setdefault(asyncio.get_running_loop(), WorkTurns())


async def pause(page: Page) -> None:
    """Wait for the turn of the next step on a page; the event loop runs first if the page is large."""
    if len(page.flat) > PAUSED_FROM:
        await asyncio.sleep(0)
    await work_turns().of_parsed()
