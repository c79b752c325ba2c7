"""Tables of the outbox, its sinks, and the built-in search."""

import datetime as dt
from typing import Final

from sqlalchemy import (
    Column,
    Date,
    ForeignKey,
    ForeignKeyConstraint,
    Identity,
    Integer,
    Named,
    SmallInteger,
    String,
    Table,
    Text,
    TypedColumns,
)

from sitecrawl.storage.tables.base import METADATA
from sitecrawl.storage.tables.columns import KEY, PlainJson, SearchVector, UtcDateTime


class OutboxColumns(TypedColumns):
    """The last change of a page for the search indexes; one row per page, the last change wins.

    It outlives the site, so that indexes learn of deletions; `url` is stored for that.
    """

    site_id: Named[int] = Column(KEY, primary_key=True)
    url_key: Named[int] = Column(KEY, primary_key=True, autoincrement=False)
    operation: Named[int] = Column(SmallInteger)
    revision: Named[int] = Column(Integer)
    numbered: Named[int] = Column(Integer, server_default="0")
    sequence: Named[int | None] = Column(KEY)
    url: Named[str | None] = Column(Text)
    queued_at: Named[dt.datetime] = Column(UtcDateTime)


OUTBOX: Final = Table("outbox", METADATA, OutboxColumns, sqlite_with_rowid=False)


class OutboxClockColumns(TypedColumns):
    """The last sequence number issued; one row."""

    id: Named[int] = Column(SmallInteger, primary_key=True, autoincrement=False)
    last: Named[int] = Column(KEY)


OUTBOX_CLOCK: Final = Table("outbox_clock", METADATA, OutboxClockColumns)


class SinkColumns(TypedColumns):
    """The progress of a sink in the outbox."""

    name: Named[str] = Column(String(64), primary_key=True)
    sequence: Named[int] = Column(KEY)
    delivered_at: Named[dt.datetime | None] = Column(UtcDateTime)
    failing_since: Named[dt.datetime | None] = Column(UtcDateTime)
    failure: Named[str | None] = Column(Text)


SINK: Final = Table("sink", METADATA, SinkColumns)


class RejectionColumns(TypedColumns):
    """A page that a sink refused; set aside if `retry_at` is null."""

    sink: Named[str] = Column(String(64), ForeignKey("sink.name", ondelete="CASCADE"), primary_key=True)
    site_id: Named[int] = Column(KEY, primary_key=True)
    url_key: Named[int] = Column(KEY, primary_key=True, autoincrement=False)
    attempts: Named[int] = Column(Integer)
    reason: Named[str] = Column(Text)
    rejected_at: Named[dt.datetime] = Column(UtcDateTime)
    retry_at: Named[dt.datetime | None] = Column(UtcDateTime)


REJECTION: Final = Table("rejection", METADATA, RejectionColumns, sqlite_with_rowid=False)


class SentChunksColumns(TypedColumns):
    """The chunks of a page that a reader of chunks has: a sink, or the exports of one kind.

    It outlives the site, as the outbox does.
    """

    reader: Named[str] = Column(String(80), primary_key=True)
    site_id: Named[int] = Column(KEY, primary_key=True)
    url_key: Named[int] = Column(KEY, primary_key=True, autoincrement=False)
    site: Named[str] = Column(String(300))
    url: Named[str] = Column(Text)
    made_of: Named[str] = Column(String(32))
    chunks: Named[dict[str, int]] = Column(PlainJson)
    gone: Named[dict[str, int] | None] = Column(PlainJson)


SENT_CHUNKS: Final = Table("sent_chunks", METADATA, SentChunksColumns)


class SearchColumns(TypedColumns):
    """A page in the built-in search; SQLite keeps its terms in the FTS5 table `search_text`, by `id`."""

    id: Named[int] = Column(KEY, Identity(), primary_key=True)
    site_id: Named[int] = Column(KEY)
    url_key: Named[int] = Column(KEY)
    kind: Named[str] = Column(String(16))
    language: Named[str | None] = Column(String(8))
    dated: Named[dt.date] = Column(Date)
    config: Named[str] = Column(String(32))
    vector: Named[str | None] = Column(SearchVector)


SEARCH: Final = Table(
    "search",
    METADATA,
    SearchColumns,
    ForeignKeyConstraint(["site_id", "url_key"], ["content.site_id", "content.url_key"], ondelete="CASCADE"),
)
