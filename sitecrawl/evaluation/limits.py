"""A time limit for one method on one page, which another process can watch."""

import signal
from collections.abc import Callable
from time import monotonic
from types import FrameType, TracebackType
from typing import Any, Final

SECONDS: Final = 60.0
"""Maximum seconds of a method for one page."""


class PageTimeoutError(BaseException):
    """A method took too long for one page. It is not an Exception, since methods and libraries catch any Exception."""


class Limit:
    """A context manager that raises PageTimeoutError in the main thread if its block runs too long.

    A block that catches the error fails when it ends. A block in C code, or one that catches the error and goes on, is
    not interrupted; so `running` is called with the monotonic time when the block begins and with 0 when it ends, and
    another process can kill this one.
    """

    def __init__(self, seconds: float, running: Callable[[float], None] = lambda began: None) -> None:
        self.seconds = seconds
        self.running = running
        self._passed = False
        self._before: Any = None

    def __enter__(self) -> None:
        self.running(monotonic())
        self._before = signal.signal(signal.SIGALRM, self._stop)
        signal.setitimer(signal.ITIMER_REAL, self.seconds)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            signal.setitimer(signal.ITIMER_REAL, 0)
        finally:
            signal.signal(signal.SIGALRM, self._before)
            self.running(0.0)
        if self._passed and kind is not PageTimeoutError:
            raise self._error()

    def _stop(self, _signal: int, _frame: FrameType | None) -> None:
        self._passed = True
        raise self._error()

    def _error(self) -> PageTimeoutError:
        return PageTimeoutError(f"over {self.seconds:g} s")
