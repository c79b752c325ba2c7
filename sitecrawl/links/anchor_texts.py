"""Anchor texts: the words of the links from other pages to a page.

Anchor text as a description of its target: Brin and Page, The anatomy of a large-scale hypertextual web search engine,
1998, section 2.2.
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final, NamedTuple

from sitecrawl.links.anchors import Anchor

LONGEST: Final = 100
"""Maximum characters of an anchor text. Longer anchors are cards or teasers, which repeat the text of their target."""

_REMEMBERED: Final = 2_048
"""Maximum number of anchor texts whose check is cached."""
_LETTER: Final = re.compile(r"[^\W\d_]")


class LinkText(NamedTuple):
    """The text of a link and the key of the page that it leads to."""

    url_key: int
    text: str


def link_texts(anchors: Iterable[Anchor]) -> tuple[LinkText, ...]:
    """Return the descriptive anchor texts of a page; numbers, URLs and teasers are left out."""
    # `tuple.__new__`, because the constructor of a NamedTuple is a slow Python function
    return tuple([
        tuple.__new__(LinkText, (key, text))
        for _, _, key, text, nofollow in anchors
        if 1 < len(text) <= LONGEST and not nofollow and _has_meaning(text)
    ])  # fmt: skip


@lru_cache(_REMEMBERED)
def _has_meaning(text: str) -> bool:
    return "://" not in text and _LETTER.search(text) is not None
