"""The writer of one crawl: every transaction checks first that the crawl still has its lease."""

import asyncio
from collections.abc import Callable
from typing import TypeVar

from sitecrawl.errors import LeaseLostError, WritingEndedError
from sitecrawl.storage.db.loss import Loss, until_any
from sitecrawl.storage.db.session import Session
from sitecrawl.storage.db.writer import BatchWriter
from sitecrawl.storage.leases import LeaseFence

T = TypeVar("T")


class SiteWriter:
    """Runs the operations of one crawl with the writer of its process; `fence` sets the lease that it checks.

    Once another process has taken the site over, nothing is written any more: all operations raise LeaseLostError.
    Several crawls may share a writer; the lost lease of one does not affect the others.
    """

    def __init__(self, writer: BatchWriter, *, shared: bool = False) -> None:
        """`shared` means that other crawls use the writer too, so that `close` and `shutdown` leave it open."""
        self.batch = writer
        self.shared = shared
        self._guard = _LeaseGuard()

    def fence(self, lease: LeaseFence) -> None:
        """Write from now on only while the site has this lease."""
        self._guard.lease = lease

    @property
    def lease(self) -> LeaseFence | None:
        """The lease that `fence` set last."""
        return self._guard.lease

    @property
    def lost(self) -> WritingEndedError | None:
        """The error that ended all writing; None while writing works."""
        return self.batch.lost or self._guard.loss.error

    def submit(self, operation: Callable[[Session], T], *, later: bool = False) -> "asyncio.Future[T]":
        """Queue an operation, as `BatchWriter.submit`; the awaitable raises LeaseLostError too."""
        return self.batch.submit(operation, self._guard, later=later)

    def run(self, operation: Callable[[Session], T]) -> T:
        """Run an operation and wait for its commit, as `BatchWriter.run`; raises LeaseLostError too."""
        return self.batch.run(operation, self._guard)

    async def until_lost(self) -> None:
        """Wait until the database or the lease is lost; `lost` is then the error."""
        await until_any(self.batch.loss, self._guard.loss)

    async def flush(self) -> None:
        """Wait until everything submitted so far is committed."""
        await self.batch.flush()

    def hurry(self) -> None:
        """Give up sooner when the database fails, as `BatchWriter.hurry`, unless the writer is shared."""
        if not self.shared:
            self.batch.hurry()

    async def close(self) -> None:
        """Commit what is queued; stop the writer unless it is shared."""
        if not self.shared:
            await self.batch.close()
        elif self.batch.lost is None:
            await self.batch.flush()

    def shutdown(self) -> None:
        """Stop the writer unless it is shared; may be called twice."""
        if not self.shared:
            self.batch.shutdown()


class _LeaseGuard:
    """Checks the lease of a crawl in each transaction, and records its loss."""

    def __init__(self) -> None:
        self.lease: LeaseFence | None = None
        self.loss: Loss[LeaseLostError] = Loss()

    @property
    def order(self) -> int:
        """Return the number of the site: all processes lock sites in the same order."""
        return self.lease.site_id if self.lease is not None else 0

    def check(self, session: Session) -> None:
        """Raise LeaseLostError if another process has taken the lease."""
        if self.loss.error is not None:
            raise self.loss.error
        if self.lease is None:
            return
        try:
            self.lease.check(session)
        except LeaseLostError as error:
            self.loss.note(error)
            raise
