"""Keeps fields whole that are elements with a label and a value: the facts of a car, a house, a picture.

They look like a table, but without table tags (`<div><div>Colour</div><div>red</div></div>`). The labels are the same
on many pages of the site, and the values differ; in boxes of a side column or a footer, the values are the same too.
Lists of posters and their ranks have this form as well, so threads are excluded. [OWN]
"""

from bisect import bisect_left
from typing import Final

from sitecrawl.dom.blocks import Blocks, blocks_below
from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.vocabulary import vocabulary
from sitecrawl.extractors.combined.field_tables import LEAST, LINKED, SHORT, widened
from sitecrawl.extractors.combined.furniture_names import furniture_beside
from sitecrawl.extractors.combined.region import ENOUGH, RARE, WHOLE, Known, region_of, region_rows

LONGEST: Final = 60
"""Maximum characters of a label. Own choice."""
USUAL: Final = 0.3
"""Minimum mean share of the other pages that have the labels. Own choice."""
VARIED: Final = 0.5
"""Maximum ratio of the mean share of pages with the values to that with the labels. Own choice."""
STEPS: Final = 8
"""Maximum elements around a label that contain nothing else: hostile pages nest thousands."""
TABLE_TAGS: Final = frozenset(("table", "tbody", "tr", "dl"))
"""Elements of tables and description lists, whose fields `field_tables` finds."""


def with_field_rows(
    flat: FlatDom, blocks: Blocks, kept: list[bool], again: list[bool], known: Known | None
) -> list[bool]:
    """Return which blocks are kept, including those of fields near the content.

    `again` marks blocks that repeat a kept one.
    """
    if known is None or known.others < ENOUGH or True not in kept or False not in kept:
        return kept
    region, rows = _place(flat, blocks, kept)
    groups: dict[tuple[int, int], list[int]] = {}
    for block in range(*_blocks_in(blocks, rows)):
        chars, linked = blocks.chars[block], blocks.link_chars[block]
        if chars <= LONGEST and not linked and known.share(flat, blocks, block) >= RARE:
            row = _pair(flat, blocks, block)
            if row is not None:
                groups.setdefault((flat.parent[row], _kind(flat, blocks, block, row)), []).append(block)
    furniture, found = furniture_beside(flat, blocks, kept, region), kept
    for (parent, _), labels in groups.items():
        if furniture[parent] or not _are_fields(flat, blocks, labels, known):
            continue
        paths = {flat.path[blocks.container[label]] for label in labels}
        if len(paths) > 1 and not any(kept[label + 1] for label in labels):  # may be categories of the page
            continue
        found = list(kept) if found is kept else found
        for block in (one for label in labels for one in (label, label + 1)):
            found[block] = found[block] or not again[block]
    return found


def _place(flat: FlatDom, blocks: Blocks, kept: list[bool]) -> tuple[int, range]:
    """Return (element around the content and the only headline, rows in which fields belong to the content)."""
    region = widened(flat, region_of(flat, blocks, kept))
    headlines = vocabulary(flat).tags.get("h1", [])
    if len(headlines) != 1:
        return region, region_rows(flat, blocks, kept, region)
    headline = headlines[0]
    while region > 0 and not region <= headline < flat.end[region]:
        region = flat.parent[region]
    rows = region_rows(flat, blocks, kept, region)
    return region, range(min(headline, rows.start), rows.stop) if flat.tag[region] in WHOLE else rows


def _blocks_in(blocks: Blocks, rows: range) -> tuple[int, int]:
    """Return the indices of the first and the last block in a range of rows; the last one cannot be a label."""
    begin, stop = bisect_left(blocks.first, rows.start), bisect_left(blocks.first, rows.stop)
    return begin, max(begin, stop - 1)


def _pair(flat: FlatDom, blocks: Blocks, label: int) -> int | None:
    """Return the element with exactly a label, in a separate element, and the block after it; None without one."""
    row = blocks.container[label]
    for step in range(STEPS):
        begin, stop = blocks_below(flat, blocks, row)
        if begin != label or stop > label + 2 or row <= 0:
            return None
        if stop == label + 2:
            return row if step and flat.tag[row] not in TABLE_TAGS else None
        row = flat.parent[row]
    return None


def _kind(flat: FlatDom, blocks: Blocks, label: int, row: int) -> int:
    """Return the key that related fields share: the names of their labels, or else the path of their elements."""
    own = blocks.container[label]
    return flat.label[own] if flat.names[own] else flat.path[row]


def _are_fields(flat: FlatDom, blocks: Blocks, labels: list[int], known: Known) -> bool:
    """Return whether similar blocks are labels that many pages have, each before a value that few pages have."""
    values = [label + 1 for label in labels]
    if len(labels) < LEAST or sum(map(blocks.chars.__getitem__, labels)) > SHORT * len(labels):
        return False
    linked = sum(map(blocks.link_chars.__getitem__, values))
    if linked >= LINKED * sum(map(blocks.chars.__getitem__, values)):
        return False
    label_share, value_share = (sum(known.share(flat, blocks, block) for block in some) for some in (labels, values))
    return label_share >= USUAL * len(labels) and value_share < VARIED * label_share
