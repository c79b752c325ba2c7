"""Tables of sites, of their crawls, and of pages with what is stored of each."""

import datetime as dt
from typing import Any

from sqlalchemy import (
    Boolean,
    ForeignKey,
    Identity,
    Integer,
    LargeBinary,
    SmallInteger,
    String,
    false,
    true,
)

from sitecrawl.storage.tables.base import WITHOUT_ROWID, Base, page_reference
from sitecrawl.storage.tables.columns import KEY, Unsigned64
from sitecrawl.storage.tables.notation import Mapped, mapped_column


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
    reach: Mapped[str | None]


class CrawlRow(Base):
    """One crawl of a site; unfinished while `finished_at` is null."""

    __tablename__ = "crawl"
    id: Mapped[int] = mapped_column(KEY, Identity(), primary_key=True)
    site_id: Mapped[int] = mapped_column(KEY, ForeignKey("site.id", ondelete="CASCADE"))
    started_at: Mapped[dt.datetime]
    finished_at: Mapped[dt.datetime | None]
    reason: Mapped[str | None]
    stats: Mapped[dict[str, Any] | None]


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
    not_before: Mapped[dt.datetime | None]
    next_reason: Mapped[str | None]
    visited_at: Mapped[dt.datetime | None]
    comparisons: Mapped[float] = mapped_column(server_default="0")
    changes: Mapped[float] = mapped_column(server_default="0")
    changed_seconds: Mapped[float] = mapped_column(server_default="0")
    unchanged_seconds: Mapped[float] = mapped_column(server_default="0")
    streak: Mapped[int] = mapped_column(SmallInteger, server_default="0")
    misses: Mapped[int] = mapped_column(SmallInteger, server_default="0")
    surveyed: Mapped[bool] = mapped_column(Boolean, server_default=false())
    unsettled: Mapped[bool | None] = mapped_column(Boolean)
    __table_args__ = (WITHOUT_ROWID,)


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
    __table_args__ = (WITHOUT_ROWID,)


class RobotsRow(Base):
    """The last robots.txt of a host that could be read, zstd-compressed; empty when there was none."""

    __tablename__ = "robots"
    site_id: Mapped[int] = mapped_column(KEY, ForeignKey("site.id", ondelete="CASCADE"), primary_key=True)
    host: Mapped[str] = mapped_column(String(300), primary_key=True)
    body: Mapped[bytes] = mapped_column(LargeBinary)
    read_at: Mapped[dt.datetime]


class ClosedRow(Base):
    """A folder, path or parameter set of a site in which nothing more is asked for."""

    __tablename__ = "closed"
    site_id: Mapped[int] = mapped_column(KEY, ForeignKey("site.id", ondelete="CASCADE"), primary_key=True)
    key: Mapped[int] = mapped_column(KEY, primary_key=True, autoincrement=False)
    kind: Mapped[int] = mapped_column(SmallInteger)
    place: Mapped[str]
    reason: Mapped[str]
    closed_at: Mapped[dt.datetime]
    __table_args__ = (WITHOUT_ROWID,)


class HostRow(Base):
    """A host and port of a site that fails, or asked to be left alone; a host that is well has no row."""

    __tablename__ = "host"
    site_id: Mapped[int] = mapped_column(KEY, ForeignKey("site.id", ondelete="CASCADE"), primary_key=True)
    netloc: Mapped[str] = mapped_column(String(300), primary_key=True)
    breaker: Mapped[int] = mapped_column(SmallInteger)
    failures: Mapped[int] = mapped_column(Integer)
    failing_since: Mapped[dt.datetime | None]
    given_up: Mapped[int] = mapped_column(Integer)
    not_before: Mapped[dt.datetime | None]
    reason: Mapped[str | None]


class SuspendedRow(Base):
    """A page that failed in an unfinished crawl, while it is not known whether the page or its host is at fault."""

    __tablename__ = "suspended"
    site_id: Mapped[int] = mapped_column(KEY, ForeignKey("site.id", ondelete="CASCADE"), primary_key=True)
    url_key: Mapped[int] = mapped_column(KEY, primary_key=True, autoincrement=False)
    url: Mapped[str]
    netloc: Mapped[str] = mapped_column(String(300))
    reason: Mapped[str]
    http_status: Mapped[int | None] = mapped_column(SmallInteger)
    depth: Mapped[int] = mapped_column(SmallInteger)
    not_before: Mapped[dt.datetime | None]


class BodyRow(Base):
    """The last good HTML of a page, zstd-compressed UTF-8; `previous` while the page waits for a template."""

    __tablename__ = "body"
    site_id: Mapped[int] = mapped_column(KEY, primary_key=True)
    url_key: Mapped[int] = mapped_column(KEY, primary_key=True, autoincrement=False)
    html: Mapped[bytes] = mapped_column(LargeBinary)
    previous: Mapped[bytes | None] = mapped_column(LargeBinary)
    __table_args__ = (page_reference(),)


class LinksRow(Base):
    """The same-site links of a page as last fetched: `url_key`s of 8 bytes each, in their order on the page."""

    __tablename__ = "links"
    site_id: Mapped[int] = mapped_column(KEY, primary_key=True)
    url_key: Mapped[int] = mapped_column(KEY, primary_key=True, autoincrement=False)
    keys: Mapped[bytes] = mapped_column(LargeBinary)
    __table_args__ = (page_reference(),)


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
    __table_args__ = (page_reference(),)


class SiteValueRow(Base):
    """Pages of a site that declare one value: what most of them say is said of the site."""

    __tablename__ = "site_value"
    site_id: Mapped[int] = mapped_column(KEY, ForeignKey("site.id", ondelete="CASCADE"), primary_key=True)
    field: Mapped[int] = mapped_column(SmallInteger, primary_key=True, autoincrement=False)
    value: Mapped[int] = mapped_column(KEY, primary_key=True, autoincrement=False)
    pages: Mapped[int] = mapped_column(Integer)
    decided: Mapped[int | None] = mapped_column(Integer)
    __table_args__ = (WITHOUT_ROWID,)


class LinkTextRow(Base):
    """One text of links to a page, with one of the pages that say so; null when that page does not any more."""

    __tablename__ = "link_text"
    site_id: Mapped[int] = mapped_column(KEY, ForeignKey("site.id", ondelete="CASCADE"), primary_key=True)
    url_key: Mapped[int] = mapped_column(KEY, primary_key=True, autoincrement=False)
    text_key: Mapped[int] = mapped_column(KEY, primary_key=True, autoincrement=False)
    text: Mapped[str]
    source: Mapped[int | None] = mapped_column(KEY)
    fresh: Mapped[bool] = mapped_column(Boolean, server_default=true())
    __table_args__ = (WITHOUT_ROWID,)
