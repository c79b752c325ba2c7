"""Keeps the label and the value of a field together: "Language:" without "Polish" says nothing, nor the reverse.

The passes judge both block by block, and the site repeats the label, but not the value. A label is a short block that
is alone in the first element of a field, with a name for labels or a colon at its end; its values are the rest of the
field. Pure in (page, chosen blocks). [OWN]
"""

import re
from functools import lru_cache
from typing import Final

from sitecrawl.dom.blocks import Blocks, blocks_below
from sitecrawl.dom.bounded_cache import LIMIT
from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.labels import CELLS, HEADINGS
from sitecrawl.extractors.combined.furniture_names import Furniture

LONGEST: Final = 60
"""Maximum characters of a label. Own choice."""
MOST: Final = 8
"""Maximum blocks of a field. Own choice."""
STEPS: Final = 4
"""Maximum elements around a label that contain nothing else. Own choice."""
SHORT: Final = 100
"""Maximum characters of values that are kept for their label: the code of an embedded article is no value. Own choice.
"""
LINKED: Final = 0.5
"""Minimum share of the characters of values in links for which they are not kept for their label: lists of tags."""
_COLONS: Final = (":", "：")
"""Last characters of a label without a name for it."""
_NAME: Final = re.compile(r"(?<![^\W\d_])label(?![^\W\d_])", re.IGNORECASE)
"""Matches the class name of a label."""
_OTHERS: Final = frozenset((*HEADINGS, *CELLS, "li", "label", "legend"))
"""Elements that are no labels of values: titles, cells, items, and the labels of fields to write in."""


def with_labels_and_values(flat: FlatDom, blocks: Blocks, kept: list[bool], again: list[bool]) -> list[bool]:
    """Return which blocks are kept, including labels of kept values and values of kept labels.

    `again` marks blocks that repeat a kept one.
    """
    found = kept
    for label in range(len(blocks) - 1):
        if blocks.chars[label] > LONGEST or blocks.link_chars[label] or True not in kept[label : label + MOST]:
            continue
        values = values_of(flat, blocks, label)
        if not values or _is_furniture(flat, blocks.container[label]):
            continue
        chars, held = sum(blocks.chars[b] for b in values), sum(blocks.chars[b] for b in values if kept[b])
        linked = sum(blocks.link_chars[block] for block in values)
        if kept[label] and not held and chars <= SHORT and linked < LINKED * chars:
            wanted = values
        elif not kept[label] and 2 * held >= chars:
            wanted = range(label, label + 1)
        else:
            continue
        found = list(kept) if found is kept else found
        for block in wanted:
            found[block] = found[block] or not again[block]
    return found


def values_of(flat: FlatDom, blocks: Blocks, label: int) -> range:
    """Return the blocks of the values of a label; empty if the block is no label."""
    own = row = blocks.container[label]
    if flat.tag[own] in _OTHERS or not (_ends_with_colon(flat, blocks, label) or _is_named(flat.names[own])):
        return range(0)
    for step in range(STEPS):
        begin, stop = blocks_below(flat, blocks, row)
        if begin != label or stop > label + MOST or row <= 0:
            return range(0)
        if stop > label + 1:
            return range(label + 1, stop) if step else range(0)
        row = flat.parent[row]
    return range(0)


def _ends_with_colon(flat: FlatDom, blocks: Blocks, block: int) -> bool:
    """Return whether the last text of a block ends with a colon."""
    rows = range(blocks.stop[block] - 1, blocks.first[block] - 1, -1)
    last = next((text for row in rows if (text := flat.text[row].rstrip())), "")
    return last.endswith(_COLONS)


@lru_cache(LIMIT)
def _is_named(names: str) -> bool:
    """Return whether one of an element's names is that of a label."""
    return _NAME.search(names) is not None


def _is_furniture(flat: FlatDom, row: int) -> bool:
    """Return whether an element has a name of furniture itself; that of a field may be about its value."""
    return Furniture(flat, flat.parent[row])[row]
