"""Keeps lists whole of which most is kept: the items are content together, or not at all.

The passes judge item by item. Short items, and items that are links, have probabilities near the limit, and which of
them are above it is chance. [OWN]
"""

from collections.abc import Sequence
from itertools import accumulate
from typing import Final

from sitecrawl.dom.blocks import Blocks, blocks_below
from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.vocabulary import rows_with, vocabulary
from sitecrawl.extractors.combined.furniture_names import furniture_beside
from sitecrawl.extractors.combined.region import Known, region_of

LISTS: Final = ("ul", "ol")
LEAST: Final = 3
"""Minimum number of blocks of a list. Own choice."""
MOST: Final = 0.5
"""Minimum share of the characters of a list that are kept."""
USUAL: Final = 0.8
"""Minimum share of the other pages with an item for which it is not added: it belongs to the site. Own choice."""


def with_whole_lists(
    flat: FlatDom,
    blocks: Blocks,
    kept: list[bool],
    again: list[bool],
    known: Known | None,
    near: Sequence[bool] = (),
) -> list[bool]:
    """Return which blocks are kept, including the dropped items of lists of which most is kept.

    `again` marks blocks that repeat a kept one. `near` marks blocks that are nearly probable enough
    (`region.near_limit`): without other pages only these are added.
    """
    if True not in kept or False not in kept:
        return kept
    first, last = blocks.first[kept.index(True)], blocks.first[len(kept) - 1 - kept[::-1].index(True)]
    count, held, chars = [0, *accumulate(kept)], list[int](), list[int]()
    found, furniture, end = kept, None, 0
    for row in rows_with(vocabulary(flat).tags, LISTS, range(last)):
        if row < end or flat.end[row] <= first:
            continue
        begin, stop = blocks_below(flat, blocks, row)
        own = count[stop] - count[begin]
        if stop - begin < LEAST or own in (0, stop - begin):
            continue
        if not held:
            held, chars = _sums(blocks, kept)
        if held[stop] - held[begin] < MOST * (chars[stop] - chars[begin]):
            continue
        if furniture is None:
            furniture = furniture_beside(flat, blocks, kept, region_of(flat, blocks, kept))
        if furniture[row]:
            continue
        found, end = list(kept) if found is kept else found, flat.end[row]
        for block in range(begin, stop):
            usual = known is not None and known.share(flat, blocks, block) >= USUAL
            unlikely = known is None and near and not near[block]
            found[block] = kept[block] or not (again[block] or usual or unlikely)
    return found


def _sums(blocks: Blocks, kept: list[bool]) -> tuple[list[int], list[int]]:
    """Return the characters of the kept blocks, and of all blocks, before each block."""
    held = [chars if wanted else 0 for chars, wanted in zip(blocks.chars, kept, strict=True)]
    return [0, *accumulate(held)], [0, *accumulate(blocks.chars)]
