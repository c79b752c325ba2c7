"""Keeps the cards of a listing that keeps hardly anything.

The classifier of blocks looks for prose, and the site repeats the titles of posts on many pages. So of front pages,
archives and tables of contents often nothing is kept but a headline. [OWN]
"""

from itertools import compress
from typing import Final

from sitecrawl.dom.blocks import Blocks, blocks_below
from sitecrawl.dom.flat import FlatDom
from sitecrawl.extractors.combined.cards import groups_of_cards
from sitecrawl.extractors.combined.furniture_names import FURNITURE, Furniture
from sitecrawl.extractors.combined.listing_verdict import own_text
from sitecrawl.extractors.combined.named_boxes import CONTENTS
from sitecrawl.extractors.combined.region import SHARED, Known

INTRODUCTION: Final = 100
"""Letters of kept prose from which a listing is more than its cards. Own choice."""
HARDLY_ANY: Final = 0.1
"""Share of the characters of the cards below which they are not kept. Own choice."""


def with_own_cards(
    flat: FlatDom, blocks: Blocks, kept: list[bool], text_share: list[float], known: Known | None
) -> list[bool]:
    """Return which blocks of a listing are kept, including those of its cards if hardly any text is kept.

    The cards are the group with the most text that is in no furniture; texts that the site repeats stay dropped.
    `text_share` is the share of pages that repeat each block's text.
    """
    if own_text(flat, blocks, kept) >= INTRODUCTION:
        return kept
    furniture = Furniture(flat, 0, FURNITURE - {CONTENTS})
    groups = [rows for rows in groups_of_cards(flat, blocks, text_share, known) if not furniture[rows[0]]]
    inside, most = [False] * len(blocks), 0
    for rows in groups:
        cards = [False] * len(blocks)
        for row in rows:
            begin, stop = blocks_below(flat, blocks, row)
            cards[begin:stop] = [share < SHARED for share in text_share[begin:stop]]
        chars = sum(compress(blocks.chars, cards))
        if chars > most:
            inside, most = cards, chars
    in_cards = [wanted and one for wanted, one in zip(kept, inside, strict=True)]
    if sum(compress(blocks.chars, in_cards)) >= HARDLY_ANY * most:
        return kept
    return [wanted or one for wanted, one in zip(kept, inside, strict=True)]
