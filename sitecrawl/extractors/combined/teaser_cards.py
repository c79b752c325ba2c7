"""Drops cards of other pages beside the text, without known class names: teasers at the end or side of a page.

A card has a linked title and the beginning of another page's text. A page whose content is its cards, such as a list of
the best harbours, has texts in them that no other page has; a teaser is on several pages. Pure in (page, template,
decision). [OWN]
"""

from heapq import nlargest
from typing import Final

from sitecrawl.dom.blocks import Blocks, blocks_below
from sitecrawl.dom.flat import FlatDom
from sitecrawl.extractors.combined.entries import kept_below, targets
from sitecrawl.extractors.combined.region import ENOUGH, Known
from sitecrawl.templates.decision import LayoutDecision, LayoutKind

WHOLE: Final = frozenset((LayoutKind.REFERENCE, LayoutKind.THREAD))
"""Kinds of layouts that keep cards: members of a reference have the same form, and posts begin with links."""
CARDS: Final = 2
"""Minimum number of similar siblings."""
MOST: Final = 20
"""Maximum groups of similar siblings that are examined, the largest first."""
LONGEST: Final = 500
"""Maximum mean characters of a card. Own choice."""
REPEATED: Final = 0.6
"""Minimum share of the characters of the cards that other pages have in the same place. Own choice."""
LINKED: Final = 0.8
"""Minimum share of a title's characters in links. Own choice."""
FIRST: Final = 3
"""Number of first blocks of a card of which one is its title: a date or a subject may be above it. Own choice."""
BESIDE: Final = 100
"""Minimum characters of kept text that no other page has, for cards to be beside it. Own choice."""


def without_teasers(
    flat: FlatDom, blocks: Blocks, kept: list[bool], known: Known | None, decision: LayoutDecision | None
) -> list[bool]:
    """Return which blocks are kept, without teaser cards, except in threads and references. Not for listings."""
    if known is None or known.others < ENOUGH:
        return kept
    if decision is not None and decision.binds and decision.kind in WHOLE:
        return kept
    share = known.all_shares(flat, blocks)
    chosen = [block for block, wanted in enumerate(kept) if wanted]
    own = [block for block in chosen if share[block] <= 0]
    if len(own) == len(chosen) or sum(blocks.chars[block] for block in own) < BESIDE:
        return kept
    below, found = kept_below(flat, blocks, chosen), list(kept)
    for rows in nlargest(MOST, below.alike.values(), key=len):
        if len(rows) < CARDS or sum(below.chars[row] for row in rows) > LONGEST * len(rows):
            continue
        held = [block for row in rows for block in range(*blocks_below(flat, blocks, row)) if kept[block]]
        shared = sum(blocks.chars[block] for block in held if share[block] > 0)
        if shared < REPEATED * sum(blocks.chars[block] for block in held):
            continue
        if all(_has_title(flat, blocks, row) for row in rows) and targets(flat, rows)[0] == 1:
            for block in held:
                found[block] = False
    return found


def _has_title(flat: FlatDom, blocks: Blocks, row: int) -> bool:
    """Return whether one of the first blocks of a card is a link."""
    begin, stop = blocks_below(flat, blocks, row)
    first = range(begin, min(stop, begin + FIRST))
    return any(blocks.link_chars[block] >= LINKED * blocks.chars[block] for block in first)
