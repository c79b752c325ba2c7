"""Drops boxes in the content with class names of readers' comments, contents, advertisements or related pages.

The passes judge the blocks of such a box one by one, and keep some on one page and none on the next. But a box has the
same role on all pages, so the layout decides by most of its blocks. A box of related pages is never content, however
much new text its teasers have; only a page that consists of it keeps it, unless the layout's other pages drop it. Pure
in (page, decision). [OWN]
"""

import re
from bisect import bisect_left
from collections.abc import Collection
from itertools import compress
from typing import Final

from sitecrawl.dom.blocks import Blocks
from sitecrawl.dom.bounded_cache import BoundedCache
from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.labels import HEADINGS
from sitecrawl.dom.vocabulary import rows_with, vocabulary
from sitecrawl.extractors.combined.class_hints import COMMENT, NAME_MARKS, OWN_MARKS, TAG_MARKS
from sitecrawl.extractors.combined.region import region_of
from sitecrawl.templates.decision import LayoutDecision, LayoutKind

VOTED: Final = tuple(len(TAG_MARKS) + list(NAME_MARKS).index(name) for name in ("comment", "contents", "ad"))
"""Categories of names on which the layout votes. In folds over 114 recorded sites, three or more sites lose .02 to .2
with a vote on `meta`, `side`, `action`, `list` or `navigation` (docs/combined-history.md)."""
RELATED_PAGES: Final = len(VOTED)
"""Number of the category of related pages, on which the layout does not vote."""
MOST: Final = 0.5
"""Minimum share of a box's characters on kept paths for which it is content. Own choice; with 0.3 the gain is a third
less."""
REST: Final = 0.3
"""Minimum share of the kept characters outside comments, and outside boxes of related pages; with less, the page
consists of them. Own choice."""
MUCH: Final = 2_000
"""Kept characters outside such boxes from which the page does not consist of them, however long they are: without this,
a long discussion below a page of 4,700 characters was kept. Own choice."""
LINKED: Final = 0.1
"""Minimum share of a box's characters in links for a list of related pages. A section about "related settings" may have
its heading as id: such sections of manuals have at most .07; boxes of teasers on recorded sites have .25 or more."""
SECTION: Final = 100
"""Minimum characters of such a section, since the heading of a list has no links either. Own choice."""
HEADERS: Final = 2
"""Minimum number of headers of a table that is no list of related pages; the same value as in `data_tables`."""
CONTENTS: Final = len(TAG_MARKS) + list(NAME_MARKS).index("contents")
"""Category of tables of contents."""
LISTED: Final = 0.3
"""Minimum share of the characters of a table of contents in links; with less it is the text itself, which Doxygen names
`contents`. Own choice."""
NO_BOXES: Final = frozenset(("html", "body", "p"))
"""Elements that are no boxes, whatever their names: a paragraph may be a remark of the author."""
RELATED: Final = re.compile(
    r"(?<![a-z])(?:related|recommend(?:ed|ations?)|similar[-_ ]?(?:posts?|articles?)|verwandte?|relacionad[oa]s?"
    r"|similaires|correlati)(?![a-z])",
    re.IGNORECASE,
)
"""Matches names of boxes of related pages: whole words, while the category `related` also has "more" and "archive"."""


def _categories(names: str) -> tuple[int, ...]:
    """Return the categories of an element by its names: indices of `VOTED`, and `RELATED_PAGES`."""
    marks = OWN_MARKS["", names]
    voted = tuple(number for number, mark in enumerate(VOTED) if mark in marks)
    return (*voted, RELATED_PAGES) if RELATED.search(names) else voted


_BOXES: Final = BoundedCache(_categories)


def without_boxes(
    flat: FlatDom, blocks: Blocks, kept: list[bool], decision: LayoutDecision | None, *, thread: bool
) -> list[bool]:
    """Return which blocks are kept, without boxes that are no content; on a `thread` comments are its posts.

    Return `kept` if nothing would be left; but no block if all are in a box of related pages that most pages of the
    layout drop.
    """
    names = [name for name in vocabulary(flat).names if _BOXES[name]]
    if not names or True not in kept:
        return kept
    region = region_of(flat, blocks, kept)
    found, held = kept, _held(flat, blocks, region, names)
    related = {block for (number, _), own in held.items() if number == RELATED_PAGES for block in own}
    binding = decision if decision is not None and decision.binds else None
    if binding is not None and binding.kind is not LayoutKind.THREAD:
        for (number, _), own in held.items():
            mark = VOTED[number] if number < RELATED_PAGES else None
            if mark is None or (mark == CONTENTS and _is_section(blocks, own, LISTED)):
                continue
            if not (thread and mark == COMMENT) and _outvoted(flat, blocks, own, binding):
                found = _without(blocks, found, own, 0.0 if mark == CONTENTS else REST)
    if decision is not None and decision.kind is LayoutKind.REFERENCE:
        return found
    return _without_related(flat, blocks, found, region, related, binding)


