"""The content region of a page: where its main content is, and which uncertain blocks inside are kept.

The passes judge block by block, and blocks that are short, linked or on one page only get low probabilities:
signatures, member lists and tables of reference pages would be missing from the middle of the text. So the kept blocks
first determine the place and the kind of the content. The region is the deepest element with nearly all of their
characters. If the kept blocks are paragraphs, the page is an article, and nothing is added: the rest of its region is
captions, author boxes and teasers. If they are short, the page is a reference, a list of records or a thread, and a
block inside the region is kept as well

- if hardly any other page has its text in the same place, and no element between the region and the block has a tag or
  name of furniture: navigation, comments, share bars, author boxes, tables of contents;
- if the passes without a template keep it, and few other pages have it there.

Outside the region nothing is added, however new its text is. Pure in (page, template snapshot).
"""

import re
from bisect import bisect_left
from collections.abc import Callable, Sequence
from itertools import accumulate, compress, islice
from math import inf
from typing import Final, NamedTuple

from sitecrawl.dom.blocks import Blocks
from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.labels import TEXT
from sitecrawl.dom.scripts import LETTERS, UNSPACED_CLASS
from sitecrawl.extractors.combined.furniture_names import Furniture, furniture_beside
from sitecrawl.extractors.combined.statistics import SiteStatistics

MOST: Final = 0.9
"""Share of the kept characters that the region contains."""
SHARED: Final = 0.3
"""Minimum share of other pages with a text for which it belongs to the layout, even if the passes without a template
keep it."""
RARE: Final = 0.1
"""Share of the other pages with a text below which it belongs to the page."""
ENTRIES: Final = 65
"""Mean characters of the kept blocks below which a page consists of entries instead of being an article."""
ENTRIES_ALONE: Final = 50
"""The same if no other pages are known."""
SHORT: Final = 100
"""The same for blocks that the passes without a template keep."""
NEAR: Final = 0.5
"""Minimum ratio of a block's probability to the limit for the region of a page alone to be completed with it. Below, a
fifth of the words at most belong to the text, on single pages and on recorded sites (docs/combined-history.md)."""
ENOUGH: Final = 4
"""Minimum number of other known pages for these shares to be used: on 46 unseen sites with 5 known pages word F1 is
.945 with a minimum of 9, and .955 with 4 (docs/combined-history.md)."""
SEEN: Final = 200
"""Number of characters of a text from which its script is determined."""
WHOLE: Final = frozenset(("html", "body", "form"))
"""Elements that are too large to be a region: in them, only blocks between kept ones are added."""


def region_of(flat: FlatDom, blocks: Blocks, kept: list[bool]) -> int:
    """Return the row of the deepest element with `MOST` of the kept characters; -1 if nothing is kept.

    An element with more than half of them contains the block at their middle character, so only the ancestors of that
    block are examined.
    """
    sums = [0, *accumulate(compress(blocks.chars, kept))]
    if not sums[-1]:
        return -1
    first, middle = list(compress(blocks.first, kept)), bisect_left(sums, sums[-1] / 2, 1) - 1
    row = next(islice(compress(blocks.container, kept), middle, None))
    while row > 0:
        held = sums[bisect_left(first, flat.end[row])] - sums[bisect_left(first, row)]
        if held >= MOST * sums[-1]:
            return row
        row = flat.parent[row]
    return 0


def region_rows(flat: FlatDom, blocks: Blocks, kept: list[bool], region: int) -> range:
    """Return the rows of a region; for a region in `WHOLE`, those from the first to the last kept block.

    At least one block must be kept.
    """
    if flat.tag[region] not in WHOLE:
        return range(region, flat.end[region])
    return range(blocks.first[kept.index(True)], blocks.stop[len(kept) - 1 - kept[::-1].index(True)])


