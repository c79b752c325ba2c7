"""Finds the body of the posts of a thread: the element in each record that contains most of its new text.

In old forums a record is a table or a table row, and its body is a cell.
"""

from collections import Counter
from collections.abc import Mapping
from itertools import accumulate
from typing import Final, NamedTuple

from sitecrawl.dom.blocks import Blocks, blocks_below
from sitecrawl.dom.flat import FlatDom, element_rows
from sitecrawl.extractors.combined.region import SHARED, Known
from sitecrawl.extractors.combined.statistics import PathStatistics

MOST: Final = 0.7
"""Minimum share of the new characters of the records in their body."""
CELL_MOST: Final = 0.5
"""The same for a cell, if a record is a table: the other cells have the name of the poster. Own choice."""
POST: Final = 80
"""Minimum mean characters of posts that are rows or cells: those of data tables are shorter. Own choice."""
TABLE_TAGS: Final = frozenset(("table", "tbody", "tr", "td"))
"""Elements of a record that is a table. Rows and cells often have no names to distinguish them."""
USUAL: Final = 0.7
"""Minimum share of the records that must have the body in the same place."""


class Step(NamedTuple):
    """A step from an element to elements inside it, by their label."""

    label: int
    number: int = -1
    """Number of the element among those with the label; -1 for all of them."""


def body_steps(flat: FlatDom, records: list[int], paths: Mapping[int, PathStatistics]) -> tuple[Step, ...]:
    """Return the steps to the deepest element that each record has once and that has most of its new text."""
    whole, rows, found = paths.get(flat.path[records[0]]), records, list[Step]()
    while whole is not None and whole.fresh:
        inner: dict[int, list[int]] = {}
        for row in rows:
            for child in element_rows(flat, row):
                if flat.path[child] in paths:
                    inner.setdefault(flat.path[child], []).append(child)
        if not inner:
            break
        best = max(inner, key=lambda path: paths[path].fresh)
        part, held = paths[best], inner[best]
        here = USUAL * len(records) <= len(held) == len({flat.parent[row] for row in held})
        everywhere = USUAL * whole.nodes <= part.nodes <= whole.nodes / USUAL
        if part.fresh < MOST * whole.fresh or not here or not everywhere:
            break
        found.append(Step(flat.label[held[0]]))
        rows = held
    return tuple(found)


def cell_steps(flat: FlatDom, blocks: Blocks, rows: list[int], known: Known) -> tuple[Step, ...]:
    """Return the steps from records that are tables or rows to the innermost cell with most of the new text.

    Rows and cells without distinguishing names are identified by their number, on this page alone. So are `div`
    elements if each record has the same number of them.
    """
    shares = known.all_shares(flat, blocks)
    new = [count * (share < SHARED) for count, share in zip(blocks.chars, shares, strict=True)]
    sums = [0, *accumulate(new)]
    plain = [0, *accumulate(max(count - linked, 0) for count, linked in zip(new, blocks.link_chars, strict=True))]

    def held(some: list[int], sums: list[int]) -> int:
        spans = (blocks_below(flat, blocks, row) for row in some)
        return sum(sums[stop] - sums[begin] for begin, stop in spans)

    found = list[Step]()
    while rows:
        parts = _parts(flat, rows)
        best = max(parts, key=lambda step: held(parts[step], plain), default=None)
        if best is None or len(parts[best]) < USUAL * len(rows):
            break
        if not found and held(parts[best], plain) < POST * len(rows):
            break
        boxed = flat.tag[parts[best][0]] == "div"
        if held(parts[best], plain) < (MOST if boxed else CELL_MOST) * max(held(rows, sums), 1):
            break
        like = [len(some) for step, some in parts.items() if step.label == best.label]
        if boxed and (set(like) != {len(rows)} or (len(like) == 1 and not found)):
            break
        found.append(best)
        rows = parts[best]
    return tuple(found)


def _parts(flat: FlatDom, rows: list[int]) -> dict[Step, list[int]]:
    """Return by step the elements to which it leads from `rows`: parts of tables, and `div` elements with a name."""
    parts: dict[Step, list[int]] = {}
    for row in rows:
        counts = Counter[int]()
        for child in element_rows(flat, row):
            if flat.tag[child] in TABLE_TAGS or (flat.tag[child] == "div" and flat.names[child]):
                label = flat.label[child]
                parts.setdefault(Step(label, counts[label]), []).append(child)
                counts[label] += 1
    return parts


def rows_below(flat: FlatDom, rows: list[int], steps: tuple[Step, ...]) -> list[int]:
    """Return the rows to which these steps lead from `rows`."""
    for step in steps:
        parts = ([child for child in element_rows(flat, row) if flat.label[child] == step.label] for row in rows)
        rows = [one for part in parts for one in (part if step.number < 0 else part[step.number : step.number + 1])]
    return rows
