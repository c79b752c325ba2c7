"""The messages between `recrawl` and its processes: JSON lines on a UNIX socket.

A process sends its number, `{"process": 0}`, then `{"take": true}` whenever it has a free place, one at a time, and
`{"ended": SITE, "status": 0}` after each crawl. The answer to `take` is a job, or `{}` if there is none.
"""

import asyncio
import json
from dataclasses import asdict, dataclass
from typing import Any, Final

GREETING: Final = "process"
TAKE: Final = "take"
ENDED: Final = "ended"
SOCKET: Final = "jobs"
"""Name of the socket in its folder, which only this user can open."""


@dataclass(frozen=True, slots=True)
class JobMessage:
    """One crawl, as described to another process."""

    site: int
    host: str
    url: str
    lease: str
    """Holder of the lease that was taken for this crawl."""
    due: bool
    """Whether only pages that are due are fetched."""
    feed: str
    """File of its rows; empty if there is no feed."""

    def as_json(self) -> dict[str, Any]:
        """Return the message as JSON values."""
        return asdict(self)


class JobChannel:
    """The end of the channel in a process that asks for jobs."""

    def __init__(self, address: str) -> None:
        """`address` is the path of the socket and the number of the process: `PATH:NUMBER`."""
        self._path, _, number = address.rpartition(":")
        self._number = int(number)
        self._ends: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
        self.gone = False
        """Whether the other end has closed the connection: its process was killed."""

    async def take(self) -> JobMessage | None:
        """Return the next job; None if there is none, or the connection is closed."""
        try:
            if self._ends is None and not self.gone:
                self._ends = await asyncio.open_unix_connection(self._path)
                await write(self._ends[1], {GREETING: self._number})
            if self._ends is None:
                return None
            await write(self._ends[1], {TAKE: True})
            answer = await read(self._ends[0])
        except (ConnectionError, FileNotFoundError):
            answer = None
        if answer is None:
            self.gone, self._ends = True, None
        return JobMessage(**answer) if answer else None

    async def ended(self, site: int, status: int) -> None:
        """Report the end of a crawl with its exit status; nothing is sent if the connection is closed."""
        if self._ends is None:
            return
        try:
            await write(self._ends[1], {ENDED: site, "status": status})
        except ConnectionError:
            self.gone, self._ends = True, None


async def write(writer: asyncio.StreamWriter, message: dict[str, Any]) -> None:
    """Send a message. Raises ConnectionError."""
    writer.write(json.dumps(message).encode() + b"\n")
    await writer.drain()


async def read(reader: asyncio.StreamReader) -> dict[str, Any] | None:
    """Return the next message; None if the connection is closed. Raises ConnectionError."""
    line = await reader.readline()
    if not line.endswith(b"\n"):
        return None
    message: dict[str, Any] = json.loads(line)
    return message
