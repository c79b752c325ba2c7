"""The outbox: changes of pages in an order that every sink reads at its own pace.

The transaction of a page writes one row per page, with a higher `revision`; the last change replaces earlier ones.
Readers number the rows that changed since the last numbering, in a separate transaction. So numbers become visible in
order, however long a writer's transaction lasts, and a sink only remembers one number. Nothing is deleted after
delivery, so a new sink gets everything.

Numbers are the clock's milliseconds, or one more than the last number if that is higher. They serve as versions of the
documents, and those of a new database continue those of a lost one.
"""

import datetime as dt
from collections.abc import Collection, Sequence
from typing import Any, Final, NamedTuple, cast

from sqlalchemy import ColumnElement, Select, and_, delete, exists, func, or_, select, true, update

from sitecrawl.errors import SinkError
from sitecrawl.storage.content_change import Operation
from sitecrawl.storage.db.session import Session
from sitecrawl.storage.db.upsert import insert_missing, upsert
from sitecrawl.storage.records import RECORDED, ContentRecord, content_record
from sitecrawl.storage.tables.models import CONTENT, OUTBOX, OUTBOX_CLOCK, PAGE, REJECTION, SINK, SITE

NUMBERED_AT_ONCE: Final = 5000
"""Rows per numbering transaction, which blocks writers on SQLite."""
_CHANGED: Final = OUTBOX.c.numbered != OUTBOX.c.revision


class PageKey(NamedTuple):
    """A page of a site."""

    site_id: int
    url_key: int


class OutboxChange(NamedTuple):
    """The last change of a page, with the page's current state."""

    key: PageKey
    sequence: int
    operation: Operation
    url: str
    site: str
    """Host of the site; empty if it was forgotten."""
    queued_at: dt.datetime
    fetched_at: dt.datetime | None
    http_status: int | None
    depth: int
    content: ContentRecord | None
    """None if there is nothing to index any more."""


class SinkState(NamedTuple):
    """The progress of a sink."""

    name: str
    sequence: int
    """Sequence number up to which everything was delivered, except rejected pages."""
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
    """The record of a refused page."""

    key: PageKey
    reason: str
    final: bool
    """Whether retrying is useless."""


