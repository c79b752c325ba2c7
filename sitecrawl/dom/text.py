"""Chosen nodes to readable text and to a clean HTML fragment: every white-space rule is here.

Text: one line a block; inline elements neither split words nor join them; `br` begins a new line; `pre` keeps
its white space; the first line of a list item begins with `- `; cells of one line are joined by ` | `.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple
from urllib.parse import urljoin

import nh3
from lxml import etree
from lxml.etree import _Element

from sitecrawl.dom.flat import FlatDom, elements
from sitecrawl.dom.labels import BLOCK, CELLS, PREFORMATTED, TEXT

_SPACES: Final = re.compile(r"\s+")
_UNPRINTABLE: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]")
_URL_ATTRIBUTES: Final = ("href", "src")
_KEPT_ATTRIBUTES: Final = (
    *_URL_ATTRIBUTES,
    *("alt", "title", "colspan", "rowspan", "datetime", "lang", "dir", "start"),
)
_BREAKS: Final = BLOCK | {"br"}
_UNWRAPPED: Final = frozenset(("html", "body"))
_WHOLE: Final = frozenset(("ul", "ol", "menu", "dl", "table", "thead", "tbody", "tfoot", "tr", "pre"))
"""Elements whose children mean little without them."""
_RENAMED: Final[Mapping[str, str]] = {
    "main": "div",
    "section": "div",
    "listing": "pre",
    "plaintext": "pre",
    "textarea": "pre",
    "title": "span",
    "xmp": "pre",
}
"""Elements that the sanitiser would unwrap, or would read as raw text."""


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


def main_html(flat: FlatDom, root: _Element, nodes: Iterable[int], base_url: str) -> str:
    """Return disjoint subtrees as a sanitised fragment.

    Elements between chosen nodes and their lowest common ancestor are kept, so that lists and tables stay
    whole; of the attributes only those that carry meaning; links are absolute.
    """
    chosen = sorted(set(nodes))
    if not chosen:
        return ""
    wanted = _wanted(flat, chosen)
    fragment = etree.Element("div")
    targets: dict[int, _Element] = {}
    sources = elements(root)
    below: dict[_Element, _Element | None] = {fragment: None}  # the last child of each element that was made
    texts: list[str] = []  # not written yet, all inside `target`
    target = fragment
    for i in range(flat.end[chosen[-1]]):
        name = flat.tag[i]
        source = None if name == TEXT else next(sources)
        if not wanted[i]:
            continue
        above = targets.get(flat.parent[i], fragment)
        if above is not target or source is not None:
            _append_text(target, below[target], texts)
            target, texts = above, []
        if source is None:
            texts.append(flat.text[i])
        elif name in _UNWRAPPED:
            targets[i] = target
        else:
            made = targets[i] = _copy_element(target, source, _RENAMED.get(name, name), base_url)
            below[target], below[made] = made, None
    _append_text(target, below[target], texts)
    html = etree.tostring(fragment, encoding="unicode", method="html")
    return nh3.clean(html.removeprefix("<div>").removesuffix("</div>")).strip()


def _wanted(flat: FlatDom, chosen: list[int]) -> list[bool]:
    """Mark the chosen subtrees, and what joins them below their lowest common ancestor."""
    tag, parent, end = flat.tag, flat.parent, flat.end
    wanted = [False] * len(flat)
    for node in chosen:
        wanted[node : end[node]] = [True] * (end[node] - node)
    common, last = parent[chosen[0]], chosen[-1]
    while common >= 0 and not common < last < end[common]:
        common = parent[common]
    while common >= 0 and tag[common] in _WHOLE:
        common = parent[common]
    for node in chosen:
        above = parent[node]
        while above > common and not wanted[above]:
            wanted[above] = True
            above = parent[above]
    return wanted


def _append_text(target: _Element, child: _Element | None, texts: list[str]) -> None:
    """Write texts at the end of an element whose last child is `child`; asking lxml counts them."""
    text = printable("".join(texts))
    if child is not None:
        child.tail = (child.tail or "") + text
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
