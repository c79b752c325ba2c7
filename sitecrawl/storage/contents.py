"""Main content of pages as last extracted, and the outbox of changes for a search index."""

import datetime as dt
from collections.abc import Iterator, Sequence
from dataclasses import replace
from enum import IntEnum
from functools import cache
from typing import Any, Final, NamedTuple

from sqlalchemy import bindparam, func, select, update

from sitecrawl.dom.text import printable
from sitecrawl.storage.anchor_texts import LinkTextRepository
from sitecrawl.storage.db.prepared import Prepared
from sitecrawl.storage.db.session import Session
from sitecrawl.storage.db.upsert import Update, upsert
from sitecrawl.storage.page_state import GONE, PageState, PageStatus
from sitecrawl.storage.pages import KEY, PageChange, PageRepository
from sitecrawl.storage.records import NAMES, RECORDED, ContentRecord, StoredContent, content_record
from sitecrawl.storage.search.repository import Searched, SearchIndex
from sitecrawl.storage.simhash_bands import indexed_bands
from sitecrawl.storage.tables.models import ContentRow, OutboxRow, PageRow

__all__ = [
    "RECORDED",
    "ContentChange",
    "ContentRecord",
    "ContentRepository",
    "Operation",
    "StoredContent",
    "changed_content",
    "content_record",
]


class Operation(IntEnum):
    """What an index is to do with a page."""

    UPSERT = 1
    DELETE = 2


class ContentChange(NamedTuple):
    """What becomes of the content of a page."""

    record: ContentRecord
    status: str
    """`new`, `changed` or `unchanged`."""
    indexed: bool
    """Whether an index is to hold it."""
    operation: Operation | None
    """What the indexes are told, None for nothing."""
    retold: bool
    """Whether the texts of links to the page are looked up anew; else those of before stay."""
    at: dt.datetime
    """When the content was extracted; the record of a text that was found again has an earlier time."""


def changed_content(state: PageState, record: ContentRecord, *, index: bool = True) -> ContentChange:
    """Return what becomes of the content of a page in some state, by its digest.

    An index is told what is new or changed, unless `index` is off or another page of the site has the same text; what
    it may not hold any more is taken back.
    """
    old = state.content
    if old is None or state.known.row is None or state.known.deleted:
        status = "new"
    elif old.crawl_id == record.crawl_id:
        status = state.known.row  # extracted twice in one crawl: what it was then, unless the text was kept till now
        status = "changed" if status == "unchanged" and old.digest != record.digest else status
    else:
        # one that is no duplicate any more has to be told to those who left duplicates out
        released = old.duplicate_of is not None and record.duplicate_of is None
        status = "unchanged" if old.digest == record.digest and not released else "changed"
    wanted, held = index and record.duplicate_of is None, state.known.indexed
    shown = old is not None and _shown(old) == _shown(record)
    tell = wanted and (status != "unchanged" or not held or not shown)
    operation = Operation.UPSERT if tell else Operation.DELETE if held and not wanted else None
    # texts of links change with every rotating list of links: they alone are no reason to tell an index
    kept = _with_same_text(old, record) if old is not None and status != "new" else record
    return ContentChange(kept, status, wanted, operation, retold=tell or old is None, at=record.extracted_at)


def _with_same_text(old: ContentRecord, record: ContentRecord) -> ContentRecord:
    """Return a new record as it is stored; where the text is the stored one, it is as old as that one.

    What else says how the text was made stays too, so that an export of an unchanged site is the same each time. A
    text that was made by another method, without a template, or that is of another kind now, is made anew.
    """
    if old.digest != record.digest:
        return record
    same = old.method == record.method and old.kind == record.kind
    if same and (old.template_version is not None or record.template_version is None):
        record = replace(record, confidence=old.confidence, template_version=old.template_version)
    return replace(record, extracted_at=old.extracted_at)


def _shown(record: ContentRecord) -> list[object]:
    return [_clean(getattr(record, name)) for name in _SHOWN_NAMES]