def _without_related(
    flat: FlatDom, blocks: Blocks, kept: list[bool], region: int, related: set[int], decision: LayoutDecision | None
) -> list[bool]:
    """Return which blocks are kept, without boxes of related pages.

    No block is kept if all are in such a box and most pages of the layout drop it: the page has no content.
    """
    if decision is None:
        return _without(blocks, kept, related, REST)
    whole = set(compress(range(len(kept)), kept))
    if _is_related(flat, region) and _outvoted(flat, blocks, whole, decision):
        return [False] * len(kept)
    return _without(blocks, kept, related, 0.0 if _outvoted(flat, blocks, related, decision) else REST)


def enough_left(blocks: Blocks, kept: list[bool], rest: list[bool], least: float) -> bool:
    """Return whether `rest`, a part of the kept blocks, has over the share `least` of their characters, or MUCH."""
    return sum(compress(blocks.chars, rest)) > min(least * sum(compress(blocks.chars, kept)), MUCH)


def _without(blocks: Blocks, kept: list[bool], dropped: set[int], least: float) -> list[bool]:
    """Return `kept` without `dropped`; unchanged if not enough is left (`enough_left`)."""
    rest = [wanted and block not in dropped for block, wanted in enumerate(kept)]
    return rest if enough_left(blocks, kept, rest, least) else kept


def _is_related(flat: FlatDom, region: int) -> bool:
    """Return whether a region is, or is in, a box of related pages."""
    boxes = (row for row in (region, *flat.ancestors(region)) if flat.tag[row] not in NO_BOXES)
    return any(RELATED_PAGES in _BOXES[flat.names[row]] for row in boxes)


def _held(flat: FlatDom, blocks: Blocks, region: int, names: list[str]) -> dict[tuple[int, int], set[int]]:
    """Return the blocks in elements with these names inside a region, by (category, path of the element)."""
    found: dict[tuple[int, int], set[int]] = {}
    for row in rows_with(vocabulary(flat).names, names, range(region + 1, flat.end[region])):
        if flat.tag[row] in NO_BOXES:
            continue
        is_text = flat.tag[row] in HEADINGS or _has_headers(flat, row)
        own = range(bisect_left(blocks.first, row), bisect_left(blocks.first, flat.end[row]))
        for number in _BOXES[flat.names[row]] if own else ():
            if number < RELATED_PAGES or not (is_text or _is_section(blocks, own, LINKED)):
                found.setdefault((number, flat.path[row]), set()).update(own)
    return found


def _has_headers(flat: FlatDom, row: int) -> bool:
    """Return whether an element is a table with headers, which has facts and is no list of related pages."""
    headers = vocabulary(flat).tags.get("th", ())
    return flat.tag[row] == "table" and bisect_left(headers, flat.end[row]) - bisect_left(headers, row) >= HEADERS


def _is_section(blocks: Blocks, own: Collection[int], linked: float) -> bool:
    """Return whether blocks are a text and not a list of links: under `linked` of their characters are in links."""
    chars = sum(map(blocks.chars.__getitem__, own))
    return chars >= SECTION and sum(map(blocks.link_chars.__getitem__, own)) < linked * chars


def _outvoted(flat: FlatDom, blocks: Blocks, own: set[int], decision: LayoutDecision) -> bool:
    """Return whether the layout keeps less than `MOST` of these blocks, by their paths; False if it has no verdict."""
    total = liked = 0.0
    for block in sorted(own):
        verdict = decision.verdicts.get(flat.path[blocks.container[block]])
        if verdict is not None:
            total += blocks.chars[block]
            liked += verdict[1] * blocks.chars[block]
    return total > 0 and liked < MOST * total
