"""Drops lists of links, and cards, below a heading that says that they lead to related pages of the site.

Such a list stands at the end of the text, without a box of its own; its links are titles of other pages. A card has
such a title, often a date, and the beginning of the text. A reference keeps its lists, which are "see also". Pure in
(page, decision). [OWN]
"""

import re
from typing import Final

from sitecrawl.dom.blocks import Blocks, block_text, blocks_below
from sitecrawl.dom.flat import FlatDom, element_rows
from sitecrawl.dom.labels import HEADINGS
from sitecrawl.extractors.combined.entries import targets
from sitecrawl.extractors.combined.furniture_boxes import without_rows
from sitecrawl.templates.decision import LayoutDecision, LayoutKind

HEAD: Final = 60
"""Maximum characters of the heading. Own choice."""
LINKED: Final = 0.8
"""Minimum share of a list's characters in links, and of an element's in its cards. Own choice."""
LEFT: Final = 0.1
"""Minimum share of the kept characters beside the lists: a short text may have long teasers below it. Own choice."""
CARDS: Final = 2
"""Minimum number of cards. Own choice."""
_TOLD: Final = HEADINGS | {"time"}
"""Elements of a card that say what it leads to."""

_RELATED: Final = re.compile(
    r"\W{0,9}(?:(?:related|recommended|similar) (?:posts?|articles?|stories|news|entries)"
    r"|you (?:may|might) (?:also )?(?:like|enjoy|be interested in)|more (?:posts|articles|stories)|read (?:also|next)"
    r"|ähnliche (?:artikel|beiträge)|verwandte (?:artikel|beiträge|themen)|das könnte (?:dich|sie) auch interessieren"
    r"|art[ií]culos relacionados|entradas relacionadas|(?:posts|artigos) relacionados|leia (?:tamb[eé]m|mais)"
    r"|articles (?:similaires|li[eé]s|connexes)|articoli correlati|похожие (?:статьи|записи|материалы)|читайте также"
    r"|相关(?:文章|阅读|推荐)|相關文章|関連記事|관련 ?(?:글|포스트|기사)|gerelateerde (?:artikelen|berichten)"
    r"|powiązane (?:wpisy|artykuły)|benzer yazılar)\W{0,9}",
    re.IGNORECASE,
)
"""Matches a whole heading."""
_RELATED_CARDS: Final = re.compile(
    r"\W{0,9}(?:related(?: (?:content|pages|topics))?|more from (?:the|our|this) blog|verwandte inhalte"
    r"|contenus? (?:associé|lié)s?|contenidos? relacionados?|contenuti correlati|相关内容|相關內容"
    r"|関連コンテンツ)\W{0,9}",
    re.IGNORECASE,
)
"""Matches a heading of a list of cards. Above plain links it is content of service pages."""
_BEGINS: Final = re.compile(
    r"\W{0,9}(?:related|recommended|similar|you|more|read|ähnliche|verwandte|das|art|conten|entradas|posts|leia|похожие"
    r"|читайте|相关|相關|関連|관련|gerelateerde|powiązane|benzer)",
    re.IGNORECASE,
)
"""Matches the first word of such a heading: the text of a block is put together for those only."""


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
    rows = []
    for block, (chars, linked, linked_below) in enumerate(sizes, begin):
        if chars > HEAD or linked or not linked_below or not _BEGINS.match(flat.text[blocks.first[block]].lstrip()):
            continue
        row = _after(flat, blocks, block)
        if row is not None and _leads_on(flat, blocks, row, block_text(flat, blocks, block), reference):
            rows += [blocks.container[block], row]
    return without_rows(flat, blocks, kept, rows, LEFT) if rows else kept


def _leads_on(flat: FlatDom, blocks: Blocks, row: int, heading: str, reference: bool) -> bool:
    """Tell whether a heading says that what is below it leads to related pages, and it is cards or, mainly, links."""
    related = _RELATED.fullmatch(heading) is not None
    if not related and _RELATED_CARDS.fullmatch(heading) is None:
        return False
    begin, end = blocks_below(flat, blocks, row)
    linked = sum(blocks.link_chars[begin:end]) >= LINKED * sum(blocks.chars[begin:end])
    return (related and linked and not reference) or _are_cards(flat, row)


def _are_cards(flat: FlatDom, row: int) -> bool:
    """Tell whether an element consists of similar elements, each with a heading or a date, and a link of its own."""
    cards = list(element_rows(flat, row))
    while len(cards) == 1:
        cards = list(element_rows(flat, cards[0]))
    held = sum(flat.chars[card] for card in cards)
    if len(cards) < CARDS or len({flat.path[card] for card in cards}) > 1 or held < LINKED * flat.chars[row]:
        return False
    told = all(not _TOLD.isdisjoint(flat.tag[card : flat.end[card]]) for card in cards)
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
