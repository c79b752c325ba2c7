"""Tables; `docs/schema.md` says what the columns mean. Only storage and the migrations import this module.

Natural composite keys are led by `site_id`: an upsert needs no look-up, the rows of a site lie together (WITHOUT
ROWID in SQLite), and PostgreSQL can be partitioned by hash of `site_id` without changing a key.
"""

import datetime as dt
from typing import Any, ClassVar, Final

from sqlalchemy import (
    Boolean,
    Date,
    ForeignKey,
    ForeignKeyConstraint,
    Identity,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    SmallInteger,
    String,
    Text,
    false,
    text,
    true,
)
from sqlalchemy.dialects.postgresql import TSVECTOR
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

from sitecrawl.storage.bands import BANDS
from sitecrawl.storage.columns import KEY, PLAIN_JSON, Unsigned64, UtcDateTime

_NAMES: Final = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}
_WITHOUT_ROWID: Final = {"sqlite_with_rowid": False}
_FRESH: Final = text("fresh")
LABEL_LENGTH: Final = 120
"""Characters of `template_node.label` that are kept; labels are for reading only."""


def _page_reference() -> ForeignKeyConstraint:
    return ForeignKeyConstraint(["site_id", "url_key"], ["page.site_id", "page.url_key"], ondelete="CASCADE")


def _partial(name: str, column: str, *before: str, after: tuple[str, ...] = ()) -> Index:
    """Return an index of the rows whose `column` is set."""
    condition = text(f"{column} IS NOT NULL")
    return Index(name, *before, column, *after, postgresql_where=condition, sqlite_where=condition)


class Base(DeclarativeBase):
    """Base of all tables; constraints are named, so that migrations can address them."""

    metadata = MetaData(naming_convention=_NAMES)
    type_annotation_map: ClassVar[dict[Any, Any]] = {
        dt.datetime: UtcDateTime,
        dict[str, Any]: PLAIN_JSON,
        list[int]: PLAIN_JSON,
        list[str]: PLAIN_JSON,
        str: Text,
    }


class SiteRow(Base):
    """One website: the unit of a crawl, of a template and of a lease."""

    __tablename__ = "site"
    id: Mapped[int] = mapped_column(KEY, Identity(), primary_key=True)
    host: Mapped[str] = mapped_column(String(253), unique=True)
    start_url: Mapped[str]
    created_at: Mapped[dt.datetime]
    next_crawl_at: Mapped[dt.datetime | None]
    lease_owner: Mapped[str | None]
    leased_until: Mapped[dt.datetime | None]
    options: Mapped[dict[str, Any] | None]
    __table_args__ = (_partial("ix_site_due", "next_crawl_at"),)


class PageRow(Base):
    """One known page: the frontier, the fetch history and the n-SET. The body lies in `body`."""

    __tablename__ = "page"
    site_id: Mapped[int] = mapped_column(KEY, ForeignKey("site.id", ondelete="CASCADE"), primary_key=True)
    url_key: Mapped[int] = mapped_column(KEY, primary_key=True, autoincrement=False)
    url: Mapped[str]
    status: Mapped[int] = mapped_column(SmallInteger)
    reason: Mapped[str | None]
    http_status: Mapped[int | None] = mapped_column(SmallInteger)
    depth: Mapped[int] = mapped_column(SmallInteger)
    hyperlink_distance: Mapped[int | None] = mapped_column(SmallInteger)
    dom_distance: Mapped[int | None] = mapped_column(SmallInteger)
    priority: Mapped[int] = mapped_column(Integer, server_default="0")
    discovery: Mapped[int] = mapped_column(KEY)
    crawl_id: Mapped[int | None] = mapped_column(KEY)
    fetch_order: Mapped[int | None] = mapped_column(KEY)
    sample: Mapped[list[int] | None]
    learned_version: Mapped[int | None] = mapped_column(Integer)
    layout: Mapped[int | None] = mapped_column(SmallInteger)
    etag: Mapped[str | None]
    last_modified: Mapped[str | None]
    content_language: Mapped[str | None]
    errors: Mapped[int] = mapped_column(SmallInteger, server_default="0")
    strikes: Mapped[int] = mapped_column(SmallInteger, server_default="0")
    fetches: Mapped[int] = mapped_column(Integer, server_default="0")
    not_modified: Mapped[int] = mapped_column(SmallInteger, server_default="0")
    deletion: Mapped[int | None] = mapped_column(KEY)
    discovered_at: Mapped[dt.datetime]
    fetched_at: Mapped[dt.datetime | None]
    changed_at: Mapped[dt.datetime | None]
    lastmod: Mapped[dt.datetime | None]
    fetch_interval: Mapped[int | None] = mapped_column(Integer)
    next_fetch_at: Mapped[dt.datetime | None]
    next_reason: Mapped[str | None]
    visited_at: Mapped[dt.datetime | None]
    comparisons: Mapped[float] = mapped_column(server_default="0")
    changes: Mapped[float] = mapped_column(server_default="0")
    changed_seconds: Mapped[float] = mapped_column(server_default="0")
    unchanged_seconds: Mapped[float] = mapped_column(server_default="0")
    streak: Mapped[int] = mapped_column(SmallInteger, server_default="0")
    misses: Mapped[int] = mapped_column(SmallInteger, server_default="0")
    surveyed: Mapped[bool] = mapped_column(Boolean, server_default=false())
    __table_args__ = (
        Index("ix_page_frontier", "site_id", "crawl_id", "priority", "discovery"),
        _partial("ix_page_due", "next_fetch_at", "site_id"),
        _partial("ix_page_deletion", "deletion", "site_id"),
        _WITHOUT_ROWID,
    )


