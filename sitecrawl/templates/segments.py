"""The text segments of a site with their page counts: the table of IWPTD, learned page by page.

Source: Wang, Fang, Cheng, Guo, Xu, "Incremental web page template detection", WWW 2008. A segment is a text with its
DOM path; no page is kept. The trie of `templates.trie` cannot replace this table: its paths contain classes, and page
counts of several paths do not add up to those of one path of tags.
"""

from functools import lru_cache
from typing import Final
from zlib import crc32

from sitecrawl.dom.atomic import path_key
from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.labels import TEXT, chain, text_label

WINDOW: Final = 50
"""Number of pages after which a rare segment is forgotten [OWN]."""
LEAST_PAGES: Final = 2
"""Segments on fewer pages are rare [OWN]."""


def segment_key(path: str, text: str) -> int:
    """Return the 63-bit key of a text at a DOM path of tags without positions: `HTML.BODY.DIV.P`."""
    return chain(path_key(path), text_label(" ".join(text.split())))


@lru_cache(maxsize=10_000)
def _tag_label(tag: str) -> int:
    return crc32(tag.upper().encode("utf-8", "surrogatepass"))


def segment_keys(flat: FlatDom) -> list[int]:
    """Return the segment key of each node; 0 for an element."""
    keys = [0] * len(flat)
    paths = [0] * len(flat)
    for i, (tag, above, label) in enumerate(zip(flat.tag, flat.parent, flat.label, strict=True)):
        if tag == TEXT:
            keys[i] = chain(paths[above], label)
        else:
            paths[i] = chain(paths[above] if i else 0, _tag_label(tag))
    return keys


class SegmentTable:
    """The number of pages by segment. `add` counts a page, and from time to time deletes rare segments."""

    def __init__(self, *, window: int = WINDOW, least_pages: int = LEAST_PAGES) -> None:
        self.window = window
        """Number of pages for which a rare segment is remembered, and between two shrinkings."""
        self.least_pages = least_pages
        """Number of pages from which a segment is never forgotten."""
        self.pages_seen = 0
        self._pages: dict[int, int] = {}
        self._last: dict[int, int] = {}
        """The last page with a segment, for rare ones."""

    def __len__(self) -> int:
        return len(self._pages)

    def add(self, flat: FlatDom) -> None:
        """Count a page (the published table expansion); a segment counts once however often the page repeats it."""
        page = self.pages_seen = self.pages_seen + 1
        pages, last = self._pages, self._last
        for key in set(segment_keys(flat)) - {0}:
            count = pages[key] = pages.get(key, 0) + 1
            if count < self.least_pages:
                last[key] = page
            else:
                last.pop(key, None)
        if page % self.window == 0:
            self.shrink()

    def shrink(self) -> int:
        """Forget rare segments that none of the last pages had; return how many."""
        oldest = self.pages_seen - self.window
        gone = [key for key, page in self._last.items() if page <= oldest]
        for key in gone:
            del self._pages[key], self._last[key]
        return len(gone)

    def pages(self, key: int) -> int:
        """Return the number of pages with a segment; 0 for an unknown or forgotten one."""
        return self._pages.get(key, 0)
