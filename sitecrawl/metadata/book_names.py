"""Finds headlines that are the name of the book or site, not of the page."""

from collections.abc import Callable, Iterable
from itertools import islice
from typing import Final
from urllib.parse import urljoin, urlsplit

from lxml.etree import _Element

from sitecrawl.dom.page import Page
from sitecrawl.metadata.title_paths import is_spelled
from sitecrawl.metadata.title_pieces import folded, separators

MAX_NEAR: Final = 64
"""Maximum texts read of a link in a headline."""
_FRONT: Final = ("", "/")
"""The paths of a front page."""


def whole_names(title: str | None, headings: Iterable[str], lower: Iterable[str]) -> tuple[str, ...]:
    """Return the headlines at the end of the title of a page, after another headline, which may be a `lower` one."""
    known = {folded(one): one for one in headings}
    if title is None or not known:
        return ()
    ends = [(folded(title[:begin]), folded(title[end:])) for begin, end in separators(title)]
    ends = [(before, after) for before, after in ends if after in known and " " in before]
    if not ends:
        return ()
    others = {*known, *map(folded, lower)}
    return tuple(dict.fromkeys(known[after] for before, after in ends if before in others))


def is_whole(title: str, end: str, shared: Callable[[str, str], float]) -> bool:
    """Return whether the headline at the end of a title is the name of the book or site.

    It is if at least as many pages end with it as begin like this title: in "Harbour Wiki: Moles" the beginning is the
    name of the site.
    """
    starts = [title[:begin] for begin, stop in separators(title) if folded(title[stop:]) == folded(end)]
    return all(shared("prefix", start) <= shared("suffix", end) for start in starts)


def leads_home(headline: _Element, text: str, page: Page) -> bool:
    """Return whether the whole `text` of a headline is a link to the front page of the site, so the site's name.

    The front page itself has no such headline, and a headline that the address of its page spells names the page.
    """
    own = urlsplit(page.url)
    parent = headline.getparent()
    link = next(headline.iter("a"), parent if parent is not None and parent.tag == "a" else None)
    href = None if link is None else link.get("href")
    if link is None or not href or own.path in _FRONT:
        return False
    try:
        target = urlsplit(urljoin(page.base_url, href.strip()))
    except ValueError:
        return False
    if target.netloc != own.netloc or target.path not in _FRONT or target.query or target.fragment:
        return False
    whole = "".join(map(str, islice(link.itertext(), MAX_NEAR)))
    return folded(whole) == folded(text) and not is_spelled(text, own.path)
