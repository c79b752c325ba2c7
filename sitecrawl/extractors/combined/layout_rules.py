"""Applies the decision of a layout to a page: equal paths get equal verdicts, unless the page is certain.

Which parts of a decision are obeyed was chosen on recorded sites (`docs/combined.md`).
"""

from bisect import bisect_left
from itertools import compress
from typing import Final, NamedTuple

from sitecrawl.dom.blocks import Blocks, blocks_below
from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.vocabulary import vocabulary
from sitecrawl.extractors.combined.layout_evidence import odds
from sitecrawl.extractors.combined.region import ENOUGH, ENTRIES, SHORT, Gate, Known, region_of
from sitecrawl.templates.decision import DROPPED, KEPT, LayoutDecision, LayoutKind

CLEAR: Final = 1.0
"""Distance from the threshold, in log odds, from which a page is certain."""
LEFT: Final = 0.25
"""Share of the characters that a page keeps by itself which its layout must leave: in folds over 114 recorded sites one
site rises by .031, and no other changes, with 0.5 as well."""
FILLED: Final = 0.3
"""Share of its blocks that must be kept for a path to be content of a page made of entries: on 15 recorded sites of
that kind word F1 is .924 without, .927 from 0.9 on, .935 from 0.5, .938 from 0.3, .938 from 0.1."""

USUAL: Final = 0.5
"""Share of the pages from which a region is that of the layout, and not of a few pages: with 0.3 and 30 known pages a
site of 114 loses .05."""
SOME: Final = 0.25
NEARLY_ALL: Final = 0.8
"""A region that `SOME` of the pages of a reference have is that of the layout too if `NEARLY_ALL` have their content
there or further in: a page with one signature has a smaller region inside that of the others. On layouts of all kinds
four sites of 114 lose .02 to .05, by headlines outside of the content."""
AROUND: Final = 0.5
"""Share of its blocks that must be kept for a path to be content there, outside the page's own region."""
COMMON: Final = 0.8
"""Share of the other pages that have a text in the same place from which it is not filled in: "From the wiki", the
headers of mails. Of 114 recorded sites two gain, .010 and .035; 0.5 takes .001 from a third (30 pages known)."""

CARDS: Final = 0.1
"""Share of its blocks kept from which a path holds the cards of a listing that keeps nothing else. Own choice."""


class Obeyed(NamedTuple):
    """The kept blocks, and those in which the layout overruled the page, or the page its layout."""

    kept: list[bool]
    overruled: frozenset[int]
    departed: frozenset[int]
    """Number of blocks against the verdict on their path, since the page is certain."""


def agreed(
    flat: FlatDom, blocks: Blocks, chances: list[float], limit: float, kept: list[bool], decision: LayoutDecision
) -> Obeyed:
    """Return which blocks are kept if uncertain ones follow their layout. Repeats stay out.

    The only headline follows it even where the page is certain: it is the same kind of text on each page, so what one
    page says of it is chance. Where the layout has no verdict either, it is kept inside the region of the other blocks.
    A page of which its layout would leave next to nothing does not follow it: a list of headlines among articles.
    """
    least, verdicts, headline = odds(limit), decision.verdicts, only_headline(flat, blocks)
    found, overruled, departed = list(kept), set(), set()
    told = map(verdicts.get, map(flat.path.__getitem__, blocks.container))
    for block, (verdict, chance, liked) in enumerate(zip(told, chances, kept, strict=True)):
        if verdict is None or chance == 0.0 or block == headline or DROPPED < verdict[0] < KEPT:
            continue
        wanted = verdict[0] >= KEPT
        if wanted == liked:
            continue
        if abs(odds(chance) - least) < CLEAR:
            found[block] = wanted
            overruled.add(block)
        else:
            departed.add(block)
    if overruled and _chars(blocks, found) < LEFT * _chars(blocks, kept):
        found, departed, overruled = list(kept), departed | overruled, set()
    if headline >= 0 and chances[headline] > 0.0:
        verdict = verdicts.get(flat.path[blocks.container[headline]])
        if verdict is not None:
            found[headline] = verdict[0] >= KEPT or (verdict[0] > DROPPED and _inside(flat, blocks, found, headline))
            if found[headline] != kept[headline]:
                overruled.add(headline)
    return Obeyed(found, frozenset(overruled), frozenset(departed))


