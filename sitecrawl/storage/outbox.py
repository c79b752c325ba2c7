"""The outbox: changes of pages in an order that every sink reads at its own pace.

The transaction of a page writes one row per page, with a higher `revision`; the last change replaces earlier ones.
Readers number the rows that changed since the last numbering, in a separate transaction. So numbers become visible in
order, however long a writer's transaction lasts, and a sink only remembers one number. Nothing is deleted after
delivery, so a new sink gets everything.

Numbers are the clock's milliseconds, or one more than the last number if that is higher. They serve as versions of the
documents, and those of a new database continue those of a lost one.
"""

import datetime as dt
from collections.abc import Sequence
from typing import Any, Final, NamedTuple, cast

from sqlalchemy import Select, and_, exists, func, or_, select, update

from sitecrawl.storage.content_change import Operation
from sitecrawl.storage.db.session import Session
from sitecrawl.storage.records import RECORDED, ContentRecord, content_record
from sitecrawl.storage.tables.models import CONTENT, OUTBOX, OUTBOX_CLOCK, PAGE, REJECTION, SITE

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


class Outbox:
    """Reads and numbers `outbox`."""

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

    def pending(self, sequence: int) -> int:
        """Return the number of pages that changed since a sequence number."""
        waiting = or_(OUTBOX.c.sequence > sequence, _CHANGED)
        return self.session.number(select(func.count()).select_from(OUTBOX).where(waiting))

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
