"""Keeps tables of fields whole (labels with values): the data of a ticket, a species, a function.

Most of their blocks are a word or a number, and the site repeats the labels, so the passes drop them one by one. But a
table of fields inside the content belongs to it as a whole. [OWN]
"""

from collections.abc import Iterator
from typing import Final

from sitecrawl.dom.blocks import Blocks, blocks_below
from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.vocabulary import rows_with, vocabulary
from sitecrawl.extractors.combined.furniture_names import furniture_beside
from sitecrawl.extractors.combined.region import WHOLE, region_of, region_rows

LEAST: Final = 3
"""Minimum number of labels."""
SHORT: Final = 30
"""Maximum mean characters of a label."""
LINKED: Final = 0.5
"""Minimum share of the characters of the values in links for which the pairs are a menu, or a list of news by date."""
CELLS: Final = frozenset(("th", "td", "dt", "dd"))
HEADED: Final = frozenset(("th", "td"))
"""The two cells of a row with its own header; tables with a row of headers have columns, not fields."""
TABLES: Final = frozenset(("table", "dl"))


def with_fields(
    flat: FlatDom, blocks: Blocks, kept: list[bool], again: list[bool], regions: frozenset[int] = frozenset()
) -> list[bool]:
    """Return which blocks are kept, including those of field tables in the content region or right beside it.

    `again` marks blocks that repeat a kept one. `regions` are the path keys of the content regions of the layout: if a
    page with one paragraph has a smaller region, the layout's region around it is used.
    """
    if True not in kept or TABLES.isdisjoint(vocabulary(flat).tags):
        return kept
    region = widened(flat, region_of(flat, blocks, kept))
    around = (region, *flat.ancestors(region)) if regions else ()
    usual = next((row for row in around if row > 0 and flat.path[row] in regions), -1)
    if usual > 0:
        region = usual if flat.tag[usual] in WHOLE else widened(flat, usual)
    rows = region_rows(flat, blocks, kept, region)
    furniture, found = furniture_beside(flat, blocks, kept, region), list(kept)
    for table in _innermost(flat, rows):
        if furniture[table] or not _has_fields(flat, blocks, table):
            continue
        for block in range(*blocks_below(flat, blocks, table)):
            found[block] = found[block] or not again[block]
    return found


def widened(flat: FlatDom, region: int) -> int:
    """Return the parent of a region, or the region itself if the parent is too large (`WHOLE`)."""
    return region if region <= 0 or flat.tag[flat.parent[region]] in WHOLE else flat.parent[region]


def _innermost(flat: FlatDom, rows: range) -> Iterator[int]:
    """Yield the tables in a range of rows that contain no other table."""
    before = -1
    for row in rows_with(vocabulary(flat).tags, TABLES, rows):
        if before >= 0 and row >= flat.end[before]:
            yield before
        before = row
    if before >= 0:
        yield before


def _has_fields(flat: FlatDom, blocks: Blocks, table: int) -> bool:
    """Return whether a table consists of fields: short header cells with values, or pairs of a short cell and a value.

    The values of pairs must not be mainly links, since menus and lists of news are built in the same way.
    """
    rows: dict[int, dict[int, int]] = {}  # by table row or list: the characters of each of its cells
    linked = 0
    for block in range(*blocks_below(flat, blocks, table)):
        cell = blocks.container[block]
        while cell > table and flat.tag[cell] not in CELLS:
            cell = flat.parent[cell]
        if cell > table:
            cells = rows.setdefault(flat.parent[cell], {})
            cells[cell] = cells.get(cell, 0) + blocks.chars[block]
            linked += blocks.link_chars[block]
    if flat.tag[table] == "dl":
        labels = [chars for cells in rows.values() for cell, chars in cells.items() if flat.tag[cell] == "dt"]
    else:
        headed = [cells for cells in rows.values() if {flat.tag[cell] for cell in cells} == HEADED]
        labels = [chars for cells in headed for cell, chars in cells.items() if flat.tag[cell] == "th"]
        if labels:
            return _are_labels(labels)
        if any(len(cells) > 2 or "th" in map(flat.tag.__getitem__, cells) for cells in rows.values()):
            return False
        labels = [next(iter(cells.values())) for cells in rows.values() if len(cells) > 1]
    total = sum(sum(cells.values()) for cells in rows.values())
    return _are_labels(labels) and linked < LINKED * (total - sum(labels))


def _are_labels(chars: list[int]) -> bool:
    return len(chars) >= LEAST and sum(chars) <= SHORT * len(chars)
