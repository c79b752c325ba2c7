"""Distinguishes a front page with its own text from a list of other pages, whose headings link to these pages.

A readme, or the front page of a firm, has sections without such links. [OWN]
"""

from bisect import bisect_left
from itertools import islice
from typing import Final
from urllib.parse import urljoin, urlsplit

from sitecrawl.dom.blocks import Blocks
from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.labels import SECTION_HEADINGS
from sitecrawl.dom.page import Page
from sitecrawl.dom.vocabulary import rows_with, vocabulary
from sitecrawl.extractors.combined.entries import HERE

SECTIONS: Final = 4
"""Minimum number of headings."""
LEADING: Final = 0.2
"""Maximum share of headings that lead to other pages of the site. Both values were chosen on 60 recorded front pages
and eight readmes: three lists have no headings with links (docs/combined-history.md)."""
ABOVE: Final = 3
"""Number of elements around a heading that may be its link. Own choice."""
LINKS: Final = 5
"""Maximum links of a heading that are read."""


def has_own_sections(page: Page, blocks: Blocks, kept: list[bool]) -> bool:
    """Return whether the kept text has at least SECTIONS headings, of which hardly any leads to another page."""
    if True not in kept:
        return False
    flat, first = page.flat, kept.index(True)
    rows = range(blocks.container[first], blocks.stop[len(kept) - 1 - kept[::-1].index(True)])
    headings = [row for row in rows_with(vocabulary(flat).tags, SECTION_HEADINGS, rows) if flat.chars[row]]
    if len(headings) < SECTIONS:
        return False
    places = [row for row, _, _ in flat.anchors]
    return sum(_leads_on(page, places, row) for row in headings) <= LEADING * len(headings)


def _leads_on(page: Page, places: list[int], heading: int) -> bool:
    """Return whether a link in or around a heading leads to another page of the site; `places` are rows of links."""
    flat = page.flat
    begin = bisect_left(places, heading)
    inside = flat.anchors[begin : min(begin + LINKS, bisect_left(places, flat.end[heading]))]
    around = [_target(flat, places, row) for row in islice(flat.ancestors(heading), ABOVE) if flat.tag[row] == "a"]
    return any(_is_other_page(page.url, target) for target in (*(one for _, one, _ in inside), *around))


def _target(flat: FlatDom, places: list[int], row: int) -> str:
    place = bisect_left(places, row)
    return flat.anchors[place][1] if place < len(places) and places[place] == row else ""


def _is_other_page(url: str, target: str) -> bool:
    target = target.strip()
    if not target or target.lower().startswith(HERE):
        return False
    try:
        here, there = urlsplit(url), urlsplit(urljoin(url, target))
    except ValueError:
        return False
    return there.netloc == here.netloc and there[:4] != here[:4]
