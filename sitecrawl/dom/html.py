"""Converts chosen nodes to a clean HTML fragment that keeps structure and drops everything else.

Headings, paragraphs, lists, tables, code, quotes, figures, links and images are kept, with only their meaningful
attributes. URLs are absolute, and lazy-loaded images get their real URL. White space is folded outside `pre`, and
placed between elements rather than at their beginning. Finally `nh3` removes everything that is not known to be safe.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Final
from urllib.parse import urljoin

import nh3
from lxml import etree
from lxml.etree import _Element

from sitecrawl.dom.flat import FlatDom, elements
from sitecrawl.dom.images import image_address
from sitecrawl.dom.labels import BLOCK, PREFORMATTED, TEXT
from sitecrawl.dom.line_numbers import in_code, line_breaks, line_numbers
from sitecrawl.dom.permalinks import permalinks
from sitecrawl.dom.source_links import source_links
from sitecrawl.dom.text import are_apart, printable

_FOLDED: Final = re.compile(r"[ \t\n\r\f]+")
"""White space of HTML; a non-breaking space is not included."""
_WHOLE: Final = frozenset(("ul", "ol", "menu", "dl", "table", "thead", "tbody", "tfoot", "tr", "pre"))
"""Elements that are kept around their chosen children."""
_TAGS: Final = nh3.ALLOWED_TAGS | {"tfoot"}
_VOID: Final = frozenset(("br", "hr", "img", "wbr", "col"))
"""Void elements; libxml2 puts content after an unknown element into them."""
_SHOWN: Final = frozenset(("br", "wbr", "img", "image", *BLOCK))
"""Elements that are kept without any text."""
_RENAMED: Final[Mapping[str, str]] = {
    **dict.fromkeys(BLOCK - _TAGS - {"html", "body"}, "div"),  # the sanitiser would unwrap them and join words
    **dict.fromkeys(PREFORMATTED, "pre"),
    **dict.fromkeys(("dir", "menu"), "ul"),
    "image": "img",
}
_ATTRIBUTES: Final[Mapping[str, tuple[str, ...]]] = {
    "a": ("href", "title"),
    "abbr": ("title",),
    "blockquote": ("cite",),
    "q": ("cite",),
    "del": ("datetime",),
    "ins": ("datetime",),
    "li": ("value",),
    "ol": ("start", "reversed"),
    "td": ("colspan", "rowspan"),
    "th": ("colspan", "rowspan", "scope"),
    "time": ("datetime",),
}
_EVERYWHERE: Final = ("lang", "dir")
_ADDRESSES: Final = frozenset(("href", "cite"))
_ALLOWED: Final = {
    **{tag: set(names) for tag, names in _ATTRIBUTES.items()},
    "img": {"src", "alt"},
    "pre": {"class"},
    "code": {"class"},
    "*": set(_EVERYWHERE),
}
_LANGUAGE: Final = re.compile(r"(?:^|\s)(?:language|lang|highlight-source|highlight)-([A-Za-z0-9+#_]+)(?=\s|$)")
_NO_LANGUAGE: Final = frozenset(("default", "none", "text", "plain", "plaintext", "wrapper", "container", "box"))
MAX_DEPTH: Final = 100
"""Maximum nesting of a fragment; deeper elements become siblings. HTML parsers scan the open elements at each tag,
so 1,900 levels over 50,000 tags take them 4 s [OWN: several times the depth of real content]."""
PIECE: Final = 4096
"""Maximum characters between two tags or comments of a fragment; longer texts get comments inside, which the sanitiser
removes. The sanitiser's time grows with the square of a text's length if the text is full of `&` or soft hyphens: two
million of them take over 25 s [OWN: longer than most paragraphs]."""
MAX_VALUE: Final = 16_384
"""Maximum characters of the value of an attribute; longer ones are left out, for the same reason [OWN: longer than the
URLs that servers accept]."""
_LANGUAGE_ABOVE: Final = 3
"""Number of ancestors of `pre` searched for the programming language [OWN]: Sphinx has it two levels above."""


def main_html(flat: FlatDom, root: _Element, nodes: Iterable[int], base_url: str) -> str:
    """Return disjoint subtrees as a sanitised fragment, without permalinks, links to source code and line numbers.

    Elements between the chosen nodes and their lowest common ancestor are kept, so that lists and tables stay whole.
    """
    chosen = sorted(set(nodes))
    if not chosen:
        return ""
    wanted = _wanted(flat, chosen)
    numbers = line_numbers(flat)
    lines = {i for row in numbers if in_code(flat, row) for i in range(row, flat.end[row])}
    for row in (*permalinks(flat), *source_links(flat), *(row for row in numbers if row not in lines)):
        wanted[row : flat.end[row]] = [False] * (flat.end[row] - row)
    fragment = _Fragment(base_url)
    targets: dict[int, _Element] = {}
    levels = flat.depth[chosen[0]] + MAX_DEPTH
    sources = elements(root)
    before, left_out = -1, False  # the last chosen text, and whether a text since then was left out
    for i in range(flat.end[chosen[-1]]):
        name = flat.tag[i]
        source = None if name == TEXT else next(sources)
        if not wanted[i]:
            left_out = left_out or name == TEXT
            continue
        above = targets.get(flat.parent[i], fragment.root)
        if not flat.chars[i] and name not in BLOCK and _SHOWN.isdisjoint(flat.tag[i : flat.end[i]]):
            targets[i] = above  # an empty inline element: an invisible anchor
        elif source is None:
            apart = left_out or (before >= 0 and are_apart(flat, before, i))
            fragment.add_text(above, line_breaks(flat.text[i]) if i in lines else flat.text[i], apart=apart)
            before, left_out = i, False
        elif flat.depth[i] > levels and flat.end[i] > i + 2:
            targets[i] = above
        else:
            targets[i] = fragment.add_element(above, source)
    html = etree.tostring(fragment.finish(), encoding="unicode", method="html")
    return nh3.clean(
        html.removeprefix("<div>").removesuffix("</div>"), tags=_TAGS, attributes=_ALLOWED, link_rel=None
    ).strip()


def _wanted(flat: FlatDom, chosen: list[int]) -> list[bool]:
    """Return marks for the rows of the chosen subtrees and of the elements below their lowest common ancestor."""
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


class _Fragment:
    """A copy of the chosen part of a page, built in document order."""

    def __init__(self, base_url: str) -> None:
        self.root = etree.Element("div")
        self.base_url = base_url
        self._target = self.root
        self._texts: list[str] = []
        """Texts not written yet, all inside the target."""
        self._last: dict[_Element, _Element | None] = {self.root: None}
        """The last child of each element built; lxml would count the children."""
        self._preformatted: set[_Element] = set()

    def add_text(self, above: _Element, text: str, *, apart: bool) -> None:
        """Add a text; `apart` means that it does not continue the last word of the previous text."""
        self._turn_to(above)
        self._texts.append(f" {text}" if apart and above not in self._preformatted else text)

    def add_element(self, above: _Element, source: _Element) -> _Element:
        """Add a copy of an element without its content; return the element that receives the content."""
        tag = str(source.tag)
        attributes = self._attributes(tag, source)
        name = _RENAMED.get(tag, tag)
        if name == "a" and "href" not in attributes:
            name = "span"
        bare = name not in _TAGS or (name == "span" and not attributes)
        if bare or (name == "img" and "src" not in attributes):
            return above  # only the content is kept; the sanitiser would drop the content of some elements too
        self._turn_to(above)
        self._write()
        made = etree.SubElement(above, name)
        for key, value in attributes.items():
            made.set(key, value)
        self._last[above], self._last[made] = made, None
        if tag in PREFORMATTED or above in self._preformatted:
            self._preformatted.add(made)
        return above if name in _VOID else made

    def finish(self) -> _Element:
        """Return the root of the copy."""
        self._write()
        return self.root

    def _turn_to(self, target: _Element) -> None:
        if target is not self._target:
            self._write()
            self._target = target

    def _write(self) -> None:
        """Write the pending texts at the end of their element."""
        target, texts = self._target, self._texts
        if not texts:
            return
        self._texts = []
        text, child = printable("".join(texts)), self._last[target]
        if target not in self._preformatted:
            text = _FOLDED.sub(" ", text)
            if text.startswith(" ") and child is None and not target.text:
                text = text[1:]
                self._space_before(target)
            elif text.startswith(" ") and child is not None and _breaks(child):
                text = text[1:]
        if child is not None:
            child.tail = (child.tail or "") + text[:PIECE]
        else:
            target.text = (target.text or "") + text[:PIECE]
        for start in range(PIECE, len(text), PIECE):
            self._last[target] = comment = etree.Comment("")  # the sanitiser removes it
            comment.tail = text[start : start + PIECE]
            target.append(comment)

    def _space_before(self, element: _Element) -> None:
        """Put a space before an element that is still empty, unless a line begins there."""
        while not _breaks(element):
            before, above = element.getprevious(), element.getparent()
            if before is not None:
                tail = before.tail or ""
                if (tail or not _breaks(before)) and not tail.endswith(" "):
                    before.tail = f"{tail} "
                return
            if above is None:
                return
            if above.text:
                above.text = above.text.rstrip(" ") + " "
                return
            element = above

    def _attributes(self, tag: str, source: _Element) -> dict[str, str]:
        """Return the kept attributes of an element."""
        found: dict[str, str] = {}
        for name in (*_ATTRIBUTES.get(tag, ()), *_EVERYWHERE):
            value: str | None = source.get(name)
            if value is not None and name in _ADDRESSES:
                value = self._address(value)
            if value is not None and (value.strip() or name == "reversed"):
                found[name] = printable(value)
        if tag in ("img", "image"):
            address = image_address(source)
            src = self._address(address) if address else None
            if src is not None and src.startswith(("http://", "https://")):
                found["src"] = printable(src)
                found["alt"] = printable(" ".join(source.get("alt", "").split()))
        elif tag == "code" or tag in PREFORMATTED:
            language = _language(source)
            if language:
                found["class"] = f"language-{language}"
        return {name: value for name, value in found.items() if len(value) <= MAX_VALUE}

    def _address(self, value: str) -> str | None:
        """Return an absolute URL, or None for schemes that are useless in a document."""
        try:
            address = urljoin(self.base_url, value.strip())
        except ValueError:
            return None
        return address if address.partition(":")[0].lower() in nh3.ALLOWED_URL_SCHEMES else None


def _breaks(element: _Element) -> bool:
    return element.tag in BLOCK or element.tag == "br"


def _language(source: _Element) -> str | None:
    """Return the programming language in the class of an element or of a close ancestor; None if there is none."""
    element: _Element | None = source
    for _ in range(_LANGUAGE_ABOVE):
        if element is None or element.tag == "body":
            return None
        match = _LANGUAGE.search(element.get("class", ""))
        if match:
            return None if match[1].lower() in _NO_LANGUAGE else match[1].lower()
        if source.tag == "code" and element.tag != "pre":
            parent = element.getparent()
            if element is not source or parent is None or parent.tag != "pre":
                return None  # code within a sentence
        element = element.getparent()
    return None
