"""Tables of sites, their crawls, and their pages."""

import datetime as dt
from typing import Any, Final

from sqlalchemy import (
    Boolean,
    Column,
    Double,
    ForeignKey,
    Identity,
    Integer,
    LargeBinary,
    Named,
    SmallInteger,
    String,
    Table,
    Text,
    TypedColumns,
    false,
    true,
)

from sitecrawl.metadata.fields import Metadata, RowStatus
from sitecrawl.page_kind import Kind
from sitecrawl.storage.tables.base import METADATA, page_reference
from sitecrawl.storage.tables.columns import (
    KEY,
    KindText,
    PlainJson,
    RowStatusText,
    Unsigned64,
    UtcDateTime,
    columns_of,
)


class SiteColumns(TypedColumns):
    """One website: the unit of a crawl, of a template and of a lease."""

    id: Named[int] = Column(KEY, Identity(), primary_key=True)
    host: Named[str] = Column(String(253), unique=True)
    start_url: Named[str] = Column(Text)
    created_at: Named[dt.datetime] = Column(UtcDateTime)
    next_crawl_at: Named[dt.datetime | None] = Column(UtcDateTime)
    lease_owner: Named[str | None] = Column(Text)
    leased_until: Named[dt.datetime | None] = Column(UtcDateTime)
    lease_epoch: Named[int] = Column(KEY, server_default="0")
    deaths: Named[int] = Column(Integer, server_default="0")
    paused_at: Named[dt.datetime | None] = Column(UtcDateTime)
    options: Named[dict[str, Any] | None] = Column(PlainJson)
    reach: Named[str | None] = Column(Text)
    address: Named[str | None] = Column(Text)


SITE: Final = Table("site", METADATA, SiteColumns)


class CrawlColumns(TypedColumns):
    """One crawl of a site; unfinished while `finished_at` is null."""

    id: Named[int] = Column(KEY, Identity(), primary_key=True)
    site_id: Named[int] = Column(KEY, ForeignKey("site.id", ondelete="CASCADE"))
    started_at: Named[dt.datetime] = Column(UtcDateTime)
    finished_at: Named[dt.datetime | None] = Column(UtcDateTime)
    reason: Named[str | None] = Column(Text)
    stats: Named[dict[str, Any] | None] = Column(PlainJson)


CRAWL: Final = Table("crawl", METADATA, CrawlColumns)


class PageColumns(TypedColumns):
    """One known page: the frontier, the fetch history and the n-SET. The body is in `body`."""

    site_id: Named[int] = Column(KEY, ForeignKey("site.id", ondelete="CASCADE"), primary_key=True)
    url_key: Named[int] = Column(KEY, primary_key=True, autoincrement=False)
    url: Named[str] = Column(Text)
    status: Named[int] = Column(SmallInteger)
    reason: Named[str | None] = Column(Text)
    http_status: Named[int | None] = Column(SmallInteger)
    depth: Named[int] = Column(SmallInteger)
    hyperlink_distance: Named[int | None] = Column(SmallInteger)
    dom_distance: Named[int | None] = Column(SmallInteger)
    priority: Named[int] = Column(Integer, server_default="0")
    discovery: Named[int] = Column(KEY)
    crawl_id: Named[int | None] = Column(KEY)
    fetch_order: Named[int | None] = Column(KEY)
    sample: Named[list[int] | None] = Column(PlainJson)
    learned_version: Named[int | None] = Column(Integer)
    layout: Named[int | None] = Column(SmallInteger)
    etag: Named[str | None] = Column(Text)
    last_modified: Named[str | None] = Column(Text)
    content_language: Named[str | None] = Column(Text)
    errors: Named[int] = Column(SmallInteger, server_default="0")
    strikes: Named[int] = Column(SmallInteger, server_default="0")
    fetches: Named[int] = Column(Integer, server_default="0")
    not_modified: Named[int] = Column(SmallInteger, server_default="0")
    deletion: Named[int | None] = Column(KEY)
    discovered_at: Named[dt.datetime] = Column(UtcDateTime)
    fetched_at: Named[dt.datetime | None] = Column(UtcDateTime)
    changed_at: Named[dt.datetime | None] = Column(UtcDateTime)
    lastmod: Named[dt.datetime | None] = Column(UtcDateTime)
    lastmod_source: Named[int | None] = Column(KEY)
    fetch_interval: Named[int | None] = Column(Integer)
    next_fetch_at: Named[dt.datetime | None] = Column(UtcDateTime)
    not_before: Named[dt.datetime | None] = Column(UtcDateTime)
    next_reason: Named[str | None] = Column(Text)
    visited_at: Named[dt.datetime | None] = Column(UtcDateTime)
    comparisons: Named[float] = Column(Double, server_default="0")
    changes: Named[float] = Column(Double, server_default="0")
    changed_seconds: Named[float] = Column(Double, server_default="0")
    unchanged_seconds: Named[float] = Column(Double, server_default="0")
    streak: Named[int] = Column(SmallInteger, server_default="0")
    misses: Named[int] = Column(SmallInteger, server_default="0")
    surveyed: Named[bool] = Column(Boolean, server_default=false())
    unsettled: Named[bool | None] = Column(Boolean)
    missing_since: Named[dt.datetime | None] = Column(UtcDateTime)


