"""The text segments of a site with the number of pages that hold them: what IWPTD learns, page by page.

Source: Wang, Fang, Cheng, Guo, Xu, "Incremental web page template detection", WWW 2008 (ALGORITHMS 11). A segment is a
text together with its DOM path; no page is kept. The trie of `templates.trie` cannot stand for this table: its paths
hold classes, and page counts of several paths do not add up to those of one path of tags (ALGORITHMS 16.2 M).
"""

from functools import lru_cache
from typing import Final
from zlib import crc32

from sitecrawl.dom.atomic import path_key
from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.labels import TEXT, chain, text_label

WINDOW: Final = 50
"""Pages after which a rare segment is forgotten [OWN]."""
LEAST_PAGES: Final = 2
"""A segment on fewer pages is rare [OWN]."""


def segment_key(path: str, text: str) -> int:
    """Return the 63-bit key of a text at a DOM path, tags without numbers: `HTML.BODY.DIV.P`."""
    return chain(path_key(path), text_label(" ".join(text.split())))


@lru_cache(maxsize=10_000)
def _tag_label(tag: str) -> int:
    return crc32(tag.upper().encode("utf-8", "surrogatepass"))


def segment_keys(flat: FlatDom) -> list[int]:
    """Return the key of the segment that each node is; 0 for an element."""
    keys = [0] * len(flat)
    paths = [0] * len(flat)
    for i, (tag, above, label) in enumerate(zip(flat.tag, flat.parent, flat.label, strict=True)):
        if tag == TEXT:
            keys[i] = chain(paths[above], label)
        else:
            paths[i] = chain(paths[above] if i else 0, _tag_label(tag))
    return keys


class SegmentTable:
    """Pages by segment. Grows with `add`, which also shrinks it now and then."""

    def __init__(self, *, window: int = WINDOW, least_pages: int = LEAST_PAGES) -> None:
        self.window = window
        """Pages for which a rare segment is remembered, and between two shrinkings."""
        self.least_pages = least_pages
        """Pages from which a segment is never forgotten."""
        self.pages_seen = 0
        self._pages: dict[int, int] = {}
        self._last: dict[int, int] = {}
        """The page that held a segment last, for rare ones."""

    def __len__(self) -> int:
        return len(self._pages)

    def add(self, flat: FlatDom) -> None:
        """Count a page, the published table expansion; a segment counts once however often the page repeats it."""
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
        """Forget rare segments that the last pages did not hold; return how many there were."""
        oldest = self.pages_seen - self.window
        gone = [key for key, page in self._last.items() if page <= oldest]
        for key in gone:
            del self._pages[key], self._last[key]
        return len(gone)

    def pages(self, key: int) -> int:
        """Return the number of pages that hold a segment; 0 for one that was never met or was forgotten."""
        return self._pages.get(key, 0)
