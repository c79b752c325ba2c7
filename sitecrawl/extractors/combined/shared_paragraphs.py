"""Drops sentences that a site puts into the text of each article: appeals, disclosures, a note about the publisher.

They are plain paragraphs of the article, so neither class names nor the layout distinguish them from the text. But
other pages have them in the same place. A heading with nothing left below it is dropped with them. [OWN]
"""

from itertools import compress
from typing import Final

from sitecrawl.dom.blocks import Blocks
from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.labels import CELLS, HEADINGS
from sitecrawl.extractors.combined.labelled_values import values_of
from sitecrawl.extractors.combined.region import RARE, Known, letters_a_character
from sitecrawl.templates.decision import LayoutDecision, LayoutKind

USUAL: Final = 0.5
"""Minimum share of other pages with a sentence for which it belongs to the site. In articles of recorded sites labels
have at most .39, and no sentence of main content more than .14."""
NEARLY_ALL: Final = 0.8
"""The same share, but of the pages with any text on its path, if also `SOME` of all others have it: a layout may have
listings besides articles. Own choice."""
SOME: Final = 0.2
"""Minimum share of all other pages; above and below the page's own text it is enough, except in mixed layouts: the
pages of one section of a recorded manual end with the same sentences, which .29 of the others have."""
FEW: Final = 4
"""Minimum number of other pages that have it. Own choice."""
SENTENCE: Final = 30
"""Minimum characters of a sentence, without white space: shorter ones are labels, such as "Ingredients". Own choice."""
LAST: Final = 15
"""The same minimum below the page's own text. Own choice."""
MOST: Final = 600
"""Maximum characters of all such sentences of a page: more are sections, such as how to install each of 12 releases.
Own choice."""
SECTIONS: Final = 1
"""Maximum headings that go with them. Own choice."""
OWN: Final = 0.15
"""Minimum share of the kept characters that hardly any other page has. Own choice."""
LAYOUTS: Final = frozenset((LayoutKind.ARTICLE, LayoutKind.MIXED, LayoutKind.LISTING, LayoutKind.SERVICE))
"""Kinds of layouts to which the rule applies: in the other kinds, pages share sentences that are content. In layouts of
service pages, `NEARLY_ALL` of the others must have the sentence."""
_OTHERS: Final = frozenset((*HEADINGS, *CELLS, "li", "dt", "dd", "caption", "pre", "summary"))
"""Elements whose texts are labels, data or code."""


def without_shared_paragraphs(
    flat: FlatDom, blocks: Blocks, kept: list[bool], known: Known | None, decision: LayoutDecision | None
) -> list[bool]:
    """Return `kept` without the sentences of the site; unchanged if the page has little else."""
    if known is None or decision is None or not decision.binds or decision.kind not in LAYOUTS:
        return kept
    if known.others < FEW or True not in kept:
        return kept
    share = known.all_shares(flat, blocks)
    some = NEARLY_ALL if decision.kind is LayoutKind.SERVICE else SOME
    least, chosen = max(some * known.others, FEW) / known.others, list(compress(range(len(kept)), kept))
    often = [block for block in chosen if share[block] >= least]
    own = [block for block in chosen if share[block] < RARE]
    if not often or sum(map(blocks.chars.__getitem__, own)) < OWN * sum(compress(blocks.chars, kept)):
        return kept
    text = [block for block in own if flat.tag[blocks.container[block]] not in HEADINGS] or own
    ends = decision.kind in {LayoutKind.ARTICLE, LayoutKind.LISTING}
    shared = {
        block
        for block in often
        if (ends and not text[0] < block < text[-1]) or _is_shared(flat, blocks, block, share[block], known)
    }
    scale = letters_a_character(flat, blocks, kept)
    dropped = {
        block
        for block in shared
        if scale * blocks.chars[block] >= (SENTENCE if block < text[-1] else LAST)
        and flat.tag[blocks.container[block]] not in _OTHERS
    }
    dropped = {
        block
        for block in dropped
        if not any(kept[value] and value not in shared for value in values_of(flat, blocks, block))
    }
    headings = _bare_headings(flat, blocks, chosen, shared, dropped)
    size = scale * sum(map(blocks.chars.__getitem__, dropped))
    if not dropped or len(headings) > SECTIONS or size > MOST:
        return kept
    dropped |= headings
    return [wanted and block not in dropped for block, wanted in enumerate(kept)]


def _bare_headings(flat: FlatDom, blocks: Blocks, chosen: list[int], shared: set[int], dropped: set[int]) -> set[int]:
    """Return the shared headings among the kept blocks below which all text was dropped."""
    found, below, left = set[int](), 0, 0
    for block in reversed(chosen):
        if flat.tag[blocks.container[block]] not in HEADINGS:
            below, left = below + 1, left + (block not in dropped)
            continue
        if below and not left and block in shared:
            found.add(block)
        below = left = 0
    return found


def _is_shared(flat: FlatDom, blocks: Blocks, block: int, share: float, known: Known) -> bool:
    """Return whether so many other pages have a text that it belongs to the site, in any position on the page."""
    if share >= USUAL:
        return True
    path = known.site.paths.get(flat.path[blocks.container[block]])
    return path is not None and share * known.others >= NEARLY_ALL * (path.pages - known.own)
