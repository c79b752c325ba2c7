"""One writer per process: a thread that owns the connection and groups commits.

An operation is a function of a Session. Operations run in the order of submission. Queued operations are committed
together, and a future resolves only when its group is durable. An operation may wait so that others share its commit.
If an operation fails, its group is run again one by one, so that the others succeed; operations must be repeatable. If
the database itself fails for longer than PATIENCE, it is lost: all queued and later operations fail.

An operation may have a guard, which is checked once in the transaction, before all operations: the guard of a crawl
checks that the crawl still has its lease (`storage/site_writer.py`).
"""

import asyncio
import logging
import math
import queue
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import Final, NamedTuple, Protocol, TypeVar

from sqlalchemy import Engine

from sitecrawl.errors import DatabaseLostError, StorageError
from sitecrawl.storage.db.engine import retrying, session_scope
from sitecrawl.storage.db.failures import may_pass
from sitecrawl.storage.db.loss import Loss, call_in_loop, until_any
from sitecrawl.storage.db.session import Session

logger = logging.getLogger(__name__)

T = TypeVar("T")

PATIENCE: Final = 120.0
"""Longest time to retry a transient failure, in seconds; a restart of a server takes a minute."""
LAST_PATIENCE: Final = 5.0
"""The same limit once the writer is closing, so that a stopped crawl ends within 10 s."""
GROUP: Final = 8
"""Maximum operations that wait for others to share their commit; each may hold a page."""
LATEST: Final = 0.5
"""Maximum seconds that they wait if nothing else is written."""
FIRST_PAUSE: Final = 0.05
"""Seconds between the first two attempts [OWN]."""
LONGEST_PAUSE: Final = 5.0
"""Maximum seconds between two attempts; the pause doubles each time."""


_Delivery = Callable[[], object]


class Guard(Protocol):
    """A condition that must hold for operations to be written."""

    @property
    def order(self) -> int:
        """Sort key: guards are checked in this order, so that two transactions cannot deadlock."""

    def check(self, session: Session) -> None:
        """Raise the error that the operations get if they must not be written."""


class Writer(Protocol):
    """Runs operations on one database, in order, durably."""

    def submit(self, operation: Callable[[Session], T]) -> "asyncio.Future[T]":
        """Queue an operation; the awaitable resolves to its result once it is committed."""

    def run(self, operation: Callable[[Session], T]) -> T:
        """Run an operation and wait for its commit."""


class _Entry(NamedTuple):
    """A queued operation."""

    run: Callable[[Session], _Delivery]
    """Runs the operation; the returned function is called after the commit and delivers the result."""
    fail: Callable[[BaseException], object]
    """Delivers an error in place of the result."""
    guard: Guard | None


