"""Recognises elements that are marked as articles or headlines, and the links of headlines to other pages."""

import re
from bisect import bisect_left
from functools import lru_cache
from itertools import islice
from typing import Final
from urllib.parse import urljoin, urlsplit

from sitecrawl.dom.bounded_cache import LIMIT
from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.page import Page

HEADLINES: Final = ("h1", "h2", "h3")
"""Elements that may be the headline of an article."""
NEAR: Final = 2
"""Number of ancestors of a headline that may be its link."""
_ARTICLE: Final = re.compile(r"(?<!\S)(?:hentry|h-entry|type-post|blog-?post|post-\d+)(?!\S)", re.IGNORECASE)
"""Class names of articles in common themes."""
_TITLE: Final = re.compile(r"(?<!\S)(?:entry|post|article|story|blog|news)[-_]?(?:title|headline)(?!\S)", re.IGNORECASE)
"""Class names of the headlines of articles in common themes."""


def is_article(flat: FlatDom, row: int) -> bool:
    """Return whether an element is an `article`, or has the class name of one."""
    return flat.tag[row] == "article" or names_article(flat.names[row])


def is_headline(flat: FlatDom, row: int) -> bool:
    """Return whether an element has the class name of the headline of an article."""
    return bool(_TITLE.search(flat.names[row]))


@lru_cache(LIMIT)
def names_article(names: str) -> bool:
    """Return whether the class names of an element include that of an article."""
    return _ARTICLE.search(names) is not None


def other_page(page: Page, row: int) -> str | None:
    """Return the first other page of the site to which a headline leads, as the link is written; None without one.

    The link is in the headline or around it.
    """
    flat, links = page.flat, page.flat.anchors
    begin, stop = bisect_left(links, (row,)), bisect_left(links, (flat.end[row],))
    targets = [target for _, target, _ in links[begin:stop]]
    for above in islice(flat.ancestors(row), NEAR):
        at = bisect_left(links, (above,))
        if at < begin and links[at][0] == above:
            targets.append(links[at][1])
    return next((target for target in targets if _is_other_page(page.url, target)), None)


def _is_other_page(url: str, target: str) -> bool:
    """Return whether a link leads to another page of the site of `url`, and not to a place on the same page."""
    if "#" in target:
        return False
    try:
        here, there = urlsplit(url), urlsplit(urljoin(url, target.strip()))
    except ValueError:
        return False
    own = (here.path.rstrip("/"), here.query)
    same = there.netloc.removeprefix("www.") == here.netloc.removeprefix("www.")
    return same and there.scheme.startswith("http") and own != (there.path.rstrip("/"), there.query)
