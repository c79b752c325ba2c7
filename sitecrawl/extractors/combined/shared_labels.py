"""Finds the labels that the listings of a site share: a cloud of all tags, links to all months, choices of a filter.

A listing shows its entries beside such a box. The other pages of the site do not have the box, so few pages share it,
and the passes take its labels for entries. But nearly all pages that have such a place have the same labels there. A
page that consists of the labels, such as the overview of all tags, keeps them. Pure in (page, template). [OWN]
"""

from itertools import groupby
from typing import Final

from sitecrawl.dom.blocks import Blocks
from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.labels import CELLS, HEADINGS
from sitecrawl.extractors.combined.region import ENOUGH, Known

LEAST: Final = 5
"""Minimum number of labels beside each other. Own choice."""
SHORT: Final = 30
"""Maximum mean characters of a label; titles of entries are longer. Own choice."""
NEARLY_ALL: Final = 0.8
"""Minimum share of the other pages with such a place that have a label there, and of the labels in one element of which
this is true: counts behind them change. Own choice."""
_OTHERS: Final = frozenset((*HEADINGS, *CELLS, "dt", "dd"))
"""Elements whose texts are titles, or the headers and fields of tables."""


def shared_labels(flat: FlatDom, blocks: Blocks, known: Known | None) -> frozenset[int]:
    """Return the blocks that are labels in a box that the site's listings share: siblings with nothing between them."""
    if known is None or known.others < ENOUGH:
        return frozenset()
    runs = groupby(range(len(blocks)), lambda block: _place(flat, blocks.container[block]))
    found = (list(run) for (_, tag, _), run in runs if tag not in _OTHERS)
    return frozenset(block for run in found if _are_shared(flat, blocks, run, known) for block in run)


def _place(flat: FlatDom, row: int) -> tuple[int, str, int]:
    """Return what siblings on one path have in common."""
    return flat.parent[row], flat.tag[row], flat.path[row]


def _are_shared(flat: FlatDom, blocks: Blocks, labels: list[int], known: Known) -> bool:
    """Return whether siblings are short, and nearly all pages with such siblings have nearly all of their texts."""
    if len(labels) < LEAST or sum(map(blocks.chars.__getitem__, labels)) > SHORT * len(labels):
        return False
    place = known.site.paths.get(flat.path[blocks.container[labels[0]]])
    others = place.pages - known.own if place is not None else 0
    if others < ENOUGH:
        return False
    least = NEARLY_ALL * others
    usual = sum(known.share(flat, blocks, block) * known.others >= least for block in labels)
    return usual >= NEARLY_ALL * len(labels)
