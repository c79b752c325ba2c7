"""Crawls many sites in a few processes: this process has the jobs, and the others request them.

Each process crawls many sites at once on one event loop (`spiders.site_worker`). Whenever it has a free place it
requests a job over a socket (`fleet.job_channel`), and it reports the result of each crawl. A process is started only
if there is a job for it; one that reaches a limit ends and is replaced.

If a process dies, it is unknown which of its crawls caused that. Each is tried once more in a process of its own: the
harmless ones succeed, and the harmful one affects no other crawl.
"""

import asyncio
import contextlib
import errno
import signal
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple

from sitecrawl.exit_status import FAILED
from sitecrawl.fleet.job_channel import ENDED, GREETING, SOCKET, TAKE, JobMessage, read, write
from sitecrawl.fleet.launcher import Child, Forking, Spawning
from sitecrawl.plurals import counted

INTERRUPTIONS: Final = (signal.SIGINT, signal.SIGTERM)
NO_ROOM: Final = frozenset((errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE))
"""Errors that mean that no process can be started now: the limit of processes, memory or open files is reached."""

LAST_WORDS: Final = 5.0
"""Seconds in which the last messages of an ended process are read; a child process may keep the socket open."""


class Job(NamedTuple):
    """One crawl to run."""

    message: JobMessage
    ended: Callable[[int], None]
    """Called in a thread with the exit status, negative if a signal ended its process."""
    again: Callable[[], bool] = lambda: True
    """Called in a thread before a job whose process died is assigned again; returns whether it may be."""


@dataclass(slots=True, eq=False)
class _Process:
    """One of the processes, or its successor after it ended."""

    number: int
    places: int
    jobs: dict[int, Job] = field(default_factory=dict)
    """Jobs assigned to it that have not ended, by site."""
    first: Job | None = None
    """The job for which it is started."""
    talk: asyncio.Task[None] | None = None
    """The task that answers its messages."""
    talking: bool = False
    """Whether it is connected."""
    alone: bool = False
    """Whether it runs a job whose previous process died; it is given no other job meanwhile."""


