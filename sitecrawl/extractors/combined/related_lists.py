"""Drops lists of links below a heading that says that they lead to related pages of the site.

Such a list stands at the end of the text, without a box of its own; its links are titles of other pages. A reference
keeps its lists, which are "see also". Pure in (page, decision). [OWN]
"""

import re
from typing import Final

from sitecrawl.dom.blocks import Blocks, block_text, blocks_below
from sitecrawl.dom.flat import FlatDom
from sitecrawl.extractors.combined.furniture_boxes import REST, without_rows
from sitecrawl.templates.decision import LayoutDecision, LayoutKind

HEAD: Final = 60
"""Maximum characters of the heading. Own choice."""
LINKED: Final = 0.8
"""Minimum share of the list's characters in links. Own choice."""

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
"""Matches a whole heading. "Related content" and "related links" are content of service pages."""
_BEGINS: Final = re.compile(
    r"\W{0,9}(?:related|recommended|similar|you|more|read|ähnliche|verwandte|das|art|entradas|posts|leia|похожие|читайте"
    r"|相关|相關|関連|관련|gerelateerde|powiązane|benzer)",
    re.IGNORECASE,
)
"""Matches the first word of such a heading: the text of a block is put together for those only."""


def without_related_lists(
    flat: FlatDom, blocks: Blocks, kept: list[bool], decision: LayoutDecision | None
) -> list[bool]:
    """Return which blocks are kept without such lists and their headings; `kept` if too little would be left."""
    if True not in kept or (decision is not None and decision.kind is LayoutKind.REFERENCE):
        return kept
    begin, stop = max(kept.index(True) - 1, 0), len(kept) - kept[::-1].index(True)
    below = [*blocks.link_chars[begin + 1 : stop + 1], 0][: stop - begin]
    sizes = zip(blocks.chars[begin:stop], blocks.link_chars[begin:stop], below, strict=True)
    rows = []
    for block, (chars, linked, linked_below) in enumerate(sizes, begin):
        if chars > HEAD or linked or not linked_below or not _BEGINS.match(flat.text[blocks.first[block]]):
            continue
        row = _list_below(flat, blocks, block)
        if row is not None and _RELATED.fullmatch(block_text(flat, blocks, block)):
            rows += [blocks.container[block], row]
    return without_rows(flat, blocks, kept, rows, REST) if rows else kept


def _list_below(flat: FlatDom, blocks: Blocks, block: int) -> int | None:
    """Return the element after a heading if it is mainly links; None if it is not, or if the heading has no element."""
    row = blocks.container[block]
    if blocks_below(flat, blocks, row) != (block, block + 1):
        return None
    while flat.parent[row] >= 0 and blocks_below(flat, blocks, flat.parent[row]) == (block, block + 1):
        row = flat.parent[row]
    stop, after = flat.end[flat.parent[row]] if flat.parent[row] >= 0 else 0, flat.end[row]
    while after < stop:
        begin, end = blocks_below(flat, blocks, after)
        if begin < end:
            linked = sum(blocks.link_chars[begin:end])
            return after if linked >= LINKED * sum(blocks.chars[begin:end]) else None
        after = flat.end[after]
    return None
