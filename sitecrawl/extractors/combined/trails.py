"""Drops breadcrumbs without a telling class name above the headline: "Home » Docs » Moles".

Such a trail is one of the first lines, begins with a link, has marks between short pieces, and is right above a
heading. [OWN]
"""

import re
from itertools import compress, islice, pairwise
from typing import Final

from sitecrawl.dom.blocks import Blocks, block_text
from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.labels import HEADINGS

FIRST: Final = 3
"""Number of kept blocks among which the trail is looked for. Own choice."""
LONGEST, PIECE = 200, 60
"""Maximum characters of a trail, and of one of its pieces. Own choice."""
_MARK: Final = re.compile(r" ?(?:»|›|→|::) ?| [>/|\\](?: |$)")


def without_trails(flat: FlatDom, blocks: Blocks, kept: list[bool]) -> list[bool]:
    """Return `kept` without trails; unchanged if nothing is left."""
    heads = list(islice(compress(range(len(kept)), kept), FIRST + 1))
    found = kept
    for block, below in pairwise(heads):
        if flat.tag[blocks.container[below]] in HEADINGS and _is_trail(flat, blocks, block):
            found = list(kept) if found is kept else found
            found[block] = False
    return found


def _is_trail(flat: FlatDom, blocks: Blocks, block: int) -> bool:
    """Return whether a block is a trail by its text, and begins with a link."""
    if blocks.chars[block] > LONGEST or not blocks.link_chars[block] or flat.tag[blocks.container[block]] in HEADINGS:
        return False
    pieces = _MARK.split(block_text(flat, blocks, block))
    if len(pieces) < 2 or any(len(piece) > PIECE for piece in pieces):
        return False
    return blocks.link_chars[block] >= len("".join(pieces[0].split())) and _begins_with_link(flat, blocks.first[block])


def _begins_with_link(flat: FlatDom, row: int) -> bool:
    """Return whether a text is in a link."""
    return "a" in (flat.tag[row], flat.tag[flat.parent[row]], flat.tag[max(flat.parent[flat.parent[row]], 0)])
