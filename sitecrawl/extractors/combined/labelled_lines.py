"""Lets the layout decide about lines that are one field on all of its pages: "Salary: 9 pounds", "Start: 4 May, 20:45".

Such a line is the same kind of text on each page, so the verdict of a single page on it is chance. It is one block that
begins with a label, and nearly all pages that have its place have the label there. The layout's pages vote, unless the
page has other blocks on its path: votes about the paragraphs of a mail say nothing about "From: Ann Lee" above them.
Pure in (page, template, decision). [OWN]
"""

from typing import Final

from sitecrawl.dom.blocks import Blocks
from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.labels import CELLS, HEADINGS, TEXT
from sitecrawl.extractors.combined.field_tables import widened
from sitecrawl.extractors.combined.region import Known, region_of
from sitecrawl.templates.decision import LayoutDecision, LayoutKind

LONGEST: Final = 80
"""Maximum characters of a line. Own choice."""
LEAST: Final = 6
"""Minimum number of other pages with such a place: with 5 known pages an archive of mails keeps the headers of two
messages by the verdicts of four. Own choice."""
NEARLY_ALL: Final = 0.8
"""Minimum share of the other pages with such a place that have the label in it. Own choice."""
UNSURE: Final = (0.3, 0.8)
"""Minimum and maximum probability of a line that follows its layout: pagers ("Next: Moles") have less. Own choice."""
HALF: Final = 0.5
"""Minimum share of the lines that the layout keeps for all of them to be kept. Own choice."""
_COLONS: Final = (":", "：")
"""Last characters of a label."""
_OTHERS: Final = frozenset((*HEADINGS, *CELLS, "dt", "dd"))
"""Elements whose labels are elsewhere."""


def with_usual_lines(
    flat: FlatDom,
    blocks: Blocks,
    kept: list[bool],
    again: list[bool],
    chances: list[float],
    known: Known,
    decision: LayoutDecision,
) -> list[bool]:
    """Return which blocks are kept if unsure lines with a label, in the region or right beside it, follow their layout.

    A reference keeps more of its lines than the verdicts count, so there nothing is dropped. `again` marks blocks that
    repeat a kept one.
    """
    if known.others < LEAST or True not in kept:
        return kept
    region, found = widened(flat, region_of(flat, blocks, kept)), kept
    mixed = _paths_of_others(flat, blocks)
    for block, wanted in enumerate(kept):
        row = blocks.container[block]
        if not UNSURE[0] <= chances[block] <= UNSURE[1]:
            continue
        if blocks.chars[block] > LONGEST or flat.tag[row] in _OTHERS or not region <= row < flat.end[region]:
            continue
        verdict = decision.verdicts.get(flat.path[row])
        if verdict is None or (verdict[1] >= HALF) == wanted or (wanted and decision.kind is LayoutKind.REFERENCE):
            continue
        if flat.path[row] in mixed or not _is_field(flat, blocks, block, known):
            continue
        found = list(kept) if found is kept else found
        found[block] = not wanted and not again[block]
    return found if True in found else kept


def _paths_of_others(flat: FlatDom, blocks: Blocks) -> frozenset[int]:
    """Return the paths of blocks that do not begin with a label."""
    rows = zip(blocks.first, blocks.container, strict=True)
    return frozenset(flat.path[row] for first, row in rows if not flat.text[first].rstrip().endswith(_COLONS))


def _is_field(flat: FlatDom, blocks: Blocks, block: int, known: Known) -> bool:
    """Return whether a block begins with a label that nearly all pages have in its place, before a value."""
    texts = [row for row in range(blocks.first[block], blocks.stop[block]) if flat.tag[row] == TEXT]
    if len(texts) < 2 or not flat.text[texts[0]].rstrip().endswith(_COLONS):
        return False
    paths = known.site.paths
    place, label = paths.get(flat.path[blocks.container[block]]), paths.get(flat.path[texts[0]])
    others = place.pages - known.own if place is not None else 0
    return others >= LEAST and label is not None and label.pages - known.own >= NEARLY_ALL * others
