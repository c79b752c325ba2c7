"""The two items: PageItem within a crawl, and ContentItem in the feed."""

import datetime as dt
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from sitecrawl.dom.page import Page
from sitecrawl.metadata.fields import METADATA_NAMES, MainContent

if TYPE_CHECKING:
    from sitecrawl.links.anchor_texts import LinkText
    from sitecrawl.links.discovered import Discovered
    from sitecrawl.metadata.describe import Reading


@dataclass(slots=True)
class PageItem:
    """A fetched page on its way through the pipelines; never exported."""

    page: Page
    url_key: int
    html: str
    http_status: int
    depth: int
    fetched_at: dt.datetime
    etag: str | None = None
    last_modified: str | None = None
    noindex: bool = False
    nofollow: bool = False
    sample: tuple[int, ...] = ()
    """URL keys of the page's n-SET, in order of selection."""
    links: tuple[int, ...] = ()
    """URL keys of all same-site links, in order of selection."""
    link_texts: "tuple[LinkText, ...]" = ()
    """Anchor texts of its links to other pages of the site."""
    content_language: str | None = None
    """The `Content-Language` header."""
    found: "list[Discovered]" = field(default_factory=list)
    """New URLs on this page; they are stored in the same transaction as the page."""
    stored: bool = False
    """Whether it was read back from the database, where it waited for the template."""
    again: bool = False
    """Whether it was extracted before, in this crawl or an earlier one, and its layout has changed its decision."""
    indexable: bool = True
    """Whether an index may contain the page, as decided when it was fetched; for pages that are extracted again."""
    learned_version: int | None = None
    """Template version in which the page was counted; 0 if it was seen but not counted, None if not yet known."""
    layout: int | None = None
    """Layout of the page; None while no known layout matches."""
    counted: bool = False
    """Whether the stored template of the layout already counted the page."""
    reading: "Reading | None" = None
    """Candidates for its metadata; None before they are read."""
    counting: frozenset[str] = frozenset()
    """Folded texts of its blocks in which different numbers do not count as a change (`templates.volatile`)."""
    override: str = ""
    """Effect of the site's override on the extraction; "" without an override."""

    @property
    def url(self) -> str:
        """URL from which the page was fetched."""
        return self.page.url


@dataclass(frozen=True, slots=True, kw_only=True)
class ContentItem(MainContent):
    """One row of the feed: the main content of a page. The names are stable API."""

    id: str
    """128-bit blake2b hex of the canonical URL."""
    url: str
    site: str
    status: str
    """`new`, `changed`, `unchanged` or `gone`."""
    markdown: str | None
    simhash: str
    """64-bit simhash of the main text, 16 hex digits."""
    duplicate_of: str | None
    """`id` of the page of the site that is kept instead, because its text is the same or nearly so."""
    noindex: bool
    """Whether no index holds the page because it asks for that; False for duplicates."""
    http_status: int
    depth: int
    fetched_at: str
    """ISO 8601, UTC."""
    added: str | None = None
    """Lines of the text of a `changed` page that were not in its text before; None in other rows."""
    removed: str | None = None
    """Lines of the earlier text of a `changed` page that are gone; None in other rows."""


_FIRST: Final = (
    *("id", "url", "canonical_url", "site", "status", "kind", "title", "text", "html", "markdown"),
    *(name for name in METADATA_NAMES if name != "title"),
)
"""The first and the last fields of a row. New fields of `Metadata` are placed between them; any other new field is the
last, so that the columns of files to which rows are appended stay in place."""
_LAST: Final = (
    *("words", "digest", "simhash", "duplicate_of", "method", "confidence", "template_version"),
    *("http_status", "depth", "fetched_at", "added", "removed", "noindex"),
)


def feed_fields(*, html: bool, markdown: bool, differences: bool = False) -> list[str]:
    """Return the fields of a feed row in order; those with markup or differences only if they are wanted."""
    optional = (("html", html), ("markdown", markdown), ("added", differences), ("removed", differences))
    left_out = {name for name, wanted in optional if not wanted}
    return [name for name in (*_FIRST, *_LAST) if name not in left_out]