STREAMED: Final = 200
"""Contents that are in memory at once when a whole crawl is read."""
_SHOWN_NAMES: Final = (
    *("kind", "title", "description", "author", "published", "modified", "language", "canonical_url"),
    *("image", "section"),
)
"""What an index shows or filters by besides the text, which `digest` stands for."""
TOLD: Final = (*_SHOWN_NAMES, "html", "method")
"""What the row of a page says besides its text, and besides how and when it was made."""
_ONE: Final = (ContentRow.site_id == bindparam("b_site"), ContentRow.url_key == bindparam("b_key"))
_STORED: Final = (
    select(*RECORDED, ContentRow.status, PageRow.url, PageRow.http_status, PageRow.depth, PageRow.fetched_at)
    .select_from(ContentRow)
    .join(PageRow, (ContentRow.site_id == PageRow.site_id) & (ContentRow.url_key == PageRow.url_key))
)
_WHOLE: Final = Prepared(_STORED.where(*_ONE))
_INDEXED: Final = Prepared(select(ContentRow.indexed).where(*_ONE))
_TOLD: Final = Prepared(select(ContentRow.anchors).where(*_ONE, ContentRow.indexed))

_CONTENT: Final = ContentRow.__table__
_RENAMED: Final = Prepared(
    update(_CONTENT)  # type: ignore[arg-type]
    .where(_CONTENT.c.site_id == bindparam("b_site"), _CONTENT.c.url_key == bindparam("b_key"))
    .values(anchors=bindparam("anchors"))
)
_UNCHANGED: Final = Prepared(
    update(_CONTENT)  # type: ignore[arg-type]
    .where(
        _CONTENT.c.site_id == bindparam("b_site"), _CONTENT.c.url_key == bindparam("b_key"), _CONTENT.c.status != GONE
    )
    .values(status="unchanged", crawl_id=bindparam("crawl_id"), emit_order=bindparam("emit_order"))
)


