"""The stored main content of a page, and the columns that it is read from."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, Final, NamedTuple

from sitecrawl.metadata.fields import MainContent, RowStatus
from sitecrawl.storage.tables.models import CONTENT


@dataclass(frozen=True, slots=True, kw_only=True)
class ContentRecord(MainContent):
    """The stored columns of one page's main content."""

    url_key: int
    simhash: int
    """64-bit simhash of the text; 0 for a deleted page."""
    duplicate_of: str | None
    """Feed `id` of the page of the site that is kept instead."""
    crawl_id: int
    """The last crawl with a feed row of the page; `emit_order` is the position of that row."""
    emit_order: int
    extracted_at: dt.datetime
    anchors: tuple[str, ...] = ()
    """Anchor texts of links to the page, as last sent to the indexes; `ContentRepository` reads them from the links."""


class StoredContent(NamedTuple):
    """A content row, with the facts about the page that its feed row needs."""

    record: ContentRecord
    status: RowStatus
    url: str
    http_status: int | None
    depth: int
    fetched_at: dt.datetime | None
    earlier: str | None = None
    """The text before the last change; None if it never changed."""
    noindex: bool = False
    """Whether the page asks not to be indexed (`withheld`)."""


NOINDEX: Final = "noindex"
"""`page.reason` of a page that forbids indexing (`crawl.page_lifecycle`)."""
CANONICAL: Final = "canonical: "
"""Prefix of the reason of a page that declares another canonical URL (`crawl.page_lifecycle`)."""


def withheld(*, indexed: bool, duplicate_of: str | None, reason: str | None) -> bool:
    """Return whether a live page is in no index because it asks for that, and not because another page is in its place.

    `page.reason` alone does not tell: after a failed visit it names the failure.
    """
    return not indexed and duplicate_of is None and not (reason or "").startswith(CANONICAL)


NAMES: Final = ("url_key", *(one.name for one in fields(ContentRecord) if one.name != "url_key"))
RECORDED: Final = tuple(CONTENT.c[name] for name in NAMES)
"""The columns of a `ContentRecord`; the first one, `url_key`, is null only if an outer join found no row."""


def content_record(columns: Sequence[Any]) -> ContentRecord:
    """Return the columns `RECORDED` of a stored row as a value."""
    values = dict(zip(NAMES, columns, strict=True))
    values |= {"digest": values["digest"] or "", "simhash": values["simhash"] or 0}
    return ContentRecord(**{**values, "anchors": tuple(values["anchors"] or ())})
