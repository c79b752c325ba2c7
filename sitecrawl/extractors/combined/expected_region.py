"""Columns of the second pass on a page alone: where the content probably is, and whether a block is in it.

With a template the first pass knows which elements of a page have text of its own. On a page alone it judges each block
by its looks, so it keeps what looks like content in any place: comments, teasers, answers to other questions. But the
blocks with a high probability show where the content is. The expected content of an element is the sum of the
probabilities of its blocks, weighed by their characters. The columns tell how far a block is from the deepest elements
that have most of the expected content of the page.

The twin of the columns is in `_block_classifier.pyx`; all sums are taken in the same order there.
"""

from typing import Final

from sitecrawl.dom.blocks import Blocks
from sitecrawl.dom.flat import FlatDom
from sitecrawl.extractors.combined.block_features import FAR
from sitecrawl.extractors.combined.context_features import EXTRA

MOST: Final = (0.9, 0.6)
"""Shares of the expected content of the page that the two regions have. [OWN]"""
OUTSIDE: Final = -1.0
"""Value of a place in a region for a block outside of it."""
REGION_NAMES: Final = [
    *(f"{name}_{int(100 * share)}" for share in MOST for name in ("below_expected", "from_expected")),
    "links",
]
"""Names of the columns."""


def expected_region(flat: FlatDom, blocks: Blocks, chances: list[float]) -> list[list[float]]:
    """Return the columns, one value per block, in the order of `REGION_NAMES`; `chances` are those of the first pass.

    For each region: the depth of the block below it, and the number of blocks from it. Then the share of links in the
    block.
    """
    n = len(blocks)
    weights = [chars + EXTRA for chars in blocks.chars]
    columns: list[list[float]] = []
    for region in _regions(flat, blocks, [weight * one for weight, one in zip(weights, chances, strict=True)]):
        rows = range(region, flat.end[region])
        inside = [row in rows for row in blocks.container]
        first, last = inside.index(True), n - 1 - inside[::-1].index(True)
        depth = flat.depth[region]
        pairs = zip(blocks.container, inside, strict=True)
        columns.append([float(flat.depth[row] - depth) if is_inside else OUTSIDE for row, is_inside in pairs])
        columns.append([min(max(float(min(b - first, 0) + max(b - last, 0)), -FAR), FAR) for b in range(n)])
    columns.append([links / chars for links, chars in zip(blocks.link_chars, blocks.chars, strict=True)])
    return columns


def _regions(flat: FlatDom, blocks: Blocks, expected: list[float]) -> list[int]:
    """Return the row of the deepest element with each share of the expected content, which is given by block."""
    parent, wanted, held = flat.parent, {0}, [0.0] * len(flat)
    for container, value in zip(blocks.container, expected, strict=True):
        held[container] += value
        above = container
        while above not in wanted:
            wanted.add(above)
            above = parent[above]
    rows = sorted(wanted)
    for row in reversed(rows[1:]):
        held[parent[row]] += held[row]
    return [max(row for row in rows if held[row] >= share * held[0]) for share in MOST]
