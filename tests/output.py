"""Reads the output of a process line by line; a line that does not arrive in time fails the test with a message."""

import contextlib
import queue
import threading
from typing import IO

SECONDS = 300.0
"""Seconds to wait for a line: long enough for a busy machine, shorter than the time limit of a test."""


class Output:
    """The lines that a process writes to a pipe, read in a thread; nothing else may read the pipe."""

    def __init__(self, file: IO[str], seconds: float = SECONDS) -> None:
        self._lines: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._seconds, self._said = seconds, ""
        threading.Thread(target=self._read, args=(file,), daemon=True).start()

    def _read(self, file: IO[str]) -> None:
        with contextlib.suppress(OSError, ValueError):  # the pipe was closed
            for line in file:
                self._lines.put(line)
        self._lines.put("")

    def line(self) -> str:
        """Return the next line, or "" when the pipe has ended. Raises AssertionError after a time limit."""
        try:
            line = self._lines.get(timeout=self._seconds)
        except queue.Empty:
            raise AssertionError(f"no line in {self._seconds} s after {self._said!r}") from None
        if not line:
            self._lines.put("")  # for whoever asks again
        self._said = (self._said + line)[-2000:]
        return line

    def rest(self) -> str:
        """Return all lines until the pipe ends. Raises AssertionError if one does not arrive in time."""
        return "".join(iter(self.line, ""))
