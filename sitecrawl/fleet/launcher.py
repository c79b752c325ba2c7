"""Starts the process of a crawl, either as a new Python or as a fork of a process with all modules imported."""

import asyncio
import contextlib
import ctypes
import itertools
import json
import os
import signal
import socket
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Sequence
from typing import Final, Protocol

from sitecrawl.fleet.forkserver import MESSAGE

LINE: Final = 2**20
"""Maximum length of a child's log line that is passed on."""
FULL: Final = 0.01
"""Seconds between attempts to send a message to the starter while it is busy."""
LOOK: Final = 0.2
"""Seconds between checks for the end of a process whose starter is gone."""
ADOPT: Final = 36
"""PR_SET_CHILD_SUBREAPER of prctl(2): orphaned descendants become children of this process."""


async def lines(messages: asyncio.StreamReader) -> AsyncIterator[str]:
    """Yield the lines that a process writes until it closes the pipe; lines longer than `LINE` are left out."""
    while True:
        try:
            line = await messages.readline()
        except ValueError:  # the line is too long, and the reader has dropped it
            continue
        if not line:
            return
        yield line.decode("utf-8", "replace").rstrip("\n")


class Child(Protocol):
    """A started process."""

    @property
    def stderr(self) -> asyncio.StreamReader | None:
        """The stderr of the process; None if it is not piped."""
        ...

    def send_signal(self, signal: int, /) -> None:
        """Send a signal to it. Raises ProcessLookupError."""
        ...

    async def wait(self) -> int:
        """Wait until the process ends; return its exit status, negative if a signal ended it."""
        ...


class Spawning:
    """Starts a new Python for each crawl, which costs about a second of CPU time."""

    def __init__(self, *command: str) -> None:
        self.command = command

    async def start(self, arguments: Sequence[str], *, piped: bool) -> Child:
        """Start the command with additional arguments; with `piped`, this process reads its stderr."""
        return await asyncio.create_subprocess_exec(
            *self.command,
            *arguments,
            stderr=PIPE if piped else None,
            limit=LINE,
            start_new_session=True,  # Ctrl-C reaches only this process, which passes it on to its children
        )

    async def close(self) -> None:
        """Do nothing: there is nothing to release."""


class _Fork:
    """A process forked by the starter."""

    def __init__(self, number: int, owner: "Forking") -> None:
        loop = asyncio.get_running_loop()
        self._number, self._owner = number, owner
        self.begun: asyncio.Future[bool] = loop.create_future()
        self.ended: asyncio.Future[int] = loop.create_future()
        self.stderr: asyncio.StreamReader | None = None
        self.process = 0

    def send_signal(self, number: int, /) -> None:
        if self.ended.done():
            raise ProcessLookupError
        if self._owner.lost:
            os.kill(self.process, number)
        else:
            self._owner.queue({"signal": self._number, "what": int(number)})

    async def wait(self) -> int:
        return await self.ended

    async def outlive(self) -> None:
        """Wait for the end of this process, whose starter is gone, so that it is now a child of the current process."""
        status = _status(self.process)
        while status is None:
            await asyncio.sleep(LOOK)
            status = _status(self.process)
        self.ended.set_result(status)


