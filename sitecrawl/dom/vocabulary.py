"""An index of the rows of a page by tag and names, so that rules for rare ones need not scan the page."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple, TypeAlias
from weakref import WeakKeyDictionary

from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.labels import TEXT

Index: TypeAlias = Mapping[str, list[int]]
"""The rows of each value of a column, in document order."""


class Vocabulary(NamedTuple):
    """The tags and names of the elements of a page."""

    tags: Index
    names: Index
    """Rows by the whole value of the column `names`; elements without names are left out."""


_MADE: Final[WeakKeyDictionary[FlatDom, Vocabulary]] = WeakKeyDictionary()


def vocabulary(flat: FlatDom) -> Vocabulary:
    """Return the index of a page; cached with its columns."""
    made = _MADE.get(flat)
    if made is None:
        made = _MADE[flat] = Vocabulary(_rows_by_value(flat.tag, TEXT), _rows_by_value(flat.names, ""))
    return made


def _rows_by_value(column: list[str], left_out: str) -> Index:
    found = defaultdict[str, list[int]](list)
    for row, value in enumerate(column):
        if value != left_out:  # skips about half of the rows of most pages
            found[value].append(row)
    return dict(found)


def rows_with(index: Index, wanted: Iterable[str], rows: range) -> list[int]:
    """Return the rows within the range `rows` with one of the `wanted` values, in document order."""
    begin, stop = rows.start, rows.stop
    return sorted(row for value in wanted for row in index.get(value, ()) if begin <= row < stop)
