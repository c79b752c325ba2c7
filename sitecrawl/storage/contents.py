"""Main content of pages as last extracted, and the outbox of changes for a search index."""

import datetime as dt
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from enum import IntEnum
from functools import cache
from typing import Any, Final, NamedTuple

from sqlalchemy import bindparam, func, select, update

from sitecrawl.dom.text import printable
from sitecrawl.storage.bands import indexed_bands
from sitecrawl.storage.linktexts import LinkTextRepository
from sitecrawl.storage.models import ContentRow, OutboxRow, PageRow
from sitecrawl.storage.pages import KEY, PageStatus
from sitecrawl.storage.prepared import Prepared
from sitecrawl.storage.revisits import GONE
from sitecrawl.storage.search import SearchIndex
from sitecrawl.storage.session import Session
from sitecrawl.storage.upsert import Update, update_rows, upsert


class Operation(IntEnum):
    """What an index is to do with a page."""

    UPSERT = 1
    DELETE = 2


@dataclass(frozen=True, slots=True)
class ContentRecord:
    """The stored columns of one page's main content."""

    url_key: int
    kind: str
    title: str | None
    text: str
    html: str | None
    description: str | None
    author: str | None
    published: str | None
    modified: str | None
    language: str | None
    image: str | None
    section: str | None
    words: int
    digest: str
    simhash: int
    duplicate_of: str | None
    method: str
    confidence: float
    template_version: int | None
    canonical_url: str | None
    crawl_id: int
    emit_order: int
    extracted_at: dt.datetime
    anchors: tuple[str, ...] = ()
    """Texts of links to the page, as the index was told last; `put` finds them itself."""


class _Old(NamedTuple):
    """What decides whether a content is new to the feed and to an index."""

    digest: str | None
    crawl_id: int | None
    status: str
    indexed: bool
    duplicate_of: str | None
    anchors: list[str] | None
    extracted_at: dt.datetime
    method: str
    confidence: float
    template_version: int | None
    shown: list[object]


class StoredContent(NamedTuple):
    """A content row with what its feed row needs of the page."""

    record: ContentRecord
    status: str
    url: str
    http_status: int | None
    depth: int
    fetched_at: dt.datetime | None


STREAMED: Final = 200
"""Contents that are in memory at once when a whole crawl is read."""
_NAMES = [field.name for field in fields(ContentRecord)]
_SHOWN_NAMES: Final = (
    *("kind", "title", "description", "author", "published", "modified", "language", "canonical_url"),
    *("image", "section"),
)
"""What an index shows or filters by besides the text, which `digest` stands for."""
_ONE: Final = (ContentRow.site_id == bindparam("b_site"), ContentRow.url_key == bindparam("b_key"))
_OLD: Final = Prepared(
    select(
        *(ContentRow.digest, ContentRow.crawl_id, ContentRow.status, ContentRow.indexed, ContentRow.duplicate_of),
        *(ContentRow.anchors, ContentRow.extracted_at, ContentRow.method, ContentRow.confidence),
        *(ContentRow.template_version, *(getattr(ContentRow, name) for name in _SHOWN_NAMES)),
    ).where(*_ONE)
)
RECORDED: Final = tuple(getattr(ContentRow, name) for name in _NAMES)
"""The columns of a `ContentRecord`; the first one is never null."""
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
        """Store the content of a page; return `new`, `changed` or `unchanged` by its digest.

        An index is told in the same transaction: what is new or changed is queued, unless `index` is off or another
        page of the site has the same text; what an index may not hold any more is taken back.
        """
        row = _OLD.first(self.session, {"b_site": site_id, "b_key": record.url_key})
        old = None if row is None else _Old._make((*row[:10], list(row[10:])))
        if old is None or old.status == GONE:
            status = "new"
        elif old.crawl_id == record.crawl_id:
            status = old.status  # extracted twice in one crawl: what it was then
        else:
            # one that is no duplicate any more has to be told to those who left duplicates out
            released = old.duplicate_of is not None and record.duplicate_of is None
            status = "unchanged" if old.digest == record.digest and not released else "changed"
        wanted, held = index and record.duplicate_of is None, old is not None and old.indexed
        values: dict[str, Any] = {name: _clean(getattr(record, name)) for name in _NAMES}
        values |= {"site_id": site_id, "status": status, "indexed": wanted}
        if old is not None and old.status != GONE and old.digest == record.digest:
            values |= _same_text(old, record)
        values |= indexed_bands(record.simhash, len(record.text), record.duplicate_of)
        shown = old is not None and list(map(_clean, old.shown)) == [values[name] for name in _SHOWN_NAMES]
        tell = wanted and (status != "unchanged" or not held or not shown)
        # texts of links change with every rotating list of links: they alone are no reason to tell an index
        texts = LinkTextRepository(self.session)
        values["anchors"] = (texts.of(site_id, record.url_key) or None) if tell or old is None else old.anchors
        upsert(self.session, ContentRow, [values], KEY, _replacing(tuple(values)))
        if tell:
            self.queue(site_id, record.url_key, Operation.UPSERT, record.extracted_at)
        elif held and not wanted:
            self.queue(site_id, record.url_key, Operation.DELETE, record.extracted_at)
        if status != "new":
            page: dict[str, Any] = {"changed_at": record.extracted_at}
            if status == "unchanged":
                page = {"status": int(PageStatus.UNCHANGED)}
            key = {"site_id": site_id, "url_key": record.url_key}
            update_rows(self.session, PageRow, [{**key, **page}], KEY)
        return status

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
        row = {
            "site_id": site_id,
            "url_key": url_key,
            "operation": int(operation),
            "revision": 1,
            "queued_at": now,
        }
        upsert(self.session, OutboxRow, [row], KEY, _requeued)
        search = SearchIndex(self.session)
        (search.put if operation is Operation.UPSERT else search.remove)(site_id, url_key)

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


def _same_text(old: _Old, record: ContentRecord) -> dict[str, Any]:
    """Return what stays of a stored content whose text was found again: since when it is this one, and who made it.

    So what feed and index were told is what is stored. A text that was made without a template does not stay so.
    """
    kept: dict[str, Any] = {"extracted_at": old.extracted_at}
    if old.method == record.method and (old.template_version is not None or record.template_version is None):
        kind = old.shown[_SHOWN_NAMES.index("kind")]
        kept |= {"kind": kind, "confidence": old.confidence, "template_version": old.template_version}
    return kept


def _stored(row: Sequence[Any]) -> StoredContent:
    return StoredContent(content_record(row[: len(_NAMES)]), *row[len(_NAMES) :])


def content_record(columns: Sequence[Any]) -> ContentRecord:
    """Return the columns `RECORDED` of a stored row as a value."""
    values = dict(zip(_NAMES, columns, strict=True))
    values |= {"digest": values["digest"] or "", "simhash": values["simhash"] or 0}
    return ContentRecord(**{**values, "anchors": tuple(values["anchors"] or ())})


@cache
def _replacing(names: tuple[str, ...]) -> Update:
    return lambda new: {name: new[name] for name in names if name not in KEY}


def _requeued(new: Any) -> dict[str, Any]:
    return {"operation": new.operation, "revision": OutboxRow.revision + 1, "queued_at": new.queued_at}


def _clean(value: object) -> object:
    return printable(value) if isinstance(value, str) else value
