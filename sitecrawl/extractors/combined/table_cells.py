"""Finds the cells of tables that belong to kept cells: those of the same row, the headers above them, and the caption.

"string | required" is useless without "Type | Use" above it. [OWN]
"""

from bisect import bisect_left
from collections.abc import Iterator
from itertools import accumulate
from typing import Final

from sitecrawl.dom.blocks import Blocks, blocks_below
from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.vocabulary import vocabulary

MOST: Final = 12
"""Maximum blocks of a row; a row with more is used for page layout. Own choice."""
BELOW: Final = 0.5
"""Minimum share of the blocks below a row of headers, or a caption, that must be kept. Own choice."""
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
    """Return the blocks of header rows with enough kept cells below them (`BELOW`)."""
    found: set[int] = set()
    for row, table in _headers(flat):
        begin, stop = blocks_below(flat, blocks, row)
        below = kept[stop : min(blocks_below(flat, blocks, table)[1], stop + MOST * MOST)]
        if begin < stop <= begin + MOST and below and sum(below) >= BELOW * len(below):
            found.update(range(begin, stop))
    return found


def with_captions(flat: FlatDom, blocks: Blocks, kept: list[bool]) -> list[bool]:
    """Return which blocks are kept, including the captions of tables of which `BELOW` of the other blocks are kept."""
    captions = [row for row in vocabulary(flat).tags.get("caption", ()) if flat.tag[flat.parent[row]] == "table"]
    if not captions:
        return kept
    sums, found = [0, *accumulate(kept)], list(kept)
    for row in captions:
        begin, stop = blocks_below(flat, blocks, row)
        first, last = blocks_below(flat, blocks, flat.parent[row])
        cells, own = (last - first) - (stop - begin), sums[stop] - sums[begin]
        if cells and sums[last] - sums[first] - own >= BELOW * cells:
            found[begin:stop] = [True] * (stop - begin)
    return found


def headed_tables(flat: FlatDom) -> frozenset[int]:
    """Return the tables of a page that have a row of headers."""
    return frozenset(table for _, table in _headers(flat))


def _headers(flat: FlatDom) -> Iterator[tuple[int, int]]:
    """Yield (header row, its table) for each row of headers of a page."""
    tags = vocabulary(flat).tags
    for row in tags.get("tr", ()) if "th" in tags else ():
        if _is_header(flat, row):
            above = flat.parent[row]
            yield row, flat.parent[above] if flat.tag[above] in _PARTS else above


def _is_header(flat: FlatDom, row: int) -> bool:
    """Return whether a table row consists of two or more header cells."""
    cells: list[str] = []
    cell = row + 1
    while cell < flat.end[row] and len(cells) <= MOST:
        cells.append(flat.tag[cell])
        cell = flat.end[cell]
    return len(cells) > 1 and set(cells) == {"th"}