class Forking:
    """Forks each crawl from one process that has imported its modules; falls back to a new Python.

    `main` is `module:function`; the arguments of a crawl follow `name` in its `sys.argv`. Linux only: elsewhere system
    libraries do not survive a fork, or there is none.
    """

    def __init__(self, main: str, name: str, modules: Sequence[str], otherwise: Spawning) -> None:
        self.main, self.name, self.modules, self.otherwise = main, name, modules, otherwise
        self._numbers = itertools.count()
        self._forks: dict[int, _Fork] = {}
        self._lock = asyncio.Lock()
        self._starter: Process | None = None
        self._connection: socket.socket | None = None
        self._unsent: asyncio.Queue[tuple[bytes, list[int]]] = asyncio.Queue()
        self._sending: asyncio.Task[None] | None = None
        self._orphans: list[asyncio.Task[None]] = []
        self.lost = sys.platform != "linux"

    async def start(self, arguments: Sequence[str], *, piped: bool) -> Child:
        """Start a crawl; with `piped`, this process reads its stderr. Raises OSError if no process can be started."""
        async with self._lock:
            if self._starter is None and not self.lost:
                await self._begin()
        message = json.dumps({"start": (number := next(self._numbers)), "arguments": [self.name, *arguments]})
        if self.lost or len(message) > MESSAGE // 8:
            return await self.otherwise.start(arguments, piped=piped)
        fork = self._forks[number] = _Fork(number, self)
        files = []
        if piped:
            theirs, ours = await _pipe()
            files.append(theirs)
            fork.stderr = ours
        self._unsent.put_nowait((message.encode(), files))
        if await fork.begun:
            return fork
        return await self.otherwise.start(arguments, piped=piped)

    async def _begin(self) -> None:
        _adopt_orphans()
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        ours.setblocking(False)
        handle = theirs.fileno()
        with theirs:
            self._starter = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "sitecrawl.fleet.forkserver", str(handle), self.main, *self.modules),
                pass_fds=(handle,),
                start_new_session=True,
            )
        self._connection = ours
        asyncio.get_running_loop().add_reader(ours, self._hear)
        self._sending = asyncio.create_task(self._send())

    def queue(self, message: dict[str, int]) -> None:
        """Queue a message for the starter; messages are sent in the order of the calls."""
        self._unsent.put_nowait((json.dumps(message).encode(), []))

    async def _send(self) -> None:
        while True:
            data, files = await self._unsent.get()
            try:
                while self._connection is not None:
                    try:
                        socket.send_fds(self._connection, [data], files)
                        break
                    except BlockingIOError:
                        await asyncio.sleep(FULL)
            except OSError:
                self._lose()
            finally:
                for file in files:
                    os.close(file)

    def _hear(self) -> None:
        try:
            data = self._connection.recv(MESSAGE) if self._connection is not None else b""
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self._lose()
            return
        message = json.loads(data)
        if "begun" in message:
            fork = self._forks[message["begun"]]
            fork.process = message["process"]
            fork.begun.set_result(True)
        elif "failed" in message:
            self._forks.pop(message["failed"]).begun.set_result(False)
        else:
            self._forks.pop(message["ended"]).ended.set_result(message["status"])

    def _lose(self) -> None:
        """Handle the loss of the starter: wait for crawls that have begun, and start a new Python for the others."""
        self.lost = True
        if self._connection is not None:
            asyncio.get_running_loop().remove_reader(self._connection)
            self._connection.close()
            self._connection = None
        for fork in self._forks.values():
            if not fork.begun.done():
                fork.begun.set_result(False)
            elif not fork.ended.done():
                self._orphans.append(asyncio.create_task(fork.outlive()))
        self._forks.clear()

    async def close(self) -> None:
        """Close the connection to the starter."""
        if self._sending is not None:
            self._sending.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._sending
        self._lose()
        if self._starter is not None:
            await self._starter.wait()


def _adopt_orphans() -> None:
    """Make this process the parent of the orphans of a killed starter, so that it learns their exit statuses."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None, use_errno=True).prctl(ADOPT, 1, 0, 0, 0)


def _status(process: int) -> int | None:
    """Return the exit status of a process, or None while it runs.

    If it could not be adopted, its status is unknown, and it counts as killed once it has ended.
    """
    try:
        done, status = os.waitpid(process, os.WNOHANG)
    except ChildProcessError:
        return None if _exists(process) else -signal.SIGKILL
    return os.waitstatus_to_exitcode(status) if done else None


def _exists(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True


async def _pipe() -> tuple[int, asyncio.StreamReader]:
    """Return the write end of a pipe, for another process, and a reader of the pipe."""
    reading, writing = os.pipe()
    reader = asyncio.StreamReader(limit=LINE)
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(reading, "rb", 0)
    )
    return writing, reader