class ContentRepository:
    """Reads and writes `content` and `outbox`."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def put(self, site_id: int, record: ContentRecord, *, index: bool = True) -> str:
        """Store the content of a page by itself; return `new`, `changed` or `unchanged` by its digest."""
        pages = PageRepository(self.session)
        state = pages.state(site_id, record.url_key)
        change = changed_content(state, record, index=index)
        self.write(site_id, change, state.content)
        pages.write(site_id, PageChange(record.url_key, state, **told_to_page(change)))
        return change.status

    def write(self, site_id: int, change: ContentChange, old: ContentRecord | None) -> None:
        """Store the content of a page that had an `old` one or none; an index is told in the same transaction."""
        record = change.record
        values: dict[str, Any] = {name: _clean(getattr(record, name)) for name in NAMES}
        values |= {"site_id": site_id, "status": change.status, "indexed": change.indexed}
        values |= indexed_bands(record.simhash, len(record.text), record.duplicate_of)
        if change.retold or old is None:
            values["anchors"] = LinkTextRepository(self.session).of(site_id, record.url_key) or None
        else:
            values["anchors"] = list(old.anchors) or None
        upsert(self.session, ContentRow, [values], KEY, _replacing(tuple(values)))
        if change.operation is None:
            return
        self._tell(site_id, record.url_key, change.operation, change.at)
        search = SearchIndex(self.session)
        if change.operation is Operation.UPSERT:
            search.write(site_id, record.url_key, Searched(*(values[name] for name in Searched._fields)))
        else:
            search.remove(site_id, record.url_key)

    def relink(self, site_id: int, url_key: int, now: dt.datetime) -> bool:
        """Tell all indexes by what words links call a page, if that has changed; say whether it has."""
        chosen = {"b_site": site_id, "b_key": url_key}
        anchors = LinkTextRepository(self.session).of(site_id, url_key) or None
        (told,) = _TOLD.first(self.session, chosen) or (None,)
        if told == anchors:
            return False
        _RENAMED.run(self.session, {**chosen, "anchors": anchors})
        self.queue(site_id, url_key, Operation.UPSERT, now)
        return True

    def queue(self, site_id: int, url_key: int, operation: Operation, now: dt.datetime) -> None:
        """Tell all indexes what to do with a page, as it is stored now; the last word counts."""
        self._tell(site_id, url_key, operation, now)
        search = SearchIndex(self.session)
        (search.put if operation is Operation.UPSERT else search.remove)(site_id, url_key)

    def _tell(self, site_id: int, url_key: int, operation: Operation, now: dt.datetime) -> None:
        """Put a page into the outbox."""
        row = {
            "site_id": site_id,
            "url_key": url_key,
            "operation": int(operation),
            "revision": 1,
            "queued_at": now,
        }
        upsert(self.session, OutboxRow, [row], KEY, _requeued)

    def unchanged(self, site_id: int, url_key: int, crawl_id: int, emit_order: int) -> None:
        """Note that a crawl found the content of a page as it was, without a body."""
        values = {"b_site": site_id, "b_key": url_key, "crawl_id": crawl_id, "emit_order": emit_order}
        _UNCHANGED.run(self.session, values)

    def indexed(self, site_id: int, url_key: int) -> bool:
        """Say whether an index was told to hold a page."""
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
        """Yield what this crawl said of pages so far, in the order of the feed, without the first `after` rows.

        Rows after `last` are left out, and so are pages that did not change with `unchanged` off; at most `limit` rows.
        """
        chosen = [ContentRow.site_id == site_id, ContentRow.crawl_id == crawl_id, ContentRow.emit_order > after]
        if last is not None:
            chosen.append(ContentRow.emit_order <= last)
        if not unchanged:
            chosen.append(ContentRow.status != "unchanged")
        rows = self.session.execute(
            _STORED.where(*chosen).order_by(ContentRow.emit_order).limit(limit).execution_options(yield_per=STREAMED)
        )
        for row in rows:
            yield _stored(row)

    def get(self, site_id: int, url_key: int) -> StoredContent | None:
        """Return the content of a page, if there is one."""
        row = _WHOLE.first(self.session, {"b_site": site_id, "b_key": url_key})
        return None if row is None else _stored(row)

    def last_emitted(self, site_id: int, crawl_id: int) -> int:
        """Return the sequence number of the last row that this crawl extracted, 0 for none."""
        return (
            self.session.scalar(
                select(func.max(ContentRow.emit_order)).where(
                    ContentRow.site_id == site_id, ContentRow.crawl_id == crawl_id
                )
            )
            or 0
        )

    def counts(self, site_id: int, crawl_id: int) -> dict[tuple[str, str], int]:
        """Return the pages of a crawl by (kind, status)."""
        rows = self.session.execute(
            select(ContentRow.kind, ContentRow.status, func.count())
            .where(ContentRow.site_id == site_id, ContentRow.crawl_id == crawl_id)
            .group_by(ContentRow.kind, ContentRow.status)
        )
        return {(kind, status): count for kind, status, count in rows}


def _stored(row: Sequence[Any]) -> StoredContent:
    return StoredContent(content_record(row[: len(NAMES)]), *row[len(NAMES) :])


def told_to_page(change: ContentChange) -> dict[str, Any]:
    """Return what the content of a page changes in the page's own row, where no visit says more."""
    if change.status == "unchanged":
        return {"status": PageStatus.UNCHANGED}
    return {"changed_at": change.at} if change.status == "changed" else {}


@cache
def _replacing(names: tuple[str, ...]) -> Update:
    return lambda new: {name: new[name] for name in names if name not in KEY}


def _requeued(new: Any) -> dict[str, Any]:
    return {"operation": new.operation, "revision": OutboxRow.revision + 1, "queued_at": new.queued_at}


def _clean(value: object) -> object:
    return printable(value) if isinstance(value, str) else value
