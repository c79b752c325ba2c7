"""Finds the names and types of the members of a reference whose descriptions are kept.

An API describes each parameter in an element with its name, its type, and a sentence: "limit", "integer", "How many
boats a page has". Names and types are the same on many pages, so nothing else tells them from a menu. Pure in the page.
[OWN]
"""

from bisect import bisect_left
from typing import Final

from sitecrawl.dom.blocks import Blocks, blocks_below
from sitecrawl.dom.flat import FlatDom

LONGEST: Final = 60
"""Maximum characters of a name or a type. Own choice."""
MOST: Final = 6
"""Maximum blocks of a member. Own choice."""
LEVELS: Final = 5
"""Maximum steps from a name to its member. Own choice."""
LEAST: Final = 2
"""Minimum siblings with kept descriptions. Own choice."""
CONTROLS: Final = frozenset(("button", "summary", "label", "nav", "option"))
"""Elements that are no names or types."""


def described(flat: FlatDom, blocks: Blocks, kept: list[bool], unsure: list[int]) -> set[int]:
    """Return those of the `unsure` blocks that are short beginnings of members whose last block is kept.

    A member has like siblings, and no links before its description.
    """
    found, seen = set[int](), dict[tuple[int, str], bool]()
    for block in unsure:
        if blocks.chars[block] > LONGEST or blocks.link_chars[block] or flat.tag[blocks.container[block]] in CONTROLS:
            continue
        member = _member(flat, blocks, kept, block)
        if member is None:
            continue
        key = (flat.parent[member], flat.tag[member])
        if key not in seen:
            seen[key] = _has_siblings(flat, blocks, kept, *key)
        if seen[key]:
            found.add(block)
    return found


def _member(flat: FlatDom, blocks: Blocks, kept: list[bool], block: int) -> int | None:
    """Return the nearest element around a block that ends with a kept one; None if it is too large."""
    row = blocks.container[block]
    for _ in range(LEVELS):
        begin, stop = blocks_below(flat, blocks, row)
        if stop - begin > MOST or row <= 0:
            return None
        if stop > block + 1 and kept[stop - 1]:
            return row
        row = flat.parent[row]
    return None


def _has_siblings(flat: FlatDom, blocks: Blocks, kept: list[bool], parent: int, tag: str) -> bool:
    """Return whether enough children of an element with one tag end with a kept block after a short one."""
    count, row = 0, parent + 1
    while row < flat.end[parent]:
        if flat.tag[row] == tag:
            begin, stop = bisect_left(blocks.first, row), bisect_left(blocks.first, flat.end[row])
            count += 1 < stop - begin <= MOST and kept[stop - 1] and blocks.chars[begin] <= LONGEST
            if count == LEAST:
                return True
        row = flat.end[row]
    return False
