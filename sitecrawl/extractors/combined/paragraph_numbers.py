"""Drops numbers beside paragraphs that are links to these paragraphs, as in manuals and laws.

They are for citing a paragraph and no part of the text. Pure in the page. [OWN]
"""

import re
from typing import Final

from sitecrawl.dom.blocks import Blocks, block_text
from sitecrawl.dom.flat import FlatDom

NUMBERS: Final = 5
"""Minimum number of such blocks on a page: fewer may be a short table of contents."""
LONGEST: Final = 6
"""Maximum characters of a number and its sign. Own choice."""
_NUMBER: Final = re.compile(r"[#§¶\[(]?\s?\d{1,5}\s?[.)\]]?$|[#§¶]$")


def without_paragraph_numbers(flat: FlatDom, blocks: Blocks, kept: list[bool]) -> list[bool]:
    """Return which blocks are kept, without those that are a number or sign that links to a place on the page."""
    short = [
        block
        for block, (wanted, chars, linked) in enumerate(zip(kept, blocks.chars, blocks.link_chars, strict=True))
        if wanted and 0 < chars <= LONGEST and linked == chars and _NUMBER.match(block_text(flat, blocks, block))
    ]
    if len(short) < NUMBERS:
        return kept
    here = {node for node, href, _ in flat.anchors if href.startswith("#") and len(href) > 1}
    numbers = [block for block in short if _link(flat, blocks.first[block]) in here]
    if len(numbers) < NUMBERS:
        return kept
    found = list(kept)
    for block in numbers:
        found[block] = False
    return found


def _link(flat: FlatDom, row: int) -> int:
    """Return the row of the link around a text; 0 for none."""
    while row > 0 and flat.tag[row] != "a":
        row = flat.parent[row]
    return max(row, 0)
