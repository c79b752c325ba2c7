"""Applies the decision of a layout to a page: equal paths get equal verdicts, except for certain blocks of the page.

The parts of a decision that are applied were chosen on recorded sites (`docs/combined-rules.md`).
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
"""Distance from the threshold, in log odds, from which a block of a page is certain."""
LEFT: Final = 0.5
"""Minimum share of the characters kept by the page alone that must remain under its layout; else the layout is ignored.
In folds over 114 recorded sites one site gains .019 by this value, beside 0.25, and no other changes."""
FILLED: Final = 0.3
"""Minimum share of kept blocks on a path for it to be content on a page made of entries: on 15 recorded sites of that
kind word F1 is .924 without this rule, .927 with 0.9, .935 with 0.5, .938 with 0.3, .938 with 0.1."""

USUAL: Final = 0.5
"""Minimum share of the pages with a region for it to be that of the layout: with 0.3 and 30 known pages, one site of
114 loses .05."""
SOME: Final = 0.25
"""The same in a reference, if `NEARLY_ALL` pages have their region there or inside it. With this share for all kinds of
layouts, four sites of 114 lose .02 to .05, by headlines outside the content."""
MANY: Final = 0.4
"""The same in other layouts: pages of one paragraph have smaller regions than the others, and how many of them are in a
sample is chance. By five random samples of pages, one site of 114 gains .012 to .013 in four, and none changes else."""
NEARLY_ALL: Final = 0.8
"""Minimum share of the pages with their region in that of `SOME` or `MANY` pages, or with that region itself."""
AROUND: Final = 0.5
"""Minimum share of kept blocks on a path for it to be content in the layout's region outside the page's own region."""
COMMON: Final = 0.8
"""Minimum share of other pages with a text in the same place for which it is not added: "From the wiki", the headers of
mails. Of 114 recorded sites two gain .010 and .035; with 0.5 a third one loses .001 (30 pages known)."""
EVERYWHERE: Final = 0.95
"""The same in a reference, whose members share their labels. Two of 114 sites gain up to .003 where their layout is a
reference by a part of their pages; with `COMMON` one loses .001, a line above the text of each class."""
UNSURE: Final = 0.2
"""Distance of the layout's mean characters from `ENTRIES`, relative to it, up to which the page's own mean decides. By
eight random samples of pages, two of 26 sites gain .001 and .005 in the mean, and one loses .006; the worst samples
gain .0005 in the mean of the sites."""
UNSURE_REFERENCE: Final = 0.1
"""The same in a reference, whose pages are more alike: by ten random samples one site gains .003; with 0.2 another one
loses .004."""

CARDS: Final = 0.1
"""Minimum share of kept blocks on a path of cards, on a listing that keeps nothing else. Own choice."""


class Obeyed(NamedTuple):
    """The kept blocks, and those where the layout overruled the page, or the page its layout."""

    kept: list[bool]
    overruled: frozenset[int]
    departed: frozenset[int]
    """The blocks kept or dropped against the verdict on their path, since the page is certain."""


def agreed(
    flat: FlatDom, blocks: Blocks, chances: list[float], limit: float, kept: list[bool], decision: LayoutDecision
) -> Obeyed:
    """Return which blocks are kept if uncertain ones follow their layout. Repetitions of kept blocks stay dropped.

    The only headline follows the layout even if the page is certain: it is the same kind of text on each page, so the
    verdict of one page on it is chance. If the layout has no verdict on it, it is kept if it belongs to the region of
    the other blocks; in a mixed layout also if the page keeps it. A page of which the layout would leave almost nothing
    does not follow it: a list of headlines among articles.
    """
    least, verdicts, headline = odds(limit), decision.verdicts, only_headline(flat, blocks)
    found, overruled, departed = list(kept), set(), set()
    path_verdicts = map(verdicts.get, map(flat.path.__getitem__, blocks.container))
    for block, (verdict, chance, liked) in enumerate(zip(path_verdicts, chances, kept, strict=True)):
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
            open_verdict = verdict[0] > DROPPED or (kept[headline] and decision.kind is LayoutKind.MIXED)
            found[headline] = verdict[0] >= KEPT or (open_verdict and _inside(flat, blocks, found, headline))
            if found[headline] != kept[headline]:
                overruled.add(headline)
    return Obeyed(found, frozenset(overruled), frozenset(departed))


def with_cards(flat: FlatDom, blocks: Blocks, kept: list[bool], decision: LayoutDecision) -> list[bool]:
    """Return which blocks of a listing are kept; if that is at most a headline, add blocks on paths that others keep.

    Each page is judged by its own blocks: many titles look like a list of content, two do not.
    """
    headline = only_headline(flat, blocks)
    if any(wanted and block != headline for block, wanted in enumerate(kept)):
        return kept
    path_verdicts = map(decision.verdicts.get, map(flat.path.__getitem__, blocks.container))
    return [wanted or (one is not None and one[1] >= CARDS) for wanted, one in zip(kept, path_verdicts, strict=True)]


def _chars(blocks: Blocks, kept: list[bool]) -> int:
    """Return the characters of the kept blocks."""
    return sum(compress(blocks.chars, kept))


def _inside(flat: FlatDom, blocks: Blocks, kept: list[bool], headline: int) -> bool:
    """Return whether a headline belongs to the region of the other kept blocks."""
    region = region_of(flat, blocks, [wanted and other != headline for other, wanted in enumerate(kept)])
    return region >= 0 and belongs_to(flat, blocks, headline, region)


def belongs_to(flat: FlatDom, blocks: Blocks, headline: int, region: int) -> bool:
    """Return whether a headline is in a region, or right above it and beside it if the region is one paragraph."""
    if region <= blocks.first[headline] < flat.end[region]:
        return True
    below = headline + 1 < len(blocks) and blocks.container[headline + 1] == region
    return below and flat.tag[region] == "p" and flat.parent[region] == flat.parent[blocks.container[headline]]


def only_headline(flat: FlatDom, blocks: Blocks) -> int:
    """Return the block of the only `h1` of a page; -1 if there is none, or several."""
    heads, container = vocabulary(flat).tags.get("h1", ()), blocks.container
    found = [block for row in heads for block in range(*blocks_below(flat, blocks, row)) if container[block] == row]
    return found[0] if len(found) == 1 else -1


def gate(decision: LayoutDecision, own: Gate) -> Gate:
    """Return the rules that may add blocks to a page, by its layout; `own` are those by the page alone.

    Where the layout's blocks are neither short nor long, the page decides whether it consists of entries. Nothing is
    added to threads: `posts` keeps the bodies of posts whole, and the rest is titles, names and dates.
    """
    if decision.kind is LayoutKind.THREAD:
        return Gate(entries=False, short=False)
    unsure = UNSURE_REFERENCE if decision.kind is LayoutKind.REFERENCE else UNSURE
    near = abs(decision.mean - ENTRIES) < unsure * ENTRIES
    entries = own.entries if near else decision.mean < ENTRIES
    return Gate(entries, decision.mean < SHORT)


def usual_region(flat: FlatDom, region: int, decision: LayoutDecision) -> int:
    """Return the ancestor of a page's region that is the region of its layout; the page's region if there is none.

    That is the region of half of the pages, or one that fewer pages have, with the regions of nearly all others in it.
    A page with one paragraph, or with little certain text, has a smaller region than the others.
    """
    least = SOME if decision.kind is LayoutKind.REFERENCE else MANY
    usual = {
        one.path for one in decision.regions if one.share >= USUAL or (one.share >= least and one.within >= NEARLY_ALL)
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
    """Return which blocks are kept, including those inside the region on paths that are content in the layout.

    On pages made of entries that is every path that is not furniture: a signature or a table row is one of many, and
    the verdict on most of them is chance. Outside the page's own region, in that of the layout, it is every path with
    half of its blocks kept. A text that nearly all other pages have in the same place belongs to the site and is not
    added; in a reference, whose members share their labels, one that all other pages have.
    """
    own = region_of(flat, blocks, kept)
    region = usual_region(flat, own, decision)
    if region <= 0:
        return kept
    found, least = list(kept), FILLED if entries else KEPT
    common = EVERYWHERE if decision.kind is LayoutKind.REFERENCE else COMMON
    around = max(least, AROUND)
    for block in range(bisect_left(blocks.first, region), bisect_left(blocks.first, flat.end[region])):
        verdict = decision.verdicts.get(flat.path[blocks.container[block]])
        if verdict is not None and not again[block]:
            needed = least if own <= blocks.first[block] < flat.end[own] else around
            fills = verdict[1] >= needed and not _is_common(flat, blocks, block, known, common)
            found[block] = found[block] or fills
    return found


def _is_common(flat: FlatDom, blocks: Blocks, block: int, known: Known | None, share: float) -> bool:
    """Return whether this share of the other pages, or more, has the text of a block in its place."""
    return known is not None and known.others >= ENOUGH and known.share(flat, blocks, block) >= share
