"""The kind of a page as it declares it: by class names of its outermost elements, and by its `meta` elements.

Content management systems write the kind of page there, in English on sites of every language: WordPress adds `archive`
or `single` to `body`, MediaWiki the number of the namespace, Drupal `node-type-story`, and Open Graph's `og:type` is
`article` on most pages with their own text.
"""

import re
from collections.abc import Iterable
from typing import Final

from sitecrawl.dom.flat import FlatDom

CLAIM_NAMES: Final = ("says_listing", "says_article", "og_article", "og_other", "published")
"""Names of the features, each 0 or 1: class or id names of a listing, of an article; `og:type` is `article`, is another
value; a date of publication is declared."""

OUTER: Final = 8
"""Number of first rows among which `html` and `body` are."""

_BEFORE, _AFTER = r"(?:^|[\s_-])(?:", r")(?:[\s_-]|$)"
_LISTING: Final = re.compile(
    f"{_BEFORE}home|archives?|category|categories|tags?|search|author|blog|date|paged|list|listing|index|forum"
    f"|viewforum|taxonomy|term|ns-14|ns--1|frontpage|(?<!not-)front|overview{_AFTER}",
    re.IGNORECASE,
)
_ARTICLE: Final = re.compile(
    f"{_BEFORE}single|singular|postid|article|node-type|topic|viewtopic|post|entry|not-front|ns-0|product|story"
    f"|detail{_AFTER}",
    re.IGNORECASE,
)
_SINGLE: Final = re.compile(r"(?<!\S)single(?!\S)")
_POST: Final = re.compile(r"(?<!\S)postid-[0-9]+(?!\S)")
"""Matches the class of `body` with the number of the post on the single pages of WordPress."""
_PUBLISHED: Final = frozenset(("article:published_time", "citation_title", "datepublished"))


def claims(flat: FlatDom, properties: Iterable[tuple[str, str]]) -> list[float]:
    """Return the features in the order of `CLAIM_NAMES`; `properties` are (name, content) of `meta` elements."""
    outer = (i for i in range(min(len(flat.tag), OUTER)) if flat.tag[i] in ("html", "body"))
    names = " ".join(flat.names[i] for i in outer)
    types: list[str] = []
    published = False
    for name, content in properties:
        published = published or name in _PUBLISHED
        if name == "og:type":
            types.append(content.lower())
    article = any("article" in content for content in types)
    return [
        float(bool(_LISTING.search(names))),
        float(bool(_ARTICLE.search(names))),
        float(article),
        float(bool(types) and not article),
        float(published),
    ]


def is_single_post(flat: FlatDom) -> bool:
    """Return whether the classes of WordPress declare a single post; of 787 such pages one is a listing."""
    body = next((names for tag, names in zip(flat.tag[:OUTER], flat.names, strict=False) if tag == "body"), "")
    return _SINGLE.search(body) is not None and _POST.search(body) is not None
