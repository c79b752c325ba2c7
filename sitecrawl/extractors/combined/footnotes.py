"""Keeps footnotes: boxes with the class name `footnote` or `endnote` to which the text links.

They are below the text, in small and odd boxes, so the passes drop most of them. The small print of a page has such
names too, but no text links to it. A note without an id is recognised by its link back. On 114 recorded sites and 50
manuals each such box is main content. [OWN] Pure in the page.
"""

import re
from bisect import bisect_left
from collections.abc import Iterable
from functools import lru_cache
from itertools import compress
from typing import Final

from sitecrawl.dom.blocks import Blocks, blocks_below
from sitecrawl.dom.bounded_cache import LIMIT
from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.page import Page
from sitecrawl.dom.vocabulary import rows_with, vocabulary
from sitecrawl.extractors.combined.own_links import own_links

HELD: Final = 0.5
"""Minimum share of kept characters for which a box is the text itself (`has-footnotes`) and not a note. Own choice."""
MOST: Final = 0.5
"""Maximum ratio of the characters of all footnotes to the text: more are the small print of an offer. Own choice."""
_NOTE: Final = re.compile(r"(?<![a-z])(?:foot|end)[-_]?notes?(?![a-z])", re.IGNORECASE)


@lru_cache(LIMIT)
def _is_note(names: str) -> bool:
    """Return whether the class names of an element are those of a footnote."""
    return _NOTE.search(names) is not None


def with_footnotes(page: Page, blocks: Blocks, kept: list[bool]) -> list[bool]:
    """Return which blocks are kept, including those of footnotes to which a kept block links."""
    flat = page.flat
    names = [name for name in vocabulary(flat).names if _is_note(name)]
    if not names or True not in kept:
        return kept
    notes = [row for row in rows_with(vocabulary(flat).names, names, range(len(flat))) if flat.tag[row] != "body"]
    links = own_links(page)
    targets = _targets(flat, blocks, kept, links)
    if not targets:
        return kept
    numbers, found = set(map(_number, targets)) - {""}, list(kept)
    for row in notes:
        begin, stop = blocks_below(flat, blocks, row)
        held = sum(compress(blocks.chars[begin:stop], kept[begin:stop]))
        rows = range(row, flat.end[row])
        named = _is_target(flat, rows, targets) or any(_number(links[one]) in numbers for one in rows if one in links)
        if held < HELD * sum(blocks.chars[begin:stop]) and named:
            found[begin:stop] = [True] * (stop - begin)
    whole = sum(compress(blocks.chars, kept))
    return found if sum(compress(blocks.chars, found)) <= (1 + MOST) * whole else kept


def _targets(flat: FlatDom, blocks: Blocks, kept: list[bool], links: dict[int, str]) -> set[str]:
    """Return the ids on the page that are targets of links in kept blocks."""
    found = set()
    for node, place in links.items():
        block = bisect_left(blocks.first, flat.end[node]) - 1
        if block >= 0 and kept[block] and node < blocks.stop[block]:
            found.add(place)
    return found


def _number(place: str) -> str:
    """Return the digits at the end of an id: old pages have `f01` for a note, and `fm01` for its mark in the text."""
    return place[len(place.rstrip("0123456789")) :]


def _is_target(flat: FlatDom, rows: Iterable[int], targets: set[str]) -> bool:
    """Return whether one of these rows has an id that is a target."""
    return any(not targets.isdisjoint(flat.names[row].split()) for row in rows if flat.names[row])