class Processes:
    """Runs jobs in a number of processes until none is left or the user stops them."""

    def __init__(
        self,
        places: Sequence[int],
        starting: Callable[[], Spawning | Forking],
        arguments: Callable[[str, int], Sequence[str]],
        pauses: Sequence[float] = (0.5, 1.0, 2.0, 4.0, 8.0),
    ) -> None:
        """`places` contains each process's number of concurrent crawls; `arguments` is given a socket and that number.

        `pauses` are the seconds between attempts to start a process for which there is no room.
        """
        self._processes = [_Process(number, one) for number, one in enumerate(places)]
        self._starting, self._arguments, self._pauses = starting, arguments, pauses
        self.results: dict[str, int] = {}
        """Exit status by host."""
        self.interruptions = 0
        self._children: set[Child] = set()
        self._failures: list[BaseException] = []
        self._suspects: list[Job] = []
        """Jobs whose process died; each is tried again alone."""
        self._exhausted = False

    def run(self, take: Callable[[], Job | None]) -> None:
        """Run the jobs that `take` returns until it returns None. `take` runs in a thread, one call at a time.

        The first SIGINT or SIGTERM stops the crawls properly, the second hurries them, the third kills them. Raises the
        exceptions of `take`, `Job.again` and `Job.ended`, after all running crawls have ended.
        """
        asyncio.run(self._run(take))

    async def _run(self, take: Callable[[], Job | None]) -> None:
        self._take, self._taking, self._changed = take, asyncio.Lock(), asyncio.Event()
        loop = asyncio.get_running_loop()
        for number in INTERRUPTIONS:
            loop.add_signal_handler(number, self._interrupt)
        starting = self._starting()
        with tempfile.TemporaryDirectory(prefix="sitecrawl-") as folder:
            path = str(Path(folder, SOCKET))
            server = await asyncio.start_unix_server(self._serve, path)
            try:
                await asyncio.gather(*(self._keep(one, starting, path) for one in self._processes))
            finally:
                server.close()
                for number in INTERRUPTIONS:
                    loop.remove_signal_handler(number)
                await starting.close()
        if self._failures:
            raise self._failures[0]

    # Processes ------------------------------------------------------------------------------------------------

    async def _keep(self, process: _Process, starting: Spawning | Forking, path: str) -> None:
        """Run a process as long as there are jobs for it, and restart it whenever it ends."""
        while (job := await self._guarded(process)) is not None:
            process.first = job
            try:
                status = await self._child(process, starting, path)
            except OSError as error:
                if error.errno not in NO_ROOM:
                    self._failures.append(error)
                why = error.strerror or str(error)
                sys.stderr.write(f"sitecrawl: no process could be started ({why}); the next run tries again\n")
                await self._lost(process, FAILED, retry=False)
                return
            await self._lost(process, status, retry=True)

    async def _child(self, process: _Process, starting: Spawning | Forking, path: str) -> int:
        child = await self._started(process, starting, path)
        self._children.add(child)
        try:
            if self.interruptions:  # a signal arrived while the process was being started
                child.send_signal(signal.SIGINT)
            return await child.wait()
        finally:
            self._children.discard(child)

    async def _started(self, process: _Process, starting: Spawning | Forking, path: str) -> Child:
        """Start a process as soon as the system allows it. Raises OSError if it does not after all pauses."""
        arguments = [*self._arguments(f"{path}:{process.number}", process.places)]
        for pause in self._pauses:
            try:
                return await starting.start(arguments, piped=False)
            except OSError as error:
                if error.errno not in NO_ROOM:
                    raise
            await asyncio.sleep(pause)
        return await starting.start(arguments, piped=False)

    async def _lost(self, process: _Process, status: int, *, retry: bool) -> None:
        """Handle the unfinished jobs of an ended process: try each once more alone, or report its end."""
        if process.talk is not None:  # read the messages that it sent before it ended
            await asyncio.wait([process.talk], timeout=LAST_WORDS)
        left, was_alone = list(process.jobs.values()), process.alone
        process.first, process.alone = None, False
        for job in left:
            site = job.message.site
            if retry and not was_alone and not self._is_ending() and await self._may_again(job):
                del process.jobs[site]
                self._suspects.append(job)
            else:
                await self._end(process, site, -signal.SIGINT if self.interruptions else status or FAILED)
        if self._suspects and left:
            many = counted(len(left), "crawl")
            sys.stderr.write(f"sitecrawl: a process {_ending(status)}, with {many}; each is resumed alone\n")
        self._changed.set()

    async def _may_again(self, job: Job) -> bool:
        """Return whether a job may be assigned again."""
        try:
            return await asyncio.to_thread(job.again)
        except Exception as error:  # noqa: BLE001  (raised by `run`, once the other crawls have ended)
            self._failures.append(error)
            return False

    def _is_ending(self) -> bool:
        return bool(self._failures or self.interruptions)

    def _interrupt(self) -> None:
        self.interruptions += 1
        self._changed.set()
        for child in self._children:
            with contextlib.suppress(ProcessLookupError):
                child.send_signal(signal.SIGINT if self.interruptions < 3 else signal.SIGKILL)

    # Jobs -----------------------------------------------------------------------------------------------------

    async def _guarded(self, process: _Process, *, asked: bool = False) -> Job | None:
        """Return the next job for a process; None if there is none, the run is ending, or the process disconnected."""
        try:
            return await self._next(process, asked=asked)
        except Exception as error:  # noqa: BLE001  (raised by `run`, once the other crawls have ended)
            self._failures.append(error)
            self._changed.set()
            return None

    async def _next(self, process: _Process, *, asked: bool) -> Job | None:
        """Return the next job for a process. A suspect is assigned only to a process without other jobs."""
        while not self._is_ending() and (process.talking or not asked):
            if self._suspects and not process.jobs:
                process.alone = True
                return self._given(process, self._suspects.pop(0))
            if not process.alone and not self._exhausted:
                async with self._taking:
                    job = None if self._exhausted or self._is_ending() else await asyncio.to_thread(self._take)
                    self._exhausted |= job is None
                if job is not None:
                    return self._given(process, job)
            elif self._exhausted and not self._suspects:
                return None
            else:
                self._changed.clear()
                await self._changed.wait()
        return None

    def _given(self, process: _Process, job: Job) -> Job:
        process.jobs[job.message.site] = job
        return job

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one process until it disconnects."""
        answers: set[asyncio.Task[None]] = set()
        process: _Process | None = None
        try:
            greeting = await read(reader)
            if greeting is None:
                return
            process = self._processes[int(greeting[GREETING])]
            process.talking, process.talk = True, asyncio.current_task()
            while (message := await read(reader)) is not None:
                if TAKE in message:
                    answers.add(asyncio.create_task(self._answer(process, writer)))
                elif message[ENDED] in process.jobs:
                    await self._end(process, int(message[ENDED]), int(message["status"]))
        except ConnectionError:
            pass  # it was killed
        except Exception as error:  # noqa: BLE001  (raised by `run`, once the other crawls have ended)
            self._failures.append(error)
        finally:
            if process is not None and process.talk is asyncio.current_task():
                process.talking = False
            self._changed.set()
            await asyncio.gather(*answers)  # a job that is being taken for it is not lost
            writer.close()

    async def _answer(self, process: _Process, writer: asyncio.StreamWriter) -> None:
        """Send a process a job, or the message that there is none."""
        job, process.first = process.first, None
        if job is None or self._is_ending():
            job = await self._guarded(process, asked=True)
        with contextlib.suppress(ConnectionError):
            await write(writer, job.message.as_json() if job is not None else {})

    async def _end(self, process: _Process, site: int, status: int) -> None:
        """Record and report the end of a crawl."""
        job = process.jobs[site]
        self.results[job.message.host] = status
        try:
            await asyncio.to_thread(job.ended, status)
        except Exception as error:  # noqa: BLE001  (raised by `run`, once the other crawls have ended)
            self._failures.append(error)
        finally:
            del process.jobs[site]
            process.alone = process.alone and bool(process.jobs)
            self._changed.set()


def _ending(status: int) -> str:
    return f"was ended by signal {-status}" if status < 0 else f"ended with status {status}"
