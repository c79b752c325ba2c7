"""A time limit for one method on one page, visible to a watching process."""

import signal
from collections.abc import Callable
from time import monotonic
from types import FrameType, TracebackType
from typing import Any, Final

SECONDS: Final = 60.0
"""Maximum seconds of a method for one page."""


class PageTimeoutError(BaseException):
    """A method took too long for one page. Not an Exception, since methods and libraries catch those broadly."""


class Limit:
    """Raises PageTimeoutError in the main thread if its block runs too long; a block that catches it fails too.

    A block in C code, or one that catches even this error and goes on, does not end. So `running` is set when the block
    begins (to the monotonic time) and ends (to 0), and another process can end this one.
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
