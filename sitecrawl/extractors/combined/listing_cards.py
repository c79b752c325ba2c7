"""Keeps the cards of a listing that keeps hardly anything.

The classifier of blocks looks for prose, and the site repeats the titles of posts on many pages. So of front pages,
archives and tables of contents often nothing is kept but a headline. [OWN]
"""

from typing import Final

from sitecrawl.dom.blocks import Blocks, blocks_below
from sitecrawl.dom.page import Page
from sitecrawl.extractors.combined.cards import groups_of_cards
from sitecrawl.extractors.combined.class_hints import RELATED
from sitecrawl.extractors.combined.furniture_names import FURNITURE, Furniture
from sitecrawl.extractors.combined.listing_verdict import own_text
from sitecrawl.extractors.combined.named_boxes import CONTENTS
from sitecrawl.extractors.combined.region import SHARED, Known, region_of

MARKS: Final = FURNITURE - {RELATED}
"""Categories of elements that contain no cards of a listing."""
INTRODUCTION: Final = 100
"""Minimum letters of the kept prose of a listing with an introduction. Own choice."""
SIBLING: Final = 0.5
"""Minimum characters of a sibling beside the mean of the cards for which it is a card: pagers are short. Own choice."""
HARDLY_ANY: Final = 0.1
"""Share of the characters of the cards: if less of them is kept, all are added; a shorter introduction does not count.
Own choice."""


def with_own_cards(
    page: Page, blocks: Blocks, kept: list[bool], text_share: list[float], known: Known | None
) -> list[bool]:
    """Return which blocks of a listing are kept, including those of its cards if hardly any text is kept.

    The cards are the group with the most text that is in no furniture, and its siblings with other class names, such as
    posts without a picture. Tables of contents are cards unless there is an introduction. Texts that the site repeats
    stay dropped. If text of the cards is kept, but no link of most of them, their first links are added: the titles of
    threads. `text_share` is the share of pages that repeat each text.
    """
    flat = page.flat
    prose = own_text(flat, blocks, kept)
    own = [share < SHARED for share in text_share]
    around = max(flat.parent[region_of(flat, blocks, own)], 0)
    furniture = Furniture(flat, around, MARKS if prose >= INTRODUCTION else MARKS - {CONTENTS}, usual=None)
    cards, most, rows = list[list[int]](), 0, tuple[int, ...]()
    for group in groups_of_cards(page, blocks, text_share, known, listed=True):
        found = [[b for b in range(*blocks_below(flat, blocks, row)) if own[b]] for row in group]
        chars = sum(blocks.chars[block] for card in found for block in card)
        if chars > most and not furniture[group[0]]:
            cards, most, rows = found, chars, group
    if sum(blocks.chars[block] for card in cards for block in card if kept[block]) >= HARDLY_ANY * most:
        return _with_titles(blocks, kept, cards)
    if prose >= max(INTRODUCTION, HARDLY_ANY * most):
        return kept
    wanted, parent, tag = list(kept), flat.parent[rows[0]], flat.tag[rows[0]]
    for row in range(parent + 1, flat.end[parent]):
        if flat.parent[row] != parent or flat.tag[row] != tag:
            continue
        card = [block for block in range(*blocks_below(flat, blocks, row)) if own[block]]
        if len(rows) * sum(blocks.chars[block] for block in card) >= SIBLING * most:
            for block in card:
                wanted[block] = True
    return wanted


def _with_titles(blocks: Blocks, kept: list[bool], cards: list[list[int]]) -> list[bool]:
    """Return which blocks are kept, with the first link of each card if under half of those with kept text keep one."""
    cards = [card for card in cards if any(kept[block] for block in card)]
    links = [[block for block in card if 2 * blocks.link_chars[block] > blocks.chars[block]] for card in cards]
    if 2 * sum(any(kept[block] for block in card) for card in links) >= len(cards):
        return kept
    wanted = list(kept)
    for card in links:
        if card:
            wanted[card[0]] = True
    return wanted
