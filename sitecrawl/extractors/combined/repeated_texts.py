"""Drops copies of kept texts: pages repeat their text for narrow screens, as a preview, or in a carousel.

A repeated text on the same path is not a copy: the members of a reference describe a common parameter in the same
words. But a box that repeats all blocks of another box is a copy, unless it is a row of a table. [OWN]
"""

from collections import Counter
from typing import Final

from sitecrawl.dom.blocks import Blocks, block_text, blocks_below
from sitecrawl.dom.flat import FlatDom

REPEATED: Final = 60
"""Minimum characters of a kept block that counts as a repetition of an earlier one."""
TWICE: Final = 0.25
"""Minimum share of repetitions in the kept characters for them to be dropped; fewer are quotations and reference
entries."""


def kept_once(flat: FlatDom, blocks: Blocks, chances: list[float], limit: float) -> list[float]:
    """Return the probabilities of the blocks, with 0 for kept copies of earlier ones, if the page has many repetitions.

    `limit` is the minimum probability of a kept block. The same list is returned if no probability changes.
    """
    chars = blocks.chars
    kept = [i for i, chance in enumerate(chances) if chance >= limit]
    lengths = Counter([chars[i] for i in kept if chars[i] >= REPEATED])
    least = TWICE * sum([chars[i] for i in kept])
    most = sum([size * (times - 1) for size, times in lengths.items()])  # upper bound: equal lengths, equal texts
    if most < least:
        return chances
    first: dict[str, int] = {}
    named = [(i, first.setdefault(block_text(flat, blocks, i), i)) for i in kept if lengths[chars[i]] > 1]
    again = [(i, before) for i, before in named if i != before]  # (block, first block with its text)
    if not again or sum(chars[i] for i, _ in again) < least:
        return chances
    copied = _Copies(flat, blocks)
    dropped = [i for i, before in again if copied.is_copy(before, i)]
    if not dropped:
        return chances
    found = list(chances)
    for i in dropped:
        found[i] = 0.0
    return found


class _Copies:
    """Distinguishes copies of blocks from texts that are repeated on purpose."""

    def __init__(self, flat: FlatDom, blocks: Blocks) -> None:
        self._flat, self._blocks = flat, blocks
        self._found: dict[tuple[int, int], tuple[int, int]] = {}
        """Cached results of `_boxes`, by the parents of the two rows."""
        self._compared: dict[tuple[int, int], bool] = {}

    def is_copy(self, first: int, again: int) -> bool:
        """Return whether a block with the text of an earlier block is on another path, or in a copy of its box."""
        container, path = self._blocks.container, self._flat.path
        if path[container[first]] != path[container[again]]:
            return True
        boxes = self._boxes(container[first], container[again])
        if boxes not in self._compared:
            self._compared[boxes] = self._are_equal(*boxes)
        return self._compared[boxes]

    def _boxes(self, first: int, again: int) -> tuple[int, int]:
        """Return the largest elements that contain only one of two rows with the same path."""
        parent = self._flat.parent
        above = parent[first], parent[again]
        if above[0] == above[1]:
            return first, again
        if above not in self._found:
            one, other = above
            while parent[one] != parent[other]:
                one, other = parent[one], parent[other]
            self._found[above] = one, other
        return self._found[above]

    def _are_equal(self, one: int, other: int) -> bool:
        """Return whether two elements have at least two blocks, and the same texts; rows of a table repeat data."""
        flat, blocks = self._flat, self._blocks
        if one == other or flat.tag[one] == "tr" or flat.chars[one] != flat.chars[other]:
            return False
        here, there = (range(*blocks_below(flat, blocks, row)) for row in (one, other))
        if len(here) < 2 or blocks.chars[here.start : here.stop] != blocks.chars[there.start : there.stop]:
            return False
        return all(block_text(flat, blocks, a) == block_text(flat, blocks, b) for a, b in zip(here, there, strict=True))
