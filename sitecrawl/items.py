"""The two items: PageItem inside a crawl, and ContentItem in the feed."""

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
    """New URLs on this page; stored in the page's own transaction."""
    stored: bool = False
    """Read back from the database, where it waited for the template."""
    again: bool = False
    """Extracted before in this crawl or an earlier one, and its layout has decided anew."""
    indexable: bool = True
    """Whether an index may hold a page that is extracted again, as its fetch decided."""
    learned_version: int | None = None
    """Template version in which the page was counted; 0 = seen but not counted, None = not yet known."""
    layout: int | None = None
    """Layout of the page; None while no known layout matches."""
    counted: bool = False
    """Whether the stored template of the layout counted the page before."""
    reading: "Reading | None" = None
    """Candidates of its metadata, once they were read."""
    counting: frozenset[str] = frozenset()
    """Folded texts of its blocks whose numbers are no change (`templates.volatile`)."""
    override: str = ""
    """Effect of the site's override on the extraction; "" without an override."""

    @property
    def url(self) -> str:
        """URL that the page was fetched from."""
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
    http_status: int
    depth: int
    fetched_at: str
    """ISO 8601, UTC."""
    added: str | None = None
    """Lines of the text of a `changed` page that were not in its text before; None in other rows."""
    removed: str | None = None
    """Lines of the text before that are gone."""


_FIRST: Final = (
    *("id", "url", "canonical_url", "site", "status", "kind", "title", "text", "html", "markdown"),
    *(name for name in METADATA_NAMES if name != "title"),
)
"""How a row begins, and how it ends. A new field of `Metadata` comes between."""
_LAST: Final = (
    *("words", "digest", "simhash", "duplicate_of", "method", "confidence", "template_version"),
    *("http_status", "depth", "fetched_at", "added", "removed"),
)


def feed_fields(*, html: bool, markdown: bool, differences: bool = False) -> list[str]:
    """Return the fields of a feed row in order; those with markup or differences only if they are wanted."""
    optional = (("html", html), ("markdown", markdown), ("added", differences), ("removed", differences))
    left_out = {name for name, wanted in optional if not wanted}
    return [name for name in (*_FIRST, *_LAST) if name not in left_out]
