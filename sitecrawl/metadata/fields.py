"""The fields of main content. Every other shape is made from this list.

The stored record, the columns of the table `content`, the row of the feed, the document of a search index, its mapping
and the front matter of a Markdown file take their fields from here. So a new field is a line here and a migration.
"""

from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Any, Final


class RowStatus(StrEnum):
    """What a row of the feed says of a page: how its main content compares with the row before."""

    NEW = "new"
    CHANGED = "changed"
    UNCHANGED = "unchanged"
    GONE = "gone"
    """The page was deleted; its stored content stays as a tombstone without text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Metadata:
    """What is known of a page besides its main content."""

    title: str | None
    description: str | None
    author: str | None
    published: str | None
    """ISO 8601, as precise as the page is: a date, or a time."""
    modified: str | None
    """The same."""
    language: str | None
    """BCP 47, as `en` or `pt-BR`."""
    image: str | None
    """Absolute URL of the picture that stands for the page."""
    section: str | None
    """Breadcrumbs, outermost first, joined by ` > `; or the name of a section."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MainContent(Metadata):
    """The main content of a page with what is known of the page, and how the content was found."""

    kind: str
    """`content`, `listing` or `none`."""
    text: str
    """Plain text, a line for each paragraph; empty when there is no main content."""
    html: str | None
    """Clean HTML of the same content; None unless it was asked for."""
    words: int
    digest: str
    """128 bits of blake2b over the words of `text`, in hex; empty for a page that was deleted."""
    method: str
    """The extraction method."""
    confidence: float
    """How sure the method is, 0..1."""
    template_version: int | None
    """Version of the template that the method read; None when it read none."""
    canonical_url: str | None
    """What the page names as its canonical URL."""


METADATA_NAMES: Final = tuple(one.name for one in fields(Metadata))
_NAMES: Final = tuple(one.name for one in fields(MainContent))


def shared_fields(content: MainContent) -> dict[str, Any]:
    """Return the fields that all shapes of main content have, by name: keywords for another shape."""
    return {name: getattr(content, name) for name in _NAMES}


def metadata_fields(known: Metadata) -> dict[str, Any]:
    """Return the fields of what is known of a page, by name."""
    return {name: getattr(known, name) for name in METADATA_NAMES}
