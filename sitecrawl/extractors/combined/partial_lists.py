"""Keeps lists and like siblings whole of which most is kept: the items are content together, or not at all.

The passes judge item by item. Short items, and items that are links, have probabilities near the limit, and which of
them are above it is chance. Like siblings have one parent and equal paths: the members of a class, entries with a label
each. The posts of a thread are like siblings too, but their heads are no content, so threads have no such siblings.
[OWN]
"""

from collections.abc import Sequence
from itertools import accumulate, islice
from typing import Final

from sitecrawl.dom.blocks import Blocks, block_text, blocks_below
from sitecrawl.dom.flat import FlatDom, element_rows
from sitecrawl.dom.labels import CELLS, HEADINGS
from sitecrawl.dom.vocabulary import rows_with, vocabulary
from sitecrawl.extractors.combined.furniture_names import furniture_beside
from sitecrawl.extractors.combined.region import ENOUGH, RARE, Known, region_of

LISTS: Final = ("ul", "ol")
LEAST: Final = 3
"""Minimum number of blocks of a list. Own choice."""
MOST: Final = 0.5
"""Minimum share of the characters of a list that are kept."""
SIBLINGS: Final = 4
"""Minimum number of like siblings. Own choice."""
WITH_TEXT: Final = 0.5
"""Minimum share of the siblings with kept text. Own choice."""
NEAR: Final = 0.3
"""Minimum ratio of a block's probability to the limit for it to be added to a sibling. Own choice."""
LEVELS: Final = 6
"""Number of elements around a block that may be such siblings. Own choice."""
TEXTS: Final = frozenset((*HEADINGS, *CELLS, "tr", "p", "li"))
"""Elements that are no such siblings: texts, items of lists, and parts of tables (`data_tables`)."""
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
    count, held = [0, *accumulate(kept)], [0, *accumulate(map(int.__mul__, blocks.chars, map(int, kept)))]
    chars, found, end = [0, *accumulate(blocks.chars)], kept, 0
    furniture = None
    for row in rows_with(vocabulary(flat).tags, LISTS, range(len(flat))):
        begin, stop = blocks_below(flat, blocks, row)
        own = count[stop] - count[begin]
        if row < end or stop - begin < LEAST or own in (0, stop - begin):
            continue
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


def with_whole_siblings(
    flat: FlatDom,
    blocks: Blocks,
    kept: list[bool],
    again: list[bool],
    chances: Sequence[float],
    limit: float,
    known: Known | None,
) -> list[bool]:
    """Return which blocks are kept, including dropped texts of like siblings of which most is kept.

    `again` marks blocks that repeat a kept one. Texts without letters, and those that a tenth of the other pages have,
    stay dropped. With few other known pages nothing is added: furniture beside an article is such siblings too. Must
    not be called for threads.
    """
    if known is None or known.others < ENOUGH or True not in kept or False not in kept:
        return kept
    least, shares = NEAR * limit, known.all_shares(flat, blocks)
    rows = zip(kept, again, chances, shares, strict=True)
    wanted = [
        block
        for block, (held, copy, chance, share) in enumerate(rows)
        if chance >= least and not (held or copy or share >= RARE)
    ]
    if not wanted:
        return kept
    siblings, found = _Siblings(flat, blocks, kept), list(kept)
    furniture = furniture_beside(flat, blocks, kept, region_of(flat, blocks, kept))
    for block in wanted:
        row = blocks.container[block]
        if not furniture[row] and any(map(siblings.__getitem__, (row, *islice(flat.ancestors(row), LEVELS - 1)))):
            found[block] = any(map(str.isalpha, block_text(flat, blocks, block)))
    return found


class _Siblings(dict[int, bool]):
    """Decides whether most of the like siblings of an element, itself included, is kept."""

    def __init__(self, flat: FlatDom, blocks: Blocks, kept: list[bool]) -> None:
        super().__init__()
        self._flat, self._blocks = flat, blocks
        self._count, self._chars = [0, *accumulate(kept)], [0, *accumulate(blocks.chars)]
        self._held = [0, *accumulate(map(int.__mul__, blocks.chars, map(int, kept)))]

    def __missing__(self, row: int) -> bool:
        """Decide on all children of the element's parent."""
        flat, alike = self._flat, dict[int, list[int]]()
        for one in element_rows(flat, flat.parent[row]) if flat.parent[row] > 0 else (row,):
            alike.setdefault(flat.path[one], []).append(one)
        for rows in alike.values():
            self.update(dict.fromkeys(rows, self._is_mostly_kept(rows)))
        return self[row]

    def _is_mostly_kept(self, rows: list[int]) -> bool:
        """Return whether like elements are such siblings, and most of them is kept."""
        if self._flat.tag[rows[0]] in TEXTS:
            return False
        spans = [blocks_below(self._flat, self._blocks, row) for row in rows]
        spans = [(begin, stop) for begin, stop in spans if begin < stop]
        if len(spans) < SIBLINGS or all(stop - begin == 1 for begin, stop in spans):
            return False
        held, total = (sum(sums[stop] - sums[begin] for begin, stop in spans) for sums in (self._held, self._chars))
        texts = sum(self._count[stop] > self._count[begin] for begin, stop in spans)
        return held >= MOST * total and texts >= WITH_TEXT * len(spans)
