"""Drops parts of the content that other pages share: lines of links, boxes in an article, and a closing licence.

A line of links that nearly all pages have in the same place is navigation, even if the layout counts its path as
content. A box in an article is furniture if other pages have each text in it, while the text around it is on this page
only: a sponsor, an appeal, a note about the publisher. In a mixed layout many pages must have it. A page of which other
pages have nearly all text, such as a print version, is not changed. [OWN]
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from itertools import compress
from typing import Final

from sitecrawl.dom.blocks import Blocks, block_text
from sitecrawl.dom.flat import FlatDom
from sitecrawl.extractors.combined.copyright_lines import LICENCE
from sitecrawl.extractors.combined.region import ENOUGH, RARE, Known, region_of
from sitecrawl.extractors.combined.table_cells import cells_beside
from sitecrawl.templates.decision import LayoutDecision, LayoutKind

COMMON: Final = 0.8
"""Minimum share of other pages with a line of links for which it is furniture: of 114 recorded sites one has such lines
that are content; with 0.5 there are five."""
LINKED: Final = 0.5
"""Minimum share of a block's characters in links for which it is a line of links."""
SEVERAL: Final = 2
"""Minimum number of such lines on one path of a reference: it links to its parent once, but to the source of each
member. A single line is dropped if it is the last one of the content: the link to the parent is above the content."""
OWN: Final = 0.25
"""Minimum share of the kept characters that no other page has, for boxes to be furniture. Own choice."""
PROSE: Final = 60
"""Minimum characters of the longest block of a box. Own choice."""
FEW: Final = 3
"""Minimum number of other pages with each text of a box: one or two may be near copies of the page. Own choice."""
MANY: Final = 0.1
"""Minimum share of the other pages with each text of a box in a mixed layout: there a postal address, or a teaser on
two pages of a subject, is content. With 0 one site of 114 loses .006."""
SLOT: Final = 2
"""Minimum number of other pages with other text on the path for fewer than FEW pages to be enough: the path is then a
slot for alternating sponsors. Near copies share their paths too. Own choice."""
FRESH: Final = 25
"""Mean characters of new text per page on a path from which a box there is text of the page, and another page with it a
copy. On recorded sites paths of furniture have at most 10; two paragraphs shared with a near copy have 27 and 113."""
CLOSING: Final = 0.15
"""Minimum share of other pages with a closing paragraph about the licence for which it is furniture. It is low, since
such a paragraph is in sections of different depth. Own choice."""
PARAGRAPH: Final = 100
"""Minimum characters of such a paragraph."""
BOXED: Final = frozenset((LayoutKind.ARTICLE, LayoutKind.MIXED))
"""Kinds of layouts whose boxes may be furniture. With service pages one site of 114 loses .02, and none gains."""
BOXES: Final = frozenset(("div", "section", "aside", "table", "blockquote"))
"""Elements that may be boxes."""


def without_shared(
    flat: FlatDom, blocks: Blocks, kept: list[bool], known: Known, decision: LayoutDecision
) -> list[bool]:
    """Return `kept` without shared lines of links and boxes; unchanged if nothing is left."""
    if True not in kept or known.others < ENOUGH:
        return kept
    found = list(kept)
    share = known.all_shares(flat, blocks)
    lines = [
        block
        for block, wanted in enumerate(kept)
        if wanted and share[block] >= COMMON and blocks.link_chars[block] > LINKED * blocks.chars[block]
    ]
    if lines and decision.kind is LayoutKind.REFERENCE:
        others = list(kept)
        for block in lines:
            others[block] = False
        cells = cells_beside(flat, blocks, others)
        lines = [block for block in lines if block not in cells]
    often, last = Counter(flat.path[blocks.container[block]] for block in lines), len(kept) - 1 - kept[::-1].index(True)
    for block in lines:
        once = often[flat.path[blocks.container[block]]] < SEVERAL
        found[block] = decision.kind is LayoutKind.REFERENCE and once and block < last
    if _ends_with_licence(flat, blocks, found, share):
        found[len(found) - 1 - found[::-1].index(True)] = False
    if decision.kind in BOXED:
        mixed = decision.kind is LayoutKind.MIXED

        @cache  # most blocks of a page are far from its content
        def shared(block: int) -> bool:
            return share[block] > 0 and _is_shared(flat, blocks, block, share[block], known, mixed=mixed)

        for block in _boxed(flat, blocks, kept, shared):
            found[block] = False
    return found if any(found) else kept


def _ends_with_licence(flat: FlatDom, blocks: Blocks, kept: list[bool], share: Sequence[float]) -> bool:
    """Return whether the last kept block is a paragraph about a licence that enough other pages have (CLOSING)."""
    if True not in kept:
        return False
    last = len(kept) - 1 - kept[::-1].index(True)
    if blocks.chars[last] < PARAGRAPH or share[last] < CLOSING:
        return False
    own = sum(compress(blocks.chars, [wanted and one < RARE for wanted, one in zip(kept, share, strict=True)]))
    return own >= OWN * sum(compress(blocks.chars, kept)) and LICENCE.search(block_text(flat, blocks, last)) is not None


def _is_shared(flat: FlatDom, blocks: Blocks, block: int, share: float, known: Known, *, mixed: bool) -> bool:
    """Return whether enough other pages have a block's text that they cannot all be copies of the page."""
    path, having = known.site.paths.get(flat.path[blocks.container[block]]), round(share * known.others)
    if not having or (path is not None and path.fresh >= FRESH * path.nodes):
        return False
    if mixed:
        return having >= max(FEW, MANY * known.others)
    return having >= FEW or (path is not None and path.pages - known.own - having >= SLOT)


def _boxed(flat: FlatDom, blocks: Blocks, kept: list[bool], shared: Callable[[int], bool]) -> list[int]:
    """Return the kept blocks in boxes whose blocks are all shared."""
    chosen = [block for block, wanted in enumerate(kept) if wanted]
    own = sum(blocks.chars[block] for block in chosen if not shared(block))
    if own < OWN * sum(blocks.chars[block] for block in chosen):
        return []
    region, found = region_of(flat, blocks, kept), []
    for block in chosen:
        if not shared(block):
            continue
        box, inside, row = -1, range(0), blocks.container[block]
        while row > region:
            held = range(bisect_left(blocks.first, row), bisect_left(blocks.first, flat.end[row]))
            if not all(map(shared, held)):
                break
            box, inside, row = row, held, flat.parent[row]
        if box >= 0 and flat.tag[box] in BOXES and max(blocks.chars[one] for one in inside) >= PROSE:
            found.append(block)
    return found
