"""Tables of what indexes are told, and of the built-in search."""

import datetime as dt

from sqlalchemy import (
    Date,
    ForeignKey,
    ForeignKeyConstraint,
    Identity,
    Integer,
    SmallInteger,
    String,
)

from sitecrawl.storage.tables.base import WITHOUT_ROWID, Base
from sitecrawl.storage.tables.columns import KEY, SearchVector
from sitecrawl.storage.tables.notation import Mapped, mapped_column


class OutboxRow(Base):
    """The last change of a page that search indexes are told of; one row a page, the last change wins.

    It outlives the site, so that indexes learn of deletions; `url` is kept for that.
    """

    __tablename__ = "outbox"
    site_id: Mapped[int] = mapped_column(KEY, primary_key=True)
    url_key: Mapped[int] = mapped_column(KEY, primary_key=True, autoincrement=False)
    operation: Mapped[int] = mapped_column(SmallInteger)
    revision: Mapped[int] = mapped_column(Integer)
    numbered: Mapped[int] = mapped_column(Integer, server_default="0")
    sequence: Mapped[int | None] = mapped_column(KEY)
    url: Mapped[str | None]
    queued_at: Mapped[dt.datetime]
    __table_args__ = (WITHOUT_ROWID,)


class OutboxClockRow(Base):
    """The last sequence number that was given out; one row."""

    __tablename__ = "outbox_clock"
    id: Mapped[int] = mapped_column(SmallInteger, primary_key=True, autoincrement=False)
    last: Mapped[int] = mapped_column(KEY)


class SinkRow(Base):
    """How far a sink has taken the outbox."""

    __tablename__ = "sink"
    name: Mapped[str] = mapped_column(String(64), primary_key=True)
    sequence: Mapped[int] = mapped_column(KEY)
    delivered_at: Mapped[dt.datetime | None]
    failing_since: Mapped[dt.datetime | None]
    failure: Mapped[str | None]


class RejectionRow(Base):
    """A page that a sink refused; set aside when `retry_at` is null."""

    __tablename__ = "rejection"
    sink: Mapped[str] = mapped_column(String(64), ForeignKey("sink.name", ondelete="CASCADE"), primary_key=True)
    site_id: Mapped[int] = mapped_column(KEY, primary_key=True)
    url_key: Mapped[int] = mapped_column(KEY, primary_key=True, autoincrement=False)
    attempts: Mapped[int] = mapped_column(Integer)
    reason: Mapped[str]
    rejected_at: Mapped[dt.datetime]
    retry_at: Mapped[dt.datetime | None]
    __table_args__ = (WITHOUT_ROWID,)


class SearchRow(Base):
    """A page in the built-in search; SQLite keeps its words in the FTS5 table `search_text`, by `id`."""

    __tablename__ = "search"
    id: Mapped[int] = mapped_column(KEY, Identity(), primary_key=True)
    site_id: Mapped[int] = mapped_column(KEY)
    url_key: Mapped[int] = mapped_column(KEY)
    kind: Mapped[str] = mapped_column(String(16))
    language: Mapped[str | None] = mapped_column(String(8))
    dated: Mapped[dt.date] = mapped_column(Date)
    config: Mapped[str] = mapped_column(String(32))
    vector: Mapped[str | None] = mapped_column(SearchVector)
    __table_args__ = (
        ForeignKeyConstraint(["site_id", "url_key"], ["content.site_id", "content.url_key"], ondelete="CASCADE"),
    )