class SourceRow(Base):
    """A sitemap or feed that names pages of a site."""

    __tablename__ = "source"
    site_id: Mapped[int] = mapped_column(KEY, ForeignKey("site.id", ondelete="CASCADE"), primary_key=True)
    url_key: Mapped[int] = mapped_column(KEY, primary_key=True, autoincrement=False)
    url: Mapped[str]
    kind: Mapped[int] = mapped_column(SmallInteger)
    parent: Mapped[int | None] = mapped_column(KEY)
    etag: Mapped[str | None]
    last_modified: Mapped[str | None]
    read_at: Mapped[dt.datetime | None]
    problem: Mapped[str | None]
    pages: Mapped[int] = mapped_column(Integer, server_default="0")
    __table_args__ = (_WITHOUT_ROWID,)


class BodyRow(Base):
    """The last good HTML of a page, zstd-compressed UTF-8; `previous` while the page waits for a template."""

    __tablename__ = "body"
    site_id: Mapped[int] = mapped_column(KEY, primary_key=True)
    url_key: Mapped[int] = mapped_column(KEY, primary_key=True, autoincrement=False)
    html: Mapped[bytes] = mapped_column(LargeBinary)
    previous: Mapped[bytes | None] = mapped_column(LargeBinary)
    __table_args__ = (_page_reference(),)


class LinksRow(Base):
    """The same-site links of a page as last fetched: `url_key`s of 8 bytes each, in their order on the page."""

    __tablename__ = "links"
    site_id: Mapped[int] = mapped_column(KEY, primary_key=True)
    url_key: Mapped[int] = mapped_column(KEY, primary_key=True, autoincrement=False)
    keys: Mapped[bytes] = mapped_column(LargeBinary)
    __table_args__ = (_page_reference(),)


