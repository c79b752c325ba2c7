"""Drops lists of links, and cards, below a heading that says that they lead to related pages of the site.

Such a heading goes too if nothing of what is below it is kept.

Such a list stands at the end of the text, without a box of its own; its links are titles of other pages. A card has
such a title, often a date, and the beginning of the text. A reference keeps its lists, which are "see also", but
for those that the reader may like. Pure in
(page, decision). [OWN]
"""

from typing import Final

from sitecrawl.dom.blocks import Blocks, block_text, blocks_below
from sitecrawl.dom.flat import FlatDom, element_rows
from sitecrawl.dom.labels import HEADINGS
from sitecrawl.extractors.combined.entries import targets
from sitecrawl.extractors.combined.furniture_boxes import without_rows
from sitecrawl.extractors.combined.related_headings import LONGEST, Announced, announced
from sitecrawl.templates.decision import LayoutDecision, LayoutKind

LINKED: Final = 0.8
"""Minimum share of a list's characters in links, and of an element's in its cards. Own choice."""
LEFT: Final = 0.1
"""Minimum share of the kept characters beside the lists: a short text may have long teasers below it. Own choice."""
CARDS: Final = 2
"""Minimum number of cards. Own choice."""
PROSE: Final = 150
"""Minimum characters of kept text, outside links, above a list of the latest pages: a front page has less. Own
choice."""
_RELATED: Final = frozenset((Announced.RELATED, Announced.OFFERED))
_TOLD: Final = HEADINGS | {"time"}
"""Elements of a card that say what it leads to."""


def without_related_lists(
    flat: FlatDom, blocks: Blocks, kept: list[bool], decision: LayoutDecision | None
) -> list[bool]:
    """Return which blocks are kept without such lists and their headings; `kept` if too little would be left."""
    if True not in kept:
        return kept
    reference = decision is not None and decision.kind is LayoutKind.REFERENCE
    begin, stop = max(kept.index(True) - 1, 0), len(kept) - kept[::-1].index(True)
    below = [*blocks.link_chars[begin + 1 : stop + 1], 0][: stop - begin]
    sizes = zip(blocks.chars[begin:stop], blocks.link_chars[begin:stop], below, strict=True)
    rows, alone, below_text = [], set[int](), _below_text(blocks, kept)
    for block, (chars, linked, linked_below) in enumerate(sizes, begin):
        if chars > LONGEST or linked or not linked_below:
            continue
        says = announced(block_text(flat, blocks, block))
        if says is None or (says is Announced.OTHERS and block < below_text):
            continue
        row = _after(flat, blocks, block)
        if row is not None and _leads_on(flat, blocks, row, says, reference):
            rows += [blocks.container[block], row]
        elif row is not None and says in _RELATED and not _has_kept(flat, blocks, kept, row):
            alone.add(block)
    found = without_rows(flat, blocks, kept, rows, LEFT) if rows else kept
    return [wanted and block not in alone for block, wanted in enumerate(found)] if alone else found


def _has_kept(flat: FlatDom, blocks: Blocks, kept: list[bool], row: int) -> bool:
    """Tell whether a block below a row is kept."""
    begin, stop = blocks_below(flat, blocks, row)
    return True in kept[begin:stop]


def _leads_on(flat: FlatDom, blocks: Blocks, row: int, says: Announced, reference: bool) -> bool:
    """Tell whether what is below such a heading is cards or, mainly, links."""
    begin, end = blocks_below(flat, blocks, row)
    linked = sum(blocks.link_chars[begin:end]) >= LINKED * sum(blocks.chars[begin:end])
    manual = reference and says is not Announced.OFFERED
    if says is not Announced.CARDS and linked and not manual:
        return True
    return _are_cards(flat, row, told=says in _RELATED and not manual)


def _below_text(blocks: Blocks, kept: list[bool]) -> int:
    """Return the first block below `PROSE` kept characters outside links."""
    own = 0
    for block, (chars, linked, wanted) in enumerate(zip(blocks.chars, blocks.link_chars, kept, strict=True)):
        if own >= PROSE:
            return block
        own += (chars - linked) * wanted
    return len(kept)


def _are_cards(flat: FlatDom, row: int, *, told: bool) -> bool:
    """Tell whether an element consists of similar elements, each with a link of its own, and a heading or a date.

    If it is `told` that the links lead to pages on the same subject, no heading or date is needed.
    """
    cards = list(element_rows(flat, row))
    while len(cards) == 1:
        cards = list(element_rows(flat, cards[0]))
    held = sum(flat.chars[card] for card in cards)
    if len(cards) < CARDS or len({flat.path[card] for card in cards}) > 1 or held < LINKED * flat.chars[row]:
        return False
    told = told or all(not _TOLD.isdisjoint(flat.tag[card : flat.end[card]]) for card in cards)
    return told and targets(flat, cards)[0] == 1


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
