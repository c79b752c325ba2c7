"""Keeps a lost section that has a heading of its own and stands right between two kept texts.

The passes judge block by block. They drop a whole section if its box has a class name of a side column, such as
`column-right` on a site with text in columns. A box of related pages, an offer or an appeal may be in such a place too:
it has links, fields or a name of furniture, or other pages show it. [OWN]
"""

from bisect import bisect_left
from itertools import islice
from typing import Final

from sitecrawl.dom.blocks import Blocks, blocks_below
from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.labels import HEADINGS
from sitecrawl.dom.vocabulary import rows_with, vocabulary
from sitecrawl.extractors.combined.class_hints import FOOTER, SIDE
from sitecrawl.extractors.combined.furniture_names import FURNITURE, furniture_beside
from sitecrawl.extractors.combined.region import ENOUGH, RARE, Known, region_of, region_rows

MARKS: Final = FURNITURE - {SIDE, FOOTER}
"""Categories of furniture that count: side columns and feet are not amid the text (`column-left-bottom`)."""
TAGS: Final = frozenset(("div", "section", "article"))
LEVELS: Final = 4
"""Maximum elements around a heading that may be its section. Own choice."""
LEAST: Final = 100
"""Minimum characters of the lost blocks of such a section below its heading. Own choice."""
LONGEST: Final = 40
"""Minimum characters of its longest block: lists of names and numbers have none. Own choice."""
LINKED: Final = 0.3
"""Share of its characters in links from which it is a list of other pages. Own choice."""
MOST: Final = 200
"""Maximum blocks of such a section, and maximum sections of a page. Own choice."""
FIELDS: Final = frozenset(("form", "input", "textarea", "select", "button", "iframe"))
"""Elements that readers act with."""


def with_enclosed_sections(
    flat: FlatDom, blocks: Blocks, kept: list[bool], again: list[bool], known: Known | None
) -> list[bool]:
    """Return which blocks are kept, including those of lost sections right between two kept texts.

    `again` marks blocks that repeat a kept one. Texts that a tenth of the site's other pages show stay dropped.
    """
    if known is None or known.others < ENOUGH or True not in kept:
        return kept
    if False not in kept[kept.index(True) : len(kept) - kept[::-1].index(True)]:  # no block is between kept ones
        return kept
    region = region_of(flat, blocks, kept)
    rows = region_rows(flat, blocks, kept, region)
    furniture = furniture_beside(flat, blocks, kept, region, MARKS)
    lost: list[tuple[int, range]] = []  # the sections with their blocks
    for heading in rows_with(vocabulary(flat).tags, HEADINGS - {"h1"}, rows):
        begin = bisect_left(blocks.first, heading)
        if begin == len(kept) or kept[begin]:
            continue  # it is not lost
        section = _section(flat, blocks, heading, region)
        inside = range(*blocks_below(flat, blocks, max(section, 0)))
        if section < 0 or len(inside) > MOST or furniture[section] or (lost and section < flat.end[lost[-1][0]]):
            continue
        own = all(
            not (kept[block] or again[block] or furniture[blocks.container[block]])
            and known.share(flat, blocks, block) < RARE
            for block in inside
        )
        if own and _is_text(flat, blocks, section, inside):
            lost.append((section, inside))
    found, passed = list(kept), {block for _, inside in lost for block in inside}
    for section, inside in lost[:MOST]:
        if _is_enclosed(flat, blocks, kept, section, passed):
            found[inside.start : inside.stop] = [True] * len(inside)
    return found


def _section(flat: FlatDom, blocks: Blocks, heading: int, region: int) -> int:
    """Return the outermost box in the region that begins with a heading; -1 for none."""
    begin, stop = blocks_below(flat, blocks, heading)
    found = -1
    for row in islice(flat.ancestors(heading), LEVELS) if begin < stop else ():
        if row <= region or blocks_below(flat, blocks, row)[0] != begin:
            break
        found = row if flat.tag[row] in TAGS else found
    return found


def _is_text(flat: FlatDom, blocks: Blocks, section: int, inside: range) -> bool:
    """Return whether a section is text by its blocks below headings, and by its links and fields."""
    texts = [blocks.chars[block] for block in inside if flat.tag[blocks.container[block]] not in HEADINGS]
    if sum(texts) < LEAST or max(texts) < LONGEST or flat.link_chars[section] >= LINKED * flat.chars[section]:
        return False
    return FIELDS.isdisjoint(flat.tag[section : flat.end[section]])


def _is_enclosed(flat: FlatDom, blocks: Blocks, kept: list[bool], section: int, passed: set[int]) -> bool:
    """Return whether the texts before and after a section, below the same element, are kept.

    Headings, and the blocks `passed` of other lost sections, are no such texts.
    """
    begin, stop = blocks_below(flat, blocks, section)
    first, end = blocks_below(flat, blocks, flat.parent[section])
    for order in (range(begin - 1, first - 1, -1), range(stop, end)):
        texts = (one for one in order if one not in passed and flat.tag[blocks.container[one]] not in HEADINGS)
        text = next(texts, -1)
        if text < 0 or not kept[text]:
            return False
    return True
