"""Keeps the processes of a worker running: replaces those that end, and forwards signals.

A process that ends with the status `NO_MORE` is not replaced: it has nothing left to do.

The first SIGTERM or SIGINT drains them: each stops its crawls properly. The second kills them.
"""

import asyncio
import contextlib
import signal
import sys
from collections.abc import Callable, Sequence
from time import monotonic
from typing import Final

from sitecrawl.exit_status import FAILED, PARTIAL
from sitecrawl.fleet.launcher import Child, Forking, Spawning, lines
from sitecrawl.fleet.processes import INTERRUPTIONS
from sitecrawl.fleet.restarts import Restart

REPORT: Final = "\x1e"
"""First character of a line in which a process reports its crawls; it is not passed on."""
NO_MORE: Final = 64
"""Exit status of a process that must not be replaced."""
NO_START: Final = -1
"""Status of a process that could not be started."""


class Supervisor:
    """A number of processes of the same command."""

    def __init__(
        self,
        number: int,
        starting: Callable[[], Spawning | Forking],
        arguments: Sequence[str],
        heard: Callable[[int, str], None] | None = None,
        first: Sequence[str] = (),
    ) -> None:
        """`heard` is called with the number of a process and each line that it writes to stderr.

        Without it, the processes share the stderr of this one.

        `first` contains additional arguments of the first process.
        """
        self.number = number
        self._starting = starting
        self._arguments = arguments
        self._first = first
        self._heard = heard
        self._children: set[Child] = set()
        self._stopped = asyncio.Event()
        self.died = 0
        """Number of processes that did not end properly."""
        self.left = False
        """Whether a process that a signal ended did not release all its sites."""
        self.interruptions = 0
        self.killed = 0
        """Number of processes that a second signal killed."""

    def run(self) -> None:
        """Run until all processes have ended, because of a signal or because they have nothing left to do."""
        asyncio.run(self._run())

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        for number in INTERRUPTIONS:
            loop.add_signal_handler(number, self.interrupt)
        starting = self._starting()
        try:
            await asyncio.gather(*(self._keep(number, starting) for number in range(self.number)))
        finally:
            for number in INTERRUPTIONS:
                loop.remove_signal_handler(number)
            await starting.close()

    def interrupt(self) -> None:
        """Drain the processes at the first call, kill them at the second."""
        self.interruptions += 1
        self._stopped.set()
        for child in self._children:
            with contextlib.suppress(ProcessLookupError):
                child.send_signal(signal.SIGTERM if self.interruptions == 1 else signal.SIGKILL)
                self.killed += self.interruptions == 2

    async def _keep(self, number: int, starting: Spawning | Forking) -> None:
        """Run a process, and restart it whenever it ends."""
        restart = Restart()
        while not self._stopped.is_set():
            begun = monotonic()
            status = await self._child(number, starting)
            if self._stopped.is_set() or status == NO_MORE:
                self.left |= status in (FAILED, PARTIAL)
                return
            self.died += bool(status)
            restart = restart.after(monotonic() - begun, status)
            if status:
                self._say(number, f"process {number + 1} {_ending(status)}; another begins in {restart.pause:.0f} s")
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._stopped.wait(), restart.pause)

    async def _child(self, number: int, starting: Spawning | Forking) -> int:
        arguments = [*self._arguments, *(self._first if number == 0 else ())]
        try:
            child = await starting.start(arguments, piped=self._heard is not None)
        except OSError as error:
            self._say(number, f"a process could not be started: {error.strerror or error}")
            return NO_START
        self._children.add(child)
        try:
            if self._stopped.is_set():  # a signal arrived while the process was being started
                child.send_signal(signal.SIGTERM)
            if child.stderr is not None:
                await self._listen(number, child.stderr)
            return await child.wait()
        finally:
            self._children.discard(child)

    async def _listen(self, number: int, messages: asyncio.StreamReader) -> None:
        async for line in lines(messages):
            if self._heard is not None:
                self._heard(number, line)

    def _say(self, number: int, line: str) -> None:
        if self._heard is not None:
            self._heard(number, f"sitecrawl: {line}")
        else:
            sys.stderr.write(f"sitecrawl: {line}\n")
            sys.stderr.flush()


def _ending(status: int) -> str:
    return f"was ended by signal {-status}" if status < 0 else f"ended with status {status}"