class ContentRow(Base):
    """The main content of a page, as last emitted."""

    __tablename__ = "content"
    site_id: Mapped[int] = mapped_column(KEY, primary_key=True)
    url_key: Mapped[int] = mapped_column(KEY, primary_key=True, autoincrement=False)
    status: Mapped[str] = mapped_column(String(16))
    kind: Mapped[str] = mapped_column(String(16))
    title: Mapped[str | None]
    text: Mapped[str]
    html: Mapped[str | None]
    description: Mapped[str | None]
    author: Mapped[str | None]
    published: Mapped[str | None]
    modified: Mapped[str | None]
    language: Mapped[str | None]
    image: Mapped[str | None]
    section: Mapped[str | None]
    anchors: Mapped[list[str] | None]
    words: Mapped[int] = mapped_column(Integer)
    digest: Mapped[str | None] = mapped_column(String(32))
    simhash: Mapped[int | None] = mapped_column(Unsigned64)
    duplicate_of: Mapped[str | None] = mapped_column(String(32))
    band1: Mapped[int | None] = mapped_column(Integer)
    band2: Mapped[int | None] = mapped_column(Integer)
    band3: Mapped[int | None] = mapped_column(Integer)
    band4: Mapped[int | None] = mapped_column(Integer)
    method: Mapped[str]
    confidence: Mapped[float]
    template_version: Mapped[int | None] = mapped_column(Integer)
    canonical_url: Mapped[str | None]
    crawl_id: Mapped[int | None] = mapped_column(KEY)
    emit_order: Mapped[int | None] = mapped_column(KEY)
    indexed: Mapped[bool] = mapped_column(Boolean, server_default=true())
    extracted_at: Mapped[dt.datetime]
    __table_args__ = (
        _page_reference(),
        Index("ix_content_digest", "site_id", "digest"),
        _partial("ix_content_duplicate", "duplicate_of", "site_id"),
        *(_partial(f"ix_content_{name}", name, "site_id", after=("url_key",)) for name in BANDS),
        Index("ix_content_emitted", "site_id", "crawl_id", "emit_order"),
    )


class TemplateRow(Base):
    """One layout of a site: what is known about its template as a whole. Retired ones have no counts any more."""

    __tablename__ = "template"
    site_id: Mapped[int] = mapped_column(KEY, ForeignKey("site.id", ondelete="CASCADE"), primary_key=True)
    layout: Mapped[int] = mapped_column(SmallInteger, primary_key=True, autoincrement=False)
    version: Mapped[int] = mapped_column(Integer)
    label_rule: Mapped[int] = mapped_column(SmallInteger)
    pages_seen: Mapped[int] = mapped_column(Integer)
    stable_since: Mapped[int | None] = mapped_column(Integer)
    novelty: Mapped[float]
    crawl_id: Mapped[int | None] = mapped_column(KEY)
    updated_at: Mapped[dt.datetime]
    retired_at: Mapped[dt.datetime | None]


def _template_reference() -> ForeignKeyConstraint:
    columns = ["template.site_id", "template.layout"]
    return ForeignKeyConstraint(["site_id", "layout"], columns, ondelete="CASCADE")


class TemplateNodeRow(Base):
    """Counts of one trie node."""

    __tablename__ = "template_node"
    site_id: Mapped[int] = mapped_column(KEY, primary_key=True, autoincrement=False)
    layout: Mapped[int] = mapped_column(SmallInteger, primary_key=True, autoincrement=False)
    key: Mapped[int] = mapped_column(KEY, primary_key=True, autoincrement=False)
    parent: Mapped[int] = mapped_column(KEY)
    depth: Mapped[int] = mapped_column(SmallInteger)
    label: Mapped[str] = mapped_column(String(LABEL_LENGTH))
    pages: Mapped[int] = mapped_column(Integer)
    nodes: Mapped[int] = mapped_column(KEY)
    variants: Mapped[int] = mapped_column(Integer)
    chars: Mapped[int] = mapped_column(KEY)
    link_chars: Mapped[int] = mapped_column(KEY)
    last_page: Mapped[int] = mapped_column(Integer)
    __table_args__ = (_template_reference(), _WITHOUT_ROWID)


class TemplateStyleRow(Base):
    """Pages that showed one presentation style of a node (SST)."""

    __tablename__ = "template_style"
    site_id: Mapped[int] = mapped_column(KEY, primary_key=True, autoincrement=False)
    layout: Mapped[int] = mapped_column(SmallInteger, primary_key=True, autoincrement=False)
    node: Mapped[int] = mapped_column(KEY, primary_key=True, autoincrement=False)
    style: Mapped[int] = mapped_column(KEY, primary_key=True, autoincrement=False)
    pages: Mapped[int] = mapped_column(Integer)
    __table_args__ = (_template_reference(), _WITHOUT_ROWID)


