"""The content region of a page: the place that its main content fills, and what stands there without a look's vote.

The looks judge block by block, and blocks that are short, linked or found on one page only get small chances:
signatures, member lists and tables of reference pages would be lost from the middle of the text. So on a site with a
template the kept blocks first say where the content is: the region is the deepest element that holds nearly all of
their characters. Inside it a block is kept as well

* if the look without a template keeps it, and few other pages of the layout show its text in the same place;
* if next to no other page does, and no tag or name between the region and the block says furniture: navigation,
  comments, share bars, author boxes, tables of contents.

Outside the region nothing is added, however new its text is. Pure in (page, template snapshot).
"""

from bisect import bisect_left
from collections.abc import Iterable
from itertools import accumulate
from typing import Final, NamedTuple

from sitecrawl.dom.blocks import Blocks
from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.labels import TEXT
from sitecrawl.extractors.hints import COMMENT, NAME_MARKS, OWN_MARKS, TAG_MARKS, is_thread
from sitecrawl.extractors.statistics import SiteStatistics

MOST: Final = 0.9
"""Share of the kept characters that the region holds."""
SHARED: Final = 0.3
"""Share of the other pages from which a text is the layout's own, whatever the look without a template says."""
RARE: Final = 0.1
"""Share of the other pages under which a text is taken for the page's own."""
WHOLE: Final = frozenset(("html", "body", "form"))
"""Regions that are no place at all: there only what stands between kept blocks is added."""
FURNITURE: Final = frozenset(
    number
    for number, name in enumerate((*(tags[0] for tags in TAG_MARKS), *(f"*{name}" for name in NAME_MARKS)))
    if name
    in (
        *("nav", "footer", "aside", "form", "button"),
        *("*comment", "*navigation", "*contents", "*footer", "*side", "*related", "*share", "*author", "*ad"),
        *("*unseen", "*action", "*language"),
    )
)
"""Marks of tags, and with a star of names, below which a region holds what is not content."""


def region_of(flat: FlatDom, blocks: Blocks, kept: list[bool]) -> int:
    """Return the row of the deepest element that holds `MOST` of the kept characters; -1 where nothing is kept.

    An element that holds more than half of them holds the block in their middle, so only that one's ancestors are
    looked at.
    """
    chars, first = blocks.chars, blocks.first
    sums = [0, *accumulate(count if wanted else 0 for count, wanted in zip(chars, kept, strict=True))]
    if not sums[-1]:
        return -1
    row = blocks.container[bisect_left(sums, sums[-1] / 2, 1) - 1]
    while row > 0:
        held = sums[bisect_left(first, flat.end[row])] - sums[bisect_left(first, row)]
        if held >= MOST * sums[-1]:
            return row
        row = flat.parent[row]
    return 0


def completed(
    flat: FlatDom,
    blocks: Blocks,
    kept: list[bool],
    again: list[bool],
    alone: list[bool] | None = None,
    known: "Known | None" = None,
) -> list[bool]:
    """Return which blocks are kept, those that belong to the content region included.

    `again` says which blocks repeat one that is kept, `alone` what the look without a template keeps, `known` what is
    known of the other pages; without it every text is taken for the page's own.
    """
    region = region_of(flat, blocks, kept)
    if region < 0:
        return kept
    begin, stop = bisect_left(blocks.first, region), bisect_left(blocks.first, flat.end[region])
    if flat.tag[region] in WHOLE:
        begin = kept.index(True)
        stop = len(kept) - kept[::-1].index(True)
    furniture = _Furniture(flat, region)
    found = list(kept)
    for block in range(begin, stop):
        if kept[block] or again[block]:
            continue
        share = known.share(flat, range(blocks.first[block], blocks.stop[block])) if known is not None else 0.0
        liked = alone is not None and alone[block] and share < SHARED
        found[block] = liked or (share < RARE and not furniture[blocks.container[block]])
    return found


class Known(NamedTuple):
    """What a template says of the pages beside this one."""

    site: SiteStatistics
    own: int
    """1 where this page is counted in `site`, 0 where it is not."""

    def share(self, flat: FlatDom, rows: Iterable[int]) -> float:
        """Return the share of the other pages that show a text of these rows in the same place, of the rarest one."""
        tag, path, paths, own = flat.tag, flat.path, self.site.paths, self.own
        pages = [sums.pages - own if (sums := paths.get(path[row])) else 0 for row in rows if tag[row] == TEXT]
        return max(min(pages), 0) / max(self.site.pages - own, 1)


class _Furniture(dict[int, bool]):
    """Whether a row of a page, or an element between it and the region, says that it is no content."""

    def __init__(self, flat: FlatDom, region: int) -> None:
        super().__init__({region: False})
        self.flat = flat
        self.marks = FURNITURE - {COMMENT} if is_thread(flat.tag, flat.names) else FURNITURE

    def __missing__(self, row: int) -> bool:
        flat, passed = self.flat, []
        while row not in self and row > 0:
            passed.append(row)
            row = flat.parent[row]
        said = self.get(row, False)
        for one in reversed(passed):
            said = said or not self.marks.isdisjoint(OWN_MARKS[flat.tag[one], flat.names[one]])
            self[one] = said
        return said
