"""Converts chosen nodes to readable text, with all rules for white space.

Each block is one line. Inline elements neither split nor join words, but two adjacent links are separated by a space:
they are buttons or tags, which style sheets separate. So are two other adjacent elements, such as `span`, if a capital
letter follows a small one: "Enterprise" and "Build team" (`are_apart`). `br` begins a new line; `pre` keeps its white
space; the first line of a list item begins with `- `; cells of one row are joined by ` | ` if each has one line, in
any blocks.
"""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final, NamedTuple

from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.labels import BLOCK, CELLS, PREFORMATTED, TEXT
from sitecrawl.dom.line_numbers import line_breaks, line_numbers
from sitecrawl.dom.permalinks import permalinks
from sitecrawl.dom.source_links import source_links

SOFT_HYPHEN: Final = "\xad"
_UNPRINTABLE: Final = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)
_BREAKS: Final = BLOCK | {"br"}
_PLACES: Final = BLOCK | PREFORMATTED
_PIECES: Final = frozenset(("a", "b", "button", "cite", "em", "label", "small", "span", "strong", "time"))
"""Inline elements that style sheets may separate visually."""
_ENDS: Final = frozenset(".?!…,;:)%。？！")
"""Marks that end a text of several words, so that the next element is separate: in "std::" they are part of a name.
Quotation marks are not among them, since they may open a quotation."""
_CODE: Final = PREFORMATTED | {"code", "kbd", "samp", "tt", "var"}
"""Elements in which adjacent elements are parts of one name."""
LEAST: Final = 2
"""Minimum words of a text for it to be no part of a name. Own choice."""
LEVELS: Final = 20
"""Maximum inline elements around each of two separate texts: hostile pages nest hundreds. Own choice."""
LONG: Final = 200
"""Characters from which the only line of a cell is long; if most are long, the table is a layout. Own choice."""


def printable(raw: str) -> str:
    """Return a text without characters that break databases, terminals and feeds.

    These are surrogates, controls other than newline and tab, and bidirectional embeddings, overrides and isolates,
    which reorder the characters of a line. Direction marks are kept.
    """
    return raw if raw.isprintable() else _UNPRINTABLE.sub("", raw)


def whole_words(raw: str) -> str:
    """Return a printable text without soft hyphens: a search for "Donaudampfschiff" would not find a word with them."""
    return raw if raw.isprintable() else printable(raw).replace(SOFT_HYPHEN, "")


class _Place(NamedTuple):
    """The position of a row among blocks."""

    container: int
    """Nearest block-level element, the row included, or the root."""
    item: int
    """Nearest list item; -1 if there is none."""
    pre: bool
    """Whether inside `pre`."""
    cell: int
    """Nearest cell of the nearest table; -1 if there is none."""
    table: int
    """Nearest table; -1 if there is none."""


class _Line(NamedTuple):
    place: _Place
    body: str
    """The text of the line; never empty."""


def main_text(flat: FlatDom, nodes: Iterable[int]) -> str:
    """Return the text of disjoint subtrees, given in document order, as readable lines.

    Permalinks and the numbers of lines of code are left out.
    """
    tag, parent = flat.tag, flat.parent
    lines: list[list[str]] = []
    begun: set[int] = set()  # list items whose bullet was written
    before, alone = -1, False  # container of the previous line, and whether it contains only that line
    found = [_Line(place, body) for place, texts in _chosen_lines(flat, nodes) if (body := _body(texts, pre=place.pre))]
    for (place, body), container in zip(found, _containers(flat, found), strict=True):
        cell = tag[container] in CELLS and not place.pre
        if cell and alone and container != before and parent[container] == parent[before]:
            lines[-1].append(body)
        elif place.item >= 0 and place.item not in begun:
            lines.append([f"- {body}"])
        else:
            lines.append([body])
        begun.add(place.item)
        before, alone = container, cell and container != before
    return "\n".join([" | ".join(line) for line in lines])


