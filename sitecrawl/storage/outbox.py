"""The outbox: what changed, in an order that every sink reads at its own pace.

A page's transaction writes one row, `revision` goes up, and the last change wins. Readers number the rows that changed
since they were numbered last, in a transaction of their own: so numbers become visible in their order, however long a
writer's transaction lasts, and a sink needs to remember one number only. Nothing is deleted when a sink has taken it,
therefore a new sink gets everything.

Numbers are the milliseconds of the clock, or one more than the last where that is higher. They serve as versions of
the documents, and those of a new database follow on those of a lost one.
"""

import datetime as dt
from collections.abc import Collection, Sequence
from typing import Any, Final, NamedTuple, cast

from sqlalchemy import Select, and_, delete, exists, func, or_, select, true, update

from sitecrawl.errors import SinkError
from sitecrawl.storage.contents import RECORDED, ContentRecord, Operation, content_record
from sitecrawl.storage.db.session import Session
from sitecrawl.storage.db.upsert import insert_missing, upsert
from sitecrawl.storage.tables.models import (
    ContentRow,
    OutboxClockRow,
    OutboxRow,
    PageRow,
    RejectionRow,
    SinkRow,
    SiteRow,
)

NUMBERED_AT_ONCE: Final = 5000
"""Rows in one numbering transaction, which holds up writers on SQLite."""
_CHANGED: Final = OutboxRow.numbered != OutboxRow.revision


class PageKey(NamedTuple):
    """A page of a site."""

    site_id: int
    url_key: int


class OutboxChange(NamedTuple):
    """The last change of a page, with the page as it is now."""

    key: PageKey
    sequence: int
    operation: Operation
    url: str
    site: str
    """Host of the site; empty when it was forgotten."""
    queued_at: dt.datetime
    fetched_at: dt.datetime | None
    http_status: int | None
    depth: int
    content: ContentRecord | None
    """None when there is nothing to index any more."""


class SinkState(NamedTuple):
    """How far a sink is."""

    name: str
    sequence: int
    """Everything up to here was delivered, but for the rejected pages."""
    delivered_at: dt.datetime | None
    failing_since: dt.datetime | None
    failure: str | None
    pending: int
    """Pages that wait."""
    set_aside: int


class RejectedPage(NamedTuple):
    """A page that a sink refused."""

    sink: str
    url: str
    attempts: int
    reason: str
    rejected_at: dt.datetime
    retry_at: dt.datetime | None
    """None when it is set aside."""


class Refusal(NamedTuple):
    """What is noted about a refused page."""

    key: PageKey
    reason: str
    final: bool
    """Trying again would change nothing."""


