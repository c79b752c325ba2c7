"""Chooses pages of a layout that together contain its common places of text, each on several of them.

One layout often has articles and lists, with texts in different places. So pages are chosen one by one, each for the
common places that are on too few chosen pages so far. A shape is the set of tag paths of a page's text blocks. [OWN]
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final

from sitecrawl.dom.blocks import text_blocks
from sitecrawl.dom.flat import FlatDom
from sitecrawl.templates.tag_paths import tag_path_keys

SHOWN: Final = 4
"""Number of chosen pages that should contain a place."""
COMMON: Final = 0.1
"""Minimum share of the pages with a place for it to be common."""


def shape(flat: FlatDom) -> frozenset[int]:
    """Return the tag path keys of the elements that contain a page's text blocks, and of their parents.

    Each path key of a page is converted once.
    """
    containers, path = set(text_blocks(flat).container), flat.path
    rows = {path[row]: row for row in containers.union(map(flat.parent.__getitem__, containers)) if row >= 0}
    return frozenset(tag_path_keys(flat, rows).values())


def representatives(
    shapes: Mapping[int, frozenset[int]],
    candidates: Iterable[int],
    before: Mapping[int, int],
    most: int,
    share: float = COMMON,
) -> list[int]:
    """Return at most `most` candidates to add to the pages chosen before.

    `shapes` are the shapes of the layout's pages by key; candidates without a shape are ignored. `before` is the number
    of pages chosen earlier by place. A place is common if at least the share `share` of the pages has it.
    """
    pages = Counter(place for places in shapes.values() for place in places)
    common = {place: count for place, count in pages.items() if count >= max(2, share * len(shapes))}
    shown = Counter(before)
    left = sorted(key for key in candidates if key in shapes)
    found: list[int] = []
    while left and len(found) < most:
        gains = {key: sum(common.get(place, 0) for place in shapes[key] if shown[place] < SHOWN) for key in left}
        best = max(left, key=lambda key: gains[key])
        if not gains[best]:
            break
        found.append(best)
        left.remove(best)
        shown.update(shapes[best])
    return found
