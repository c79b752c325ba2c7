"""Chosen nodes to readable text and to a clean HTML fragment: every white-space rule is here.

Text: one line a block; inline elements neither split words nor join them; `br` begins a new line; `pre` keeps its
white space; list items begin with `- `; plain cells of a table row stand on one line, separated by ` | `.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final
from urllib.parse import urljoin

import nh3
from lxml import etree
from lxml.etree import _Element

from sitecrawl.dom.flat import FlatDom, elements
from sitecrawl.dom.labels import BLOCK, CELLS, TEXT

_SPACES: Final = re.compile(r"\s+")
_UNPRINTABLE: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]")
_KEPT_ATTRIBUTES: Final = ("href", "src", "alt", "title", "colspan", "rowspan", "datetime", "lang", "dir", "start")
_URL_ATTRIBUTES: Final = ("href", "src")
_UNWRAPPED: Final = frozenset(("html", "body"))
_WITHOUT_TEXT: Final = frozenset(("img", "br", "hr", "wbr"))


def printable(raw: str) -> str:
    """Remove what databases, terminals and feeds choke on: control characters but newline and tab, surrogates."""
    return _UNPRINTABLE.sub("", raw)


def main_text(flat: FlatDom, nodes: Iterable[int]) -> str:
    """Return the text of disjoint subtrees, given in document order, as readable lines."""
    lines: list[str] = []
    for container, pre, parts, same_row in _runs(flat, nodes):
        if pre:
            body = "".join(parts).strip("\r\n").replace("\r\n", "\n").rstrip()
        else:
            body = _SPACES.sub(" ", "".join(parts)).strip()
        if not body:
            continue
        if same_row and lines:
            lines[-1] += f" | {body}"
        else:
            lines.append(f"- {body}" if _begins_item(flat, container) else body)
    return printable("\n".join(lines))


def _runs(flat: FlatDom, nodes: Iterable[int]) -> Iterator[tuple[int, bool, list[str], bool]]:
    """Yield (container, inside pre, raw texts, continues a table row) for each line of the chosen subtrees."""
    tag, text, end = flat.tag, flat.text, flat.end
    container, parts, same_row = -1, [], False
    broken = False  # a block or br began since the last text
    last = -1
    for root in nodes:
        for i in range(root, end[root]):
            name = tag[i]
            if name is not TEXT and name != TEXT:
                broken = broken or name == "br" or name in BLOCK
                continue
            own = _container(flat, i)
            if parts and (broken or own != container or _leaves_block(flat, last, i)):
                yield container, _inside_pre(flat, container), parts, same_row
                same_row = _same_row(flat, container, own)
                parts = []
            broken = False
            container = own
            last = i
            parts.append(text[i])
    if parts:
        yield container, _inside_pre(flat, container), parts, same_row


def _container(flat: FlatDom, node: int) -> int:
    """Return the nearest block-level ancestor of a node, or the root."""
    tag, parent = flat.tag, flat.parent
    above = parent[node]
    while above > 0 and tag[above] not in BLOCK:
        above = parent[above]
    return max(above, 0)


def _leaves_block(flat: FlatDom, before: int, after: int) -> bool:
    """Say whether a block or `br` that was not chosen stands between two chosen texts of one container."""
    tag = flat.tag
    return any(tag[i] == "br" or tag[i] in BLOCK for i in range(before + 1, after))


def _inside_pre(flat: FlatDom, container: int) -> bool:
    tag = flat.tag
    return tag[container] in ("pre", "textarea") or any(tag[a] == "pre" for a in flat.ancestors(container))


def _same_row(flat: FlatDom, before: int, after: int) -> bool:
    """Say whether two containers are cells of one table row that hold their text directly."""
    tag, parent = flat.tag, flat.parent
    return (
        before != after
        and tag[before] in CELLS
        and tag[after] in CELLS
        and parent[before] == parent[after]
    )


def _begins_item(flat: FlatDom, container: int) -> bool:
    """Say whether a line stands directly in a list item: then it shows a bullet."""
    return flat.tag[container] == "li"


def main_html(flat: FlatDom, root: _Element, nodes: Iterable[int], base_url: str) -> str:
    """Return disjoint subtrees, in document order, as a sanitised fragment.

    Elements between chosen nodes and their lowest common ancestor are kept, so that lists and tables stay whole;
    of the attributes only those that carry meaning; links are absolute.
    """
    chosen = sorted(set(nodes))
    if not chosen:
        return ""
    wanted, inside = _wanted(flat, chosen)
    sources = list(elements(root))
    made: dict[int, _Element] = {}
    fragment = etree.Element("div")
    number = -1
    for i in range(chosen[-1] + 1 if chosen[-1] < 0 else flat.end[chosen[-1]]):
        is_text = flat.tag[i] == TEXT
        if not is_text:
            number += 1
        if i not in wanted and i not in inside:
            continue
        above = flat.parent[i]
        while above >= 0 and above not in made:
            above = flat.parent[above]
        target = made[above] if above >= 0 else fragment
        if is_text:
            _append_text(target, printable(flat.text[i]))
        elif flat.tag[i] not in _UNWRAPPED:
            made[i] = _copy_element(target, sources[number], flat.tag[i], base_url)
    html = etree.tostring(fragment, encoding="unicode", method="html")
    return nh3.clean(html.removeprefix("<div>").removesuffix("</div>")).strip()


def _wanted(flat: FlatDom, chosen: list[int]) -> tuple[set[int], set[int]]:
    """Return (ancestors of chosen nodes below their common ancestor, rows inside the chosen subtrees)."""
    inside: set[int] = set()
    for node in chosen:
        inside.update(range(node, flat.end[node]))
    paths = [set(flat.ancestors(node)) for node in chosen]
    common = set.intersection(*paths)
    return set().union(*paths) - common, inside


def _append_text(target: _Element, text: str) -> None:
    if len(target):
        target[-1].tail = (target[-1].tail or "") + text
    else:
        target.text = (target.text or "") + text


def _copy_element(target: _Element, source: _Element, tag: str, base_url: str) -> _Element:
    try:
        made = etree.SubElement(target, tag)
    except ValueError:  # a tag name that HTML allows and lxml does not write
        made = etree.SubElement(target, "span")
    for name in _KEPT_ATTRIBUTES:
        value = source.get(name)
        if value is None:
            continue
        if name in _URL_ATTRIBUTES:
            try:
                value = urljoin(base_url, value.strip())
            except ValueError:
                continue
        made.set(name, printable(value))
    return made
