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
    least = NEAR * limit
    likely = [block for block, chance in enumerate(chances) if chance >= least and not kept[block]]
    wanted = [block for block in likely if not again[block] and known.share(flat, blocks, block) < RARE]
    if not wanted:
        return kept
    siblings, found, furniture = _Siblings(flat, blocks, kept), kept, None
    for block in wanted:
        row = blocks.container[block]
        if not any(map(siblings.__getitem__, (row, *islice(flat.ancestors(row), LEVELS - 1)))):
            continue
        if furniture is None:
            furniture = furniture_beside(flat, blocks, kept, region_of(flat, blocks, kept))
        if not furniture[row] and any(map(str.isalpha, block_text(flat, blocks, block))):
            found = list(kept) if found is kept else found
            found[block] = True
    return found


def _sums(blocks: Blocks, kept: list[bool]) -> tuple[list[int], list[int]]:
    """Return the characters of the kept blocks, and of all blocks, before each block."""
    held = [chars if wanted else 0 for chars, wanted in zip(blocks.chars, kept, strict=True)]
    return [0, *accumulate(held)], [0, *accumulate(blocks.chars)]


class _Siblings(dict[int, bool]):
    """Decides whether most of the like siblings of an element, itself included, is kept."""

    def __init__(self, flat: FlatDom, blocks: Blocks, kept: list[bool]) -> None:
        super().__init__()
        self._flat, self._blocks = flat, blocks
        self._count, (self._held, self._chars) = [0, *accumulate(kept)], _sums(blocks, kept)

    def __missing__(self, row: int) -> bool:
        """Decide on all children of the element's parent, if any text below it is kept."""
        flat, parent, alike = self._flat, self._flat.parent[row], dict[int, list[int]]()
        begin, stop = blocks_below(flat, self._blocks, parent) if parent > 0 else (0, 0)
        self[row] = False
        if self._count[stop] > self._count[begin]:
            for one in element_rows(flat, parent):
                alike.setdefault(flat.path[one], []).append(one)
        for rows in alike.values():
            self.update(dict.fromkeys(rows, self._is_mostly_kept(rows)))
        return self[row]

    def _is_mostly_kept(self, rows: list[int]) -> bool:
        """Return whether like elements are such siblings, and most of them is kept."""
        if len(rows) < SIBLINGS or self._flat.tag[rows[0]] in TEXTS:
            return False
        spans = [blocks_below(self._flat, self._blocks, row) for row in rows]
        spans = [(begin, stop) for begin, stop in spans if begin < stop]
        if len(spans) < SIBLINGS or all(stop - begin == 1 for begin, stop in spans):
            return False
        held, total = (sum(sums[stop] - sums[begin] for begin, stop in spans) for sums in (self._held, self._chars))
        texts = sum(self._count[stop] > self._count[begin] for begin, stop in spans)
        return held >= MOST * total and texts >= WITH_TEXT * len(spans)
