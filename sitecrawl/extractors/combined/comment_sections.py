"""Drops the sections below headings that say that readers' comments follow: "3 comments", "Leave a reply".

The passes know comments by the names of their boxes. Some sites have names of their own, or none that say anything; the
headings are the same everywhere. In a thread the answers are content. Pure in the page. [OWN]
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import accumulate, islice
from typing import Final

from sitecrawl.dom.blocks import Blocks, block_text, blocks_below
from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.labels import HEADINGS
from sitecrawl.dom.vocabulary import rows_with, vocabulary
from sitecrawl.extractors.combined.comment_headings import LONGEST, Comments, announces_comments

PROSE: Final = 80
"""Minimum characters of kept text, outside links, above comments: below a headline the number of comments leads to
them. Own choice."""
MOST: Final = 20
"""Maximum headings of a page that are examined."""
_MARKS: Final = frozenset(("textarea", "time"))
"""Elements of comments, and of the form to write one."""
_LINK: Final = re.compile(r"#(?:[a-z]{1,3}-?)?(?:comment|respond|reply)|[?&]replytocom=|/comment-page-", re.IGNORECASE)
"""Matches addresses of comments."""
_OUTERMOST: Final = frozenset(("html", "body"))


def without_comment_sections(flat: FlatDom, blocks: Blocks, kept: list[bool]) -> list[bool]:
    """Return which blocks are kept without such sections; not for pages of threads."""
    announcing = list(_announcing(flat, blocks)) if True in kept else []
    if not announcing:
        return kept
    plain, numbers, found, stop = [0], [0, *accumulate(kept)], kept, 0
    for chars, linked, wanted in zip(blocks.chars, blocks.link_chars, kept, strict=True):
        plain.append(plain[-1] + (chars - linked) * wanted)
    above = ((row, says) for row, says in announcing if plain[bisect_left(blocks.first, row)] >= PROSE)
    for row, says in islice(above, MOST):
        if row < stop:
            continue
        end = _end(flat, blocks, row, numbers)
        if says is Comments.SURE or _has_comments(flat, row, end):
            stop = end
            first, last = bisect_left(blocks.first, row), bisect_left(blocks.first, end)
            found = list(found) if found is kept else found
            found[first:last] = [False] * (last - first)
    return found


def _announcing(flat: FlatDom, blocks: Blocks) -> Iterator[tuple[int, Comments]]:
    """Yield the headings that announce comments."""
    for row in rows_with(vocabulary(flat).tags, HEADINGS, range(len(flat))):
        block, after = blocks_below(flat, blocks, row)
        if after == block + 1 and blocks.chars[block] <= LONGEST:
            says = announces_comments(block_text(flat, blocks, block))
            if says is not None:
                yield row, says


def _end(flat: FlatDom, blocks: Blocks, row: int, numbers: Sequence[int]) -> int:
    """Return the row after the section of a heading: the largest element that keeps nothing before the heading.

    If that is the heading alone, all that follows in its parent belongs to the section. `numbers` are those of kept
    blocks before each block.
    """
    block, heading = bisect_left(blocks.first, row), row
    while flat.tag[above := flat.parent[row]] not in _OUTERMOST and above > 0:
        if numbers[block] > numbers[bisect_left(blocks.first, above)]:
            break
        row = above
    return flat.end[flat.parent[row]] if row == heading else flat.end[row]


def _has_comments(flat: FlatDom, begin: int, stop: int) -> bool:
    """Tell whether some rows have times, a field to write, or links to comments."""
    if not _MARKS.isdisjoint(flat.tag[begin:stop]):
        return True
    first, last = bisect_left(flat.anchors, (begin,)), bisect_left(flat.anchors, (stop,))
    return any(_LINK.search(target) for _, target, _ in flat.anchors[first:last])
