"""Keeps the heading above a table of contents with the text below it: "Chapter 4", its contents, its first paragraph.

The contents are dropped, so the heading is not right above kept text, and the passes judge it by its place beside
links: it is kept on some pages of a site and dropped on others. Pure in the page. [OWN]
"""

from typing import Final

from sitecrawl.dom.blocks import Blocks, blocks_below, outermost
from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.labels import HEADINGS
from sitecrawl.dom.page import Page
from sitecrawl.dom.vocabulary import rows_with, vocabulary
from sitecrawl.extractors.combined.contents_lists import LISTS, is_contents_line
from sitecrawl.extractors.combined.furniture_names import furniture_beside
from sitecrawl.extractors.combined.layout_rules import only_headline
from sitecrawl.extractors.combined.own_links import own_links
from sitecrawl.extractors.combined.region import region_of

LINKS: Final = 2
"""Minimum number of links of the table of contents. Own choice."""
LINKED: Final = 0.8
"""Minimum share of its characters in links, and, without a line such as "Contents" above it, of its links that lead to
places on the page. Own choice."""


def with_contents_headings(page: Page, blocks: Blocks, kept: list[bool]) -> list[bool]:
    """Return which blocks are kept, including a heading from which only a dropped table of contents parts kept text.

    Without a line such as "Contents", a heading may be that of the list. It counts if it is the only `h1`, or if the
    text below begins with a heading of a lower level. Must not be called for threads.
    """
    flat, container, found = page.flat, blocks.container, kept
    heads = [one for one, row in enumerate(container) if flat.tag[row] in HEADINGS and True not in kept[one : one + 2]]
    if not heads:
        return kept
    furniture, region = None, -1
    for outer in outermost(flat, rows_with(vocabulary(flat).tags, LISTS, range(container[heads[0]], len(flat)))):
        head = _heading(flat, blocks, kept, outer)
        if head < 0 or not _leads_to_text(page, blocks, head, outer):
            continue
        if furniture is None:
            region = region_of(flat, blocks, kept)
            furniture, found = furniture_beside(flat, blocks, kept, region), list(kept)
        row = container[head]
        found[head] = region <= row < flat.end[region] and not furniture[row]
    return found


def _heading(flat: FlatDom, blocks: Blocks, kept: list[bool], outer: int) -> int:
    """Return the dropped heading right above a dropped list of links above kept text; -1 if there is none."""
    begin, stop = blocks_below(flat, blocks, outer)
    if not 0 < begin < stop < len(kept) or not kept[stop] or True in kept[begin:stop]:
        return -1
    if flat.link_chars[outer] < LINKED * flat.chars[outer]:
        return -1
    head = begin - 1 - is_contents_line(flat, blocks, begin - 1)
    if head < 0 or kept[head] or 2 * blocks.link_chars[head] > blocks.chars[head]:
        return -1
    return head if flat.tag[blocks.container[head]] in HEADINGS else -1


def _leads_to_text(page: Page, blocks: Blocks, head: int, outer: int) -> bool:
    """Return whether a list below a heading is the table of contents of the text below, and the heading not its own."""
    flat = page.flat
    places = [row for row, _, _ in flat.anchors if outer <= row < flat.end[outer]]
    begin, stop = blocks_below(flat, blocks, outer)
    if len(places) < LINKS or head < begin - 1:
        return len(places) >= LINKS
    own, below = flat.tag[blocks.container[head]], flat.tag[blocks.container[stop]]
    if not (below in HEADINGS and own < below) and head != only_headline(flat, blocks):
        return False
    return len(own_links(page).keys() & places) >= LINKED * len(places)
