"""Counts the values that the pages of a site share: a value on most pages describes the site, not the page.

Counts are kept by field and hash. Counts of two writers can be added. Rare values are dropped every `PRUNED` pages by
lossy counting (Manku and Motwani, VLDB 2002), which never drops a value on more than `RARE` of all pages.
"""

from collections.abc import Iterable, Mapping
from enum import IntEnum
from hashlib import blake2b
from typing import Final

from sitecrawl.metadata.declared import Declared
from sitecrawl.metadata.title_pieces import affixes, folded


class Field(IntEnum):
    """The kind of a declared value; stored."""

    PAGES = 0
    """Not a value, but the number of counted pages."""
    TITLE = 1
    PREFIX = 2
    SUFFIX = 3
    DESCRIPTION = 4
    AUTHOR = 5
    DATE = 6
    IMAGE = 7
    INNER = 8
    """A lower headline; under the hash 0, the number of pages with any lower headline."""


SHARED: Final[Mapping[Field, float]] = {
    Field.TITLE: 0.3,
    Field.PREFIX: 0.15,
    Field.SUFFIX: 0.15,
    Field.DESCRIPTION: 0.2,
    Field.AUTHOR: 0.7,
    Field.DATE: 0.4,
    Field.IMAGE: 0.2,
}
"""Minimum share of the pages with a value for which it belongs to the site (docs/metadata.md)."""
LEAST: Final = 4
"""Minimum number of pages that share it."""
PRUNED: Final = 1000
"""Number of pages between prunings."""
RARE: Final = 0.005
"""Share of the pages below which a value is dropped at a pruning."""

Values = frozenset[tuple[int, int]]
"""(field, hash) of the values that one page declares."""


def values_of(declared: Declared, shown_dates: Iterable[str] = ()) -> Values:
    """Return the values of a page to count, each once."""
    found: set[tuple[int, int]] = {(Field.PAGES, 0)}
    headings = (*declared.headings, *declared.home_headlines)
    titles = dict.fromkeys((declared.title, *declared.names, *headings, declared.lower))
    found.update((Field.TITLE, value_key(folded(title))) for title in titles if title)
    if declared.title:
        before, after = affixes(declared.title)
        found.update((Field.PREFIX, value_key(folded(one))) for one in before)
        found.update((Field.SUFFIX, value_key(folded(one))) for one in after)
    if declared.inner:
        found.update({(Field.INNER, 0), *((Field.INNER, value_key(folded(one))) for one in declared.inner)})
    dates = (*declared.published, *declared.modified, *declared.item_published, *declared.item_modified)
    for field, values in (
        (Field.DESCRIPTION, declared.descriptions),
        (Field.AUTHOR, dict.fromkeys((*declared.authors, *declared.item_authors))),
        (Field.DATE, dict.fromkeys((*dates, *shown_dates))),
        (Field.IMAGE, declared.images),
    ):
        found.update((field, value_key(value)) for value in values)
    return frozenset(found)


class SiteValues:
    """The number of pages of one site that declare each value."""

    def __init__(self, counts: Mapping[tuple[int, int], int] | None = None) -> None:
        self._counts = dict(counts or {})

    @property
    def pages(self) -> int:
        """Number of counted pages."""
        return self._counts.get((Field.PAGES, 0), 0)

    def add(self, values: Values) -> None:
        """Count a page."""
        for one in values:
            self._counts[one] = self._counts.get(one, 0) + 1
        if self.pages % PRUNED == 0:
            least = rare(self.pages)
            self._counts = {key: count for key, count in self._counts.items() if count >= least}

    def shared(self, field: Field, value: str) -> bool:
        """Return whether a value belongs to the site."""
        count = self._counts.get((field, value_key(value)), 0)
        return count >= LEAST and count >= SHARED[field] * self.pages

    def share(self, field: Field, value: str) -> float:
        """Return the share, 0..1, of the pages that declare a value; 0 unless the value belongs to the site."""
        if not self.shared(field, value):
            return 0.0
        return self._counts[field, value_key(value)] / self.pages

    def repeated(self, field: Field, value: str) -> bool:
        """Return whether several pages declare a value, which is then the name of the site or a part of it.

        Of a site of two or three pages each must declare it.
        """
        count = self._counts.get((field, value_key(value)), 0)
        return count >= LEAST or 1 < count == self.pages

    def own_inner(self, headlines: Iterable[str]) -> str | None:
        """Return the first lower headline that is not on several pages; None before some pages were counted."""
        if self._counts.get((Field.INNER, 0), 0) < LEAST:
            return None
        return next((one for one in headlines if not self.repeated(Field.INNER, folded(one))), None)


def rare(pages: int) -> int:
    """Return the count below which values are dropped."""
    return max(2, int(RARE * pages))


def value_key(value: str) -> int:
    """Return 63 bits of blake2b of a value."""
    return int.from_bytes(blake2b(value.encode("utf-8", "replace"), digest_size=8).digest(), "big") >> 1
