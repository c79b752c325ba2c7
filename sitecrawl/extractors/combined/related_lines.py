"""Drops the lines between the paragraphs of a text that lead to another page of the site: "Read also: The mole".

The words before the link are those of headings of related pages. On page sets 53 of 68 such kept lines are not main
content. Lines with links to other sites are sources, and stay. Pure in (page, decision). [OWN]
"""

from bisect import bisect_left
from itertools import compress
from typing import Final
from urllib.parse import urlsplit

from sitecrawl.dom.blocks import Blocks, block_text
from sitecrawl.dom.labels import CELLS
from sitecrawl.dom.page import Page
from sitecrawl.extractors.combined.cards import HOST
from sitecrawl.extractors.combined.entries import HERE
from sitecrawl.extractors.combined.related_headings import LONGEST, Announced, announced
from sitecrawl.templates.decision import LayoutDecision, LayoutKind

LINE: Final = 300
"""Maximum characters of such a line. Own choice."""
BESIDE: Final = 3
"""Maximum other characters, such as marks, beside the words and the link. Own choice."""
_LEADS_ON: Final = frozenset((Announced.RELATED, Announced.CARDS))


def without_related_lines(page: Page, blocks: Blocks, kept: list[bool], decision: LayoutDecision | None) -> list[bool]:
    """Return `kept` without lines of related pages; unchanged in a reference, or if nothing is left."""
    if decision is not None and decision.kind is LayoutKind.REFERENCE:
        return kept
    chars, linked = blocks.chars, blocks.link_chars
    lines = [one for one in compress(range(len(kept)), kept) if linked[one] and chars[one] <= LINE]
    lines = [one for one in lines if chars[one] - linked[one] <= LONGEST]
    dropped = {block for block in lines if _leads_on(page, blocks, block)}
    found = [wanted and block not in dropped for block, wanted in enumerate(kept)] if dropped else kept
    return found if True in found else kept


def _leads_on(page: Page, blocks: Blocks, block: int) -> bool:
    """Return whether a block is a link to another page of the site with such words before it or at its beginning."""
    flat, first = page.flat, blocks.first[block]
    at = bisect_left(flat.anchors, (first,))
    if at < len(flat.anchors) and flat.anchors[at][0] < blocks.stop[block]:
        row, target, _ = flat.anchors[at]
        words = "".join(flat.text[first:row])
    else:  # the link is around the block
        words, target = "", flat.anchors[at - 1][1] if at else ""
    if not words.strip():
        words, colon, _ = block_text(flat, blocks, block)[: LONGEST + 1].partition(":")
        if not colon:
            return False
    elif blocks.chars[block] - blocks.link_chars[block] - len("".join(words.split())) > BESIDE:
        return False
    elif words.rstrip()[-1].isalnum() and words.lower() != words.upper() and "br" not in flat.tag[first:row]:
        return False  # "See also section 2" is a sentence of a manual; scripts without capitals need no colon
    host = HOST.match(target.strip())
    own = host is None or str(host[1]).lower() == urlsplit(page.url).netloc.removeprefix("www.")
    return (
        own
        and not target.strip().lower().startswith(HERE)
        and flat.tag[blocks.container[block]] not in CELLS
        and announced(words.strip()) in _LEADS_ON
    )
