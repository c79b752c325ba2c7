"""Stores the last extracted main content of each page, and queues its changes for the search indexes."""

import datetime as dt
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, Final

from sqlalchemy import bindparam, func, select, update

from sitecrawl.metadata.fields import RowStatus
from sitecrawl.page_kind import Kind
from sitecrawl.storage.anchor_texts import LinkTextRepository
from sitecrawl.storage.content_change import ContentChange, Operation, changed_content, page_change, storable
from sitecrawl.storage.db.prepared import PreparedChange, PreparedSelect
from sitecrawl.storage.db.session import Session
from sitecrawl.storage.db.upsert import Excluded, Update, upsert
from sitecrawl.storage.pages import KEY, PageRepository
from sitecrawl.storage.records import NAMES, RECORDED, ContentRecord, StoredContent, content_record, withheld
from sitecrawl.storage.search.repository import Searched, SearchIndex
from sitecrawl.storage.simhash_bands import indexed_bands
from sitecrawl.storage.tables.models import CONTENT, CONTENT_OF_PAGE, OUTBOX, PAGE

STREAMED: Final = 200
"""Maximum contents in memory while a whole crawl is read."""
_ONE: Final = (CONTENT.c.site_id == bindparam("b_site"), CONTENT.c.url_key == bindparam("b_key"))
_STORED: Final = (
    select(
        *(*RECORDED, CONTENT.c.status, PAGE.c.url, PAGE.c.http_status, PAGE.c.depth, PAGE.c.fetched_at),
        *(CONTENT.c.earlier_text, CONTENT.c.indexed, PAGE.c.reason),
    )
    .select_from(CONTENT)
    .join(PAGE, CONTENT_OF_PAGE)
)
_WHOLE: Final = PreparedSelect(_STORED.where(*_ONE))
_INDEXED: Final = PreparedSelect(select(CONTENT.c.indexed).where(*_ONE))
_SENT_ANCHORS: Final = PreparedSelect(select(CONTENT.c.anchors).where(*_ONE, CONTENT.c.indexed))

_RENAMED: Final = PreparedChange(
    update(CONTENT)
    .where(CONTENT.c.site_id == bindparam("b_site"), CONTENT.c.url_key == bindparam("b_key"))
    .values(anchors=bindparam("anchors"))
)
_UNCHANGED: Final = PreparedChange(
    update(CONTENT)
    .where(
        CONTENT.c.site_id == bindparam("b_site"),
        CONTENT.c.url_key == bindparam("b_key"),
        CONTENT.c.status != RowStatus.GONE,
    )
    .values(status=RowStatus.UNCHANGED, crawl_id=bindparam("crawl_id"), emit_order=bindparam("emit_order"))
)


