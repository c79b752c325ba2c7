"""Finds the cells of tables that belong to kept ones: those of the same row, and the headers above them.

"string | required" says little without "Type | Use" above it. [OWN]
"""

from bisect import bisect_left
from collections.abc import Iterator
from typing import Final

from sitecrawl.dom.blocks import Blocks, blocks_below
from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.vocabulary import vocabulary

MOST: Final = 12
"""Maximum blocks of a row; a row with more lays out a page. Own choice."""
BELOW: Final = 0.5
"""Minimum share of the blocks below a row of headers that must be kept. Own choice."""
_PARTS: Final = frozenset(("thead", "tbody", "tfoot"))


def cells_beside(flat: FlatDom, blocks: Blocks, kept: list[bool]) -> set[int]:
    """Return the blocks of the rows that have a kept block, in tables with a row of headers."""
    rows, found, end = vocabulary(flat).tags.get("tr", ()), set[int](), 0
    for _, table in _headers(flat):
        if table < end:
            continue
        end = flat.end[table]
        for row in rows[bisect_left(rows, table) : bisect_left(rows, end)]:
            begin, stop = blocks_below(flat, blocks, row)
            if 1 < stop - begin <= MOST and True in kept[begin:stop]:
                found.update(range(begin, stop))
    return found


def headers_above(flat: FlatDom, blocks: Blocks, kept: list[bool]) -> set[int]:
    """Return the blocks of the rows of headers with kept cells below them."""
    found: set[int] = set()
    for row, table in _headers(flat):
        begin, stop = blocks_below(flat, blocks, row)
        below = kept[stop : min(blocks_below(flat, blocks, table)[1], stop + MOST * MOST)]
        if begin < stop <= begin + MOST and below and sum(below) >= BELOW * len(below):
            found.update(range(begin, stop))
    return found


def _headers(flat: FlatDom) -> Iterator[tuple[int, int]]:
    """Yield the rows of headers of a page, each with its table."""
    tags = vocabulary(flat).tags
    for row in tags.get("tr", ()) if "th" in tags else ():
        if _is_header(flat, row):
            above = flat.parent[row]
            yield row, flat.parent[above] if flat.tag[above] in _PARTS else above


def _is_header(flat: FlatDom, row: int) -> bool:
    """Tell whether a table row has two header cells or more, and nothing else."""
    cells: list[str] = []
    cell = row + 1
    while cell < flat.end[row] and len(cells) <= MOST:
        cells.append(flat.tag[cell])
        cell = flat.end[cell]
    return len(cells) > 1 and set(cells) == {"th"}