def _body(texts: list[str], *, pre: bool) -> str:
    """Return the text of a line, with its inner white space if it is inside `pre`."""
    raw = texts[0] if len(texts) == 1 else "".join(texts)
    body = kept(raw) if pre else " ".join(raw.split())
    return whole_words(body)


def _containers(flat: FlatDom, lines: list[_Line]) -> list[int]:
    """Return the container of each line: the cell, if it is the cell's only line at any depth; else the nearest block.

    Items of lists in cells do not count as cells of a row, and neither do the texts of a layout table.
    """
    nearest = [line.place.container for line in lines]
    only: dict[int, list[int]] = {}  # positions of lines that are alone in their cells, by table
    for i, (place, _) in enumerate(lines):
        cell = place.cell
        if cell < 0 or place.pre or place.item > cell:
            continue
        beside = nearest[max(0, i - 1) : i] + nearest[i + 1 : i + 2]
        if not any(cell <= other < flat.end[cell] for other in beside):
            only.setdefault(place.table, []).append(i)
    containers = list(nearest)
    for places in only.values():
        if 2 * sum(len(lines[i].body) > LONG for i in places) <= len(places):
            for i in places:
                containers[i] = lines[i].place.cell
    return containers


def kept(raw: str) -> str:
    """Return a text of `pre` with its inner white space, without white space at the end and outer line breaks."""
    return raw.replace("\r\n", "\n").replace("\xa0", " ").strip("\r\n").rstrip()


def _chosen_lines(flat: FlatDom, nodes: Iterable[int]) -> Iterator[tuple[_Place, list[str]]]:
    """Yield the lines of the chosen subtrees: the position of each, and its texts."""
    tag, text, end, parent = flat.tag, flat.text, flat.end, flat.parent
    places = {0: _Place(0, -1, tag[0] in PREFORMATTED, -1, -1)}
    line: list[str] = []
    at, container = places[0], -1  # the position of the line; no container before the first line
    before = -1  # the previous chosen text
    link, stop_of_link, beside = -1, -1, -1  # the latest link, its end, and itself if it is beside one with text
    left_out = {one for row in (*permalinks(flat), *source_links(flat)) for one in range(row, flat.end[row])}
    numbers = {one for row in line_numbers(flat) for one in range(row, flat.end[row])}
    for node in nodes:
        if node:
            _place(flat, parent[node], places)
        between = tag[before + 1 : node] if line else []
        ends, apart = not _BREAKS.isdisjoint(between), TEXT in between
        begin, stop = node or 1, end[node]
        for i, name, above in zip(range(begin, stop), tag[begin:stop], parent[begin:stop], strict=True):
            place = places[above]
            if name != TEXT:
                if name in _BREAKS:
                    ends = True
                elif name == "a":
                    side_by_side = i == stop_of_link and before > link and not place.pre
                    beside = i if side_by_side and not _one_target(flat, link, i) else -1
                    link, stop_of_link = i, end[i]
                places[i] = _inside(place, i, name) if name in _PLACES else place
                continue
            if i in left_out:
                apart = True
                continue
            if i in numbers:
                if line and place[0] == container:
                    line.append(line_breaks(text[i]))  # the break between two lines of code may be in the omitted text
                continue
            if ends or place[0] != container:
                if line:
                    yield at, line
                line, at, container = [text[i]], place, place[0]
            else:
                links = before < beside and i < stop_of_link
                if (
                    apart
                    or (links and _are_words(line[-1], text[i]))
                    or (above > before > 0 and are_apart(flat, before, i))
                ):
                    line.append(" ")  # an omitted text between two words separates them
                line.append(text[i])
            before, ends, apart = i, False, False
    if line:
        yield at, line


