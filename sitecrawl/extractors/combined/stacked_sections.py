"""Keeps the page's own sections on pages made of stacked sections, as page builders produce them.

The passes judge block by block, and the content region is the one section with the most text. So prices, facts and
short questions in the other sections are lost. A section is the page's own if hardly any other page has three tenths of
its text. A section with links to several other pages is a list of them. [OWN]
"""

import re
from bisect import bisect_left
from collections import Counter
from functools import lru_cache
from itertools import islice
from typing import Final

from sitecrawl.dom.blocks import Blocks, blocks_below
from sitecrawl.dom.bounded_cache import LIMIT
from sitecrawl.dom.flat import FlatDom, element_rows
from sitecrawl.dom.labels import SECTION_HEADINGS
from sitecrawl.extractors.combined.entries import HERE
from sitecrawl.extractors.combined.furniture_names import Furniture, furniture_beside
from sitecrawl.extractors.combined.region import ENOUGH, RARE, Known, region_of

LEVELS: Final = 12
"""Number of elements around the region that may be one of several sections. Own choice."""
MOST: Final = 200
"""Maximum siblings of such an element that are examined. Own choice."""
LEAST: Final = 3
"""Minimum number of sections."""
TAGS: Final = frozenset(("section", "div"))
OWN: Final = 0.3
"""Minimum share of a section's characters that hardly any other page has. Own choice."""
FEW, LEAST_CHARS = 2, 40
"""Minimum number, and minimum characters, of the lost blocks of a section without a kept heading: single fields are
content on some sites only. Own choice."""
MISSING: Final = 0.5
"""Minimum share of the characters of a section that are lost. Own choice."""
COMMON: Final = 0.8
"""Minimum share of the other pages with a text of such a section for which it belongs to the site. Own choice."""
LINKS: Final = 1
"""Maximum number of link targets of a section: an order or contact page. Own choice."""
_NUMBERS: Final = re.compile("[0-9]+")


def with_sections(
    flat: FlatDom, blocks: Blocks, kept: list[bool], again: list[bool], known: Known | None
) -> list[bool]:
    """Return which blocks are kept, including those of sections of the page's own beside the region of the content.

    `again` marks blocks that repeat a kept one. Links, and texts that nearly all other pages have, stay dropped.
    """
    if known is None or known.others < ENOUGH or True not in kept or False not in kept:
        return kept
    region = region_of(flat, blocks, kept)
    found, furniture = list(kept), dict[int, Furniture]()  # by the parent of the sections
    for section in _sections(flat, region):
        begin, stop = blocks_below(flat, blocks, section)
        if False not in kept[begin:stop] or _leads_on(flat, section):
            continue
        wanted = [block for block in _own_blocks(flat, blocks, range(begin, stop), known) if not kept[block]]
        chars = sum(map(blocks.chars.__getitem__, wanted))
        headed = any(
            kept[block] and flat.tag[blocks.container[block]] in SECTION_HEADINGS for block in range(begin, stop)
        )
        much = headed or (len(wanted) >= FEW and chars >= LEAST_CHARS)
        if not much or chars < MISSING * sum(blocks.chars[begin:stop]):
            continue  # a date, a headline or a field beside the text
        above = flat.parent[section]
        if above not in furniture:
            furniture[above] = furniture_beside(flat, blocks, kept, above)
        for block in wanted:
            found[block] = not (again[block] or furniture[above][blocks.container[block]])
    return found


def _sections(flat: FlatDom, region: int) -> list[int]:
    """Return the sections that are children of the region, or siblings of it or of its ancestors."""
    inside = [row for row in islice(element_rows(flat, region), MOST) if _is_like(flat, row, row)]
    names = Counter(_first(flat.names[row]) for row in inside)
    found = [row for row in inside if names[_first(flat.names[row])] >= LEAST]
    for row in (region, *islice(flat.ancestors(region), LEVELS)):
        if row <= 0 or flat.tag[row] == "body":
            break
        alike = [one for one in islice(element_rows(flat, flat.parent[row]), MOST) if _is_like(flat, one, row)]
        if len(alike) >= LEAST:
            found += [one for one in alike if one != row]
    return found


def _is_like(flat: FlatDom, row: int, other: int) -> bool:
    """Return whether two elements are sections with the same first name."""
    if flat.tag[row] != flat.tag[other] or flat.tag[row] not in TAGS or not flat.chars[row]:
        return False
    return _first(flat.names[row]) == _first(flat.names[other]) != ""


@lru_cache(LIMIT)
def _first(names: str) -> str:
    """Return the first class name of an element, with numbers as 0."""
    return _NUMBERS.sub("0", names.split(None, 1)[0]) if names else ""


def _own_blocks(flat: FlatDom, blocks: Blocks, inside: range, known: Known) -> list[int]:
    """Return the blocks without links of a section that is the page's own; none for any other section."""
    shares = {block: known.share(flat, blocks, block) for block in inside}
    chars = sum(blocks.chars[block] for block in inside)
    own = sum(blocks.chars[block] for block in inside if shares[block] < RARE and not blocks.link_chars[block])
    if own < OWN * chars:
        return []
    return [block for block in inside if shares[block] < COMMON and 2 * blocks.link_chars[block] < blocks.chars[block]]


def _leads_on(flat: FlatDom, section: int) -> bool:
    """Return whether a section leads to several other pages."""
    begin, stop = bisect_left(flat.anchors, (section,)), bisect_left(flat.anchors, (flat.end[section],))
    links = {target.partition("#")[0] for _, target, _ in flat.anchors[begin:stop] if not target.startswith(HERE)}
    return len(links) > LINKS
