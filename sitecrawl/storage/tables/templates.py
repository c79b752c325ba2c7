"""Tables of templates: what the pages of a layout share."""

import datetime as dt
from typing import Any, Final

from sqlalchemy import (
    ForeignKey,
    ForeignKeyConstraint,
    Integer,
    LargeBinary,
    SmallInteger,
    String,
)

from sitecrawl.storage.tables.base import WITHOUT_ROWID, Base
from sitecrawl.storage.tables.columns import KEY
from sitecrawl.storage.tables.notation import Mapped, mapped_column

LABEL_LENGTH: Final = 120
"""Characters of `template_node.label` that are kept; labels are for reading only."""


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
    decision: Mapped[dict[str, Any] | None]


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
    __table_args__ = (_template_reference(), WITHOUT_ROWID)


class TemplateStyleRow(Base):
    """Pages that showed one presentation style of a node (SST)."""

    __tablename__ = "template_style"
    site_id: Mapped[int] = mapped_column(KEY, primary_key=True, autoincrement=False)
    layout: Mapped[int] = mapped_column(SmallInteger, primary_key=True, autoincrement=False)
    node: Mapped[int] = mapped_column(KEY, primary_key=True, autoincrement=False)
    style: Mapped[int] = mapped_column(KEY, primary_key=True, autoincrement=False)
    pages: Mapped[int] = mapped_column(Integer)
    __table_args__ = (_template_reference(), WITHOUT_ROWID)


class TemplatePathRow(Base):
    """Pages on which a traversal path held content, or noise (FastCE)."""

    __tablename__ = "template_path"
    site_id: Mapped[int] = mapped_column(KEY, primary_key=True, autoincrement=False)
    layout: Mapped[int] = mapped_column(SmallInteger, primary_key=True, autoincrement=False)
    key: Mapped[int] = mapped_column(KEY, primary_key=True, autoincrement=False)
    path: Mapped[str]
    content_pages: Mapped[int] = mapped_column(Integer)
    noise_pages: Mapped[int] = mapped_column(Integer)
    __table_args__ = (_template_reference(), WITHOUT_ROWID)


class TemplateBlockRow(Base):
    """Pages that held one repeated atomic block of a traversal path (FastCE)."""

    __tablename__ = "template_block"
    site_id: Mapped[int] = mapped_column(KEY, primary_key=True, autoincrement=False)
    layout: Mapped[int] = mapped_column(SmallInteger, primary_key=True, autoincrement=False)
    path: Mapped[int] = mapped_column(KEY, primary_key=True, autoincrement=False)
    block: Mapped[int] = mapped_column(KEY, primary_key=True, autoincrement=False)
    pages: Mapped[int] = mapped_column(Integer)
    features: Mapped[bytes] = mapped_column(LargeBinary)
    __table_args__ = (_template_reference(), WITHOUT_ROWID)
