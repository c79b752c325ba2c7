"""Converts chosen nodes to readable text, with all rules for white space.

Each block is one line. Inline elements neither split nor join words; `br` begins a new line; `pre` keeps its white
space; the first line of a list item begins with `- `; cells of one row are joined by ` | `.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.labels import BLOCK, CELLS, PREFORMATTED, TEXT

_UNPRINTABLE: Final = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)
_BREAKS: Final = BLOCK | {"br"}
_PLACES: Final = BLOCK | PREFORMATTED


def printable(raw: str) -> str:
    """Return a text without characters that break databases, terminals and feeds.

    These are surrogates, controls other than newline and tab, and bidirectional embeddings, overrides and isolates,
    which reorder the characters of a line. Direction marks are kept.
    """
    return raw if raw.isprintable() else _UNPRINTABLE.sub("", raw)


class _Place(NamedTuple):
    """The position of a row among blocks."""

    container: int
    """Nearest block-level element, the row included, or the root."""
    item: int
    """Nearest list item; -1 if there is none."""
    pre: bool
    """Whether inside `pre`."""


class _Line(NamedTuple):
    """Chosen texts of one line, and their position."""

    container: int
    item: int
    pre: bool
    texts: list[str]


def main_text(flat: FlatDom, nodes: Iterable[int]) -> str:
    """Return the text of disjoint subtrees, given in document order, as readable lines."""
    tag, parent = flat.tag, flat.parent
    lines: list[str] = []
    begun: set[int] = set()  # list items that have their bullet
    before, alone = -1, False  # container of the previous line, and whether it holds only that line
    for container, item, pre, texts in _chosen_lines(flat, nodes):
        raw = "".join(texts)
        body = printable(kept(raw) if pre else " ".join(raw.split()))
        if not body:
            continue
        cell = tag[container] in CELLS and not pre
        if cell and alone and container != before and parent[container] == parent[before]:
            lines[-1] += f" | {body}"
        elif item >= 0 and item not in begun:
            lines.append(f"- {body}")
        else:
            lines.append(body)
        begun.add(item)
        before, alone = container, cell and container != before
    return "\n".join(lines)


def kept(raw: str) -> str:
    """Return a text of `pre` with its inner white space."""
    return raw.replace("\r\n", "\n").replace("\xa0", " ").strip("\r\n").rstrip()


def _chosen_lines(flat: FlatDom, nodes: Iterable[int]) -> Iterator[_Line]:
    """Yield the lines of the chosen subtrees: (container, list item, whether in `pre`, texts)."""
    tag, text, end, parent = flat.tag, flat.text, flat.end, flat.parent
    places = {0: _Place(0, -1, tag[0] in PREFORMATTED)}
    line: _Line | None = None
    before = -1  # the previous chosen text
    for node in nodes:
        if node:
            _place(flat, parent[node], places)
        between = tag[before + 1 : node] if line else []
        ends, apart = not _BREAKS.isdisjoint(between), TEXT in between
        for i in range(node or 1, end[node]):
            name = tag[i]
            place = places[parent[i]]
            if name != TEXT:
                places[i] = _inside(place, i, name) if name in _PLACES else place
                ends = ends or name in _BREAKS
                continue
            if ends or line is None or line.container != place.container:
                if line:
                    yield line
                line = _Line(*place, [])
            elif apart:
                line.texts.append(" ")  # a text left out between two words separates them
            line.texts.append(text[i])
            before, ends, apart = i, False, False
    if line:
        yield line


def _place(flat: FlatDom, row: int, places: dict[int, _Place]) -> _Place:
    """Return the position of a row; `places` caches positions and holds at least the root's."""
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
    container = row if name in BLOCK else place.container
    return _Place(container, row if name == "li" else place.item, place.pre or name in PREFORMATTED)