def completed(
    flat: FlatDom,
    blocks: Blocks,
    kept: list[bool],
    again: list[bool],
    alone: Callable[[], list[bool]],
    known: "Known | None" = None,
    gate: "Gate | None" = None,
    near: Sequence[bool] = (),
) -> list[bool]:
    """Return which blocks are kept, including those that belong to the content region.

    `again` marks blocks that repeat a kept one. `alone` returns which blocks the passes without a template keep; it is
    called only if needed. `known` are the statistics of the other pages; without them every text belongs to the page.
    `gate` are the rules by the layout's decision; without a decision the page's own (`own_gate`). `near` marks blocks
    that are nearly probable enough (`near_limit`): without other pages only these are added.
    """
    entries, liked = gate or own_gate(flat, blocks, kept, known)
    if not (entries or liked) or True not in kept or (known is not None and known.others < ENOUGH):
        return kept
    region = region_of(flat, blocks, kept)
    begin, stop = bisect_left(blocks.first, region), bisect_left(blocks.first, flat.end[region])
    if flat.tag[region] in WHOLE:
        begin = kept.index(True)
        stop = len(kept) - kept[::-1].index(True)
    votes: list[bool] | None = None
    named = Furniture(flat, region)
    furniture = furniture_beside(flat, blocks, kept, region) if known is not None else named
    found = list(kept)
    for block in range(begin, stop):
        if kept[block] or again[block] or (known is None and near and not near[block]):
            continue
        share = known.share(flat, blocks, block) if known is not None else 0.0
        row, linked = blocks.container[block], 2 * blocks.link_chars[block] > blocks.chars[block]
        rare = entries and share < RARE and not (named if linked else furniture)[row]
        if rare or not liked or share >= SHARED:
            found[block] = rare
            continue
        votes = votes or alone()
        found[block] = votes[block]
    return found


def near_limit(chances: Sequence[float], limit: float) -> list[bool]:
    """Return which blocks have a probability near the limit or above (NEAR)."""
    return [one >= NEAR * limit for one in chances]


class Gate(NamedTuple):
    """The rules that may add blocks to a page."""

    entries: bool
    """Whether the page consists of entries, so that texts of this page alone are kept."""
    short: bool
    """Whether its blocks are so short that the passes without a template count as well."""


def own_gate(flat: FlatDom, blocks: Blocks, kept: list[bool], known: "Known | None") -> Gate:
    """Return the rules for a page without a decision of its layout, by the mean length of its blocks."""
    mean = mean_chars(flat, blocks, kept)
    return Gate(mean < (ENTRIES if known else ENTRIES_ALONE), mean < SHORT and known is not None)


def mean_chars(flat: FlatDom, blocks: Blocks, kept: list[bool]) -> float:
    """Return the mean characters of the kept blocks; a character of a script without spaces counts as `LETTERS`."""
    chars = list(compress(blocks.chars, kept))
    return sum(chars) / len(chars) * letters_a_character(flat, blocks, kept) if chars else 0.0


def letters_a_character(flat: FlatDom, blocks: Blocks, kept: list[bool]) -> float:
    """Return `LETTERS` if the longest kept block is in a script without spaces between words, else 1."""
    longest = max(compress(range(len(kept)), kept), key=blocks.chars.__getitem__, default=-1)
    if longest < 0:
        return 1.0
    rows = range(blocks.first[longest], blocks.stop[longest])
    text = "".join(flat.text[row] for row in rows)[:SEEN]
    return LETTERS if len(_UNSPACED.findall(text)) > len(text) / 2 else 1.0


class Known(NamedTuple):
    """The statistics of a template on the pages other than this one."""

    site: SiteStatistics
    own: int
    """1 if `site` counts this page, else 0."""
    shares: Sequence[float] = ()
    """The result of `share` for each block of the page, if the passes computed it (`block_classifier.Judged`)."""

    @property
    def others(self) -> int:
        """Number of pages beside this one."""
        return self.site.pages - self.own

    def share(self, flat: FlatDom, blocks: Blocks, block: int) -> float:
        """Return the share of the other pages that have the rarest text of a block in the same place."""
        if self.shares:
            return self.shares[block]
        tag, path, paths = flat.tag, flat.path, self.site.paths
        least = inf
        for row in range(blocks.first[block], blocks.stop[block]):
            if tag[row] == TEXT:
                sums = paths.get(path[row])
                if sums is None:
                    return 0.0
                if sums.pages < least:
                    least = sums.pages
        return max(least - self.own, 0) / max(self.others, 1)

    def all_shares(self, flat: FlatDom, blocks: Blocks) -> Sequence[float]:
        """Return the result of `share` for each block."""
        return self.shares or [self.share(flat, blocks, block) for block in range(len(blocks))]


_UNSPACED: Final = re.compile(f"[{UNSPACED_CLASS}]")