def with_cards(flat: FlatDom, blocks: Blocks, kept: list[bool], decision: LayoutDecision) -> list[bool]:
    """Return which blocks of a listing are kept; of one that keeps a headline at most, those that other pages keep too.

    Each page is judged by its own blocks: many titles look like a list of content, two do not.
    """
    headline = only_headline(flat, blocks)
    if any(wanted and block != headline for block, wanted in enumerate(kept)):
        return kept
    told = map(decision.verdicts.get, map(flat.path.__getitem__, blocks.container))
    return [wanted or (one is not None and one[1] >= CARDS) for wanted, one in zip(kept, told, strict=True)]


def _chars(blocks: Blocks, kept: list[bool]) -> int:
    """Return the characters of the kept blocks."""
    return sum(compress(blocks.chars, kept))


def _inside(flat: FlatDom, blocks: Blocks, kept: list[bool], block: int) -> bool:
    """Return whether a block is in the region of the other kept blocks."""
    region = region_of(flat, blocks, [wanted and other != block for other, wanted in enumerate(kept)])
    return 0 <= region <= blocks.first[block] < flat.end[region]


def only_headline(flat: FlatDom, blocks: Blocks) -> int:
    """Return the block of the only `h1` of a page; -1 if there is none, or several."""
    heads, container = vocabulary(flat).tags.get("h1", ()), blocks.container
    found = [block for row in heads for block in range(*blocks_below(flat, blocks, row)) if container[block] == row]
    return found[0] if len(found) == 1 else -1


def gate(decision: LayoutDecision, own: Gate) -> Gate:
    """Return whether a page is completed, by the kind of its layout; a thread only if the page agrees.

    In threads the names and dates of the posters would be kept with the posts.
    """
    entries, short = decision.mean < ENTRIES, decision.mean < SHORT
    if decision.kind is LayoutKind.THREAD:
        return Gate(entries and own.entries, short and own.short)
    return Gate(entries, short)


def usual_region(flat: FlatDom, region: int, decision: LayoutDecision) -> int:
    """Return the element around a region of a page where the layout's pages have theirs; else the region.

    That is where half of the pages have it; in a reference also where some have it, and nearly all there or further in.
    A page with one paragraph, or with little that is certain, has a smaller region than the others.
    """
    around = decision.kind is LayoutKind.REFERENCE
    usual = {
        one.path
        for one in decision.regions
        if one.share >= USUAL or (around and one.share >= SOME and one.within >= NEARLY_ALL)
    }
    rows = (region, *flat.ancestors(region)) if usual else ()
    return next((row for row in rows if row > 0 and flat.path[row] in usual), region)


def filled(
    flat: FlatDom,
    blocks: Blocks,
    kept: list[bool],
    again: list[bool],
    decision: LayoutDecision,
    *,
    entries: bool,
    known: Known | None = None,
) -> list[bool]:
    """Return which blocks are kept when the paths that are content for the layout are kept inside the region.

    Of pages that are made of entries that is every path which is not furniture: a signature or a row of a table is one
    of many, and what becomes of most of them is as good as chance. Around the page's own region, in that of the layout,
    it is every path of which half is kept. A text that nearly all other pages have in the same place is
    the site's and is not filled in, except in references, whose members share their labels.
    """
    own = region_of(flat, blocks, kept)
    region = usual_region(flat, own, decision)
    if region <= 0:
        return kept
    found, least = list(kept), FILLED if entries else KEPT
    asked = known if decision.kind is not LayoutKind.REFERENCE else None
    around = max(least, AROUND)
    for block in range(bisect_left(blocks.first, region), bisect_left(blocks.first, flat.end[region])):
        verdict = decision.verdicts.get(flat.path[blocks.container[block]])
        if verdict is not None and not again[block]:
            needed = least if own <= blocks.first[block] < flat.end[own] else around
            fills = verdict[1] >= needed and not _is_common(flat, blocks, block, asked)
            found[block] = found[block] or fills
    return found


def _is_common(flat: FlatDom, blocks: Blocks, block: int, known: Known | None) -> bool:
    """Return whether nearly all other pages have the text of a block in its place."""
    return known is not None and known.others >= ENOUGH and known.share(flat, blocks, block) >= COMMON
