"""Finds the rows of a page that may contain metadata: headlines, times, known class names, texts with a year."""

import re
from typing import Final, NamedTuple

from sitecrawl.dom.bounded_cache import LIMIT
from sitecrawl.dom.flat import FlatDom

DATE: Final = 1
NAME: Final = 2
TRAIL: Final = 4
"""Bits for the kinds of content that the names of an element may announce: a date, an author, breadcrumbs."""
YEAR: Final = re.compile(r"(?:19|20)\d\d")
CENTURIES: Final = ("19", "20")
"""The first two digits of a year."""
SEPARATOR: Final = "\x00"
"""A character that no text of a tree contains."""
NAME_LENGTH: Final = 300
NAMES: Final = LIMIT
"""Number of distinct `class` and `id` values above which the cache of their bits is cleared before the next page."""

_DATE_WORDS: Final = frozenset((
    "date", "datetime", "time", "timestamp", "published", "pubdate", "posted", "postdate", "entrydate", "byline",
    "postmeta", "postmetadata", "meta", "submitted", "created", "updated", "modified", "lastmod", "info", "dateline",
    "metadata", "articledate", "newsdate",
))  # fmt: skip
_AUTHOR_WORDS: Final = frozenset(("author", "authors", "byline", "writer", "postedby", "authorname", "vcard"))
_TRAIL_WORDS: Final = ("crumb", "youarehere", "you-are-here", "parentlinks")
"""Parts of names of breadcrumbs."""


class Marked(NamedTuple):
    """Rows of a page that may contain metadata, in document order."""

    headings: list[int]
    """Rows of `h1` elements."""
    times: list[int]
    """Rows of `time` elements."""
    named: list[tuple[int, int]]
    """(row, bits) of elements whose `class` or `id` announces a date, an author or breadcrumbs."""
    years: list[int]
    """Rows of texts that contain a year."""


def marked(flat: FlatDom) -> Marked:
    """Return the rows of a page that may contain metadata."""
    if len(_NAME_BITS) >= NAMES:
        _NAME_BITS.clear()
    telling = {names: bits for names in set(flat.names) if (bits := _NAME_BITS[names])}
    return Marked(
        _rows_of(flat.tag, "h1"),
        _rows_of(flat.tag, "time"),
        [(row, telling[names]) for row, names in enumerate(flat.names) if names in telling] if telling else [],
        _with_year(flat.text),
    )


def _rows_of(tags: list[str], name: str) -> list[int]:
    """Return the rows of the elements with a tag name."""
    found: list[int] = []
    row = -1
    for _ in range(tags.count(name)):
        row = tags.index(name, row + 1)
        found.append(row)
    return found


def _with_year(texts: list[str]) -> list[int]:
    """Return the rows of texts that contain a year. One search in the joined texts is faster than one in each."""
    joined = SEPARATOR.join(texts)
    years: list[int] = []
    for century in CENTURIES:
        at = joined.find(century)
        while at >= 0:
            rest = joined[at + 2 : at + 4]
            if len(rest) == 2 and rest.isdecimal():
                years.append(at)
            at = joined.find(century, at + 2)
    rows: list[int] = []
    row = before = 0
    for at in sorted(years):
        row += joined.count(SEPARATOR, before, at)
        before = at
        if not rows or rows[-1] != row:
            rows.append(row)
    return rows


class _NameBits(dict[str, int]):
    """A cache of the bits of `class` and `id` values."""

    def __missing__(self, names: str) -> int:
        bits = self[names] = name_bits(names)
        return bits


def name_bits(names: str) -> int:
    """Return the kinds of content that an element's `class` and `id` announce, as bits."""
    names = names[:NAME_LENGTH].lower()
    words = names.replace("-", " ").replace("_", " ").split()
    bits = 0 if _DATE_WORDS.isdisjoint(words) else DATE
    if not _AUTHOR_WORDS.isdisjoint(words):
        bits |= NAME
    if any(part in names for part in _TRAIL_WORDS):
        bits |= TRAIL
    return bits


_NAME_BITS: Final = _NameBits()
