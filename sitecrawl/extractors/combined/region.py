"""The content region of a page: the place that its main content fills, and what stands there without a look's vote.

The looks judge block by block, and blocks that are short, linked or found on one page only get small chances:
signatures, member lists and tables of reference pages would be lost from the middle of the text. So the kept blocks
first say where the content is, and of what kind. The region is the deepest element that holds nearly all of their
characters. Where the kept blocks are paragraphs, the page is an article, and nothing is added: what else stands in its
region is captions, author boxes and teasers. Where they are short, the page is a reference, a list of records or a
thread, and inside the region a block is kept as well

* if next to no other page shows its text in the same place, and no tag or name between the region and the block says
  furniture: navigation, comments, share bars, author boxes, tables of contents;
* if the look without a template keeps it, and few other pages show it there.

Outside the region nothing is added, however new its text is. Pure in (page, template snapshot).
"""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable
from itertools import accumulate, compress
from typing import Final, NamedTuple

from sitecrawl.dom.blocks import Blocks
from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.labels import TEXT
from sitecrawl.dom.scripts import UNSPACED_CLASS
from sitecrawl.extractors.combined.class_hints import COMMENT, NAME_MARKS, OWN_MARKS, TAG_MARKS, is_thread
from sitecrawl.extractors.combined.statistics import SiteStatistics

MOST: Final = 0.9
"""Share of the kept characters that the region holds."""
SHARED: Final = 0.3
"""Share of the other pages from which a text is the layout's own, whatever the look without a template says."""
RARE: Final = 0.1
"""Share of the other pages under which a text is taken for the page's own."""
ENTRIES: Final = 65
"""Mean characters of the kept blocks under which a page is no article, but made of entries."""
ENTRIES_ALONE: Final = 50
"""The same where no other pages are known."""
SHORT: Final = 100
"""The same for what the look without a template keeps."""
ENOUGH: Final = 9
"""Other pages that must be known for a share of them to tell anything."""
LETTERS: Final = 2.5
"""Letters of other scripts that a character of a script without spaces stands for."""
SEEN: Final = 200
"""Characters of a text that tell its script."""
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

LINE_NUMBERS: Final = re.compile(r"(?<![a-z])(?:gutter|linenos?|line-?numbers?|lnt?)(?![a-z])", re.IGNORECASE)
"""Names of the cells that number the lines of program code beside it."""


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
    alone: Callable[[], list[bool]],
    known: "Known | None" = None,
    gate: "Gate | None" = None,
) -> list[bool]:
    """Return which blocks are kept, those that belong to the content region included.

    `again` says which blocks repeat one that is kept, `alone` what the look without a template keeps (asked only where
    it counts), `known` what is known of the other pages; without it every text is taken for the page's own. `gate` is
    what the layout of the page says of it; without one the page says it itself.
    """
    entries, liked = gate or own_gate(flat, blocks, kept, known)
    if not (entries or liked) or True not in kept or (known is not None and known.others < ENOUGH):
        return kept
    region = region_of(flat, blocks, kept)
    begin, stop = bisect_left(blocks.first, region), bisect_left(blocks.first, flat.end[region])
    if flat.tag[region] in WHOLE:
        begin = kept.index(True)
        stop = len(kept) - kept[::-1].index(True)
    votes = alone() if liked else kept
    furniture = _Furniture(flat, region)
    found = list(kept)
    for block in range(begin, stop):
        if kept[block] or again[block]:
            continue
        share = known.share(flat, range(blocks.first[block], blocks.stop[block])) if known is not None else 0.0
        rare = entries and share < RARE and not furniture[blocks.container[block]]
        found[block] = rare or (votes[block] and share < SHARED)
    return found


class Gate(NamedTuple):
    """What of a page is completed."""

    entries: bool
    """Whether it is made of entries, so that what is its own is kept."""
    short: bool
    """Whether its blocks are so short that the look without a template counts as well."""


def own_gate(flat: FlatDom, blocks: Blocks, kept: list[bool], known: "Known | None") -> Gate:
    """Return what a page by itself says of what is to be completed."""
    mean = mean_chars(flat, blocks, kept)
    return Gate(mean < (ENTRIES if known else ENTRIES_ALONE), mean < SHORT and known is not None)


def mean_chars(flat: FlatDom, blocks: Blocks, kept: list[bool]) -> float:
    """Return the mean characters of the kept blocks; `LETTERS` for each in a script without spaces between words."""
    chars = list(compress(blocks.chars, kept))
    if not chars:
        return 0.0
    longest = max(compress(range(len(kept)), kept), key=blocks.chars.__getitem__)
    rows = range(blocks.first[longest], blocks.stop[longest])
    text = "".join(flat.text[row] for row in rows)[:SEEN]
    unspaced = len(_UNSPACED.findall(text)) > len(text) / 2
    return sum(chars) / len(chars) * (LETTERS if unspaced else 1)


class Known(NamedTuple):
    """What a template says of the pages beside this one."""

    site: SiteStatistics
    own: int
    """1 where this page is counted in `site`, 0 where it is not."""

    @property
    def others(self) -> int:
        """Pages beside this one."""
        return self.site.pages - self.own

    def share(self, flat: FlatDom, rows: Iterable[int]) -> float:
        """Return the share of the other pages that show a text of these rows in the same place, of the rarest one."""
        tag, path, paths, own = flat.tag, flat.path, self.site.paths, self.own
        pages = [sums.pages - own if (sums := paths.get(path[row])) else 0 for row in rows if tag[row] == TEXT]
        return max(min(pages), 0) / max(self.others, 1)


_UNSPACED: Final = re.compile(f"[{UNSPACED_CLASS}]")


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
            said = said or LINE_NUMBERS.search(flat.names[one]) is not None
            self[one] = said
        return said
