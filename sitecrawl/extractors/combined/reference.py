"""Fills the gaps of a reference page: signatures, members, parameters and examples between the kept blocks.

Most blocks of an API reference are short, linked, or the same on many pages, and the passes drop them one by one. Their
surroundings are better evidence: in a reference layout, furniture is outside the text, or is recognised by its name or
path. So a dropped block inside the region of the page, or inside that of most pages of the layout, is kept as well,
unless

- it has the name of furniture (`furniture_names`); here `panel` is no side bar, `member` and `signature` are no boxes
  about an author, and a `comment` is documentation if the text continues below it, since comments of readers are at
  the end;
- the layout drops its path; but one of several rows of links that hardly any other page has is kept, since the layout
  has little evidence on lists of members;
- other pages have its text there: most of them, or, before and after all kept blocks, more than a few;
- it has no letters, like line numbers;
- it is a line of links (previous, up, next; categories), and not one of several rows.

The only `h1` is kept if enough pages of the layout keep theirs, not because of what encloses it.

A cell whose row has kept text is kept whatever other pages have, and so are the headers of a table with kept cells.
[OWN]
"""

from bisect import bisect_left
from collections import Counter
from itertools import compress
from typing import Final

from sitecrawl.dom.blocks import Blocks, block_text
from sitecrawl.dom.flat import FlatDom
from sitecrawl.extractors.combined.class_hints import AUTHOR, COMMENT, SIDE
from sitecrawl.extractors.combined.described_members import described
from sitecrawl.extractors.combined.furniture_names import FURNITURE, furniture_beside
from sitecrawl.extractors.combined.headings import KEPT_HEADLINES
from sitecrawl.extractors.combined.layout_rules import only_headline, usual_region
from sitecrawl.extractors.combined.region import ENOUGH, RARE, WHOLE, Known, region_of
from sitecrawl.extractors.combined.table_cells import cells_beside, headers_above
from sitecrawl.templates.decision import DROPPED, LayoutDecision

COMMON: Final = 0.5
"""Minimum share of other pages with a text between kept blocks for which it belongs to the layout. With 1, of 12
recorded references, one by pydoctor gains .005 and one by Nim loses .002."""
ROWS: Final = 3
"""Minimum number of lines of links on one path to count as rows, such as a list of members. Own choice."""
_NONE: Final = (1.0, 1.0)
"""The verdict used for a path without a verdict of the layout, so that nothing is dropped for it."""
OTHERWISE: Final = frozenset((AUTHOR, SIDE))
"""Categories of names with another meaning in a reference: `member`, `signature`, `panel`."""
LINKED: Final = 0.5
"""Minimum share of a block's characters in links for which it is a line of links; 0.3 changes no recorded site by
.001."""


def enclosed(
    flat: FlatDom, blocks: Blocks, kept: list[bool], again: list[bool], known: Known, decision: LayoutDecision
) -> list[bool]:
    """Return which blocks of a page in a reference layout are kept, including the gaps in its content.

    `again` marks blocks that repeat a kept one.
    """
    if True not in kept or known.others < ENOUGH:
        return kept
    first, last = kept.index(True), len(kept) - 1 - kept[::-1].index(True)
    region = usual_region(flat, region_of(flat, blocks, kept), decision)
    begin, stop = bisect_left(blocks.first, region), bisect_left(blocks.first, flat.end[region])
    if flat.tag[region] in WHOLE:
        begin, stop = first, last
    verdicts, path, containers = decision.verdicts, flat.path, blocks.container
    unsure = [block for block in range(begin, stop) if not kept[block] and not again[block]]
    if not unsure:
        return kept
    lines = [linked > LINKED * chars for linked, chars in zip(blocks.link_chars, blocks.chars, strict=True)]
    rows = Counter(path[container] for container in compress(containers, lines))
    cells = cells_beside(flat, blocks, kept) | headers_above(flat, blocks, kept)
    cells |= described(flat, blocks, kept, unsure)
    named = furniture_beside(flat, blocks, kept, region, _marks(flat, blocks, kept, region))
    found, headline = list(kept), only_headline(flat, blocks)
    for block in unsure:
        container = containers[block]
        if block == headline and verdicts.get(path[container], _NONE)[1] < KEPT_HEADLINES:
            continue
        if block in cells and not named[container]:
            found[block] = True
            continue
        members = lines[block] and rows[path[container]] >= ROWS
        if (lines[block] and not members) or named[container]:
            continue
        dropped = verdicts.get(path[container], _NONE)[1] <= DROPPED
        if dropped and not members:
            continue
        share = known.share(flat, blocks, block)
        if share < (COMMON if first < block < last and not dropped else RARE):
            found[block] = any(map(str.isalpha, block_text(flat, blocks, block)))
    return found


def _marks(flat: FlatDom, blocks: Blocks, kept: list[bool], region: int) -> frozenset[int]:
    """Return the categories of names that are furniture on this page."""
    comments = furniture_beside(flat, blocks, kept, region, frozenset((COMMENT,)))
    below = False
    for block, container in enumerate(blocks.container):
        if region <= container < flat.end[region]:
            commented = comments[container]
            if below and kept[block] and not commented:
                return FURNITURE - OTHERWISE - {COMMENT}
            below = below or commented
    return FURNITURE - OTHERWISE
