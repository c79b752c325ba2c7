"""Turns of the pages of a process: one step of work in each round of the event loop.

The crawls of a process share an event loop. If all did the work of their pages as soon as they could, a round would
take as long as a step of each, answers would lie in their sockets meanwhile, and a site with large pages, which take
several rounds to read, would be asked less often than others. So steps get turns, one a round. Parsed pages go first,
so that few are in memory. Requests and pages to be parsed follow in the order in which they came: the sites of a
process that has more work than time are asked equally often, and no faster than their pages are read. Who is alone
does not wait.
"""

import asyncio
from collections import deque
from typing import Final
from weakref import WeakKeyDictionary

from sitecrawl.dom.page import Page

PAUSED_FROM: Final = 10_000
"""Nodes of a page before each of whose steps the event loop runs in any case."""


_Line = deque[asyncio.Future[None]]


class WorkTurns:
    """The line of one event loop."""

    def __init__(self) -> None:
        self._parsed: _Line = deque()
        self._further: _Line = deque()
        self._is_taken = False
        """Whether a step has had its turn in this round."""

    async def of_parsed(self) -> None:
        """Wait for the turn of the next step on a parsed page."""
        await self._turn(self._parsed)

    async def of_further(self) -> None:
        """Wait for the turn of a further page: to request it, to parse it, or to read it from the database."""
        await self._turn(self._further)

    async def _turn(self, line: _Line) -> None:
        loop = asyncio.get_running_loop()
        if not self._is_taken:
            self._is_taken = True
            loop.call_soon(self._next)
            return
        turn = loop.create_future()
        line.append(turn)
        await turn

    def _next(self) -> None:
        """Give the turn of this round to the first in line."""
        for line in (self._parsed, self._further):
            while line:
                turn = line.popleft()
                if not turn.done():  # who waited may have been cancelled
                    turn.set_result(None)
                    asyncio.get_running_loop().call_soon(self._next)
                    return
        self._is_taken = False


_TURNS: Final[WeakKeyDictionary[asyncio.AbstractEventLoop, WorkTurns]] = WeakKeyDictionary()


def work_turns() -> WorkTurns:
    """Return the line of the running event loop."""
    return _TURNS.setdefault(asyncio.get_running_loop(), WorkTurns())


async def pause(page: Page) -> None:
    """Wait for the turn of the next step on a page; the event loop runs first if the page is large."""
    if len(page.flat) > PAUSED_FROM:
        await asyncio.sleep(0)
    await work_turns().of_parsed()
