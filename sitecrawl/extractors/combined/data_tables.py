"""Keeps data tables whole if the text encloses them, or if half of their cells are kept.

A data table has two or more header cells. Its cells are words, numbers and links, which the passes drop one by one. On
recorded sites, page sets and manuals, extracted without a template, 68 of 72 tables between two kept blocks are main
content. Of tables with kept text on one side only, 50 of 254 are; so these are kept whole only if half of their cells
are kept. In other tables the headers are kept if most cells below them are. [OWN]
"""

from bisect import bisect_left
from itertools import zip_longest
from typing import Final

from sitecrawl.dom.blocks import Blocks, blocks_below
from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.vocabulary import rows_with, vocabulary
from sitecrawl.extractors.combined.furniture_names import furniture_beside
from sitecrawl.extractors.combined.region import SHARED, Known, region_of, region_rows
from sitecrawl.extractors.combined.table_cells import headers_above

HEADERS: Final = 2
"""Minimum number of header cells."""
WRAPPERS: Final = 2
"""Maximum elements around a table that contain nothing else, such as boxes for scrolling."""
MOSTLY: Final = 0.5
"""Minimum share of kept blocks in a table for its rows to be kept whole. Own choice."""


def with_data_tables(
    flat: FlatDom, blocks: Blocks, kept: list[bool], again: list[bool], known: Known | None
) -> list[bool]:
    """Return which blocks are kept, including those of data tables that kept blocks of the content region enclose.

    `again` marks blocks that repeat a kept one. Texts that other pages of the site have stay dropped, except headers,
    and cells beside a kept cell in a table that is mostly kept.
    """
    index = vocabulary(flat).tags
    if True not in kept or "table" not in index or len(index.get("th", ())) < HEADERS:
        return kept
    region = region_of(flat, blocks, kept)
    furniture, found, end = furniture_beside(flat, blocks, kept, region), list(kept), 0
    for table in rows_with(index, ("table",), region_rows(flat, blocks, kept, region)):
        if table < end:
            continue  # in another table
        end = flat.end[table]
        headers = flat.tag[table:end].count("th")
        if headers < HEADERS or furniture[table]:
            continue
        begin, stop = blocks_below(flat, blocks, table)
        mostly = sum(kept[begin:stop]) >= max(1, MOSTLY * (stop - begin))
        if not mostly and not _enclosed(flat, blocks, kept, table):
            continue
        for block in range(begin, stop):
            shared = known is not None and known.share(flat, blocks, block) >= SHARED
            found[block] = kept[block] or not (again[block] or shared)
        if mostly:
            _complete_rows(flat, blocks, found, table)
    for block in headers_above(flat, blocks, found):
        found[block] = True
    return found


def _complete_rows(flat: FlatDom, blocks: Blocks, kept: list[bool], table: int) -> None:
    """Mark all cells as kept in each row of a table with a kept cell, except in rows that contain other rows."""
    every, end = vocabulary(flat).tags.get("tr", []), flat.end[table]
    rows = every[bisect_left(every, table) : bisect_left(every, end)]
    for row, following in zip_longest(rows, rows[1:], fillvalue=end):
        begin, stop = blocks_below(flat, blocks, row)
        if following >= flat.end[row] and True in kept[begin:stop]:
            kept[begin:stop] = [True] * (stop - begin)


def _enclosed(flat: FlatDom, blocks: Blocks, kept: list[bool], table: int) -> bool:
    """Return whether the element around a table has kept blocks before it and after it."""
    begin, stop = blocks_below(flat, blocks, table)
    above = flat.parent[table]
    for _ in range(WRAPPERS):
        if blocks_below(flat, blocks, above) == (begin, stop):
            above = flat.parent[above]
    first, last = blocks_below(flat, blocks, above)
    return True in kept[first:begin] and True in kept[stop:last]
