"""Keeps the captions of pictures and listings in the middle of the main content, on pages of a known site.

A caption is short, often in a box of its own, and names a source, so the passes are unsure of it, and whether a site
keeps its captions would be chance. If other pages show that the text is of this page alone, it belongs to the text
around it. On a page alone the verdict of the passes stays: there a caption may be that of a card. [OWN]
"""

import re
from typing import Final

from sitecrawl.dom.blocks import Blocks, blocks_below
from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.vocabulary import rows_with, vocabulary
from sitecrawl.extractors.combined.furniture_names import furniture_beside
from sitecrawl.extractors.combined.region import ENOUGH, RARE, Known, region_of

_CAPTION: Final = re.compile(
    r"(?<![^\s])(?:code|code-block|fig|figure|gallery|image|img|listing|media|photo|pic|picture|table|thumb|video|wp)"
    r"[-_]?caption(?:[-_]text)?(?![^\s])"
)
"""A class name of captions: "wp-caption-text", "thumbcaption", "code-block-caption". Slides and cards have others."""
MOST: Final = 3
"""Maximum blocks of a caption. Own choice."""


def with_picture_captions(
    flat: FlatDom, blocks: Blocks, kept: list[bool], again: list[bool], known: Known | None
) -> list[bool]:
    """Return which blocks are kept, including captions between two kept blocks of the content region.

    `again` marks blocks that repeat a kept one. A caption that is mainly links, or that other pages show, is not added.
    """
    if known is None or known.others < ENOUGH or True not in kept:
        return kept
    first, last = kept.index(True), len(kept) - 1 - kept[::-1].index(True)
    captions = _captions(flat, range(blocks.first[first], blocks.first[last]))
    if not captions:
        return kept
    region = region_of(flat, blocks, kept)
    furniture, found = None, kept
    for row in captions:
        begin, stop = blocks_below(flat, blocks, row)
        if not region <= row < flat.end[region] or stop - begin > MOST or all(kept[begin:stop]):
            continue
        furniture = furniture or furniture_beside(flat, blocks, kept, region)
        if furniture[_around_figure(flat, row, region)]:
            continue
        found = list(kept) if found is kept else found
        for block in range(begin, stop):
            linked = 2 * blocks.link_chars[block] > blocks.chars[block]
            own = not linked and known.share(flat, blocks, block) < RARE
            found[block] = kept[block] or (own and not again[block])
    return found


def _captions(flat: FlatDom, rows: range) -> list[int]:
    """Return the elements among the rows that are captions by their tag or by a class name."""
    index = vocabulary(flat)
    named = [names for names in index.names if "caption" in names and _CAPTION.search(names)]
    return sorted({*rows_with(index.tags, ("figcaption",), rows), *rows_with(index.names, named, rows)})


def _around_figure(flat: FlatDom, row: int, region: int) -> int:
    """Return the element around the outermost figure with a caption, or around the caption if it is in no figure."""
    around = flat.parent[row]
    above = around
    while above > region:
        if flat.tag[above] == "figure":
            around = flat.parent[above]
        above = flat.parent[above]
    return max(around, region)
