"""Crawls of several sites at once, each in its own process.

Why processes: parsing pages is CPU work, and a process uses one core; a page that exhausts memory, or a crash in a
library, ends the crawl of one site and not of all; memory is returned when a crawl ends. The price is the start of
Python, about a second of CPU time per site, unless `launcher.Forking` saves it.
"""

import asyncio
import contextlib
import errno
import signal
import sys
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from sitecrawl.exit_status import FAILED
from sitecrawl.fleet.launcher import Child, Forking, Spawning, lines

INTERRUPTIONS: Final = (signal.SIGINT, signal.SIGTERM)
NO_ROOM: Final = frozenset((errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE))
"""Errors by which a process cannot be started now: no process, memory or file is left."""


class Job(NamedTuple):
    """One crawl to run."""

    host: str
    arguments: Sequence[str]
    ended: Callable[[int], None]
    """Called in a thread with the exit status, negative if a signal ended it, before the next job is taken."""


class Processes:
    """Runs jobs, a fixed number at a time, until there are none left or the user stops."""

    def __init__(
        self,
        parallel: int,
        starting: Callable[[], Spawning | Forking],
        pauses: Sequence[float] = (0.5, 1.0, 2.0, 4.0, 8.0),
    ) -> None:
        """`pauses` are the seconds between attempts to start a crawl for which there is no room."""
        self.parallel = parallel
        self._pauses = pauses
        self._starting = starting
        self.results: dict[str, int] = {}
        """Exit status by host."""
        self.interruptions = 0
        self._children: set[Child] = set()

    def run(self, take: Callable[[], Job | None]) -> None:
        """Run the jobs that `take` returns until it returns None. `take` runs in a thread, never twice at once.

        The first SIGINT or SIGTERM ends the crawls in order, the second hurries them, the third kills them. Raises the
        exceptions of `take` and `Job.ended`, after all running crawls have ended.
        """
        asyncio.run(self._run(take))

    async def _run(self, take: Callable[[], Job | None]) -> None:
        loop = asyncio.get_running_loop()
        for number in INTERRUPTIONS:
            loop.add_signal_handler(number, self._interrupt)
        taking, starting = asyncio.Lock(), self._starting()
        failures: list[BaseException] = []

        async def work() -> None:
            while not failures and not self.interruptions:
                try:
                    async with taking:
                        job = None if failures or self.interruptions else await asyncio.to_thread(take)
                    if job is None:
                        return
                    await self._crawl(job, starting)
                except Exception as error:  # noqa: BLE001  (raised below, once the other crawls have ended)
                    failures.append(error)

        try:
            await asyncio.gather(*(work() for _ in range(self.parallel)))
        finally:
            for number in INTERRUPTIONS:
                loop.remove_signal_handler(number)
            await starting.close()
        if failures:
            raise failures[0]

    async def _crawl(self, job: Job, starting: Spawning | Forking) -> None:
        status = -signal.SIGINT
        try:
            if not self.interruptions:
                status = await self._child(job, starting)
        except OSError as error:
            if error.errno not in NO_ROOM:
                raise
            status = FAILED
            why = error.strerror or str(error)
            sys.stderr.write(
                f"sitecrawl: {job.host}: its crawl could not be started ({why}); the next run tries again\n"
            )
        finally:
            self.results[job.host] = status
            await asyncio.to_thread(job.ended, status)

    async def _child(self, job: Job, starting: Spawning | Forking) -> int:
        child = await self._started(job, starting)
        self._children.add(child)
        try:
            if self.interruptions:  # arrived while it was started
                child.send_signal(signal.SIGINT)
            if child.stderr is not None:
                await self._pass_on(job.host, child.stderr)
            return await child.wait()
        finally:
            self._children.discard(child)

    async def _started(self, job: Job, starting: Spawning | Forking) -> Child:
        """Start a crawl once there is room for it. Raises OSError if there is none after all pauses."""
        for pause in self._pauses:
            try:
                return await starting.start(job.arguments, piped=self.parallel > 1)
            except OSError as error:
                if error.errno not in NO_ROOM:
                    raise
            await asyncio.sleep(pause)
        return await starting.start(job.arguments, piped=self.parallel > 1)

    async def _pass_on(self, host: str, messages: asyncio.StreamReader) -> None:
        async for line in lines(messages):
            with contextlib.suppress(BrokenPipeError):
                sys.stderr.write(f"{host}: {line.rstrip()}\n")
                sys.stderr.flush()

    def _interrupt(self) -> None:
        self.interruptions += 1
        for child in self._children:
            with contextlib.suppress(ProcessLookupError):
                child.send_signal(signal.SIGINT if self.interruptions < 3 else signal.SIGKILL)
