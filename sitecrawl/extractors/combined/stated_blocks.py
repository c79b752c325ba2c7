"""Finds the blocks that contain texts of the page's structured data, and raises their probability (`dom.stated_texts`).

The passes use names, links and lengths, and miss lists of ingredients and folded answers. [OWN]
"""

import re
from collections import Counter
from itertools import compress, pairwise
from typing import Final, NamedTuple

from sitecrawl.dom.blocks import Blocks, block_text, blocks_below
from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.stated_texts import StatedTexts
from sitecrawl.dom.vocabulary import rows_with, vocabulary
from sitecrawl.extractors.combined.block_classifier import Judged
from sitecrawl.extractors.combined.choice import kept_from

STATED: Final = 0.97
"""Minimum probability of a block with a stated text, that is, one of the structured data."""
PART: Final = 24
"""Minimum bytes of letters and digits in a block that is part of a stated text: eight characters of Chinese."""
WHOLE: Final = 6
"""The same for a block that is a stated text. Items that are single words have less."""
RUN: Final = 6
"""Maximum blocks that together are one item: its amount, its unit, its name."""
GAP: Final = 2
"""Maximum blocks between two items that are kept with them: amounts, and items that differ in the data."""
GAP_CHARS: Final = 60
"""Maximum characters of such a block."""
LIST: Final = 3
"""Minimum items of a list that is kept whole because at least half of its items are stated."""
MADE_OF: Final = 0.6
"""Minimum share of a block in stated items that are separated only by line breaks."""
MOST_PARTS: Final = 60
"""Maximum items that are searched in longer blocks, so that hostile data takes no time."""
MOST_READ: Final = 200_000_000
"""Maximum characters read in search of blocks that are parts of stated texts, on pages with many of both."""

_WORD: Final = re.compile(r"\w+")
_ZEROS: Final = re.compile(r"(?<=\d)[.,]0+(?!\d)")
_LISTS: Final = ("ul", "ol", "table", "dl")


def with_stated(flat: FlatDom, blocks: Blocks, judged: Judged, texts: StatedTexts) -> Judged:
    """Return the probabilities, with at least `STATED` for the blocks with a stated text."""
    if not texts.prose and not texts.items:
        return judged
    shown = stated_blocks(flat, blocks, texts, [one >= judged.limit for one in judged.chances])
    if True not in shown:
        return judged
    chances = [max(one, STATED) if shows else one for one, shows in zip(judged.chances, shown, strict=True)]
    return judged._replace(chances=chances, limit=min(judged.limit, kept_from(blocks.chars, chances)))


def stated_blocks(flat: FlatDom, blocks: Blocks, texts: StatedTexts, liked: list[bool]) -> list[bool]:
    """Return which blocks have a stated text; among equal blocks the `liked` ones, or else the first."""
    own = [_folded(block_text(flat, blocks, block)) for block in range(len(blocks))]
    times = Counter(own)
    usable = [  # a table of contents repeats questions and steps as links
        bool(text) and (times[text] == 1 or 2 * linked <= chars)
        for text, linked, chars in zip(own, blocks.link_chars, blocks.chars, strict=True)
    ]
    marks = _Texts(own, usable, liked, set(compress(own, liked)), [False] * len(own))
    items = list(filter(None, map(_folded, texts.items)))
    if items:
        _mark_items(marks, items)
        _fill_gaps(blocks, marks.shown)
        _fill_lists(flat, blocks, marks.shown)
    bodies = [*map(_folded, texts.prose), *items]
    whole, joined = {one for one in bodies if _size(one) >= WHOLE}, "\n".join(bodies)
    searches = MOST_READ // max(1, len(joined))
    for block, text in enumerate(own):
        if not usable[block]:
            continue
        part = text not in whole and searches > 0 and _size(text) >= PART
        searches -= part
        if text in whole or (part and text in joined):
            marks.mark(block, block + 1, text)
    return marks.shown


class _Texts(NamedTuple):
    """The folded texts of a page's blocks, and marks for those with a stated text."""

    own: list[str]
    usable: list[bool]
    liked: list[bool]
    seen: set[str]
    """Texts of blocks that are liked or marked."""
    shown: list[bool]

    def mark(self, block: int, stop: int, text: str) -> None:
        """Mark the blocks with a text, if they are liked, or if no marked or liked block has it."""
        if text not in self.seen or all(self.liked[block:stop]):
            self.seen.add(text)
            self.shown[block:stop] = [True] * (stop - block)


def _mark_items(marks: _Texts, items: list[str]) -> None:
    """Mark the blocks that are an item, that together are one item, or that consist of several items."""
    known, parts = set(items), [one for one in dict.fromkeys(items) if _size(one) >= WHOLE][:MOST_PARTS]
    longest = max(map(len, items))
    for block, text in enumerate(marks.own):
        if not marks.usable[block]:
            continue
        run = text
        for stop in range(block + 1, min(block + RUN, len(marks.own)) + 1):
            if run in known:
                marks.mark(block, stop, run)
                break
            run += marks.own[stop] if stop < len(marks.own) else ""
            if len(run) > longest:
                break
        if not marks.shown[block] and _consists_of(text, parts):
            marks.mark(block, block + 1, text)


def _consists_of(text: str, parts: list[str]) -> bool:
    """Return whether most of a text consists of several `parts`."""
    inside = [one for one in parts if one in text] if len(text) > LIST * WHOLE else []
    return len(inside) >= LIST and sum(map(len, inside)) >= MADE_OF * len(text)


def _fill_gaps(blocks: Blocks, shown: list[bool]) -> None:
    """Mark the few short blocks between two items."""
    for before, after in pairwise([block for block, shows in enumerate(shown) if shows]):
        between = range(before + 1, after)
        if len(between) <= GAP and all(
            blocks.chars[one] <= GAP_CHARS and 2 * blocks.link_chars[one] <= blocks.chars[one] for one in between
        ):
            shown[before:after] = [True] * (after - before)


def _fill_lists(flat: FlatDom, blocks: Blocks, shown: list[bool]) -> None:
    """Mark all blocks of the lists and tables of which at least half are items."""
    for row in rows_with(vocabulary(flat).tags, _LISTS, range(len(flat))) if shown.count(True) >= LIST else ():
        begin, stop = blocks_below(flat, blocks, row)
        if shown[begin:stop].count(True) >= LIST and 2 * shown[begin:stop].count(True) >= stop - begin:
            shown[begin:stop] = [True] * (stop - begin)


def _folded(text: str) -> str:
    """Return the letters and digits of a text in lower case; 600.0 becomes 600."""
    return "".join(_WORD.findall(_ZEROS.sub("", text.lower())))


def _size(text: str) -> int:
    return len(text.encode())
