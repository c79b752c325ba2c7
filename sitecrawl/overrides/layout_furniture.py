"""Chooses selectors for the furniture of a layout: elements inside the content regions that are not main content.

A selector is a candidate if the elements that it selects contain hardly any kept text. Those candidates are chosen
whose removal makes the regions more similar to the kept text. [OWN]
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from heapq import heapify, heappop, heappush
from typing import Final, NamedTuple

from sitecrawl.overrides.layout_pages import LayoutPage, f1
from sitecrawl.overrides.named_rows import NEXT, Selector

TOUCHED: Final = 0.05
"""Maximum share of kept characters in the elements that a furniture selector selects."""
ON: Final = 2
"""Minimum number of pages on which a furniture selector selects something."""
OFTEN: Final = 0.5
"""Minimum share of the pages on which a selector without class, id or tag in `APART` selects something."""
EXAMINED: Final = 600
"""Maximum number of selectors that are tried, those that select the most text first."""
WORTH: Final = 0.001
"""Minimum gain in the mean score for which a selector is chosen."""
PART: Final = 0.00025
"""Gain in the mean score that justifies one more part of a selector."""
LEFT_OUT: Final = 40
"""Maximum number of chosen selectors."""
APART: Final = frozenset(("nav", "aside", "footer", "header", "form", "button", "select", "menu"))
"""Tags that identify furniture without a class or id."""
ANCHORS: Final = frozenset(("body", "main", "article", "h1", "h2", "h3", "h4", "h5", "h6", "hr"))
"""Tags by which an element without class or id can be located: as their n-th child, or as their next sibling."""


class Furniture(NamedTuple):
    """A selector of dropped elements, with the rows that it selects on each page."""

    selector: Selector
    rows: tuple[tuple[int, ...], ...]


def clean_furniture(pages: Sequence[LayoutPage], around: Sequence[int]) -> list[Furniture]:
    """Return the candidates: selectors of dropped elements that select hardly any kept text.

    `around` has one row per page; only elements below it are considered.
    """
    chars: Counter[Selector] = Counter()
    for one, top in zip(pages, around, strict=True):
        for row in one.alike(top, kept=False):
            named = {name for name in one.named.selectors(row) if _furnishing(name)}
            chars.update(dict.fromkeys(named, one.held((row,), one.whole)[0]))
    found: dict[tuple[tuple[int, ...], ...], Furniture] = {}
    most = sorted(chars.items(), key=lambda item: (-item[1], item[0].cost, str(item[0])))
    for selector, _ in most[:EXAMINED]:
        rows = tuple(tuple(one.matches((selector,))) for one in pages)
        same = found.get(rows)
        if (same is None or selector.cost < same.selector.cost) and _is_clean(pages, rows, plain=_plain(selector)):
            found[rows] = Furniture(selector, rows)
    return list(found.values())


def _furnishing(selector: Selector) -> bool:
    """Return whether a selector is specific enough for furniture: by a class or id, by its tag, or by its position."""
    if not _plain(selector):
        return True
    placed = bool(selector.last.place) or selector.link == NEXT
    return placed and selector.other is not None and selector.other.tag in ANCHORS


def _plain(selector: Selector) -> bool:
    return not selector.named and selector.last.tag not in APART


def _is_clean(pages: Sequence[LayoutPage], rows: Iterable[Sequence[int]], *, plain: bool) -> bool:
    held = [one.held(mine, one.whole) for one, mine in zip(pages, rows, strict=True)]
    on = sum(chars > 0 for chars, _ in held)
    enough = on >= (OFTEN * len(pages) if plain else min(ON, len(pages)))
    return enough and sum(kept for _, kept in held) <= TOUCHED * sum(chars for chars, _ in held)


class _Rest:
    """The remaining text in the regions of a page, which no chosen selector has removed yet."""

    def __init__(self, page: LayoutPage, tops: Iterable[int]) -> None:
        self.page = page
        self.out = page.marked((0,))
        for row in tops:
            self.out[row : page.end[row]] = bytes(page.end[row] - row)
        self._sum()

    def _sum(self) -> None:
        self.sums = self.page.without(self.out)
        self.score = self.page.score((0,), self.sums)

    def gain(self, rows: Sequence[int]) -> float:
        """Return the gain in score if these subtrees are left out."""
        chars, kept = self.page.held(rows, self.sums)
        if not chars:
            return 0.0
        left = f1(self.sums.chars[-1] - chars, self.sums.kept[-1] - kept, self.page.total)
        return (left - self.score) * self.page.weight

    def drop(self, rows: Sequence[int]) -> None:
        """Remove these subtrees from the remaining text."""
        for row in rows:
            self.out[row : self.page.end[row]] = b"\1" * (self.page.end[row] - row)
        if rows:
            self._sum()


def helpful(pages: Sequence[LayoutPage], tops: Sequence[Sequence[int]], clean: Sequence[Furniture]) -> list[Furniture]:
    """Return the selectors whose removal makes the regions more similar to the kept text, the best first.

    `tops` contains the rows of the regions of each page.
    """
    rests = [_Rest(one, rows) for one, rows in zip(pages, tops, strict=True)]
    weight = sum(one.weight for one in pages)

    def value(furniture: Furniture) -> float:
        gains = sum(rest.gain(rows) for rest, rows in zip(rests, furniture.rows, strict=True))
        return gains / weight - PART * furniture.selector.cost

    queue = [(-value(one), number) for number, one in enumerate(clean)]
    heapify(queue)
    found: list[Furniture] = []
    while queue and len(found) < LEFT_OUT:
        _, number = heappop(queue)
        now = value(clean[number])  # selectors chosen since may have removed the same text
        if now < WORTH:
            continue
        if queue and now < -queue[0][0]:
            heappush(queue, (-now, number))
            continue
        found.append(clean[number])
        for rest, rows in zip(rests, clean[number].rows, strict=True):
            rest.drop(rows)
    return found
