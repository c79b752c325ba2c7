"""Finds the line numbers of program code, which are not part of the code.

Highlighters write them into a cell beside the code, or before each line. [OWN]
"""

import re
from bisect import bisect_left
from functools import lru_cache
from itertools import islice, pairwise, takewhile
from typing import Final

from sitecrawl.dom.bounded_cache import LIMIT
from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.labels import CELLS, PREFORMATTED, TEXT
from sitecrawl.dom.vocabulary import rows_with, vocabulary

ABOVE: Final = 5
"""Number of ancestors of the numbers in which the code is searched. Own choice: pygments has four up to the table."""
NAMES: Final = re.compile(
    r"(?<![a-z])(?:gutter|linenos?|linenodiv|line-?numbers?|crayon-nums?|lnt?)(?![a-z])", re.IGNORECASE
)
"""Matches class names of elements with line numbers."""
LONGEST: Final = 10_000
"""Maximum rows of such an element, so that nested ones cost little. Own choice."""
_DIGITS: Final = 6
"""Maximum digits of a line number."""
_CODE: Final = frozenset(("pre", "code"))
_TOO_LARGE: Final = frozenset(("html", "body", "main", "article"))
"""Elements that may contain code which does not belong to the numbers."""


def line_numbers(flat: FlatDom) -> list[int]:
    """Return the rows of the elements with line numbers, in document order; none contains another.

    Such an element contains only consecutive numbers, and either has a name of `NAMES` and code near it, or is a table
    cell before a cell with `pre`.
    """
    words = vocabulary(flat)
    code = rows_with(words.tags, _CODE, range(len(flat)))
    if not code:
        return []
    named = {row for names, rows in words.names.items() if numbers_lines(names) for row in rows}
    beside = {row for pre in words.tags.get("pre", ()) if (row := _cell_before(flat, pre)) > 0}
    found: list[int] = []
    for row in sorted(named | beside):
        inside = found and row < flat.end[found[-1]]
        if not inside and (row in beside or _near_code(flat, row, code)) and _counts(flat, row):
            found.append(row)
    return found


@lru_cache(LIMIT)
def numbers_lines(names: str) -> bool:
    """Return whether class names are those of an element with line numbers."""
    return NAMES.search(names) is not None


def in_code(flat: FlatDom, row: int) -> bool:
    """Return whether a row is in an element that keeps its white space."""
    return any(flat.tag[above] in PREFORMATTED for above in flat.ancestors(row))


def line_breaks(text: str) -> str:
    """Return the line breaks of a text."""
    return "\n" * text.count("\n")


def _counts(flat: FlatDom, row: int) -> bool:
    """Return whether an element contains only consecutive numbers."""
    begin, end = row, flat.end[row]
    if end - begin > LONGEST:
        return False
    texts = [text for text, tag in zip(flat.text[begin:end], flat.tag[begin:end], strict=True) if tag == TEXT]
    numbers = " ".join(texts).split()
    if not numbers or not all(one.isdecimal() and len(one) <= _DIGITS for one in numbers):
        return False
    return all(after == before + 1 for before, after in pairwise(map(int, numbers)))


def _near_code(flat: FlatDom, row: int, code: list[int]) -> bool:
    """Return whether an element is in or near program code; `code` are the rows of all code."""
    near = takewhile(lambda above: flat.tag[above] not in _TOO_LARGE, islice(flat.ancestors(row), ABOVE))
    return any(bisect_left(code, above) < bisect_left(code, flat.end[above]) for above in near)


def _cell_before(flat: FlatDom, pre: int) -> int:
    """Return the cell before the cell that contains `pre`, in the same row of a table; -1 if there is none."""
    cell = next((one for one in islice(flat.ancestors(pre), ABOVE) if flat.tag[one] in CELLS), -1)
    if cell < 0:
        return -1
    before = cell - 1  # the last row of the previous cell
    while flat.parent[before] > flat.parent[cell]:
        before = flat.parent[before]
    return before if flat.parent[before] == flat.parent[cell] and flat.tag[before] in CELLS else -1
