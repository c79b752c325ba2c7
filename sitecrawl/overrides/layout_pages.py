"""Pages of a layout with prefix sums of their characters, so that a selector is scored by a few subtractions."""

from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import NamedTuple, TypeAlias

from sitecrawl.dom.labels import TEXT
from sitecrawl.dom.page import Page
from sitecrawl.overrides.named_rows import NamedRows, Selector, outermost

Kept: TypeAlias = tuple[Page, Sequence[int]]
"""A page with the rows of its main content."""
Line: TypeAlias = tuple[Selector, ...]
"""Selectors whose matches are united."""


class Sums(NamedTuple):
    """Prefix sums: the characters before each row, and those of them that are kept."""

    chars: list[int]
    kept: list[int]


class LayoutPage(NamedTuple):
    """A page with prefix sums of all its characters and of the kept ones."""

    end: list[int]
    """The subtree of `i` is the slice `i:end[i]`."""
    tag: list[str]
    named: NamedRows
    own: list[int]
    """Characters of each text, 0 for an element."""
    kept: list[int]
    """Kept characters of each text, 0 for an element."""
    whole: Sums
    weight: float

    @property
    def total(self) -> int:
        """Number of kept characters."""
        return self.whole.kept[-1]

    def without(self, out: bytearray) -> Sums:
        """Return the sums without the marked rows."""
        return _sums(
            *([0 if gone else one for gone, one in zip(out, all_, strict=True)] for all_ in (self.own, self.kept))
        )

    def held(self, rows: Iterable[int], sums: Sums) -> tuple[int, int]:
        """Return the number of characters of disjoint subtrees, and the number of those that are kept."""
        chars = kept = 0
        for row in rows:
            end = self.end[row]
            chars += sums.chars[end] - sums.chars[row]
            kept += sums.kept[end] - sums.kept[row]
        return chars, kept

    def score(self, rows: Iterable[int], sums: Sums) -> float:
        """Return the F1 of the text of subtrees compared with the kept text."""
        return f1(*self.held(rows, sums), self.total)

    def matches(self, line: Iterable[Selector]) -> list[int]:
        """Return the outermost rows that any of the selectors selects."""
        found: set[int] = set()
        for selector in line:
            found.update(self.named.matches(selector))
        return outermost(sorted(found), self.end)

    def tops(self, lines: Iterable[Line]) -> list[int]:
        """Return the rows selected by the first line that selects anything; [] if there is none."""
        return next((rows for line in lines if (rows := self.matches(line))), [])

    def marked(self, rows: Iterable[int]) -> bytearray:
        """Return an array with 1 for each row of these subtrees, and 0 for all others."""
        marks = bytearray(len(self.end))
        for row in rows:
            marks[row : self.end[row]] = b"\1" * (self.end[row] - row)
        return marks

    def alike(self, top: int, *, kept: bool) -> list[int]:
        """Return the outermost elements below a row whose text is kept entirely, or without `kept` dropped entirely."""
        row, found = top + 1, []
        while row < self.end[top]:
            chars, inside = self.held((row,), self.whole)
            if self.tag[row] != TEXT and chars and inside == (chars if kept else 0):
                found.append(row)
                row = self.end[row]
            else:
                row += 1
        return found


def f1(chars: int, kept: int, total: int) -> float:
    """Return the F1 of `chars` selected characters, of which `kept` are kept, with `total` kept ones on the page."""
    return 2 * kept / (chars + total) if chars + total else 0.0


def layout_page(page: Page, nodes: Sequence[int], weight: float) -> LayoutPage:
    """Return a page with its sums, given the rows of its main content and the weight of its score in means."""
    flat = page.flat
    own = [chars if tag == TEXT else 0 for tag, chars in zip(flat.tag, flat.chars, strict=True)]
    kept = [0] * len(flat)
    for node in nodes:
        kept[node : flat.end[node]] = own[node : flat.end[node]]
    return LayoutPage(flat.end, flat.tag, NamedRows(page), own, kept, _sums(own, kept), weight)


def mean(pages: Sequence[LayoutPage], scores: Iterable[float]) -> float:
    """Return the weighted mean of scores; a negative score, for a page where nothing is selected, counts as 0."""
    total = sum(max(score, 0.0) * one.weight for one, score in zip(pages, scores, strict=True))
    return total / sum(one.weight for one in pages)


def _sums(own: Iterable[int], kept: Iterable[int]) -> Sums:
    return Sums(list(accumulate(own, initial=0)), list(accumulate(kept, initial=0)))
