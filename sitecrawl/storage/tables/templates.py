"""Tables of templates: counts of what the pages of a layout share."""

import datetime as dt
from typing import Any, Final

from sqlalchemy import (
    Column,
    Double,
    ForeignKey,
    ForeignKeyConstraint,
    Integer,
    LargeBinary,
    Named,
    SmallInteger,
    String,
    Table,
    Text,
    TypedColumns,
)

from sitecrawl.storage.tables.base import METADATA
from sitecrawl.storage.tables.columns import KEY, PlainJson, UtcDateTime

LABEL_LENGTH: Final = 120
"""Maximum characters stored of `template_node.label`; labels are for reading only."""


class TemplateColumns(TypedColumns):
    """One layout of a site with its template's totals. Retired layouts have no counts."""

    site_id: Named[int] = Column(KEY, ForeignKey("site.id", ondelete="CASCADE"), primary_key=True)
    layout: Named[int] = Column(SmallInteger, primary_key=True, autoincrement=False)
    version: Named[int] = Column(Integer)
    label_rule: Named[int] = Column(SmallInteger)
    pages_seen: Named[int] = Column(Integer)
    stable_since: Named[int | None] = Column(Integer)
    novelty: Named[float] = Column(Double)
    crawl_id: Named[int | None] = Column(KEY)
    updated_at: Named[dt.datetime] = Column(UtcDateTime)
    retired_at: Named[dt.datetime | None] = Column(UtcDateTime)
    decision: Named[dict[str, Any] | None] = Column(PlainJson)
    volatile: Named[dict[str, Any] | None] = Column(PlainJson)


TEMPLATE: Final = Table("template", METADATA, TemplateColumns)


def _template_reference() -> ForeignKeyConstraint:
    columns = ["template.site_id", "template.layout"]
    return ForeignKeyConstraint(["site_id", "layout"], columns, ondelete="CASCADE")


class SecondFetchColumns(TypedColumns):
    """One page that was fetched twice in one crawl, to find the volatile blocks of its layout."""

    site_id: Named[int] = Column(KEY, ForeignKey("site.id", ondelete="CASCADE"), primary_key=True, autoincrement=False)
    layout: Named[int] = Column(SmallInteger, primary_key=True, autoincrement=False)
    url_key: Named[int] = Column(KEY, primary_key=True, autoincrement=False)
    crawl_id: Named[int] = Column(KEY)
    fetched_at: Named[dt.datetime] = Column(UtcDateTime)
    difference: Named[dict[str, Any] | None] = Column(PlainJson)


SECOND_FETCH: Final = Table("second_fetch", METADATA, SecondFetchColumns)


class TemplateNodeColumns(TypedColumns):
    """Counts of one trie node."""

    site_id: Named[int] = Column(KEY, primary_key=True, autoincrement=False)
    layout: Named[int] = Column(SmallInteger, primary_key=True, autoincrement=False)
    key: Named[int] = Column(KEY, primary_key=True, autoincrement=False)
    parent: Named[int] = Column(KEY)
    depth: Named[int] = Column(SmallInteger)
    label: Named[str] = Column(String(LABEL_LENGTH))
    pages: Named[int] = Column(Integer)
    nodes: Named[int] = Column(KEY)
    variants: Named[int] = Column(Integer)
    chars: Named[int] = Column(KEY)
    link_chars: Named[int] = Column(KEY)
    last_page: Named[int] = Column(Integer)


TEMPLATE_NODE: Final = Table(
    "template_node", METADATA, TemplateNodeColumns, _template_reference(), sqlite_with_rowid=False
)


class TemplateStyleColumns(TypedColumns):
    """Number of pages with one presentation style of a node (Site Style Tree)."""

    site_id: Named[int] = Column(KEY, primary_key=True, autoincrement=False)
    layout: Named[int] = Column(SmallInteger, primary_key=True, autoincrement=False)
    node: Named[int] = Column(KEY, primary_key=True, autoincrement=False)
    style: Named[int] = Column(KEY, primary_key=True, autoincrement=False)
    pages: Named[int] = Column(Integer)


TEMPLATE_STYLE: Final = Table(
    "template_style", METADATA, TemplateStyleColumns, _template_reference(), sqlite_with_rowid=False
)


class TemplatePathColumns(TypedColumns):
    """Numbers of pages on which a traversal path had content, or noise (FastCE)."""

    site_id: Named[int] = Column(KEY, primary_key=True, autoincrement=False)
    layout: Named[int] = Column(SmallInteger, primary_key=True, autoincrement=False)
    key: Named[int] = Column(KEY, primary_key=True, autoincrement=False)
    path: Named[str] = Column(Text)
    content_pages: Named[int] = Column(Integer)
    noise_pages: Named[int] = Column(Integer)


TEMPLATE_PATH: Final = Table(
    "template_path", METADATA, TemplatePathColumns, _template_reference(), sqlite_with_rowid=False
)


class TemplateBlockColumns(TypedColumns):
    """Number of pages with one repeated atomic block of a traversal path (FastCE)."""

    site_id: Named[int] = Column(KEY, primary_key=True, autoincrement=False)
    layout: Named[int] = Column(SmallInteger, primary_key=True, autoincrement=False)
    path: Named[int] = Column(KEY, primary_key=True, autoincrement=False)
    block: Named[int] = Column(KEY, primary_key=True, autoincrement=False)
    pages: Named[int] = Column(Integer)
    features: Named[bytes] = Column(LargeBinary)


TEMPLATE_BLOCK: Final = Table(
    "template_block", METADATA, TemplateBlockColumns, _template_reference(), sqlite_with_rowid=False
)
