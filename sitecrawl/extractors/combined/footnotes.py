"""Keeps footnotes: boxes named `footnote` or `endnote` to which the text links.

They stand below the text, in small and odd boxes, so the passes drop most of them. A page's small print has such names
too, but no text links to it. On 114 recorded sites and 50 manuals each such box is main content. [OWN] Pure in the
page.
"""

import re
from bisect import bisect_left
from collections.abc import Iterable
from functools import lru_cache
from itertools import compress
from typing import Final

from sitecrawl.dom.blocks import Blocks, blocks_below
from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.vocabulary import rows_with, vocabulary

HELD: Final = 0.5
"""Share of its characters that are kept already from which a box is the text itself: `has-footnotes`. Own choice."""
MOST: Final = 0.5
"""Maximum characters of all footnotes, as a share of the text: more are the small print of an offer. Own choice."""
_NOTE: Final = re.compile(r"(?<![a-z])(?:foot|end)[-_]?notes?(?![a-z])", re.IGNORECASE)


@lru_cache(50_000)
def _is_note(names: str) -> bool:
    """Tell whether the names of an element say that it is a footnote."""
    return _NOTE.search(names) is not None


def with_footnotes(flat: FlatDom, blocks: Blocks, kept: list[bool]) -> list[bool]:
    """Return which blocks are kept, including those of footnotes to which a kept block links."""
    names = [name for name in vocabulary(flat).names if _is_note(name)]
    if not names or True not in kept:
        return kept
    notes = [row for row in rows_with(vocabulary(flat).names, names, range(len(flat))) if flat.tag[row] != "body"]
    targets = _targets(flat, blocks, kept)
    if not targets:
        return kept
    found = list(kept)
    for row in notes:
        begin, stop = blocks_below(flat, blocks, row)
        held = sum(compress(blocks.chars[begin:stop], kept[begin:stop]))
        if held < HELD * sum(blocks.chars[begin:stop]) and _is_target(flat, range(row, flat.end[row]), targets):
            found[begin:stop] = [True] * (stop - begin)
    whole = sum(compress(blocks.chars, kept))
    return found if sum(compress(blocks.chars, found)) <= (1 + MOST) * whole else kept


def _targets(flat: FlatDom, blocks: Blocks, kept: list[bool]) -> set[str]:
    """Return the ids on the page that are targets of links in kept blocks."""
    found = set()
    for node, href, _ in flat.anchors:
        if href.startswith("#") and len(href) > 1:
            block = bisect_left(blocks.first, flat.end[node]) - 1
            if block >= 0 and kept[block] and node < blocks.stop[block]:
                found.add(href[1:])
    return found


def _is_target(flat: FlatDom, rows: Iterable[int], targets: set[str]) -> bool:
    """Tell whether one of these rows has an id that is a target."""
    return any(not targets.isdisjoint(flat.names[row].split()) for row in rows if flat.names[row])
