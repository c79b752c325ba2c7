"""The two items: what travels inside a crawl, and what is exported."""

import datetime as dt
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING

from sitecrawl.dom.page import Page

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
    """URL keys of all its same-site links, in order of selection."""
    link_texts: "tuple[LinkText, ...]" = ()
    """What its links say of other pages of the site."""
    content_language: str | None = None
    """The `Content-Language` header."""
    found: "list[Discovered]" = field(default_factory=list)
    """URLs that were new on this page; stored in the page's own transaction."""
    stored: bool = False
    """Read back from the database, where it waited for the template."""
    again: bool = False
    """Extracted before in this crawl or an earlier one, and its layout has decided anew."""
    indexable: bool = True
    """Whether an index may hold a page that is extracted again, as its fetch decided."""
    learned_version: int | None = None
    """Template version in which the page was counted; 0 = seen and not counted, None = not yet known."""
    layout: int | None = None
    """Layout of the page, None while none of those known describes it."""
    counted: bool = False
    """Whether the stored template of the layout counted the page before."""
    reading: "Reading | None" = None
    """What its metadata is chosen from, once it was read."""
    override: str = ""
    """What the override of its site did when it was extracted, "" without one."""

    @property
    def url(self) -> str:
        """Where the page was fetched from."""
        return self.page.url


@dataclass(slots=True)
class ContentItem:
    """One row of the feed: the main content of a page. The names are stable API."""

    id: str
    """128-bit blake2b hex of the canonical URL."""
    url: str
    canonical_url: str | None
    site: str
    status: str
    """`new`, `changed`, `unchanged` or `gone`."""
    kind: str
    """`content`, `listing` or `none`."""
    title: str | None
    text: str
    html: str | None
    markdown: str | None
    description: str | None
    author: str | None
    published: str | None
    modified: str | None
    language: str | None
    image: str | None
    """Absolute URL of the picture that stands for the page."""
    section: str | None
    """Breadcrumbs, outermost first, joined by ` > `, or the name of a section."""
    words: int
    digest: str
    """blake2b hex of the normalised main text."""
    simhash: str
    """64-bit simhash of the main text, 16 hex digits."""
    duplicate_of: str | None
    """`id` of the page of the site that is kept instead, because its text is the same or nearly so."""
    method: str
    confidence: float
    template_version: int | None
    http_status: int
    depth: int
    fetched_at: str
    """ISO 8601, UTC."""


def feed_fields(*, html: bool, markdown: bool) -> list[str]:
    """Return the fields of a feed row in their order; the two that hold markup only where they are wanted."""
    left_out = {name for name, wanted in (("html", html), ("markdown", markdown)) if not wanted}
    return [one.name for one in fields(ContentItem) if one.name not in left_out]
