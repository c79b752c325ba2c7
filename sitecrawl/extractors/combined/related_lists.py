"""Drops lists of links, and cards, below a heading that announces related pages of the site.

Such a heading is dropped too if nothing below it is kept.

Such a list is at the end of the text, without a separate box; its links are titles of other pages. A card has such a
title, often a date, and the beginning of the text. A reference keeps its lists, which are "see also", except offers
(`Announced.OFFERED`). Beside the product that a page offers, cards of further products need no heading of their own,
and their names may be no links. Pure in (page, decision). [OWN]
"""

from collections import Counter
from typing import Final

from sitecrawl.dom.blocks import Blocks, block_text, blocks_below
from sitecrawl.dom.flat import FlatDom, element_rows
from sitecrawl.dom.labels import HEADINGS
from sitecrawl.dom.page import Page
from sitecrawl.extractors.combined.entries import targets
from sitecrawl.extractors.combined.furniture_boxes import without_rows
from sitecrawl.extractors.combined.related_headings import LONGEST, Announced, announced
from sitecrawl.templates.decision import LayoutDecision, LayoutKind

LINKED: Final = 0.8
"""Minimum share of a list's characters in links, and of an element's characters in its cards. Own choice."""
MOST_CARDS: Final = 50
"""Maximum cards that are siblings of their heading: hostile pages have thousands of headings in one element."""
LEFT: Final = 0.1
"""Minimum share of the kept characters outside the lists: a short text may have long teasers below it. Own choice."""
CARDS: Final = 2
"""Minimum number of cards. Own choice."""
PROSE: Final = 150
"""Minimum characters of kept text, outside links, above a list of the latest pages: a front page has less. Own
choice."""
_TELLING: Final = frozenset((Announced.RELATED, Announced.OFFERED))
"""Headings below which cards need neither a heading nor a date."""
_WITH_CARDS: Final = frozenset((Announced.CARDS, Announced.FURTHER))
"""Headings below which plain links stay."""
_CARD_TAGS: Final = frozenset(("article", "li", "a"))
"""Elements without a name that may be cards beside their heading."""
_CARD_PARTS: Final = HEADINGS | {"time"}
"""Elements of a card with the title or date of its target."""


def without_related_lists(page: Page, blocks: Blocks, kept: list[bool], decision: LayoutDecision | None) -> list[bool]:
    """Return `kept` without related lists and their headings; unchanged if too little would be left."""
    flat, product = page.flat, page.is_product
    if True not in kept:
        return kept
    reference = decision is not None and decision.kind is LayoutKind.REFERENCE
    begin, stop = max(kept.index(True) - 1, 0), len(kept) - kept[::-1].index(True)
    below = [*blocks.link_chars[begin + 1 : stop + 1], 0][: stop - begin]
    sizes = zip(blocks.chars[begin:stop], blocks.link_chars[begin:stop], below, strict=True)
    rows, alone, below_text = [], set[int](), _below_text(blocks, kept)
    for block, (chars, linked, linked_below) in enumerate(sizes, begin):
        if chars > LONGEST or linked or not (linked_below or product):
            continue
        kind = announced(block_text(flat, blocks, block))
        if (
            kind is None
            or (kind is Announced.OTHERS and block < below_text)
            or (kind is Announced.FURTHER and reference)
        ):
            continue
        row = _after(flat, blocks, block)
        if row is None:
            continue
        run = _run(flat, blocks, row)
        led = next((some for some in (run, run[:1]) if _leads_on(flat, blocks, some, kind, reference, product)), None)
        if led is not None:
            rows += [blocks.container[block], *led]
        elif kind is not Announced.OTHERS and not _has_kept(flat, blocks, kept, row):
            alone.add(block)
    found = without_rows(flat, blocks, kept, rows, LEFT) if rows else kept
    return [wanted and block not in alone for block, wanted in enumerate(found)] if alone else found


def _has_kept(flat: FlatDom, blocks: Blocks, kept: list[bool], row: int) -> bool:
    """Return whether a block below a row is kept."""
    begin, stop = blocks_below(flat, blocks, row)
    return True in kept[begin:stop]


def _run(flat: FlatDom, blocks: Blocks, row: int) -> list[int]:
    """Return an element and the similar siblings directly after it: cards may be siblings of their heading."""
    found, after, stop = [row], flat.end[row], flat.end[flat.parent[row]]
    while after < stop and len(found) < MOST_CARDS:
        begin, end = blocks_below(flat, blocks, after)
        if begin < end and flat.path[after] != flat.path[row]:
            break
        found += [after] if begin < end else []
        after = flat.end[after]
    return found


def _leads_on(flat: FlatDom, blocks: Blocks, rows: list[int], kind: Announced, reference: bool, product: bool) -> bool:
    """Return whether the elements below such a heading are cards or mainly links to related pages."""
    begin, end = blocks_below(flat, blocks, rows[0])[0], blocks_below(flat, blocks, rows[-1])[1]
    linked = sum(blocks.link_chars[begin:end]) >= LINKED * sum(blocks.chars[begin:end])
    plain = kind is Announced.OFFERED or not reference
    if kind not in _WITH_CARDS and linked and plain:
        return True
    return _are_cards(flat, rows, sure=(kind in _TELLING and plain) or (product and kind is Announced.CARDS))


def _below_text(blocks: Blocks, kept: list[bool]) -> int:
    """Return the first block after `PROSE` kept characters outside links."""
    own = 0
    for block, (chars, linked, wanted) in enumerate(zip(blocks.chars, blocks.link_chars, kept, strict=True)):
        if own >= PROSE:
            return block
        own += (chars - linked) * wanted
    return len(kept)


def _are_cards(flat: FlatDom, rows: list[int], *, sure: bool) -> bool:
    """Return whether elements are or contain similar elements, each with a different link, and a heading or a date.

    With `sure`, the heading above announces pages on the same subject, and no heading or date is needed.
    """
    cards = rows
    if len(cards) > 1 and not flat.names[cards[0]] and flat.tag[cards[0]] not in _CARD_TAGS:
        return False  # elements without names may be the continuation of the text
    while len(cards) == 1:
        cards = [row for row in element_rows(flat, cards[0]) if flat.chars[row]]
    if len({flat.path[card] for card in cards}) > 1:  # arrows and other controls beside the cards
        usual, _ = Counter(flat.path[card] for card in cards).most_common(1)[0]
        cards = [card for card in cards if flat.path[card] == usual]
    held = sum(flat.chars[card] for card in cards)
    if len(cards) < CARDS:
        return False
    if held < LINKED * sum(flat.chars[row] for row in rows):
        return False
    sure = sure or all(not _CARD_PARTS.isdisjoint(flat.tag[card : flat.end[card]]) for card in cards)
    return sure and targets(flat, cards)[0] == 1


def _after(flat: FlatDom, blocks: Blocks, block: int) -> int | None:
    """Return the element with text after a heading; None if there is none, or if the heading has no element."""
    row = blocks.container[block]
    if blocks_below(flat, blocks, row) != (block, block + 1):
        return None
    while flat.parent[row] >= 0 and blocks_below(flat, blocks, flat.parent[row]) == (block, block + 1):
        row = flat.parent[row]
    stop, after = flat.end[flat.parent[row]] if flat.parent[row] >= 0 else 0, flat.end[row]
    while after < stop:
        begin, end = blocks_below(flat, blocks, after)
        if begin < end:
            return after
        after = flat.end[after]
    return None
