"""Main content of pages as last extracted, and the outbox of changes for a search index."""

import datetime as dt
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields
from enum import IntEnum
from typing import Any, Final, NamedTuple

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from sitecrawl.dom.text import printable
from sitecrawl.links.urls import url_id
from sitecrawl.storage.models import ContentRow, OutboxRow, PageRow
from sitecrawl.storage.pages import KEY
from sitecrawl.storage.search import Searchable, SearchIndex, page_date
from sitecrawl.storage.upsert import upsert


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
_SHOWN = tuple(
    getattr(ContentRow, name)
    for name in ("kind", "title", "description", "author", "published", "modified", "language", "canonical_url")
)
"""What an index shows or filters by besides the text, which `digest` stands for."""


class ContentRepository:
    """Reads and writes `content` and `outbox`."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def put(self, site_id: int, record: ContentRecord, *, index: bool = True) -> str:
        """Store the content of a page; return `new`, `changed` or `unchanged` by its digest.

        New and changed content is queued for the sinks and put into the built-in search, in the same transaction;
        with `index` off it is taken out of both.
        """
        old = self.session.execute(
            select(ContentRow.digest, ContentRow.crawl_id, ContentRow.status, *_SHOWN).where(
                ContentRow.site_id == site_id, ContentRow.url_key == record.url_key
            )
        ).first()
        if old is None:
            status = "new"
        elif old.crawl_id == record.crawl_id:
            status = old.status  # extracted twice in one crawl: what it was then
        else:
            status = "unchanged" if old.digest == record.digest else "changed"
        row = {name: _clean(value) for name, value in asdict(record).items()}
        row |= {"site_id": site_id, "status": status}
        changed = [name for name in row if name not in KEY]
        upsert(self.session, ContentRow, [row], KEY, lambda new: {name: new[name] for name in changed})
        if not index:
            self._withdraw(site_id, record)
        elif status != "unchanged" or _shown(old) != _shown(record) or not self._is_queued(site_id, record):
            self._queue(site_id, record, Operation.UPSERT)
            SearchIndex(self.session).put(site_id, record.url_key, _searchable(record))
        if status == "changed":
            self.session.execute(
                update(PageRow)
                .where(PageRow.site_id == site_id, PageRow.url_key == record.url_key)
                .values(changed_at=record.extracted_at)
            )
        return status

    def _is_queued(self, site_id: int, record: ContentRecord) -> bool:
        """Say whether indexes were last told to hold the page."""
        operation = self.session.scalar(
            select(OutboxRow.operation).where(OutboxRow.site_id == site_id, OutboxRow.url_key == record.url_key)
        )
        return operation == Operation.UPSERT

    def _withdraw(self, site_id: int, record: ContentRecord) -> None:
        """Take a page out of all indexes that may hold it."""
        if self._is_queued(site_id, record):
            self._queue(site_id, record, Operation.DELETE)
            SearchIndex(self.session).remove(site_id, record.url_key)

    def _queue(self, site_id: int, record: ContentRecord, operation: Operation) -> None:
        queued = {
            "site_id": site_id,
            "url_key": record.url_key,
            "operation": int(operation),
            "revision": 1,
            "queued_at": record.extracted_at,
        }
        upsert(
            self.session,
            OutboxRow,
            [queued],
            KEY,
            lambda new: {
                "operation": new.operation,
                "revision": OutboxRow.revision + 1,
                "queued_at": new.queued_at,
            },
        )

    def original(self, site_id: int, digest: str, url_key: int) -> str | None:
        """Return the id of the earliest other page of the site with the same main text, if there is one."""
        url = self.session.scalar(
            select(PageRow.url)
            .join(
                ContentRow,
                (ContentRow.site_id == PageRow.site_id) & (ContentRow.url_key == PageRow.url_key),
            )
            .where(
                ContentRow.site_id == site_id,
                ContentRow.digest == digest,
                ContentRow.url_key != url_key,
                ContentRow.text != "",
                ContentRow.duplicate_of.is_(None),
            )
            .order_by(ContentRow.crawl_id, ContentRow.emit_order)
            .limit(1)
        )
        return url_id(url) if url else None

    def emitted(self, site_id: int, crawl_id: int) -> Iterator[StoredContent]:
        """Yield what this crawl extracted so far, in the order of the feed."""
        rows = self.session.execute(
            select(ContentRow, PageRow.url, PageRow.http_status, PageRow.depth, PageRow.fetched_at)
            .join(PageRow, (ContentRow.site_id == PageRow.site_id) & (ContentRow.url_key == PageRow.url_key))
            .where(ContentRow.site_id == site_id, ContentRow.crawl_id == crawl_id)
            .order_by(ContentRow.emit_order)
            .execution_options(yield_per=STREAMED)
        )
        for content, url, http_status, depth, fetched_at in rows:
            yield StoredContent(content_record_of(content), content.status, url, http_status, depth, fetched_at)

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


def content_record_of(row: ContentRow) -> ContentRecord:
    """Return a stored row as a value."""
    return ContentRecord(**{name: getattr(row, name) for name in _NAMES})


def _shown(content: Any) -> list[object]:
    return [_clean(getattr(content, column.key)) for column in _SHOWN]


def _searchable(record: ContentRecord) -> Searchable:
    return Searchable(
        kind=record.kind,
        title=record.title or "",
        description=record.description or "",
        anchors="",
        text=record.text,
        language=record.language,
        dated=page_date(record.published, record.modified, record.extracted_at),
    )


def _clean(value: object) -> object:
    return printable(value) if isinstance(value, str) else value
