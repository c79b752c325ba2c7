"""The progress of each sink in the outbox, and the pages that it refused."""

import datetime as dt
from collections.abc import Collection, Sequence
from typing import NamedTuple

from sqlalchemy import ColumnElement, and_, delete, func, select, true, update

from sitecrawl.errors import SinkError
from sitecrawl.storage.db.session import Session
from sitecrawl.storage.db.upsert import insert_missing, upsert
from sitecrawl.storage.outbox import Outbox, PageKey
from sitecrawl.storage.tables.models import OUTBOX, PAGE, REJECTION, SINK


class SinkState(NamedTuple):
    """The progress of a sink."""

    name: str
    sequence: int
    """Sequence number up to which everything was delivered, except refused pages."""
    delivered_at: dt.datetime | None
    failing_since: dt.datetime | None
    failure: str | None
    pending: int
    """Number of pages that wait for delivery."""
    set_aside: int


class RejectedPage(NamedTuple):
    """A page that a sink refused."""

    sink: str
    url: str
    attempts: int
    reason: str
    rejected_at: dt.datetime
    retry_at: dt.datetime | None
    """Time of the next attempt; None if it is set aside."""


class Refusal(NamedTuple):
    """The refusal of a page by a sink."""

    key: PageKey
    reason: str
    final: bool
    """Whether retrying is useless."""


class SinkRepository:
    """Reads and writes `sink` and `rejection`."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def register(self, name: str) -> int:
        """Return the sequence number up to which a sink has everything; a new sink is added with 0."""
        insert_missing(self.session, SINK, [{"name": name, "sequence": 0}], ["name"])
        return self.session.number(select(SINK.c.sequence).where(SINK.c.name == name))

    def acknowledge(
        self,
        name: str,
        before: int,
        after: int,
        delivered: Collection[PageKey],
        refused: Sequence[Refusal],
        now: dt.datetime,
        retries: Sequence[float],
    ) -> None:
        """Record the delivered and refused changes of a sink; `retries` are the seconds until each further attempt.

        Raises SinkError if another process has advanced the sink since it was read.
        """
        moved = self.session.execute(
            update(SINK)
            .where(SINK.c.name == name, SINK.c.sequence == before)
            .values(sequence=after, delivered_at=now, failing_since=None, failure=None)
        )
        if not moved.rowcount:
            raise SinkError(f"{name}: another process feeds this sink; run one at a time")
        keys = {*delivered, *(one.key for one in refused)}
        known = self._rejections(name, keys)
        for key in known.keys() & set(delivered):
            self.session.execute(delete(REJECTION).where(*_rejection(name, key)))
        rows = []
        for one in refused:
            attempts = known.get(one.key, 0) + 1
            again = not one.final and attempts <= len(retries)
            retry_at = now + dt.timedelta(seconds=retries[attempts - 1]) if again else None
            rows.append(
                {
                    **{"sink": name, "site_id": one.key.site_id, "url_key": one.key.url_key, "attempts": attempts},
                    **{"reason": one.reason[:1000], "rejected_at": now, "retry_at": retry_at},
                }
            )
        changed = ("attempts", "reason", "rejected_at", "retry_at")
        keyed = ("sink", "site_id", "url_key")
        upsert(self.session, REJECTION, rows, keyed, lambda new: {column: new[column] for column in changed})

    def fail(self, name: str, reason: str, now: dt.datetime) -> dt.datetime:
        """Record that a sink cannot be reached; return the time of the first such failure in a row."""
        since = self.session.scalar(select(SINK.c.failing_since).where(SINK.c.name == name)) or now
        self.session.execute(update(SINK).where(SINK.c.name == name).values(failing_since=since, failure=reason[:1000]))
        return since

    def rewind(self, name: str) -> None:
        """Reset the progress of a sink, so that everything is sent to it again."""
        self.register(name)
        self.session.execute(update(SINK).where(SINK.c.name == name).values(sequence=0))
        self.session.execute(delete(REJECTION).where(REJECTION.c.sink == name))

    def forget(self, name: str) -> bool:
        """Delete the progress of a sink; return whether there was any."""
        self.session.execute(delete(REJECTION).where(REJECTION.c.sink == name))
        return bool(self.session.execute(delete(SINK).where(SINK.c.name == name)).rowcount)

    def retry(self, name: str, now: dt.datetime) -> int:
        """Make the refused pages of a sink that were set aside due again; return how many."""
        done = self.session.execute(
            update(REJECTION)
            .where(REJECTION.c.sink == name, REJECTION.c.retry_at.is_(None))
            .values(retry_at=now, attempts=0)
        )
        return int(done.rowcount)

    def all(self) -> list[SinkState]:
        """Return the progress of all sinks that were ever used, ordered by name."""
        columns = (SINK.c.name, SINK.c.sequence, SINK.c.delivered_at, SINK.c.failing_since, SINK.c.failure)
        rows = self.session.execute(select(*columns).order_by(SINK.c.name)).all()
        return [self._state(*row) for row in rows]

    def rejected(self, name: str | None = None) -> list[RejectedPage]:
        """Return the refused pages, of one sink or of all."""
        page = and_(PAGE.c.site_id == REJECTION.c.site_id, PAGE.c.url_key == REJECTION.c.url_key)
        queued = and_(OUTBOX.c.site_id == REJECTION.c.site_id, OUTBOX.c.url_key == REJECTION.c.url_key)
        url = func.coalesce(PAGE.c.url, OUTBOX.c.url, "")
        columns = (REJECTION.c.attempts, REJECTION.c.reason, REJECTION.c.rejected_at, REJECTION.c.retry_at)
        rows = self.session.execute(
            select(REJECTION.c.sink, url, *columns)
            .select_from(REJECTION)
            .outerjoin(PAGE, page)
            .outerjoin(OUTBOX, queued)
            .where(REJECTION.c.sink == name if name is not None else true())
            .order_by(REJECTION.c.sink, REJECTION.c.rejected_at)
        )
        return [RejectedPage(*row) for row in rows]

    def _state(self, name: str, sequence: int, *since: object) -> SinkState:
        set_aside = select(func.count()).select_from(REJECTION)
        set_aside = set_aside.where(REJECTION.c.sink == name, REJECTION.c.retry_at.is_(None))
        counts = (Outbox(self.session).pending(sequence), self.session.number(set_aside))
        return SinkState._make((name, sequence, *since, *counts))

    def _rejections(self, name: str, keys: Collection[PageKey]) -> dict[PageKey, int]:
        """Return the number of attempts by page, for the pages that were refused before."""
        rows = self.session.execute(
            select(REJECTION.c.site_id, REJECTION.c.url_key, REJECTION.c.attempts).where(
                REJECTION.c.sink == name, REJECTION.c.url_key.in_({key.url_key for key in keys})
            )
        )
        return {PageKey(site_id, url_key): attempts for site_id, url_key, attempts in rows}


def _rejection(name: str, key: PageKey) -> tuple[ColumnElement[bool], ...]:
    return REJECTION.c.sink == name, REJECTION.c.site_id == key.site_id, REJECTION.c.url_key == key.url_key
