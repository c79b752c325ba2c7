"""MDR, a method for comparison: finds the lists of records on a page.

Source: Liu, Grossman, Zhai, "Mining data records in web pages" (KDD 2003), sections 3.1 and 3.2. A generalised node is
a sequence of up to K adjacent children of one node; adjacent generalised nodes of the same size with similar tag
strings form a data region. Records within generalised nodes (section 3.3) are not separated, since the whole region is
the main content.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Final, NamedTuple

from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.labels import TEXT
from sitecrawl.dom.page import Page
from sitecrawl.extractors.base import Extraction, Need, SiteContext, no_content

DEPTH: Final = 3
"""Minimum levels of tags of a node whose children are compared (section 3.1)."""


class Region(NamedTuple):
    """A data region."""

    parent: int
    """Row of the parent node."""
    first: int
    """Index of the first child that belongs to the region."""
    size: int
    """Number of children in one generalised node."""
    children: int
    """Total number of children in the region."""


@dataclass(frozen=True, slots=True, eq=False)
class _Tags:
    """The elements of a page, with their tags as strings of numbers."""

    children: list[list[int]]
    """For each row, the rows of its child elements."""
    string: list[int]
    """The tags of all elements in document order, as numbers."""
    begin: list[int]
    """For each row, the position in `string` at which the tags of its subtree begin."""
    levels: list[int]
    """For each row, the number of levels of elements in its subtree, itself included."""

    @classmethod
    def of(cls, flat: FlatDom) -> "_Tags":
        """Return the elements of a flat page."""
        numbers: dict[str, int] = {}
        children: list[list[int]] = [[] for _ in flat.tag]
        string: list[int] = []
        begin: list[int] = []
        levels = [0] * len(flat)
        for i, tag in enumerate(flat.tag):
            begin.append(len(string))
            if tag != TEXT:
                string.append(numbers.setdefault(tag, len(numbers)))
                if i:
                    children[flat.parent[i]].append(i)
        begin.append(len(string))
        for i in range(len(flat) - 1, -1, -1):
            if flat.tag[i] != TEXT:
                levels[i] += 1
                if i:
                    levels[flat.parent[i]] = max(levels[flat.parent[i]], levels[i])
        return cls(children, string, begin, levels)


def similar(one: list[int], other: list[int], most: float) -> bool:
    """Return whether the edit distance of two tag strings, over their mean length, is at most `most` (section 3.1)."""
    if one == other:
        return True
    bound = int(most * (len(one) + len(other)) / 2)
    if abs(len(one) - len(other)) > bound:
        return False
    above = [j if j <= bound else bound + 1 for j in range(len(other) + 1)]
    for i, tag in enumerate(one, 1):
        first, last = max(1, i - bound), min(len(other), i + bound)
        row = [bound + 1] * (len(other) + 1)
        row[0] = i
        for j in range(first, last + 1):
            row[j] = above[j - 1] if tag == other[j - 1] else 1 + min(above[j - 1], above[j], row[j - 1])
        if min(row[first - 1 : last + 1]) > bound:
            return False
        above = row
    return above[-1] <= bound


def regions(flat: FlatDom, most_children: int = 10, most_distance: float = 0.3) -> list[Region]:
    """Return the data regions of a page, in document order (MDR and FindDRs, section 3.2).

    A region inside a generalised node of an outer region is left out.
    """
    tags = _Tags.of(flat)
    found: list[list[Region]] = [[] for _ in flat.tag]
    for node in range(len(flat) - 1, -1, -1):
        if tags.levels[node] < DEPTH:
            continue
        own = _regions_of(node, flat, tags, most_children, most_distance)
        covered = {number for one in own for number in range(one.first, one.first + one.children)}
        below = [
            region
            for number, child in enumerate(tags.children[node])
            if number not in covered
            for region in found[child]
        ]
        found[node] = own + below
    return sorted(found[0], key=lambda one: tags.children[one.parent][one.first])


def _regions_of(node: int, flat: FlatDom, tags: _Tags, most_children: int, most_distance: float) -> list[Region]:
    """Return the data regions among the children of one node (IdenDRs)."""
    children = tags.children[node]
    known: dict[tuple[int, int], bool] = {}

    def alike(first: int, size: int) -> bool:
        """Return whether the generalised node of `size` children from index `first` is similar to the next one."""
        if (first, size) not in known:
            starts = [tags.begin[children[first]], tags.begin[children[first + size]]]
            ends = [flat.end[children[first + size - 1]], flat.end[children[first + 2 * size - 1]]]
            one, other = (tags.string[begin : tags.begin[end]] for begin, end in zip(starts, ends, strict=True))
            known[first, size] = similar(one, other, most_distance)
        return known[first, size]

    found: list[Region] = []
    start = 0
    while start < len(children):
        best = Region(node, 0, 0, 0)
        for size in range(1, most_children + 1):
            for first in range(start, start + size):
                region = _longest(node, first, size, len(children), alike)
                if region.children > best.children and (not best.children or region.first <= best.first):
                    best = region
        if not best.children:
            break
        found.append(best)
        start = best.first + best.children
    return found


def _longest(node: int, first: int, size: int, count: int, alike: Callable[[int, int], bool]) -> Region:
    """Return the region of similar generalised nodes of one size at or after a child; it is empty if there is none."""
    begin = total = 0
    for number in range(first, count - 2 * size + 1, size):
        if alike(number, size):
            begin, total = (begin, total + size) if total else (number, 2 * size)
        elif total:
            break
    return Region(node, begin, size, total)


class Mdr:
    """Chooses the data region with the most text."""

    name: ClassVar[str] = "mdr"
    needs: ClassVar[frozenset[Need]] = frozenset()

    def __init__(self, *, most_children: int = 10, most_distance: float = 0.3) -> None:
        """Set K, the maximum children of a generalised node, and the maximum distance of similar ones, as published."""
        self.most_children = most_children
        self.most_distance = most_distance

    def extract(self, page: Page, site: SiteContext | None = None) -> Extraction:
        """Return the region with the most text; confidence is its share of the page's text."""
        flat = page.flat
        chosen: list[tuple[int, ...]] = []
        for region in regions(flat, self.most_children, self.most_distance):
            children = [i for i in range(region.parent + 1, flat.end[region.parent]) if flat.parent[i] == region.parent]
            elements = [i for i in children if flat.tag[i] != TEXT]
            chosen.append(tuple(elements[region.first : region.first + region.children]))
        chars = [sum(flat.chars[i] for i in nodes) for nodes in chosen]
        if not any(chars):
            return no_content(self.name)
        best = chars.index(max(chars))
        return Extraction(
            chosen[best], self.name, chars[best] / flat.chars[0], evidence={"regions": float(len(chosen))}
        )
