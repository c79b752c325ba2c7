"""The `link` elements of a page: its canonical URL, its translations and its feeds."""

import re
from dataclasses import dataclass
from typing import Final, NamedTuple

from sitecrawl.dom.page import Page
from sitecrawl.links.scope import SiteScope
from sitecrawl.links.urls import canonical_of, fetchable_url, identity_of, key_of, split_url, url_key

MAX_ALTERNATES: Final = 100
"""Maximum translations kept per page; the largest sites have about 60 languages."""
MAX_FEEDS: Final = 10
"""Maximum feeds kept per page."""
FRONT: Final = re.compile(r"/(?:(?:index|default|home)(?:\.\w+)?)?", re.IGNORECASE)
"""The path of the front page of a site, under its usual names."""
FEED_TYPES: Final = frozenset(("application/rss+xml", "application/atom+xml", "application/rdf+xml"))
"""Values of `type` of a `link rel=alternate` to a feed (RSS autodiscovery), without generic XML types."""


class Relation(NamedTuple):
    """A URL of the site in a `link` element."""

    url: str
    url_key: int


@dataclass(frozen=True, slots=True)
class Relations:
    """The `link` elements of a page that a crawler uses; all URLs belong to its site."""

    canonical: Relation | None = None
    """The canonical URL of the page; None also if that is the page itself."""
    canonical_elsewhere: bool = False
    """Whether the canonical URL belongs to another site; then it is recorded, but not followed."""
    alternates: tuple[Relation, ...] = ()
    """Other language versions of the page (`rel=alternate hreflang`), without the page itself."""
    feeds: tuple[Relation, ...] = ()


def canonical_page(url: str, declared: str, scope: SiteScope) -> str | None:
    """Return the canonical URL that the page at `url` declares, if that is another page of the site; else None.

    A page that is not the front page but names it is no copy of it: many templates name it on all pages by mistake.
    """
    named = fetchable_url(declared)
    if named is None or not scope.contains(named) or url_key(named) == url_key(url):
        return None
    own, other = split_url(url), split_url(named)
    front = other is not None and (other.path, other.query) == ("/", "")
    return None if front and own is not None and not FRONT.fullmatch(own.path) else named


def relations(page: Page, scope: SiteScope) -> Relations:
    """Return the relations of a page. A malformed href never raises."""
    own = url_key(page.url)
    canonical, elsewhere = None, False
    if page.canonical_url is not None:
        canonical = _relation(page.canonical_url, scope)
        elsewhere = canonical is None and split_url(page.canonical_url) is not None
    alternates: dict[int, Relation] = {}
    feeds: dict[int, Relation] = {}
    for link in page.links:
        if "alternate" not in link.rels or "stylesheet" in link.rels:
            continue
        if link.type in FEED_TYPES:
            chosen, most = feeds, MAX_FEEDS
        elif link.hreflang:
            chosen, most = alternates, MAX_ALTERNATES
        else:
            continue
        found = _relation(link.url, scope) if len(chosen) < most else None
        if found is not None and (chosen is feeds or found.url_key != own):
            chosen.setdefault(found.url_key, found)
    return Relations(
        canonical=canonical if canonical is not None and canonical.url_key != own else None,
        canonical_elsewhere=elsewhere,
        alternates=tuple(alternates.values()),
        feeds=tuple(feeds.values()),
    )


def _relation(url: str, scope: SiteScope) -> Relation | None:
    parts = split_url(url)
    if parts is None or not scope.contains_parts(parts):
        return None
    return Relation(parts.url, key_of(identity_of(parts, canonical_of(parts))))