class TemplatePathRow(Base):
    """Pages on which a traversal path held content, or noise (FastCE)."""

    __tablename__ = "template_path"
    site_id: Mapped[int] = mapped_column(KEY, primary_key=True, autoincrement=False)
    layout: Mapped[int] = mapped_column(SmallInteger, primary_key=True, autoincrement=False)
    key: Mapped[int] = mapped_column(KEY, primary_key=True, autoincrement=False)
    path: Mapped[str]
    content_pages: Mapped[int] = mapped_column(Integer)
    noise_pages: Mapped[int] = mapped_column(Integer)
    __table_args__ = (_template_reference(), _WITHOUT_ROWID)


class TemplateBlockRow(Base):
    """Pages that held one repeated atomic block of a traversal path (FastCE)."""

    __tablename__ = "template_block"
    site_id: Mapped[int] = mapped_column(KEY, primary_key=True, autoincrement=False)
    layout: Mapped[int] = mapped_column(SmallInteger, primary_key=True, autoincrement=False)
    path: Mapped[int] = mapped_column(KEY, primary_key=True, autoincrement=False)
    block: Mapped[int] = mapped_column(KEY, primary_key=True, autoincrement=False)
    pages: Mapped[int] = mapped_column(Integer)
    features: Mapped[bytes] = mapped_column(LargeBinary)
    __table_args__ = (_template_reference(), _WITHOUT_ROWID)


class SiteValueRow(Base):
    """Pages of a site that declare one value: what most of them say is said of the site."""

    __tablename__ = "site_value"
    site_id: Mapped[int] = mapped_column(KEY, ForeignKey("site.id", ondelete="CASCADE"), primary_key=True)
    field: Mapped[int] = mapped_column(SmallInteger, primary_key=True, autoincrement=False)
    value: Mapped[int] = mapped_column(KEY, primary_key=True, autoincrement=False)
    pages: Mapped[int] = mapped_column(Integer)
    __table_args__ = (_WITHOUT_ROWID,)


class LinkTextRow(Base):
    """One text of links to a page, with one of the pages that say so; null when that page does not any more."""

    __tablename__ = "link_text"
    site_id: Mapped[int] = mapped_column(KEY, ForeignKey("site.id", ondelete="CASCADE"), primary_key=True)
    url_key: Mapped[int] = mapped_column(KEY, primary_key=True, autoincrement=False)
    text_key: Mapped[int] = mapped_column(KEY, primary_key=True, autoincrement=False)
    text: Mapped[str]
    source: Mapped[int | None] = mapped_column(KEY)
    fresh: Mapped[bool] = mapped_column(Boolean, server_default=true())
    __table_args__ = (
        Index("ix_link_text_text", "site_id", "text_key", "source"),
        _partial("ix_link_text_source", "source", "site_id"),
        Index("ix_link_text_fresh", "site_id", postgresql_where=_FRESH, sqlite_where=_FRESH),
        _WITHOUT_ROWID,
    )


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
    __table_args__ = (
        Index("ix_outbox_sequence", "sequence"),
        Index(
            "ix_outbox_unnumbered",
            "queued_at",
            postgresql_where=text("numbered <> revision"),
            sqlite_where=text("numbered <> revision"),
        ),
        _WITHOUT_ROWID,
    )


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
    __table_args__ = (_partial("ix_rejection_retry", "retry_at", "sink"), _WITHOUT_ROWID)


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
    vector: Mapped[str | None] = mapped_column(TSVECTOR().with_variant(Text(), "sqlite"))
    __table_args__ = (
        ForeignKeyConstraint(["site_id", "url_key"], ["content.site_id", "content.url_key"], ondelete="CASCADE"),
        Index("ix_search_page", "site_id", "url_key", unique=True),
        Index("ix_search_config", "config"),
        # empty in SQLite, where the column is not used
        Index("ix_search_vector", "vector", postgresql_using="gin", sqlite_where=text("vector IS NOT NULL")),
    )


class CrawlRow(Base):
    """One crawl of a site; unfinished while `finished_at` is null."""

    __tablename__ = "crawl"
    id: Mapped[int] = mapped_column(KEY, Identity(), primary_key=True)
    site_id: Mapped[int] = mapped_column(KEY, ForeignKey("site.id", ondelete="CASCADE"), index=True)
    started_at: Mapped[dt.datetime]
    finished_at: Mapped[dt.datetime | None]
    reason: Mapped[str | None]
    stats: Mapped[dict[str, Any] | None]
