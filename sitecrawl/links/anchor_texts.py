"""What links say of the pages that they lead to: the words by which others call a page.

Anchor text as a description of its target: Brin and Page, The anatomy of a large-scale hypertextual web search
engine, 1998, section 2.2.
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final, NamedTuple

from sitecrawl.links.anchors import Anchor

LONGEST: Final = 100
"""Characters above which an anchor is a card or teaser, whose words are those of the page itself."""

_REMEMBERED: Final = 10_000
"""Texts, which repeat on all pages of a site."""
_LETTER: Final = re.compile(r"[^\W\d_]")


class LinkText(NamedTuple):
    """A text of links, and the page that they lead to."""

    url_key: int
    text: str


def link_texts(anchors: Iterable[Anchor]) -> tuple[LinkText, ...]:
    """Return what the anchors of a page say of other pages; numbers, URLs and teasers say nothing."""
    # `tuple.__new__`: the constructor of a NamedTuple is a function in Python
    return tuple([
        tuple.__new__(LinkText, (key, text))
        for _, _, key, text, nofollow in anchors
        if 1 < len(text) <= LONGEST and not nofollow and _says_something(text)
    ])  # fmt: skip


@lru_cache(_REMEMBERED)
def _says_something(text: str) -> bool:
    return "://" not in text and _LETTER.search(text) is not None
