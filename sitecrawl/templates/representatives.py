"""Chooses pages that together show the places of a layout's texts, each on several of them.

One layout often holds articles and lists, with texts in different places. So pages are chosen one by one, each for the
common places that the chosen ones do not show often enough. A shape is the set of tag paths of a page's text blocks.
[OWN]
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final

from sitecrawl.dom.blocks import text_blocks
from sitecrawl.dom.flat import FlatDom
from sitecrawl.templates.tag_paths import tag_path_keys

SHOWN: Final = 4
"""Number of chosen pages that should show a place."""
COMMON: Final = 0.1
"""Share of the pages from which a place is common."""


def shape(flat: FlatDom) -> frozenset[int]:
    """Return the tag path keys of the elements that contain a page's text blocks, and of those around them.

    Each path of a page is looked at once.
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
    """Return at most `most` of the candidates, to be added to the pages chosen before.

    `shapes` has the shapes of the layout's pages by key; pages without a shape are no candidates. `before` has the
    number of earlier chosen pages by place. A place is common from the share `share` of the pages on.
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
