"""Stores the last extracted main content of each page, and queues its changes for the search indexes."""

import datetime as dt
from collections.abc import Iterator, Sequence
from dataclasses import replace
from enum import IntEnum
from functools import cache
from typing import Any, Final, NamedTuple

from sqlalchemy import bindparam, func, select, update

from sitecrawl.dom.text import printable
from sitecrawl.metadata.fields import METADATA_NAMES, RowStatus
from sitecrawl.page_kind import Kind
from sitecrawl.storage.anchor_texts import LinkTextRepository
from sitecrawl.storage.db.prepared import PreparedChange, PreparedSelect
from sitecrawl.storage.db.session import Session
from sitecrawl.storage.db.upsert import Excluded, Update, upsert
from sitecrawl.storage.page_state import PageState, PageStatus
from sitecrawl.storage.pages import KEY, PageChange, PageRepository
from sitecrawl.storage.records import NAMES, RECORDED, ContentRecord, StoredContent, content_record, withheld
from sitecrawl.storage.search.repository import Searched, SearchIndex
from sitecrawl.storage.simhash_bands import indexed_bands
from sitecrawl.storage.tables.models import CONTENT, CONTENT_OF_PAGE, OUTBOX, PAGE

__all__ = [
    "ContentChange",
    "ContentRecord",
    "ContentRepository",
    "Operation",
    "StoredContent",
    "changed_content",
]


class Operation(IntEnum):
    """The operation that an index must perform on a page."""

    UPSERT = 1
    DELETE = 2


class ContentChange(NamedTuple):
    """The new state of a page's content."""

    record: ContentRecord
    status: RowStatus
    indexed: bool
    """Whether the indexes contain the page after this change."""
    operation: Operation | None
    """The operation for the indexes; None if they need not change."""
    retold: bool
    """Whether the anchor texts of links to the page are read again; else the stored ones are kept."""
    at: dt.datetime
    """Time of the extraction; the record itself has an earlier time if its text is unchanged."""
    replaced: ContentRecord | None = None
    """The previous content, if it was in the feed and its text has changed."""


def changed_content(state: PageState, record: ContentRecord, *, index: bool = True) -> ContentChange:
    """Return the new state of a page's content; digest and kind decide whether it changed.

    The page is sent to the indexes if any of the sent fields changed, unless `index` is off or another page of the site
    has the same text. A page that must not be in the indexes any more is deleted from them.
    """
    old = state.content
    if old is None or state.known.row is None or state.known.deleted:
        status = RowStatus.NEW
    elif old.crawl_id == record.crawl_id:
        status = state.known.row  # extracted twice in one crawl: keep the first status, unless that was `unchanged`
        if status == RowStatus.UNCHANGED and (old.digest, old.kind) != (record.digest, record.kind):
            status = RowStatus.CHANGED
    else:
        # a former duplicate, or a page that asked not to be indexed, must be sent to indexes that left it out
        apart = withheld(indexed=state.known.indexed, duplicate_of=old.duplicate_of, reason=state.known.reason)
        released = (old.duplicate_of is not None or (apart and index)) and record.duplicate_of is None
        same = (old.digest, old.kind) == (record.digest, record.kind) and not released
        status = RowStatus.UNCHANGED if same else RowStatus.CHANGED
    wanted, held = index and record.duplicate_of is None, state.known.indexed
    tell = wanted and (status != RowStatus.UNCHANGED or not held or old is None or _sent(old) != _sent(record))
    operation = Operation.UPSERT if tell else Operation.DELETE if held and not wanted else None
    # anchor texts change with every rotating list of links, so a change of them alone does not update an index
    kept = _with_same_text(old, record) if old is not None and status != RowStatus.NEW else record
    retold = tell or old is None
    return ContentChange(kept, status, wanted, operation, retold, record.extracted_at, _replaced(state, record, status))


def _replaced(state: PageState, record: ContentRecord, status: RowStatus) -> ContentRecord | None:
    """Return the stored content if this is the first change of its text in a crawl; else None."""
    old = state.content
    if old is None or status != RowStatus.CHANGED or old.digest == record.digest:
        return None
    return old if old.crawl_id != record.crawl_id or state.known.row == RowStatus.UNCHANGED else None


def _with_same_text(old: ContentRecord, record: ContentRecord) -> ContentRecord:
    """Return the record to store: for an unchanged text, with the time and origin of the stored one.

    So the export of an unchanged site is the same each time. A text that was extracted by another method or without a
    template, or whose kind has changed, counts as new.
    """
    if old.digest != record.digest:
        return record
    same = old.method == record.method and old.kind == record.kind
    if same and (old.template_version is not None or record.template_version is None):
        record = replace(record, confidence=old.confidence, template_version=old.template_version)
    return replace(record, extracted_at=old.extracted_at)


def _sent(record: ContentRecord) -> list[object]:
    return [_clean(getattr(record, name)) for name in _SENT_NAMES]


STREAMED: Final = 200
"""Maximum contents in memory while a whole crawl is read."""
_SHOWN_NAMES: Final = ("kind", "canonical_url", *METADATA_NAMES)
"""Fields besides the text and its HTML that an index shows or filters by."""
_SENT_NAMES: Final = ("text", "html", *_SHOWN_NAMES)
"""Fields that are sent to an index. The text itself is compared and not its digest, which ignores punctuation."""
FEED_FIELDS: Final = (*_SHOWN_NAMES, "html", "method")
"""Fields of a feed row other than the text, without those about how and when the text was extracted."""
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
        values: dict[str, Any] = {name: _clean(getattr(record, name)) for name in NAMES}
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


def page_change(url_key: int, state: PageState, change: ContentChange) -> PageChange:
    """Return the change of a page's row that its new content causes, without a visit."""
    return PageChange(
        url_key,
        state,
        status=PageStatus.UNCHANGED if change.status == RowStatus.UNCHANGED else None,
        changed_at=change.at if change.status == RowStatus.CHANGED else None,
    )


@cache
def _replacing(names: tuple[str, ...]) -> Update:
    return lambda new: {name: new[name] for name in names if name not in KEY}


def _requeued(new: Excluded) -> dict[str, object]:
    return {"operation": new.operation, "revision": OUTBOX.c.revision + 1, "queued_at": new.queued_at}


def _clean(value: object) -> object:
    return printable(value) if isinstance(value, str) else value