class ContentRepository:
    """Reads and writes `content` and `outbox`."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def put(self, site_id: int, record: ContentRecord, *, index: bool = True) -> RowStatus:
        """Store the content of a single page; return its status."""
        pages = PageRepository(self.session)
        state = pages.state(site_id, record.url_key)
        change = changed_content(state, record, index=index)
        self.write(site_id, change, state.content)
        pages.write(site_id, page_change(record.url_key, state, change))
        return change.status

    def write(self, site_id: int, change: ContentChange, old: ContentRecord | None) -> None:
        """Store the content of a page, given the `old` one; queue it for the indexes in the same transaction."""
        record = change.record
        values: dict[str, Any] = {name: storable(getattr(record, name)) for name in NAMES}
        values |= {"site_id": site_id, "status": change.status, "indexed": change.indexed}
        if change.replaced is not None:
            values["earlier_text"] = change.replaced.text
        values |= indexed_bands(record.simhash, len(record.text), record.duplicate_of)
        if change.retold or old is None:
            values["anchors"] = LinkTextRepository(self.session).of(site_id, record.url_key) or None
        else:
            values["anchors"] = list(old.anchors) or None
        upsert(self.session, CONTENT, [values], KEY, _replacing(tuple(values)))
        if change.operation is None:
            return
        self._add_to_outbox(site_id, record.url_key, change.operation, change.at)
        search = SearchIndex(self.session)
        if change.operation is Operation.UPSERT:
            search.write(site_id, record.url_key, Searched(*(values[name] for name in Searched._fields)))
        else:
            search.remove(site_id, record.url_key)

    def relink(self, site_id: int, url_key: int, now: dt.datetime) -> bool:
        """Queue a page for all indexes if the anchor texts of links to it changed; return whether they did."""
        chosen = {"b_site": site_id, "b_key": url_key}
        anchors = LinkTextRepository(self.session).of(site_id, url_key) or None
        (sent,) = _SENT_ANCHORS.first(self.session, chosen) or (None,)
        if sent == anchors:
            return False
        _RENAMED.run(self.session, {**chosen, "anchors": anchors})
        self.queue(site_id, url_key, Operation.UPSERT, now)
        return True

    def queue(self, site_id: int, url_key: int, operation: Operation, now: dt.datetime) -> None:
        """Queue an operation on a page for all indexes, which get the stored state; a later operation replaces it."""
        self._add_to_outbox(site_id, url_key, operation, now)
        search = SearchIndex(self.session)
        (search.put if operation is Operation.UPSERT else search.remove)(site_id, url_key)

    def _add_to_outbox(self, site_id: int, url_key: int, operation: Operation, now: dt.datetime) -> None:
        """Add a page to the outbox."""
        row = {
            "site_id": site_id,
            "url_key": url_key,
            "operation": int(operation),
            "revision": 1,
            "queued_at": now,
        }
        upsert(self.session, OUTBOX, [row], KEY, _requeued)

    def unchanged(self, site_id: int, url_key: int, crawl_id: int, emit_order: int) -> None:
        """Record that a crawl found the content of a page unchanged, without reading a body."""
        values = {"b_site": site_id, "b_key": url_key, "crawl_id": crawl_id, "emit_order": emit_order}
        _UNCHANGED.run(self.session, values)

    def indexed(self, site_id: int, url_key: int) -> bool:
        """Return whether a page is in the indexes."""
        (indexed,) = _INDEXED.first(self.session, {"b_site": site_id, "b_key": url_key}) or (False,)
        return bool(indexed)

    def emitted(
        self,
        site_id: int,
        crawl_id: int,
        *,
        after: int = 0,
        last: int | None = None,
        limit: int | None = None,
        unchanged: bool = True,
    ) -> Iterator[StoredContent]:
        """Yield at most `limit` rows of a crawl in feed order, after position `after` and up to position `last`.

        Without `unchanged`, rows of unchanged pages are left out.
        """
        chosen = [CONTENT.c.site_id == site_id, CONTENT.c.crawl_id == crawl_id, CONTENT.c.emit_order > after]
        if last is not None:
            chosen.append(CONTENT.c.emit_order <= last)
        if not unchanged:
            chosen.append(CONTENT.c.status != RowStatus.UNCHANGED)
        rows = self.session.execute(
            _STORED.where(*chosen).order_by(CONTENT.c.emit_order).limit(limit).execution_options(yield_per=STREAMED)
        )
        for row in rows:
            yield _stored(row)

    def get(self, site_id: int, url_key: int) -> StoredContent | None:
        """Return the content of a page, if there is one."""
        row = _WHOLE.first(self.session, {"b_site": site_id, "b_key": url_key})
        return None if row is None else _stored(row)

    def last_emitted(self, site_id: int, crawl_id: int) -> int:
        """Return the last feed position of this crawl; 0 if it has no row."""
        return self.session.number(
            select(func.max(CONTENT.c.emit_order)).where(CONTENT.c.site_id == site_id, CONTENT.c.crawl_id == crawl_id)
        )

    def counts(self, site_id: int, crawl_id: int) -> dict[tuple[Kind, RowStatus], int]:
        """Return the numbers of pages of a crawl by (kind, status)."""
        rows = self.session.execute(
            select(CONTENT.c.kind, CONTENT.c.status, func.count())
            .where(CONTENT.c.site_id == site_id, CONTENT.c.crawl_id == crawl_id)
            .group_by(CONTENT.c.kind, CONTENT.c.status)
        )
        return {(kind, status): count for kind, status, count in rows}


def _stored(row: Sequence[Any]) -> StoredContent:
    record, rest = content_record(row[: len(NAMES)]), row[len(NAMES) : -2]
    stored, (indexed, reason) = StoredContent(record, *rest), row[-2:]
    noindex = withheld(indexed=indexed, duplicate_of=record.duplicate_of, reason=reason)
    return stored._replace(noindex=noindex and stored.status != RowStatus.GONE)


@cache
def _replacing(names: tuple[str, ...]) -> Update:
    return lambda new: {name: new[name] for name in names if name not in KEY}


def _requeued(new: Excluded) -> dict[str, object]:
    return {"operation": new.operation, "revision": OUTBOX.c.revision + 1, "queued_at": new.queued_at}