class BatchWriter:
    """Runs operations on one database, in order, durably.

    `batches`, `operations` and `retries` count transactions, their operations, and attempts after a transient failure.
    """

    def __init__(self, engine: Engine, batch: int = 50, patience: float = PATIENCE) -> None:
        self._engine = retrying(engine)
        self._batch = batch
        self._patience = patience
        self._queue: queue.SimpleQueue[list[_Entry] | None] = queue.SimpleQueue()
        self._later: list[_Entry] = []  # operations that wait for others to share their commit
        self._lock = threading.Lock()  # so that nothing is queued after the end mark, where it would never run
        self._closed = False
        self._end = math.inf
        self.batches = 0
        self.operations = 0
        self.retries = 0
        self.loss: Loss[DatabaseLostError] = Loss()
        self._thread = threading.Thread(target=self._work, name="sitecrawl-writer", daemon=True)
        self._thread.start()

    def submit(
        self, operation: Callable[[Session], T], guard: Guard | None = None, *, later: bool = False
    ) -> "asyncio.Future[T]":
        """Queue an operation; the awaitable resolves to its result once it is committed.

        With `later` it may wait until `GROUP` operations share its commit, another one is queued without `later`, or
        `LATEST` seconds have passed. It runs even if the awaitable is cancelled. Raises StorageError if the writer is
        closed. The awaitable raises the operation's or the guard's exception, or StorageError if the database failed.
        """
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()

        def run(session: Session) -> _Delivery:
            result = operation(session)
            return lambda: deliver(result)

        def deliver(result: T) -> None:
            if not call_in_loop(loop, _resolve, future, result):
                logger.debug("the event loop ended before an operation was committed")

        def fail(error: BaseException) -> None:
            if not call_in_loop(loop, _reject, future, error):
                logger.debug("the event loop ended before an operation failed: %s", error)

        if self._enqueue(_Entry(run, fail, guard), later=later) == 1:
            loop.call_later(LATEST, self._release)
        return future

    def run(self, operation: Callable[[Session], T], guard: Guard | None = None) -> T:
        """Run an operation and wait for its commit; for callers without an event loop. Raises like `submit`."""
        if threading.current_thread() is self._thread:
            raise StorageError("an operation may not wait for another operation of its writer; call it directly")
        future: Future[T] = Future()

        def committing(session: Session) -> _Delivery:
            result = operation(session)
            return lambda: future.set_result(result)

        self._enqueue(_Entry(committing, future.set_exception, guard))
        return future.result()

    def hurry(self) -> None:
        """Limit the retries of a transient failure to LAST_PATIENCE from now on: the process is about to end."""
        self._end = min(self._end, time.monotonic() + LAST_PATIENCE)

    @property
    def lost(self) -> DatabaseLostError | None:
        """The error that ended all writing; None while the database works."""
        return self.loss.error

    async def until_lost(self) -> None:
        """Wait until the database is lost."""
        await until_any(self.loss)

    async def flush(self) -> None:
        """Wait until everything submitted so far is committed."""
        await self.submit(_nothing)

    async def close(self) -> None:
        """Commit what is queued and stop the thread."""
        await asyncio.to_thread(self.shutdown)

    def shutdown(self) -> None:
        """Like `close`, without an event loop. May be called twice."""
        with self._lock:
            if not self._closed:
                self._closed = True
                self._end = time.monotonic() + LAST_PATIENCE
                self._put()
                self._queue.put(None)
        self._thread.join()

    def _enqueue(self, entry: _Entry, *, later: bool = False) -> int:
        """Queue an operation behind those that wait; return the number of operations that wait now."""
        with self._lock:
            if self._closed:
                raise StorageError("the database writer is closed")
            self._later.append(entry)
            if not later or len(self._later) >= GROUP:
                self._put()
            return len(self._later)

    def _release(self) -> None:
        """Queue the operations that wait."""
        with self._lock:
            self._put()

    def _put(self) -> None:
        self._queue.put(self._later)
        self._later = []

    def _work(self) -> None:
        going = True
        while going:
            group, going = self._next_group()
            if group:
                self._commit(group)

    def _next_group(self) -> tuple[list[_Entry], bool]:
        """Return the queued operations, at most one batch, and whether more may follow."""
        group: list[_Entry] = []
        entries = self._queue.get()
        while entries is not None:
            group += entries
            if len(group) >= self._batch:
                return group, True
            try:
                entries = self._queue.get_nowait()
            except queue.Empty:
                return group, True
        return group, False

    def _commit(self, group: list[_Entry]) -> None:
        if self.lost is not None:
            for entry in group:
                entry.fail(self.lost)
            return
        try:
            deliveries = self._attempt(group)
        except Exception as error:  # noqa: BLE001  (passed to the caller that awaits the operation)
            if isinstance(error, DatabaseLostError):
                self.loss.note(error)
            elif len(group) > 1:
                for entry in group:
                    self._commit([entry])
                return
            for entry in group:  # one operation that failed, or all, if the database is lost
                entry.fail(error)
            return
        self.batches += 1
        self.operations += len(group)
        for deliver in deliveries:
            deliver()

    def _attempt(self, group: list[_Entry]) -> list[_Delivery]:
        """Run a group in one transaction; retry transient failures for PATIENCE seconds."""
        started = time.monotonic()
        pause = FIRST_PAUSE
        while True:
            try:
                with session_scope(self._engine) as session:
                    for guard in sorted({one.guard for one in group if one.guard}, key=lambda one: one.order):
                        guard.check(session)
                    return [entry.run(session) for entry in group]
            except Exception as error:
                left = min(started + self._patience, self._end) - time.monotonic()
                if left <= 0 or not may_pass(error):
                    raise
                if not self.retries:
                    logger.warning("%s; trying again", error)
                self.retries += 1
                time.sleep(min(pause, left))
                pause = min(2 * pause, LONGEST_PAUSE)


class ProcessDatabase(NamedTuple):
    """The database objects that the crawls of one process share."""

    engine: Engine
    writer: BatchWriter


def _resolve(future: "asyncio.Future[T]", result: T) -> None:
    if not future.done():  # else the caller cancelled it
        future.set_result(result)


def _reject(future: "asyncio.Future[T]", error: BaseException) -> None:
    if not future.done():
        future.set_exception(error)


def _nothing(_session: Session) -> None:
    """Do nothing; an unused session begins no transaction."""
