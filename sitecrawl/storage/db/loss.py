"""The loss of a database or of a lease: afterwards nothing is written, and waiting callers are woken."""

import asyncio
import threading
from collections.abc import Callable
from typing import Any, Generic, TypeVar, TypeVarTuple

from sitecrawl.errors import WritingEndedError

E = TypeVar("E", bound=WritingEndedError)
Ts = TypeVarTuple("Ts")


class Loss(Generic[E]):
    """The error that ended all writing, if there is one. Any thread may use it."""

    def __init__(self) -> None:
        self.error: E | None = None
        self._lock = threading.Lock()
        self._waiting: list[Callable[[], object]] = []

    def note(self, error: E) -> None:
        """Record the error, and call the functions registered by `call`."""
        with self._lock:
            self.error, waiting = error, self._waiting
        for do in waiting:
            do()

    def call(self, do: Callable[[], object]) -> None:
        """Register a function to be called, in any thread, once the error is known; at once if it is."""
        with self._lock:
            if self.error is None:
                self._waiting.append(do)
                return
        do()


async def until_any(*losses: Loss[Any]) -> None:
    """Wait until one of these losses is known."""
    loop, known = asyncio.get_running_loop(), asyncio.Event()
    for loss in losses:
        loss.call(lambda: call_in_loop(loop, known.set))
    await known.wait()


def call_in_loop(loop: asyncio.AbstractEventLoop, function: Callable[[*Ts], object], *arguments: *Ts) -> bool:
    """Call a function in an event loop, from another thread; return False if the loop is closed."""
    try:
        loop.call_soon_threadsafe(function, *arguments)
    except RuntimeError:
        return False
    return True