def are_apart(flat: FlatDom, before: int, row: int) -> bool:
    """Return whether two texts of a line, in different elements without white space between them, are separate words.

    A capital letter or a number follows a small letter, or a capital letter a number, and one of the texts has several
    words or is a number: "Prep time" and "13". Names in two parts are not separated: "Adw" and "ViewSwitcher". The
    texts of two web components (`x-button`) are always separate words, and so are those of two labels of controls, such
    as the names of tabs. In the gold texts of page sets and recorded
    sites, 866 pairs of the first kind are separate, on 37 sites; 196 are not, nearly all in gold texts that were made
    without style sheets. After one of `_ENDS` a capital letter begins another text ("Ann C." and "Buyer"): 105 of 105
    pairs after the end of a sentence in page sets. [OWN]
    """
    tag, element, beside = flat.tag, flat.parent[before], flat.parent[row]
    separate = ("-" in tag[element] and "-" in tag[beside]) or tag[element] == tag[beside] == "label"
    if not separate and not _look_apart(flat.text[before], flat.text[row]):
        return False
    if not separate and not _are_pieces(tag[element], tag[beside]):
        return False
    if flat.end[element] > row or "wbr" in tag[before:row]:
        return False
    around = _up_to_block(flat, row)
    if not around or around[-1:] != _up_to_block(flat, before)[-1:]:
        return False
    return not any(tag[one] in _CODE for one in around)


def _are_words(one: str, other: str) -> bool:
    """Return whether a space separates the texts of two links side by side."""
    if not other[:1].isalnum():
        return False
    return one[-1:].isalnum() or (one[-1:] in _ENDS and (_has_words(one) or _has_words(other)))


def _has_words(one: str) -> bool:
    return len(one.split(None, LEAST - 1)) >= LEAST


def _are_pieces(one: str, other: str) -> bool:
    """Return whether style sheets may separate two elements. A `b` beside a `b` may be letters of one word."""
    return one in _PIECES and other in _PIECES and not one == other == "b"


def _look_apart(one: str, other: str) -> bool:
    """Return whether the letters at the seam of two texts, and their words, are those of separate words."""
    left, right = one[-1:], other[:1]
    names = right.isupper() and (left.islower() or left in _ENDS)
    if not names and not (right.isupper() and left.isdecimal()) and not (right.isdecimal() and left.islower()):
        return False
    return not names or _has_words(one) or _has_words(other)


def _up_to_block(flat: FlatDom, row: int) -> list[int]:
    """Return the elements around a row, up to the nearest block-level one or the root; [] if more than `LEVELS`."""
    around: list[int] = []
    for one in islice(flat.ancestors(row), LEVELS + 1):
        around.append(one)
        if one == 0 or flat.tag[one] in BLOCK:
            return around
    return []


def _one_target(flat: FlatDom, link: int, other: int) -> bool:
    """Return whether two links have the same href: an editor has split one link, perhaps inside a word."""
    hrefs = []
    for row in (link, other):
        at = bisect_left(flat.anchors, (row,))
        if at == len(flat.anchors) or flat.anchors[at][0] != row:
            return False
        hrefs.append(flat.anchors[at][1])
    return hrefs[0] == hrefs[1]


def _place(flat: FlatDom, row: int, places: dict[int, _Place]) -> _Place:
    """Return the position of a row; `places` caches positions and contains at least that of the root."""
    tag, parent, unknown = flat.tag, flat.parent, []
    while row not in places:
        unknown.append(row)
        row = parent[row]
    place = places[row]
    for row in reversed(unknown):
        if tag[row] in _PLACES:
            place = _inside(place, row, tag[row])
        places[row] = place
    return place


def _inside(place: _Place, row: int, name: str) -> _Place:
    """Return the position of an element in `_PLACES`, given its parent's."""
    container, item, pre, cell, table = place
    if name == "table":
        cell, table = -1, row
    elif name in CELLS:
        cell = row
    return tuple.__new__(  # the constructor of a NamedTuple is a slow Python function, and this runs for every block
        _Place,
        (
            row if name in BLOCK else container,
            row if name == "li" else item,
            pre or name in PREFORMATTED,
            cell,
            table,
        ),
    )
