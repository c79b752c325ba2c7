"""Chooses pages that together show the places of a layout's texts, each on several of them.

One layout often holds articles and lists, with texts in different places. So pages are chosen one by one, each for the
common places that the chosen ones do not show often enough. A shape is the set of tag paths of a page's text blocks.
[OWN]
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final

from sitecrawl.dom.blocks import text_containers
from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.labels import chain, element_label
from sitecrawl.dom.path_values import PathValues

SHOWN: Final = 4
"""Number of chosen pages that should show a place."""
COMMON: Final = 0.1
"""Share of the pages from which a place is common."""


class _TagKeys(PathValues[int]):
    """Keys of the tags from the root."""

    ROOT = 0

    def below(self, above: int, tag: str) -> int:
        """Return the key of an element by that of the element around it."""
        return chain(above, element_label(tag, ""))


_TAG_KEYS: Final = _TagKeys()
_PLACES: Final[dict[int, int]] = {}
"""Tag path keys of elements by their path key, which says more."""


def shape(flat: FlatDom) -> frozenset[int]:
    """Return the tag path keys of the elements that contain a page's text blocks, and of those around them.

    The keys are those of `fetch_difference.tag_paths`; each path of a page is looked at once.
    """
    containers, path = text_containers(flat), flat.path
    rows = {path[row]: row for row in containers.union(map(flat.parent.__getitem__, containers)) if row >= 0}
    if len(_PLACES) + len(rows) > _TagKeys.LIMIT:
        _PLACES.clear()
    for key in rows.keys() - _PLACES.keys():
        row = rows[key]
        _PLACES[key] = chain(_TAG_KEYS.of(flat, row), flat.label[row])
    return frozenset(map(_PLACES.__getitem__, rows))


def representatives(
    shapes: Mapping[int, frozenset[int]],
    candidates: Iterable[int],
    before: Mapping[int, int],
    most: int,
    share: float = COMMON,
) -> list[int]:
    """Return at most so many of the candidates, to be added to pages chosen before.

    `shapes` has the shapes of the layout's pages by key; pages without one are no candidates. `before` says on how many
    pages chosen before a place is, and `share` from which share of the pages a place is common.
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
