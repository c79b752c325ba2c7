"""Finds the rows of a page that may hold metadata: headlines, times, telling class names, texts with a year."""

import re
from typing import Final, NamedTuple

from sitecrawl.dom import speedups
from sitecrawl.dom.flat import FlatDom

DATE: Final = 1
NAME: Final = 2
TRAIL: Final = 4
"""What the names of an element may say about its content."""
YEAR: Final = re.compile(r"(?:19|20)\d\d")
NAME_LENGTH: Final = 300
NAMES: Final = 20_000
"""Maximum distinct `class` and `id` values whose meaning is cached: the pages of a site share them."""

_DATE_WORDS: Final = frozenset((
    "date", "datetime", "time", "timestamp", "published", "pubdate", "posted", "postdate", "entrydate", "byline",
    "postmeta", "postmetadata", "meta", "submitted", "created", "updated", "modified", "lastmod", "info", "dateline",
    "metadata", "articledate", "newsdate",
))  # fmt: skip
_AUTHOR_WORDS: Final = frozenset(("author", "authors", "byline", "writer", "postedby", "authorname", "vcard"))
_TRAIL_WORDS: Final = ("breadcrumb", "bread-crumb", "bread_crumb")


class Marked(NamedTuple):
    """Rows of a page, in document order."""

    headings: list[int]
    """Rows of `h1` elements."""
    times: list[int]
    """Rows of `time` elements."""
    named: list[tuple[int, int]]
    """(row, bits) of elements whose `class` or `id` announces a date, an author or breadcrumbs."""
    years: list[int]
    """Rows of texts that contain a year."""


def marked(flat: FlatDom) -> Marked:
    """Return the rows of a page that metadata is read from."""
    if _twin is not None and speedups.allowed():
        return Marked(*_twin.scanned(flat.tag, flat.names, flat.text, _SAYS))
    return scanned(flat)


def scanned(flat: FlatDom) -> Marked:
    """Like `marked`, in Python."""
    found = Marked([], [], [], [])
    for row, (tag, names, text) in enumerate(zip(flat.tag, flat.names, flat.text, strict=True)):
        if tag == "h1":
            found.headings.append(row)
        elif tag == "time":
            found.times.append(row)
        if names and (bits := _SAYS(names)):
            found.named.append((row, bits))
        if text and YEAR.search(text):
            found.years.append(row)
    return found


class _Says:
    """Caches what `class` and `id` say about an element, as bits."""

    def __init__(self) -> None:
        self.known: dict[str, int] = {}

    def __call__(self, names: str) -> int:
        bits = self.known.get(names)
        if bits is None:
            if len(self.known) >= NAMES:
                self.known.clear()
            bits = self.known[names] = says(names)
        return bits


def says(names: str) -> int:
    """Return what `class` and `id` say about an element, as bits."""
    names = names[:NAME_LENGTH].lower()
    words = names.replace("-", " ").replace("_", " ").split()
    bits = 0 if _DATE_WORDS.isdisjoint(words) else DATE
    if not _AUTHOR_WORDS.isdisjoint(words):
        bits |= NAME
    if "bread" in names and any(part in names for part in _TRAIL_WORDS):
        bits |= TRAIL
    return bits


_SAYS: Final = _Says()
_twin = speedups.compiled("sitecrawl.metadata._candidate_rows")
