"""The main content of a page as it is stored: values, and the columns they are read from."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, Final, NamedTuple

from sitecrawl.storage.tables.models import ContentRow


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


class StoredContent(NamedTuple):
    """A content row with what its feed row needs of the page."""

    record: ContentRecord
    status: str
    url: str
    http_status: int | None
    depth: int
    fetched_at: dt.datetime | None


NAMES: Final = tuple(field.name for field in fields(ContentRecord))
RECORDED: Final = tuple(getattr(ContentRow, name) for name in NAMES)
"""The columns of a `ContentRecord`; the first one is never null."""


def content_record(columns: Sequence[Any]) -> ContentRecord:
    """Return the columns `RECORDED` of a stored row as a value."""
    values = dict(zip(NAMES, columns, strict=True))
    values |= {"digest": values["digest"] or "", "simhash": values["simhash"] or 0}
    return ContentRecord(**{**values, "anchors": tuple(values["anchors"] or ())})
