"""Keeps notes and warnings that many pages repeat: elements with the class name `admonition`.

The name comes from Docutils; Sphinx, MkDocs, Docusaurus, Asciidoctor, ExDoc and Jupyter Book use it. A warning on each
page of a chapter belongs to the text of each page, but the passes drop it as furniture, since the site repeats it. For
notices on half of the pages or more, the verdict of the passes stays. [OWN]
"""

from bisect import bisect_left
from typing import Final

from sitecrawl.dom.blocks import Blocks
from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.vocabulary import rows_with, vocabulary
from sitecrawl.extractors.combined.region import ENOUGH, WHOLE, Known, region_of

NAME: Final = "admonition"
COMMON: Final = 0.5
"""Minimum share of the other pages for which a text belongs to the layout. Own choice."""


def with_admonitions(
    flat: FlatDom, blocks: Blocks, kept: list[bool], again: list[bool], known: Known | None
) -> list[bool]:
    """Return which blocks are kept, including those of admonitions in the content region or right beside it.

    `again` marks blocks that repeat a kept one.
    """
    if known is None or known.others < ENOUGH or True not in kept:
        return kept
    index = vocabulary(flat).names
    named = [names for names in index if NAME in names]
    if not named:
        return kept
    region = region_of(flat, blocks, kept)
    if region > 0 and flat.tag[flat.parent[region]] not in WHOLE:
        region = flat.parent[region]
    if flat.tag[region] in WHOLE:
        return kept
    found = list(kept)
    for box in rows_with(index, named, range(region, flat.end[region])):
        for block in range(bisect_left(blocks.first, box), bisect_left(blocks.first, flat.end[box])):
            if not kept[block] and not again[block]:
                found[block] = known.share(flat, blocks, block) < COMMON
    return found