class Outbox:
    """Reads the outbox, and records the progress of each sink."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def unnumbered(self) -> bool:
        """Return whether a page changed since the last numbering."""
        return bool(self.session.scalar(select(exists().where(_CHANGED))))

    def number(self, now: dt.datetime) -> int:
        """Number the changed rows, oldest first, in one statement; return how many."""
        last = self.session.number(select(OUTBOX_CLOCK.c.last).where(OUTBOX_CLOCK.c.id == 1).with_for_update())
        first = max(last + 1, int(now.timestamp() * 1000))
        changed = (
            select(OUTBOX.c.site_id, OUTBOX.c.url_key, OUTBOX.c.queued_at)
            .where(_CHANGED)
            .order_by(OUTBOX.c.queued_at, OUTBOX.c.site_id, OUTBOX.c.url_key)
            .limit(NUMBERED_AT_ONCE)
            .with_for_update(skip_locked=True)
            .subquery("changed")
        )
        oldest_first = func.row_number().over(order_by=(changed.c.queued_at, changed.c.site_id, changed.c.url_key))
        numbers = select(changed.c.site_id, changed.c.url_key, oldest_first.label("position")).subquery(
            "numbers"
        )  # Python reports no row count for a statement that begins with WITH
        done = self.session.execute(
            update(OUTBOX)
            .where(OUTBOX.c.site_id == numbers.c.site_id, OUTBOX.c.url_key == numbers.c.url_key)
            .values(sequence=first - 1 + numbers.c.position, numbered=OUTBOX.c.revision)
        )
        count = int(done.rowcount)
        if count:
            last = first + count - 1
            self.session.execute(update(OUTBOX_CLOCK).where(OUTBOX_CLOCK.c.id == 1).values(last=last))
        return count

    def after(self, sequence: int, limit: int) -> list[OutboxChange]:
        """Return the changes after a sequence number, in order."""
        return self._changes(_joined().where(OUTBOX.c.sequence > sequence).order_by(OUTBOX.c.sequence).limit(limit))

    def due(self, sink: str, now: dt.datetime, limit: int) -> list[OutboxChange]:
        """Return refused pages of a sink that are due for another attempt."""
        page = and_(REJECTION.c.site_id == OUTBOX.c.site_id, REJECTION.c.url_key == OUTBOX.c.url_key)
        return self._changes(
            _joined()
            .join(REJECTION, page)
            .where(REJECTION.c.sink == sink, REJECTION.c.retry_at <= now, OUTBOX.c.sequence.is_not(None))
            .order_by(REJECTION.c.retry_at)
            .limit(limit)
        )

    def register(self, name: str) -> int:
        """Return the progress of a sink; a new one starts at the beginning."""
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
        """Record that a sink cannot be reached; return the time since when."""
        since = self.session.scalar(select(SINK.c.failing_since).where(SINK.c.name == name)) or now
        self.session.execute(update(SINK).where(SINK.c.name == name).values(failing_since=since, failure=reason[:1000]))
        return since

    def rewind(self, name: str) -> None:
        """Send everything to a sink again."""
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

    def sinks(self) -> list[SinkState]:
        """Return all sinks that were ever used, by name."""
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

    def pending(self, sequence: int) -> int:
        """Return the number of pages that changed since a sequence number."""
        waiting = or_(OUTBOX.c.sequence > sequence, _CHANGED)
        return self.session.number(select(func.count()).select_from(OUTBOX).where(waiting))

    def _state(self, name: str, sequence: int, *since: object) -> SinkState:
        set_aside = select(func.count()).select_from(REJECTION)
        set_aside = set_aside.where(REJECTION.c.sink == name, REJECTION.c.retry_at.is_(None))
        counts = (self.pending(sequence), self.session.number(set_aside))
        return SinkState._make((name, sequence, *since, *counts))

    def _rejections(self, name: str, keys: Collection[PageKey]) -> dict[PageKey, int]:
        """Return the number of attempts by page, for the pages that were refused before."""
        rows = self.session.execute(
            select(REJECTION.c.site_id, REJECTION.c.url_key, REJECTION.c.attempts).where(
                REJECTION.c.sink == name, REJECTION.c.url_key.in_({key.url_key for key in keys})
            )
        )
        return {PageKey(site_id, url_key): attempts for site_id, url_key, attempts in rows}

    def _changes(self, statement: Select[*tuple[Any, ...]]) -> list[OutboxChange]:
        return [_change(row) for row in self.session.execute(statement)]


_QUEUED: Final = (
    *(OUTBOX.c.site_id, OUTBOX.c.url_key, OUTBOX.c.sequence, OUTBOX.c.operation, OUTBOX.c.url),
    OUTBOX.c.queued_at,
)
_FOUND: Final = (PAGE.c.url, PAGE.c.fetched_at, PAGE.c.http_status, PAGE.c.depth)


def _joined() -> Select[*tuple[Any, ...]]:
    page = and_(PAGE.c.site_id == OUTBOX.c.site_id, PAGE.c.url_key == OUTBOX.c.url_key)
    content = and_(CONTENT.c.site_id == OUTBOX.c.site_id, CONTENT.c.url_key == OUTBOX.c.url_key)
    joined = (
        select(*_QUEUED, *_FOUND, SITE.c.host, *RECORDED)
        .select_from(OUTBOX)
        .outerjoin(PAGE, page)
        .outerjoin(CONTENT, content)
        .outerjoin(SITE, SITE.c.id == OUTBOX.c.site_id)
    )
    return cast("Select[*tuple[Any, ...]]", joined)


def _change(row: Sequence[Any]) -> OutboxChange:
    site_id, url_key, sequence, queued, queued_url, queued_at = row[: len(_QUEUED)]
    url, fetched_at, http_status, depth, host = row[len(_QUEUED) : -len(RECORDED)]
    content = row[-len(RECORDED) :]
    operation = Operation(queued) if content[0] is not None and url is not None else Operation.DELETE
    return OutboxChange(
        PageKey(site_id, url_key),
        sequence,
        operation,
        url if url is not None else queued_url or "",
        host or "",
        queued_at,
        fetched_at,
        http_status,
        depth or 0,
        content_record(content) if operation is Operation.UPSERT else None,
    )


def _rejection(name: str, key: PageKey) -> tuple[ColumnElement[bool], ...]:
    return REJECTION.c.sink == name, REJECTION.c.site_id == key.site_id, REJECTION.c.url_key == key.url_key
