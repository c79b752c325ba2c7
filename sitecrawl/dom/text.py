"""Chosen nodes to readable text: its white-space rules are here.

Text: one line a block; inline elements neither split words nor join them; `br` begins a new line; `pre` keeps
its white space; the first line of a list item begins with `- `; cells of one line are joined by ` | `.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.labels import BLOCK, CELLS, PREFORMATTED, TEXT

_SPACES: Final = re.compile(r"\s+")
_UNPRINTABLE: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]")
_BREAKS: Final = BLOCK | {"br"}


def printable(raw: str) -> str:
    """Remove what databases, terminals and feeds choke on: surrogates, and controls but newline and tab."""
    return _UNPRINTABLE.sub("", raw)


class _Line(NamedTuple):
    """Chosen texts that stand on one line."""

    container: int
    """Nearest block-level ancestor, or the root."""
    item: int
    """Nearest list item, -1 for none."""
    pre: bool
    texts: list[str]


def main_text(flat: FlatDom, nodes: Iterable[int]) -> str:
    """Return the text of disjoint subtrees, given in document order, as readable lines."""
    tag, parent = flat.tag, flat.parent
    lines: list[str] = []
    begun: set[int] = set()  # list items that have their bullet
    before, alone = -1, False  # container of the line before, and whether it holds that line only
    for container, item, pre, texts in _lines(flat, nodes):
        raw = "".join(texts)
        if pre:
            body = raw.replace("\r\n", "\n").replace("\xa0", " ").strip("\r\n").rstrip()
        else:
            body = _SPACES.sub(" ", raw).strip()
        body = printable(body)
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


def _lines(flat: FlatDom, nodes: Iterable[int]) -> Iterator[_Line]:
    """Yield the lines of the chosen subtrees."""
    tag, text, end = flat.tag, flat.text, flat.end
    containers, items, pres = _surroundings(flat)
    line: _Line | None = None
    before = -1  # the chosen text before
    for node in nodes:
        for i in range(node, end[node]):
            if tag[i] != TEXT:
                continue
            between = tag[before + 1 : i] if line else []
            if line is None or line.container != containers[i] or not _BREAKS.isdisjoint(between):
                if line:
                    yield line
                line = _Line(containers[i], items[i], pres[i], [])
            elif TEXT in between:
                line.texts.append(" ")  # an unchosen text separates words
            line.texts.append(text[i])
            before = i
    if line:
        yield line


def _surroundings(flat: FlatDom) -> tuple[list[int], list[int], list[bool]]:
    """Return for each row (nearest block-level element, nearest list item or -1, whether inside `pre`)."""
    containers, items, pres = [0], [-1], [flat.tag[0] in PREFORMATTED]
    for i in range(1, len(flat)):
        name, above = flat.tag[i], flat.parent[i]
        containers.append(i if name in BLOCK else containers[above])
        items.append(i if name == "li" else items[above])
        pres.append(pres[above] or name in PREFORMATTED)
    return containers, items, pres