class Outbox:
    """Reads the outbox and notes what each sink has taken."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def unnumbered(self) -> bool:
        """Say whether a page changed since the rows were numbered last."""
        return bool(self.session.scalar(select(exists().where(_CHANGED))))

    def number(self, now: dt.datetime) -> int:
        """Give sequence numbers to what changed, oldest first; return how many rows got one."""
        last = self.session.scalar(select(OutboxClockRow.last).where(OutboxClockRow.id == 1).with_for_update()) or 0
        keys = self.session.execute(
            select(OutboxRow.site_id, OutboxRow.url_key)
            .where(_CHANGED)
            .order_by(OutboxRow.queued_at, OutboxRow.site_id, OutboxRow.url_key)
            .limit(NUMBERED_AT_ONCE)
            .with_for_update(skip_locked=True)
        ).all()
        if not keys:
            return 0
        first = max(last + 1, int(now.timestamp() * 1000))
        table = OutboxRow.__table__
        connection = self.session.connection()
        for number, (site_id, url_key) in enumerate(keys, first):
            connection.execute(
                update(table)  # type: ignore[arg-type]
                .where(table.c.site_id == site_id, table.c.url_key == url_key)
                .values(sequence=number, numbered=table.c.revision)
            )
        self.session.execute(update(OutboxClockRow).where(OutboxClockRow.id == 1).values(last=first + len(keys) - 1))
        return len(keys)

    def after(self, sequence: int, limit: int) -> list[OutboxChange]:
        """Return the changes that follow a sequence number, in their order."""
        return self._changes(_joined().where(OutboxRow.sequence > sequence).order_by(OutboxRow.sequence).limit(limit))

    def due(self, sink: str, now: dt.datetime, limit: int) -> list[OutboxChange]:
        """Return refused pages of a sink that are to be tried again."""
        page = and_(RejectionRow.site_id == OutboxRow.site_id, RejectionRow.url_key == OutboxRow.url_key)
        return self._changes(
            _joined()
            .join(RejectionRow, page)
            .where(RejectionRow.sink == sink, RejectionRow.retry_at <= now, OutboxRow.sequence.is_not(None))
            .order_by(RejectionRow.retry_at)
            .limit(limit)
        )

    def register(self, name: str) -> int:
        """Return how far a sink is; a new one begins at the beginning."""
        insert_missing(self.session, SinkRow, [{"name": name, "sequence": 0}], ["name"])
        return self.session.scalar(select(SinkRow.sequence).where(SinkRow.name == name)) or 0

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
        """Note what a sink took, and what it refused; `retries` are the seconds until each further try.

        Raises SinkError when another process has moved the sink on since it was read.
        """
        moved = self.session.execute(
            update(SinkRow)
            .where(SinkRow.name == name, SinkRow.sequence == before)
            .values(sequence=after, delivered_at=now, failing_since=None, failure=None)
        )
        if not moved.rowcount:
            raise SinkError(f"{name}: another process feeds this sink; run one at a time")
        keys = {*delivered, *(one.key for one in refused)}
        known = self._rejections(name, keys)
        for key in known.keys() & set(delivered):
            self.session.execute(delete(RejectionRow).where(*_rejection(name, key)))
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
        upsert(self.session, RejectionRow, rows, keyed, lambda new: {column: new[column] for column in changed})

    def fail(self, name: str, reason: str, now: dt.datetime) -> dt.datetime:
        """Note that a sink cannot be reached; return since when."""
        since = self.session.scalar(select(SinkRow.failing_since).where(SinkRow.name == name)) or now
        self.session.execute(
            update(SinkRow).where(SinkRow.name == name).values(failing_since=since, failure=reason[:1000])
        )
        return since

    def rewind(self, name: str) -> None:
        """Send everything to a sink again."""
        self.register(name)
        self.session.execute(update(SinkRow).where(SinkRow.name == name).values(sequence=0))
        self.session.execute(delete(RejectionRow).where(RejectionRow.sink == name))

    def retry(self, name: str, now: dt.datetime) -> int:
        """Try the pages again that were set aside; return how many."""
        done = self.session.execute(
            update(RejectionRow)
            .where(RejectionRow.sink == name, RejectionRow.retry_at.is_(None))
            .values(retry_at=now, attempts=0)
        )
        return int(done.rowcount)

    def sinks(self) -> list[SinkState]:
        """Return all sinks that were ever fed, by name."""
        columns = (SinkRow.name, SinkRow.sequence, SinkRow.delivered_at, SinkRow.failing_since, SinkRow.failure)
        rows = self.session.execute(select(*columns).order_by(SinkRow.name)).all()
        return [self._state(*row) for row in rows]

    def rejected(self, name: str | None = None) -> list[RejectedPage]:
        """Return the refused pages, of one sink or of all."""
        page = and_(PageRow.site_id == RejectionRow.site_id, PageRow.url_key == RejectionRow.url_key)
        queued = and_(OutboxRow.site_id == RejectionRow.site_id, OutboxRow.url_key == RejectionRow.url_key)
        url = func.coalesce(PageRow.url, OutboxRow.url, "")
        columns = (RejectionRow.attempts, RejectionRow.reason, RejectionRow.rejected_at, RejectionRow.retry_at)
        rows = self.session.execute(
            select(RejectionRow.sink, url, *columns)
            .select_from(RejectionRow)
            .outerjoin(PageRow, page)
            .outerjoin(OutboxRow, queued)
            .where(RejectionRow.sink == name if name is not None else true())
            .order_by(RejectionRow.sink, RejectionRow.rejected_at)
        )
        return [RejectedPage(*row) for row in rows]

    def pending(self, sequence: int) -> int:
        """Return how many pages changed since a sequence number."""
        waiting = or_(OutboxRow.sequence > sequence, _CHANGED)
        return self.session.scalar(select(func.count()).select_from(OutboxRow).where(waiting)) or 0

    def _state(self, name: str, sequence: int, *since: Any) -> SinkState:
        set_aside = select(func.count()).select_from(RejectionRow)
        set_aside = set_aside.where(RejectionRow.sink == name, RejectionRow.retry_at.is_(None))
        counts = (self.pending(sequence), self.session.scalar(set_aside) or 0)
        return SinkState._make((name, sequence, *since, *counts))

    def _rejections(self, name: str, keys: Collection[PageKey]) -> dict[PageKey, int]:
        """Return the attempts so far of those pages that were refused before."""
        rows = self.session.execute(
            select(RejectionRow.site_id, RejectionRow.url_key, RejectionRow.attempts).where(
                RejectionRow.sink == name, RejectionRow.url_key.in_({key.url_key for key in keys})
            )
        )
        return {PageKey(site_id, url_key): attempts for site_id, url_key, attempts in rows}

    def _changes(self, statement: Select[Any]) -> list[OutboxChange]:
        return [_change(row) for row in self.session.execute(statement)]


_QUEUED: Final = (
    *(OutboxRow.site_id, OutboxRow.url_key, OutboxRow.sequence, OutboxRow.operation, OutboxRow.url),
    OutboxRow.queued_at,
)
_FOUND: Final = (PageRow.url, PageRow.fetched_at, PageRow.http_status, PageRow.depth)


def _joined() -> Select[Any]:
    page = and_(PageRow.site_id == OutboxRow.site_id, PageRow.url_key == OutboxRow.url_key)
    content = and_(ContentRow.site_id == OutboxRow.site_id, ContentRow.url_key == OutboxRow.url_key)
    joined = (
        select(*_QUEUED, *_FOUND, SiteRow.host, *RECORDED)
        .select_from(OutboxRow)
        .outerjoin(PageRow, page)
        .outerjoin(ContentRow, content)
        .outerjoin(SiteRow, SiteRow.id == OutboxRow.site_id)
    )
    return cast("Select[Any]", joined)


def _change(row: Sequence[Any]) -> OutboxChange:
    site_id, url_key, sequence, told, queued_url, queued_at = row[: len(_QUEUED)]
    url, fetched_at, http_status, depth, host = row[len(_QUEUED) : -len(RECORDED)]
    content = row[-len(RECORDED) :]
    operation = Operation(told) if content[0] is not None and url is not None else Operation.DELETE
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


def _rejection(name: str, key: PageKey) -> tuple[Any, ...]:
    return RejectionRow.sink == name, RejectionRow.site_id == key.site_id, RejectionRow.url_key == key.url_key
