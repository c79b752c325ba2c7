"""What the decision of a layout changes on a page: the same path is cut the same, unless the page speaks clearly.

What is obeyed was chosen on recorded sites, as `docs/combined.md` says.
"""

from bisect import bisect_left
from typing import Final, NamedTuple

from sitecrawl.dom.blocks import Blocks
from sitecrawl.dom.flat import FlatDom
from sitecrawl.extractors.combined.layout_evidence import odds
from sitecrawl.extractors.combined.region import ENTRIES, SHORT, Gate, region_of
from sitecrawl.templates.decision import DROPPED, KEPT, LayoutDecision, LayoutKind

CLEAR: Final = 1.0
"""Log odds from the limit from which a page speaks clearly."""


FILLED: Final = 0.3
"""Share of its blocks that must be kept for a path to be content of a page made of entries: on 15 recorded sites of
that kind word F1 is .924 without, .927 from 0.9 on, .935 from 0.5, .938 from 0.3, .938 from 0.1."""


class Obeyed(NamedTuple):
    """The blocks that are kept, and those in which the layout overruled the page, or the page its layout."""

    kept: list[bool]
    overruled: frozenset[int]
    departed: frozenset[int]
    """Blocks of paths with a verdict that the page goes against, since it speaks clearly."""


def agreed(
    flat: FlatDom, blocks: Blocks, chances: list[float], limit: float, kept: list[bool], decision: LayoutDecision
) -> Obeyed:
    """Return which blocks are kept when those whose chance says little follow their layout. Repeats stay out."""
    least, verdicts = odds(limit), decision.verdicts
    found, overruled, departed = list(kept), set(), set()
    for block, (container, chance) in enumerate(zip(blocks.container, chances, strict=True)):
        verdict = verdicts.get(flat.path[container])
        if verdict is None or DROPPED < verdict[0] < KEPT or chance == 0.0:
            continue
        wanted = verdict[0] >= KEPT
        if wanted == kept[block]:
            continue
        if abs(odds(chance) - least) < CLEAR:
            found[block] = wanted
            overruled.add(block)
        else:
            departed.add(block)
    return Obeyed(found, frozenset(overruled), frozenset(departed))


def gate(decision: LayoutDecision, own: Gate) -> Gate:
    """Return whether a page is completed, by what its layout is made of; a thread only if the page says so too.

    In threads the names and dates of the posters would come with the posts.
    """
    entries, short = decision.mean < ENTRIES, decision.mean < SHORT
    if decision.kind is LayoutKind.THREAD:
        return Gate(entries and own.entries, short and own.short)
    return Gate(entries, short)


def filled(
    flat: FlatDom, blocks: Blocks, kept: list[bool], again: list[bool], decision: LayoutDecision, *, entries: bool
) -> list[bool]:
    """Return which blocks are kept when the paths that are content for the layout are kept inside the region.

    Of pages that are made of entries that is every path which is not furniture: a signature or a row of a table is one
    of many, and what becomes of most of them is as good as chance.
    """
    region = region_of(flat, blocks, kept)
    if region <= 0:
        return kept
    found, least = list(kept), FILLED if entries else KEPT
    for block in range(bisect_left(blocks.first, region), bisect_left(blocks.first, flat.end[region])):
        verdict = decision.verdicts.get(flat.path[blocks.container[block]])
        if verdict is not None and verdict[1] >= least and not again[block]:
            found[block] = True
    return found
