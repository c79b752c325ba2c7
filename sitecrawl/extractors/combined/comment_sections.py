"""Drops the sections below headings that announce readers' comments: "3 comments", "Leave a reply".

The passes recognise comments by the class names of their boxes. Some sites have other names, or none; the headings are
the same everywhere, although some are not marked up as headings. In a thread the answers are content. Pure in the page.
[OWN]
"""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import accumulate, islice
from typing import Final, NamedTuple

from sitecrawl.dom.blocks import Blocks, block_text, blocks_below
from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.labels import BLOCK, HEADINGS
from sitecrawl.dom.vocabulary import rows_with, vocabulary
from sitecrawl.extractors.combined.comment_headings import LONGEST, Comments, announces_comments

PROSE: Final = 80
"""Minimum characters of kept text, outside links, above comments: directly below a headline, the number of comments is
only a link to them. Own choice."""
MOST: Final = 20
"""Maximum headings of a page that are examined."""
ABOVE: Final = 0.25
"""Minimum ratio of the kept text above a line that is no heading to the text below: the number of comments may be
between a summary and the text. Own choice."""
LINE: Final = 40
"""Maximum characters of such a line, without white space: a sentence such as "Leave a comment occasionally, and say
what you would like to read" is text. Own choice."""
SIBLINGS: Final = 2
"""Minimum number of similar siblings below such a line, if there is no input field. Own choice."""
_NO_RECORDS: Final = HEADINGS | {"p"}
"""Block elements that are no comments."""
_NO_LINES: Final = HEADINGS | {"li"}
"""Elements whose text is no such line: tabs above a text show the number of comments too."""
_MARKS: Final = frozenset(("textarea", "time"))
"""Elements of comments, and of the form to write one."""
_LINK: Final = re.compile(r"#(?:[a-z]{1,3}-?)?(?:comment|respond|reply)|[?&]replytocom=|/comment-page-", re.IGNORECASE)
"""Matches URLs of comments."""
_OUTERMOST: Final = frozenset(("html", "body"))


class _Announced(NamedTuple):
    """A heading or line that announces comments."""

    row: int
    kind: Comments
    marked: bool
    """Whether it is a heading element."""


def without_comment_sections(flat: FlatDom, blocks: Blocks, kept: list[bool]) -> list[bool]:
    """Return which blocks are kept, without sections of comments. Must not be called for threads."""
    announcing = sorted((*_announcing(flat, blocks), *_lines(flat, blocks))) if True in kept else []
    if not announcing:
        return kept
    plain, numbers, found, stop = [0], [0, *accumulate(kept)], kept, 0
    for chars, linked, wanted in zip(blocks.chars, blocks.link_chars, kept, strict=True):
        plain.append(plain[-1] + (chars - linked) * wanted)
    above = (one for one in announcing if plain[bisect_left(blocks.first, one.row)] >= PROSE)
    for row, kind, marked in islice(above, MOST):
        if row < stop:
            continue
        end = _end(flat, blocks, row, numbers)
        first, last = bisect_left(blocks.first, row), bisect_left(blocks.first, end)
        if marked:
            sure = kind is Comments.SURE or _has_comments(flat, row, end)
        else:
            sure = plain[first] >= ABOVE * (plain[last] - plain[first]) and _has_records(flat, blocks, row, end)
        if sure:
            stop = end
            found = list(found) if found is kept else found
            found[first:last] = [False] * (last - first)
    return found


def _announcing(flat: FlatDom, blocks: Blocks) -> Iterator[_Announced]:
    """Yield the headings that announce comments."""
    for row in rows_with(vocabulary(flat).tags, HEADINGS, range(len(flat))):
        block, after = blocks_below(flat, blocks, row)
        if after == block + 1 and blocks.chars[block] <= LONGEST:
            kind = announces_comments(block_text(flat, blocks, block))
            if kind is not None:
                yield _Announced(row, kind, marked=True)


def _lines(flat: FlatDom, blocks: Blocks) -> list[_Announced]:
    """Return the lines, other than headings, with the number of comments or an invitation to write one.

    Links are ignored, and so are lines that a page has several times in similar places: a list of articles shows the
    number of comments of each.
    """
    found: dict[int, list[int]] = {}  # by path
    for block, (chars, linked, row) in enumerate(zip(blocks.chars, blocks.link_chars, blocks.container, strict=True)):
        if chars > LINE or linked or flat.tag[row] in _NO_LINES:
            continue
        if announces_comments(block_text(flat, blocks, block)) is Comments.SURE:
            found.setdefault(flat.path[row], []).append(block)
    alone = (places[0] for places in found.values() if len(places) == 1)
    return [_Announced(_row(flat, blocks, block), Comments.SURE, marked=False) for block in alone]


def _row(flat: FlatDom, blocks: Blocks, block: int) -> int:
    """Return the row of the outermost element that contains nothing but a line."""
    container, row = blocks.container[block], blocks.first[block]
    if blocks_below(flat, blocks, container) == (block, block + 1):
        return container
    while flat.parent[row] != container:
        row = flat.parent[row]
    return row


def _has_records(flat: FlatDom, blocks: Blocks, begin: int, stop: int) -> bool:
    """Return whether a range of rows has an input field, or similar siblings with text below the first row."""
    if "textarea" in flat.tag[begin:stop]:
        return True
    alike = Counter[tuple[int, int]]()
    for row in range(flat.end[begin], stop):
        if flat.tag[row] in BLOCK and flat.tag[row] not in _NO_RECORDS:
            first, last = blocks_below(flat, blocks, row)
            alike[flat.parent[row], flat.path[row]] += first < last
    return any(count >= SIBLINGS for count in alike.values())


def _end(flat: FlatDom, blocks: Blocks, row: int, numbers: Sequence[int]) -> int:
    """Return the row after the section of a heading: the largest element without kept blocks before the heading.

    If that is the heading alone, the rest of its parent belongs to the section. `numbers` has the number of kept blocks
    before each block.
    """
    block, heading = bisect_left(blocks.first, row), row
    while flat.tag[above := flat.parent[row]] not in _OUTERMOST and above > 0:
        if numbers[block] > numbers[bisect_left(blocks.first, above)]:
            break
        row = above
    return flat.end[flat.parent[row]] if row == heading else flat.end[row]


def _has_comments(flat: FlatDom, begin: int, stop: int) -> bool:
    """Return whether a range of rows has `time` elements, an input field, or links to comments."""
    if not _MARKS.isdisjoint(flat.tag[begin:stop]):
        return True
    first, last = bisect_left(flat.anchors, (begin,)), bisect_left(flat.anchors, (stop,))
    return any(_LINK.search(target) for _, target, _ in flat.anchors[first:last])
