"""Drops the source code of the members of a reference, which many generators fold below each description.

It repeats the signature and the description, and the code of a module or class repeats that of its members. It is
recognised by a label above it ("Expand source code", "View Source", "Source code in a/b.py"), or by a first line with
file and line number. Only code counts as such a fold, so a folded answer stays. [OWN]
"""

import re
from bisect import bisect_left
from itertools import accumulate, islice
from typing import Final

from sitecrawl.dom.blocks import Blocks, blocks_below
from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.labels import TEXT
from sitecrawl.dom.vocabulary import vocabulary

ABOVE: Final = 3
"""Number of ancestors of a text that may be the label. Own choice."""
BEFORE: Final = 40
"""Maximum number of rows between the label and the code. Own choice."""
LABEL: Final = 200
"""Maximum characters of a label. Own choice."""
LEVELS: Final = 8
"""Number of elements around code that may be its box. Own choice: pygments has five up to the fold."""
REST: Final = 0.1
"""Minimum share of the kept characters that must remain: a page of nothing but code is about that code. Own choice."""
_LABELS: Final = frozenset(("summary", "label", "button", "a"))
_CODE_LABEL: Final = re.compile(
    r"\W{0,9}(?:(?:expand|view|show|hide|toggle|click to toggle) )?(?:the )?source(?: code)?(?: (?:in|of) \S+)?\W{0,9}",
    re.IGNORECASE,
)
_AWAY: Final = re.compile(r"\s*(?!#|javascript:|\s|\Z)", re.IGNORECASE)
"""Matches the `href` of a link that leads to another page, unlike that of a control."""
_FIRST_LINE: Final = re.compile(r"(?:#|//|--) File '?[^\n',]{1,300}'?, lines? \d")
_PAGE: Final = frozenset(("html", "body", "main", "article"))


def without_member_source(flat: FlatDom, blocks: Blocks, kept: list[bool]) -> list[bool]:
    """Return which blocks of a page in a reference layout are kept, without the source code of members."""
    if True not in kept or "pre" not in vocabulary(flat).tags:
        return kept
    found, is_less = list(kept), False
    for box in _source_boxes(flat):
        for block in range(*blocks_below(flat, blocks, box)):
            is_less = is_less or found[block]
            found[block] = False
    if not is_less:
        return kept
    whole, left = (sum(chars for chars, one in zip(blocks.chars, some, strict=True) if one) for some in (kept, found))
    return found if left >= REST * whole else kept


def _source_boxes(flat: FlatDom) -> list[int]:
    """Return the rows of the largest elements that contain only source code of a member and its label."""
    rows: list[int] = []
    for row in vocabulary(flat).tags["pre"]:
        if not rows or row >= flat.end[rows[-1]]:
            rows.append(row)
    totals = [0, *accumulate(flat.chars[row] for row in rows)]
    found, end = list[int](), 0
    for row in rows:
        if row < end:
            continue  # inside a box that was examined
        box = _box(flat, rows, totals, row)
        end = flat.end[box]
        inside = rows[bisect_left(rows, row) : bisect_left(rows, end)]
        if _is_labelled(flat, box) or any(_FIRST_LINE.match(_beginning(flat, one).lstrip()) for one in inside):
            found.append(box)
    return found


def _box(flat: FlatDom, rows: list[int], totals: list[int], row: int) -> int:
    """Return the row of the largest element around code that contains only code and the summary of a fold.

    `rows` are the rows of all code; `totals` has the number of their characters before each.
    """
    box = row
    for above in islice(flat.ancestors(row), LEVELS):
        if above <= 0 or flat.tag[above] in _PAGE:
            break
        rest = flat.chars[above] - totals[bisect_left(rows, flat.end[above])] + totals[bisect_left(rows, above)]
        summary = _summary(flat, above)
        if rest and (summary < 0 or rest != flat.chars[summary]):
            break
        box = above
        if summary >= 0:
            break
    return box


def _summary(flat: FlatDom, row: int) -> int:
    """Return the row of the summary of a `details` element; -1 for other rows."""
    first = row + 1
    return first if flat.tag[row] == "details" and first < flat.end[row] and flat.tag[first] == "summary" else -1


def _is_labelled(flat: FlatDom, box: int) -> bool:
    """Return whether the summary of a box, or the last text before it, is the label of source code."""
    summary = _summary(flat, box)
    if summary >= 0:
        return _is_code_label(flat, summary)
    texts = (row for row in range(box - 1, max(box - BEFORE, 0), -1) if flat.tag[row] == TEXT and flat.chars[row])
    row = next(texts, -1)
    if row < 0:
        return False
    labels = [one for one in islice(flat.ancestors(row), ABOVE) if flat.tag[one] in _LABELS]
    return any(_is_code_label(flat, one) for one in labels) and not _leads_away(flat, labels)


def _leads_away(flat: FlatDom, labels: list[int]) -> bool:
    """Return whether one of some elements is a link to another page: the source is there, and not below the link."""
    for row in labels:
        place = bisect_left(flat.anchors, (row,))
        if place < len(flat.anchors) and flat.anchors[place][0] == row and _AWAY.match(flat.anchors[place][1]):
            return True
    return False


def _is_code_label(flat: FlatDom, row: int) -> bool:
    """Return whether an element is the label of source code."""
    if not 0 < flat.chars[row] <= LABEL:
        return False
    return _CODE_LABEL.fullmatch(" ".join("".join(flat.text[row : flat.end[row]]).split())) is not None


def _beginning(flat: FlatDom, row: int) -> str:
    """Return the first characters of the code in an element."""
    found = ""
    for one in range(row, flat.end[row]):
        found += flat.text[one]
        if len(found) >= LABEL:
            break
    return found
