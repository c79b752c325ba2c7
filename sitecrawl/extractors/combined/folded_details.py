"""Keeps the `details` elements of a text: parts that are folded until a click, such as an answer or a proof.

Their class names are often those of hidden elements, and many pages have the same `summary` ("Solution"), so the passes
drop both. Inside the content region, text of a fold that hardly any other page has is kept; if most of the text is
kept, the summary is kept too. [OWN]
"""

from bisect import bisect_left
from typing import Final

from sitecrawl.dom.blocks import Blocks
from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.vocabulary import vocabulary
from sitecrawl.extractors.combined.class_hints import UNSEEN_NAMES
from sitecrawl.extractors.combined.furniture_names import FURNITURE, furniture_beside
from sitecrawl.extractors.combined.region import ENOUGH, RARE, WHOLE, Known, region_of, region_rows

LINKED: Final = 0.5
"""Minimum share of a block's characters in links for which it is a line of links. Own choice."""
HELD: Final = 0.5
"""Minimum share of kept characters of a fold for its summary to be kept. Own choice."""


def with_details(flat: FlatDom, blocks: Blocks, kept: list[bool], known: Known) -> list[bool]:
    """Return which blocks are kept, including those of `details` elements in the content region."""
    folds = vocabulary(flat).tags.get("details")
    if not folds or known.others < ENOUGH or True not in kept:
        return kept
    region = region_of(flat, blocks, kept)
    rows = region_rows(flat, blocks, kept, region)
    around = _around(flat, region)
    furniture, found = furniture_beside(flat, blocks, kept, around, FURNITURE - {UNSEEN_NAMES}), list(kept)
    for fold in folds:
        if fold not in rows and not flat.end[region] <= fold < flat.end[around]:
            continue
        inside = range(bisect_left(blocks.first, fold), bisect_left(blocks.first, flat.end[fold]))
        plain = [block for block in inside if blocks.link_chars[block] <= LINKED * blocks.chars[block]]
        heads = {block for block in inside if _in_summary(flat, blocks.container[block], fold)}
        for block in plain:
            if not found[block] and block not in heads and not furniture[blocks.container[block]]:
                found[block] = known.share(flat, blocks, block) < RARE
        body = [block for block in inside if block not in heads]
        held = sum(blocks.chars[block] for block in body if found[block])
        if held and held >= HELD * sum(blocks.chars[block] for block in body):
            for block in heads.intersection(plain):
                found[block] = True
    return found


def _around(flat: FlatDom, region: int) -> int:
    """Return the parent of a region if folds in it, after the region, belong to the text; else the region."""
    above = flat.parent[region]
    return above if above > 0 and flat.tag[above] not in WHOLE and flat.tag[region] not in WHOLE else region


def _in_summary(flat: FlatDom, row: int, fold: int) -> bool:
    """Return whether a row is in the summary of a fold."""
    while row > fold:
        if flat.tag[row] == "summary" and flat.parent[row] == fold:
            return True
        row = flat.parent[row]
    return False
