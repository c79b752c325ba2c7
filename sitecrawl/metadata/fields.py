"""The fields of main content and metadata, from which all other forms are derived.

The stored record, the columns of the table `content`, the feed row, the search document, its mapping and the front
matter of a Markdown file get their fields from here. So a new field needs a line here and a migration.
"""

from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Any, Final

from sitecrawl.page_kind import Kind


class RowStatus(StrEnum):
    """Status of a feed row: how the main content compares with the page's previous row."""

    NEW = "new"
    CHANGED = "changed"
    UNCHANGED = "unchanged"
    GONE = "gone"
    """The page was deleted; its stored content stays as a tombstone without text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Metadata:
    """The metadata of a page."""

    title: str | None
    description: str | None
    author: str | None
    published: str | None
    """ISO 8601 date or time, in the precision of the page."""
    modified: str | None
    """Like `published`."""
    language: str | None
    """BCP 47, such as `en` or `pt-BR`."""
    image: str | None
    """Absolute URL of the page's representative image."""
    section: str | None
    """Breadcrumbs, outermost first, joined by ` > `; or the name of a section."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MainContent(Metadata):
    """The main content and metadata of a page, with the origin of the content."""

    kind: Kind
    text: str
    """Plain text, one line per paragraph; empty if there is no main content."""
    html: str | None
    """Clean HTML of the same content; None unless it was requested."""
    words: int
    digest: str
    """128 bits of blake2b over the words of `text`, in hex; empty for a deleted page."""
    method: str
    """The extraction method."""
    confidence: float
    """Confidence of the method, 0..1."""
    template_version: int | None
    """Version of the template that the method used; None if it used none."""
    canonical_url: str | None
    """The canonical URL that the page declares."""


METADATA_NAMES: Final = tuple(one.name for one in fields(Metadata))
_NAMES: Final = tuple(one.name for one in fields(MainContent))


def shared_fields(content: MainContent) -> dict[str, Any]:
    """Return the fields of `MainContent` by name, as keyword arguments for another class with these fields."""
    return {name: getattr(content, name) for name in _NAMES}


def metadata_fields(known: Metadata) -> dict[str, Any]:
    """Return the metadata fields by name."""
    return {name: getattr(known, name) for name in METADATA_NAMES}
