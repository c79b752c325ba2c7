"""One writer a process: a thread that owns the connection and groups commits.

An operation is a function of a Session. Operations run in the order of submission; whatever is queued is committed
together, and a future resolves only when its group is durable. An operation that fails is found by running its group
again, one by one, so it harms no other; operations must therefore be re-runnable.
"""

import asyncio
import contextlib
import queue
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, Final, TypeVar

from sqlalchemy import Engine
from sqlalchemy.orm import Session

from sitecrawl.errors import StorageError
from sitecrawl.storage.engine import session_scope
from sitecrawl.storage.failures import is_transient

T = TypeVar("T")
Operation = Callable[[Session], Any]

RETRIES: Final = 8
FIRST_PAUSE: Final = 0.05
"""Seconds before a transient failure is tried again; doubled each time, about 13 s in all."""


class BatchWriter:
    """Runs operations on one database, in order, durably."""

    def __init__(self, engine: Engine, batch: int = 50) -> None:
        self._engine = engine
        self._batch = batch
        self._queue: queue.SimpleQueue[tuple[Operation, Future[Any]] | None] = queue.SimpleQueue()
        self._closed = False
        self.batches = 0
        self.operations = 0
        self.retries = 0
        self._thread = threading.Thread(target=self._work, name="sitecrawl-writer", daemon=True)
        self._thread.start()

    def submit(self, operation: Callable[[Session], T]) -> "asyncio.Future[T]":
        """Queue an operation; the awaitable resolves to its result once it is committed.

        Raises StorageError when the writer is closed; the awaitable raises what the operation raised.
        """
        return asyncio.wrap_future(self._enqueue(operation))

    def run(self, operation: Callable[[Session], T]) -> T:
        """Run an operation and wait for its commit; for callers outside an event loop's hot path."""
        result: T = self._enqueue(operation).result()
        return result

    async def flush(self) -> None:
        """Wait until everything submitted so far is committed."""
        await self.submit(lambda session: None)

    async def close(self) -> None:
        """Commit what is queued and stop the thread."""
        await asyncio.to_thread(self.shutdown)

    def shutdown(self) -> None:
        """The same without an event loop. May be called twice."""
        if not self._closed:
            self._closed = True
            self._queue.put(None)
        self._thread.join()

    def _enqueue(self, operation: Operation) -> Future[Any]:
        if self._closed:
            raise StorageError("the database writer is closed")
        future: Future[Any] = Future()
        self._queue.put((operation, future))
        return future

    def _work(self) -> None:
        going = True
        while going:
            entry = self._queue.get()
            group: list[tuple[Operation, Future[Any]]] = []
            while True:
                if entry is None:
                    going = False
                    break
                group.append(entry)
                if len(group) >= self._batch:
                    break
                try:
                    entry = self._queue.get_nowait()
                except queue.Empty:
                    break
            if group:
                self._commit(group)

    def _commit(self, group: list[tuple[Operation, Future[Any]]]) -> None:
        try:
            results = self._attempt([operation for operation, _ in group])
        except Exception as error:  # noqa: BLE001  (handed to whoever awaits the operation)
            if len(group) == 1:
                _resolve(group[0][1], error=error)
                return
            for entry in group:
                self._commit([entry])
            return
        self.batches += 1
        self.operations += len(group)
        for (_, future), result in zip(group, results, strict=True):
            _resolve(future, result=result)

    def _attempt(self, operations: list[Operation]) -> list[Any]:
        """Run operations in one transaction; try again while the failure is a passing one."""
        pause = FIRST_PAUSE
        for attempt in range(RETRIES + 1):
            try:
                with session_scope(self._engine) as session:
                    return [operation(session) for operation in operations]
            except Exception as error:
                cause = error.__cause__ if isinstance(error, StorageError) else error
                if attempt == RETRIES or not isinstance(cause, Exception) or not is_transient(cause):
                    raise
                self.retries += 1
                time.sleep(pause)
                pause *= 2
        raise AssertionError("unreachable")


def _resolve(future: Future[Any], result: Any = None, error: Exception | None = None) -> None:
    """Answer a future, unless whoever waited has gone (a closed event loop, a cancelled task)."""
    with contextlib.suppress(RuntimeError):
        if not future.set_running_or_notify_cancel():
            return
        if error is not None:
            future.set_exception(error)
        else:
            future.set_result(result)
