"""Delivers the outbox to one sink, in order and at least once, even if the process is killed at any point.

The feeder reads changes, sends them, and acknowledges them. Changes that were sent but not acknowledged are sent again;
sinks ignore changes that they already have. While a sink is down, the feeder waits and halves the batch each time, so
that a page that crashes the server ends up alone. A batch that is refused as a whole is split until the page at fault
is found, and that page is set aside.
"""

import datetime as dt
import logging
import math
import random
import threading
from collections.abc import Callable
from functools import partial
from time import monotonic
from typing import Final, NamedTuple, TypeVar

from sqlalchemy import Engine

from sitecrawl.clock import now
from sitecrawl.errors import SinkError, StorageError
from sitecrawl.index.documents import Change, change_of
from sitecrawl.index.sinks import Rejection, Sink, SinkUnavailableError, send_in_parts
from sitecrawl.page_kind import Kind
from sitecrawl.storage.db.engine import session_scope
from sitecrawl.storage.db.failures import may_pass
from sitecrawl.storage.db.writer import PATIENCE
from sitecrawl.storage.outbox import Outbox, OutboxChange
from sitecrawl.storage.sinks import Refusal, SinkRepository

logger = logging.getLogger(__name__)

T = TypeVar("T")

RETRIES: Final = (5.0, 30.0, 120.0, 600.0)
"""Seconds until each further attempt to send a refused page; after the last attempt it is set aside."""
SHOWN: Final = 300
"""Maximum characters of an error that are shown."""
FIRST_PAUSE: Final = 0.5
LONGEST_PAUSE: Final = 60.0
"""Maximum seconds until the next attempt to use an unavailable sink or database; the pause doubles each time."""
LONGEST_ASKED_PAUSE: Final = 600.0
"""Maximum Retry-After in seconds."""


class FeedResult(NamedTuple):
    """The result of one run."""

    delivered: int
    rejected: int
    failing_since: dt.datetime | None
    """Time since which the sink has been down, if the run was ended for that reason."""
    failure: str | None


class Feeder:
    """Feeds one sink from one database."""

    def __init__(
        self,
        engine: Engine,
        name: str,
        sink: Sink,
        *,
        batch: int = 500,
        kinds: tuple[str, ...] = (Kind.CONTENT,),
        clock: Callable[[], dt.datetime] = now,
    ) -> None:
        self._engine = engine
        self._name = name
        self._sink = sink
        self._batch = batch
        self._kinds = kinds
        self._clock = clock
        self._size = batch
        self._delivered = 0
        self._rejected = 0

    def run(self, stop: threading.Event, *, attempts: int, poll: float | None) -> FeedResult:
        """Deliver until the outbox is empty, or forever with `poll`, the seconds between checks for new changes.

        Without `poll`, `attempts` failures in a row end the run. `stop` ends the run after the current batch. While the
        database is unavailable the run waits, without `poll` for PATIENCE seconds at most. Raises StorageError, and
        SinkError if another process feeds the sink.
        """
        failures, patience = 0, PATIENCE if poll is None else math.inf
        while not stop.is_set():
            try:
                more = self._outlasting(self.step, stop, patience)
                failures = 0
            except SinkUnavailableError as error:
                failures += 1
                since = self._outlasting(partial(self._note, error), stop, patience)
                if poll is None and failures >= attempts:
                    return FeedResult(self._delivered, self._rejected, since, str(error))
                stop.wait(self._pause(failures, error.pause))
                continue
            if not more:
                if poll is None:
                    break
                stop.wait(poll)
        return FeedResult(self._delivered, self._rejected, None, None)

    def _outlasting(self, work: Callable[[], T], stop: threading.Event, patience: float) -> T:
        """Return the result of `work`, called again while the database fails.

        Raises StorageError if the database still fails after `patience` seconds.
        """
        pause, since = FIRST_PAUSE, math.inf
        while True:
            try:
                return work()
            except StorageError as error:
                since = min(since, monotonic())
                if not may_pass(error) or stop.is_set() or monotonic() - since >= patience:
                    raise
                logger.warning("%s waits for the database: %s", self._name, error)
                stop.wait(pause)
                pause = min(LONGEST_PAUSE, 2 * pause)

    def _sent(self, changes: list[Change]) -> list[Rejection]:
        """Send changes; return those refused. Any unknown exception of the sink is raised as SinkUnavailableError."""
        try:
            return send_in_parts(self._sink, changes)
        except (SinkError, StorageError):
            raise
        except Exception as error:
            raise SinkUnavailableError(f"{type(error).__name__}: {' '.join(str(error).split())[:SHOWN]}") from error

    def step(self) -> bool:
        """Deliver one batch; return False if there was none. Raises SinkUnavailableError, SinkError, StorageError."""
        self._number()
        now = self._clock()
        with session_scope(self._engine) as session:
            before = SinkRepository(session).register(self._name)
        with session_scope(self._engine, write=False) as session:
            outbox = Outbox(session)
            fresh = outbox.after(before, self._size)
            queued = fresh + _others(outbox.due(self._name, now, self._size), fresh)
        if not queued:
            return False
        changes = [change_of(one, self._kinds) for one in queued]
        rejections = self._sent(changes)
        refused = {one.change.key for one in rejections}
        delivered = [change.key for change in changes if change.key not in refused]
        refusals = [Refusal(one.change.key, one.reason, one.final) for one in rejections]
        after = fresh[-1].sequence if fresh else before
        with session_scope(self._engine) as session:
            SinkRepository(session).acknowledge(self._name, before, after, delivered, refusals, self._clock(), RETRIES)
        for one in rejections:
            logger.warning("%s: refused %s: %s", self._name, one.change.url, one.reason)
        self._delivered += len(delivered)
        self._rejected += len(refusals)
        self._size = min(self._batch, self._size * 2)
        return True

    def _number(self) -> None:
        with session_scope(self._engine, write=False) as session:
            needed = Outbox(session).unnumbered()
        while needed:
            with session_scope(self._engine) as session:
                needed = Outbox(session).number(self._clock()) > 0

    def _note(self, error: SinkError) -> dt.datetime:
        with session_scope(self._engine) as session:
            sinks = SinkRepository(session)
            since = sinks.fail(self._name, str(error), self._clock())
            pending = Outbox(session).pending(sinks.register(self._name))
        when = f"{since:%Y-%m-%d %H:%M:%S} UTC"
        logger.warning("%s is down since %s, %d changes are waiting: %s", self._name, when, pending, error)
        self._size = max(1, self._size // 2)
        return since

    def _pause(self, failures: int, asked: float) -> float:
        """Return the seconds to wait: the sink's Retry-After, or a doubling pause with a random spread of one half."""
        own = min(LONGEST_PAUSE, FIRST_PAUSE * 2.0 ** min(failures - 1, 16))
        return max(own * random.uniform(0.5, 1.0), min(asked, LONGEST_ASKED_PAUSE))  # noqa: S311  (no secret)


def _others(due: list[OutboxChange], fresh: list[OutboxChange]) -> list[OutboxChange]:
    known = {one.key for one in fresh}
    return [one for one in due if one.key not in known]
