"""Drops headings of dropped lists of links: "See also" with nothing below it.

Headings without a section of text, such as those above a picture, stay, and so do headings that are links: they are
titles of other pages. Pure in the page. [OWN]
"""

from bisect import bisect_left
from itertools import accumulate, compress
from typing import Final

from sitecrawl.dom.blocks import Blocks, blocks_below
from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.labels import HEADINGS, SECTION_HEADINGS
from sitecrawl.dom.vocabulary import rows_with, vocabulary
from sitecrawl.extractors.combined.region import ENOUGH, Known

LINKED: Final = 0.5
"""Minimum share of the characters of a dropped section in links. Own choice."""
SHARED: Final = 0.3
"""Minimum share of the other pages with a heading for it to be the site's own. Own choice."""
SUMMARY: Final = 60
"""Minimum characters of a heading that says something itself, such as a summary or a quotation. Own choice."""
LEVELS: Final = 3
"""Maximum elements around a heading that contain nothing else. Own choice."""


def without_lone_headings(flat: FlatDom, blocks: Blocks, kept: list[bool]) -> list[bool]:
    """Return which blocks are kept, without headings whose section is mainly links and is all dropped.

    An `h1` stays, and so does a long heading (SUMMARY).

    The section ends at the next heading of the same or a higher level, or with the element that contains the heading.
    """
    tag, found, size = flat.tag, kept, len(kept)
    headings = {row for row in compress(blocks.container, kept) if tag[row] in SECTION_HEADINGS}
    behind = (bisect_left(blocks.first, flat.end[row]) for row in headings)
    if not any(block < size and not kept[block] for block in behind):  # each is right above kept text
        return kept
    names = [tag[row] if tag[row] in HEADINGS else "" for row in blocks.container]
    chars, links = (_sums(names, column) for column in (blocks.chars, blocks.link_chars))
    following = [size] * (size + 1)  # by block: the first kept block from it on
    ends: list[tuple[str, int]] = []  # stack of (level, block) of the following headings
    for block in range(size - 1, -1, -1):
        name = names[block]
        if name and (not block or blocks.container[block - 1] != blocks.container[block]):
            while ends and ends[-1][0] > name:
                ends.pop()
            if kept[block] and name != "h1" and not blocks.link_chars[block] and blocks.chars[block] < SUMMARY:
                below, stop = _section(flat, blocks, block)
                stop = min(stop, ends[-1][1] if ends else size)
                text, linked = chars[stop] - chars[below], links[stop] - links[below]
                if text and linked >= LINKED * text and following[below] >= stop:
                    found = list(kept) if found is kept else found
                    found[block:below] = [False] * (below - block)
            ends.append((name, block))
        following[block] = block if found[block] else following[block + 1]
    return found if True in found else kept


def without_shared_headings(flat: FlatDom, blocks: Blocks, kept: list[bool], known: Known | None) -> list[bool]:
    """Return which blocks are kept, without headings that other pages have too and whose section is all dropped.

    Such a section is the site's own: news, teasers, whom to ask. `h1` and links stay.
    """
    if known is None or known.others < ENOUGH:
        return kept
    found, container = kept, blocks.container
    for row in reversed(rows_with(vocabulary(flat).tags, SECTION_HEADINGS, range(len(flat)))):
        block = bisect_left(blocks.first, row)
        if block >= len(kept) or not kept[block] or container[block] != row or blocks.link_chars[block]:
            continue
        if known.share(flat, blocks, block) < SHARED:
            continue
        below, stop = _section(flat, blocks, block)
        levels = (flat.tag[container[one]] for one in range(below, stop))
        ends = (one for one, tag in enumerate(levels, below) if tag in HEADINGS and tag <= flat.tag[row])
        stop = next(ends, stop)
        if below < stop and True not in found[below:stop]:
            found = list(kept) if found is kept else found
            found[block:below] = [False] * (below - block)
    return found if True in found else kept


def _sums(names: list[str], column: list[int]) -> list[int]:
    """Return the sum of a column over the blocks before each one, without headings."""
    return [0, *accumulate([0 if name else one for name, one in zip(names, column, strict=True)])]


def _section(flat: FlatDom, blocks: Blocks, block: int) -> tuple[int, int]:
    """Return (block after a heading, block after the smallest element that contains more than the heading)."""
    row = blocks.container[block]
    begin, below = blocks_below(flat, blocks, row)
    stop = below
    for _ in range(LEVELS):
        row = flat.parent[row]
        first, stop = blocks_below(flat, blocks, row)
        if row <= 0 or (first, stop) != (begin, below):
            break
    return below, stop