PAGE: Final = Table("page", METADATA, PageColumns, sqlite_with_rowid=False)


class SourceColumns(TypedColumns):
    """A sitemap or feed that lists pages of a site."""

    site_id: Named[int] = Column(KEY, ForeignKey("site.id", ondelete="CASCADE"), primary_key=True)
    url_key: Named[int] = Column(KEY, primary_key=True, autoincrement=False)
    url: Named[str] = Column(Text)
    kind: Named[int] = Column(SmallInteger)
    parent: Named[int | None] = Column(KEY)
    etag: Named[str | None] = Column(Text)
    last_modified: Named[str | None] = Column(Text)
    read_at: Named[dt.datetime | None] = Column(UtcDateTime)
    problem: Named[str | None] = Column(Text)
    pages: Named[int] = Column(Integer, server_default="0")


SOURCE: Final = Table("source", METADATA, SourceColumns, sqlite_with_rowid=False)


class RobotsColumns(TypedColumns):
    """The last readable robots.txt of a host, zstd-compressed; empty if there was none."""

    site_id: Named[int] = Column(KEY, ForeignKey("site.id", ondelete="CASCADE"), primary_key=True)
    host: Named[str] = Column(String(300), primary_key=True)
    body: Named[bytes] = Column(LargeBinary)
    read_at: Named[dt.datetime] = Column(UtcDateTime)


ROBOTS: Final = Table("robots", METADATA, RobotsColumns)


class ClosedColumns(TypedColumns):
    """A closed trap of a site: a folder, path, parameter set or parameter."""

    site_id: Named[int] = Column(KEY, ForeignKey("site.id", ondelete="CASCADE"), primary_key=True)
    key: Named[int] = Column(KEY, primary_key=True, autoincrement=False)
    kind: Named[int] = Column(SmallInteger)
    place: Named[str] = Column(Text)
    reason: Named[str] = Column(Text)
    closed_at: Named[dt.datetime] = Column(UtcDateTime)


CLOSED: Final = Table("closed", METADATA, ClosedColumns, sqlite_with_rowid=False)


class HostColumns(TypedColumns):
    """A host and port of a site that fails or asked the crawler to wait; a healthy host has no row."""

    site_id: Named[int] = Column(KEY, ForeignKey("site.id", ondelete="CASCADE"), primary_key=True)
    netloc: Named[str] = Column(String(300), primary_key=True)
    breaker: Named[int] = Column(SmallInteger)
    failures: Named[int] = Column(Integer)
    failing_since: Named[dt.datetime | None] = Column(UtcDateTime)
    given_up: Named[int] = Column(Integer)
    not_before: Named[dt.datetime | None] = Column(UtcDateTime)
    reason: Named[str | None] = Column(Text)


HOST: Final = Table("host", METADATA, HostColumns)


class SuspendedColumns(TypedColumns):
    """A suspended page of an unfinished crawl: either the page or its host failed."""

    site_id: Named[int] = Column(KEY, ForeignKey("site.id", ondelete="CASCADE"), primary_key=True)
    url_key: Named[int] = Column(KEY, primary_key=True, autoincrement=False)
    url: Named[str] = Column(Text)
    netloc: Named[str] = Column(String(300))
    reason: Named[str] = Column(Text)
    http_status: Named[int | None] = Column(SmallInteger)
    depth: Named[int] = Column(SmallInteger)
    not_before: Named[dt.datetime | None] = Column(UtcDateTime)


