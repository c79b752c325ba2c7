"""Keeps the parts of an accordion whole: a question with its answer, and the other questions beside them.

In an accordion, a button, or a line with the class name of a title, opens the text below it. The passes judge block by
block. They drop questions, since most buttons are controls, and answers that many pages share. A question or an answer
alone is useless. [OWN]
"""

import re
from functools import lru_cache
from itertools import compress, islice
from typing import Final, NamedTuple

from sitecrawl.dom.blocks import Blocks, block_text, blocks_below
from sitecrawl.dom.bounded_cache import LIMIT
from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.vocabulary import rows_with, vocabulary
from sitecrawl.extractors.combined.furniture_names import furniture_beside
from sitecrawl.extractors.combined.region import ENOUGH, RARE, Known, region_of

MOST: Final = 500
"""Maximum titles of a page that are examined. Own choice."""
LONGEST: Final = 250
"""Maximum characters of a title. Own choice."""
LEVELS: Final = 5
"""Number of elements around a title that may contain the text that it opens. Own choice."""
LEAST: Final = 2
"""Minimum number of parts."""
LARGEST: Final = 500
"""Maximum blocks of a part: hostile pages nest hundreds of accordions. Own choice."""
HELD: Final = 0.5
"""Minimum kept share: of the characters that a title opens, for the title to be kept; of the parts, for the other parts
to be kept. Own choice."""
LINKED: Final = 0.5
"""Minimum share of the characters below a title in links for which it opens a menu. Own choice."""
_TITLE: Final = re.compile(
    r"(?<![a-z])(?:accordion|collaps(?:e|ible)|disclosure|expand(?:er|able)?|faqs?|fold|panel|spoiler|tab|toggle)"
    r"[_-]{1,2}(?:[a-z]{1,12}[_-]{1,2}){0,2}(?:btn|button|head(?:er|ing)?|label|question|title|toggle|trigger)(?![a-z])"
    r"|(?<![^\s])question(?![^\s])",
    re.IGNORECASE,
)


class Part(NamedTuple):
    """A part of an accordion, by its blocks."""

    begin: int
    """The first block of the title."""
    body: int
    """The first block of the text that it opens."""
    stop: int


@lru_cache(LIMIT)
def _is_title(names: str) -> bool:
    """Return whether the class names of an element are those of the title of a part."""
    return _TITLE.search(names) is not None


def with_accordions(
    flat: FlatDom, blocks: Blocks, kept: list[bool], again: list[bool], known: Known | None
) -> list[bool]:
    """Return which blocks are kept, including the rest of accordions that are kept in part.

    A title is kept if most of the text that it opens is kept. If other pages are known, the text is kept with its title
    too; and if half of the parts are kept, so are the texts of the other parts that no other page has. `again` marks
    blocks that repeat a kept one.
    """
    if True not in kept or False not in kept:
        return kept
    titles = _titles(flat)
    if len(titles) < LEAST:
        return kept
    found = list(kept)
    furniture = furniture_beside(flat, blocks, kept, region_of(flat, blocks, kept))
    compared = known if known is not None and known.others >= ENOUGH else None
    for box, parts in _accordions(flat, blocks, titles).items():
        inside = [True in kept[one.begin : one.stop] for one in parts]
        if len(parts) < LEAST or True not in inside or furniture[box] or not _differ(flat, blocks, parts):
            continue
        several = sum(inside) >= HELD * len(parts)
        for part in parts:
            for block in _missing(flat, blocks, kept, part, compared, several=several):
                found[block] = kept[block] or not again[block]
    return found


def _missing(
    flat: FlatDom, blocks: Blocks, kept: list[bool], part: Part, known: Known | None, *, several: bool
) -> list[int]:
    """Return the blocks of a part that should be kept too; `several`: whether half of the parts have kept blocks."""
    title, body = range(part.begin, part.body), range(part.body, part.stop)
    chars = blocks.chars[part.body : part.stop]
    if sum(compress(chars, kept[part.body : part.stop])) >= HELD * sum(chars):
        return list(title)
    if known is None:
        return []
    if True in kept[part.begin : part.body]:
        return [*title, *body]
    return [block for block in (*title, *body) if several and known.share(flat, blocks, block) < RARE]


def _titles(flat: FlatDom) -> list[int]:
    """Return the rows of buttons, and of elements named as the titles of an accordion."""
    tags, names = vocabulary(flat)
    named = rows_with(names, filter(_is_title, names), range(len(flat)))
    every = sorted({*tags.get("button", ()), *named})
    return [row for row in every if 0 < flat.chars[row] <= LONGEST][:MOST]


def _accordions(flat: FlatDom, blocks: Blocks, titles: list[int]) -> dict[int, list[Part]]:
    """Return the parts of each accordion, by the row of the element around them.

    Each part is a separate element, or titles and their texts alternate in one element.
    """
    heads: dict[int, dict[int, int]] = {}  # by parent element: the block of each title, and the block after it
    for row in titles:
        begin, stop = blocks_below(flat, blocks, row)
        if begin < stop and blocks.stop[stop - 1] <= flat.end[row]:
            heads.setdefault(flat.parent[_widest(flat, row)], {})[begin] = stop
    found: dict[int, list[Part]] = {}
    for box, bodies in heads.items():
        first, last = blocks_below(flat, blocks, box)
        begins = list(bodies)
        if begins == [first]:
            found.setdefault(flat.parent[_widest(flat, box)], []).append(Part(first, bodies[first], last))
        elif begins[0] == first:
            ends = (*begins[1:], last)
            found.setdefault(box, []).extend(
                Part(begin, bodies[begin], end) for begin, end in zip(begins, ends, strict=True)
            )
    return {box: [one for one in parts if _opens_text(blocks, one)] for box, parts in found.items()}


def _widest(flat: FlatDom, row: int) -> int:
    """Return the outermost element with the text of a row and no other."""
    own, chars = row, flat.chars[row]
    for above in islice(flat.ancestors(row), LEVELS):
        if flat.chars[above] != chars or above <= 0:
            break
        own = above
    return own


def _differ(flat: FlatDom, blocks: Blocks, parts: list[Part]) -> bool:
    """Return whether all titles differ: repeated buttons such as "Read more" or "Buy now" are no titles."""
    return len({block_text(flat, blocks, one.begin) for one in parts}) == len(parts)


def _opens_text(blocks: Blocks, part: Part) -> bool:
    """Return whether a title opens text, and neither a menu nor most of a page."""
    if part.stop - part.begin > LARGEST:
        return False
    chars = sum(blocks.chars[part.body : part.stop])
    return chars > 0 and sum(blocks.link_chars[part.body : part.stop]) < LINKED * chars