SUSPENDED: Final = Table("suspended", METADATA, SuspendedColumns)


class BodyColumns(TypedColumns):
    """The last good HTML of a page, zstd-compressed UTF-8; `previous` while the page waits for a template."""

    site_id: Named[int] = Column(KEY, primary_key=True)
    url_key: Named[int] = Column(KEY, primary_key=True, autoincrement=False)
    html: Named[bytes] = Column(LargeBinary)
    previous: Named[bytes | None] = Column(LargeBinary)


BODY: Final = Table("body", METADATA, BodyColumns, page_reference())


class LinksColumns(TypedColumns):
    """The same-site links of a page at its last fetch: `url_key`s of 8 bytes each, in page order."""

    site_id: Named[int] = Column(KEY, primary_key=True)
    url_key: Named[int] = Column(KEY, primary_key=True, autoincrement=False)
    packed: Named[bytes] = Column("keys", LargeBinary, key="packed")


LINKS: Final = Table("links", METADATA, LinksColumns, page_reference())


class ContentColumns(TypedColumns):
    """The main content of a page as last emitted; the columns of `Metadata` follow from its fields."""

    site_id: Named[int] = Column(KEY, primary_key=True)
    url_key: Named[int] = Column(KEY, primary_key=True, autoincrement=False)
    status: Named[RowStatus] = Column(RowStatusText)
    kind: Named[Kind] = Column(KindText)
    text: Named[str] = Column(Text)
    html: Named[str | None] = Column(Text)
    anchors: Named[list[str] | None] = Column(PlainJson)
    words: Named[int] = Column(Integer)
    digest: Named[str | None] = Column(String(32))
    simhash: Named[int | None] = Column(Unsigned64)
    duplicate_of: Named[str | None] = Column(String(32))
    band1: Named[int | None] = Column(Integer)
    band2: Named[int | None] = Column(Integer)
    band3: Named[int | None] = Column(Integer)
    band4: Named[int | None] = Column(Integer)
    method: Named[str] = Column(Text)
    confidence: Named[float] = Column(Double)
    template_version: Named[int | None] = Column(Integer)
    canonical_url: Named[str | None] = Column(Text)
    crawl_id: Named[int | None] = Column(KEY)
    emit_order: Named[int | None] = Column(KEY)
    indexed: Named[bool] = Column(Boolean, server_default=true())
    extracted_at: Named[dt.datetime] = Column(UtcDateTime)
    earlier_text: Named[str | None] = Column(Text)


CONTENT: Final = Table("content", METADATA, ContentColumns, *columns_of(Metadata), page_reference())


class SiteValueColumns(TypedColumns):
    """The number of pages of a site that declare a metadata value; a value of most pages describes the site."""

    site_id: Named[int] = Column(KEY, ForeignKey("site.id", ondelete="CASCADE"), primary_key=True)
    field: Named[int] = Column(SmallInteger, primary_key=True, autoincrement=False)
    value: Named[int] = Column(KEY, primary_key=True, autoincrement=False)
    pages: Named[int] = Column(Integer)
    decided: Named[int | None] = Column(Integer)


SITE_VALUE: Final = Table("site_value", METADATA, SiteValueColumns, sqlite_with_rowid=False)


class LinkTextColumns(TypedColumns):
    """An anchor text of links to a page, with one source page; the source is null if that page no longer has it."""

    site_id: Named[int] = Column(KEY, ForeignKey("site.id", ondelete="CASCADE"), primary_key=True)
    url_key: Named[int] = Column(KEY, primary_key=True, autoincrement=False)
    text_key: Named[int] = Column(KEY, primary_key=True, autoincrement=False)
    text: Named[str] = Column(Text)
    source: Named[int | None] = Column(KEY)
    fresh: Named[bool] = Column(Boolean, server_default=true())


LINK_TEXT: Final = Table("link_text", METADATA, LinkTextColumns, sqlite_with_rowid=False)

CONTENT_OF_PAGE: Final = (CONTENT.c.site_id == PAGE.c.site_id) & (CONTENT.c.url_key == PAGE.c.url_key)
"""Joins the row of a page with its content."""
BODY_OF_PAGE: Final = (BODY.c.site_id == PAGE.c.site_id) & (BODY.c.url_key == PAGE.c.url_key)
"""Joins the row of a page with its body."""
