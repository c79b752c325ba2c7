"""Converts an lxml tree to parallel columns in document order, in the only walk over a page.

Every method reads these columns: a subtree is the slice `i:end[i]`, so each method is one loop. The walk uses an
explicit stack: pages nest up to 2,047 levels deep, past Python's recursion limit.

Over 300 lines: the columns with the walk that fills them.
"""

from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import accumulate, islice
from itertools import chain as concat
from operator import sub
from typing import TYPE_CHECKING, Final, Protocol, Self

from lxml import etree
from lxml.etree import _Element

from sitecrawl.dom.labels import (
    BLOCK,
    ELEMENT_LABELS,
    HEADINGS,
    MASK,
    MULTIPLIER,
    PREFORMATTED,
    SKIPPED,
    TEXT,
    TEXT_LABELS,
    chain,
)

HIDDEN_STYLES: Final = ("display:none", "display: none", "visibility:hidden", "visibility: hidden")
MAX_NAMES: Final = 2_000
"""Maximum characters used of a `class` and of an `id`, since many patterns are matched with each of their words."""
_HIDING: Final = frozenset(("hidden", "aria-hidden", "style"))
NUMBERS: Final = frozenset(
    ("parent", "depth", "end", "chars", "words", "link_chars", "label", "path", "style", "subtree")
)
"""The columns with one number per row."""
_NO_LINK, _WITHOUT_ADDRESS, _TO_OWN_PAGE, _TO_PAGE = range(4)
"""Kinds of the nearest anchor around a row."""
_NO_ROW: Final = -1
"""Parent row of the root."""
_LEFT_OUT: Final = -2
"""Row of elements that are left out with their subtrees."""


class Columns(Protocol):
    """The numeric columns of a page, stored by the compiled twin of `flatten`."""

    def column(self, name: str) -> list[int]:
        """Return a column as a list."""

    def value(self, name: str, row: int) -> int:
        """Return one number of a column."""


class _Kept:
    """Base for columns that are converted on first access."""

    __slots__ = ("_columns",)
    _columns: Columns

    @property
    def columns(self) -> Columns | None:
        """The compiled form of the columns; None if they are lists, as in the reference."""
        return getattr(self, "_columns", None)


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class FlatDom(_Kept):
    """The nodes of a page as columns. Row `i` is a node; rows are in document order, and row 0 is the root.

    Nodes are elements and non-blank text nodes. Comments, and the subtrees of `SKIPPED` tags, are left out.
    """

    tag: list[str]
    """Tag name; `TEXT` for a text node."""
    parent: list[int]
    """Row of the parent, -1 for the root."""
    depth: list[int]
    """Number of steps from the root."""
    end: list[int]
    """The subtree of `i` is the slice `i:end[i]`."""
    text: list[str]
    """Text as on the page, with its white space and preceding blank texts; "" for an element."""
    names: list[str]
    """`class` and `id` of an element, each cut to MAX_NAMES and joined by a space; "" for a text node."""
    chars: list[int]
    """Characters in the subtree, without white space."""
    words: list[int]
    """Words in the subtree, counted per text node."""
    link_chars: list[int]
    """Characters in the subtree inside `a` elements. Block elements in an `a` without `href` do not count: hand-written
    pages leave `<a name=x>` open."""
    label: list[int]
    """crc32 of the properties that make two nodes equal (`dom.labels`)."""
    path: list[int]
    """63-bit chain of labels from the root: equal keys mean equal nodes with equal ancestors."""
    style: list[int]
    """Chain of the labels of the child elements: the presentation style of the Site Style Tree."""
    subtree: list[int]
    """Chain of the whole subtree: equal for exact repetitions."""
    anchors: list[tuple[int, str, str]]
    """(node, raw href, rel) of `a` and `area` elements with an href, in document order."""
    hidden: list[int]
    """Rows of elements with `hidden`, `aria-hidden` or an inline style that hides them."""
    unshown: list[int]
    """Rows of elements with `hidden`, or with `none` in an inline style, which `dom.invisible` examines."""

    @classmethod
    def kept_by(
        cls,
        columns: Columns,
        tag: list[str],
        text: list[str],
        names: list[str],
        anchors: list[tuple[int, str, str]],
        hidden: list[int],
        unshown: list[int],
    ) -> Self:
        """Return a page whose numeric columns are converted to lists on first access, since most methods need a few."""
        flat = cls.__new__(cls)
        put = object.__setattr__
        put(flat, "_columns", columns)
        put(flat, "tag", tag)
        put(flat, "text", text)
        put(flat, "names", names)
        put(flat, "anchors", anchors)
        put(flat, "hidden", hidden)
        put(flat, "unshown", unshown)
        return flat

    if not TYPE_CHECKING:  # type checkers see every column

        def __getattr__(self, name: str) -> list[int]:
            if name not in NUMBERS:
                raise AttributeError(f"FlatDom has no {name!r}")
            column = self._columns.column(name)
            object.__setattr__(self, name, column)
            return column

    def release(self) -> None:
        """Free the lists of numbers; they are converted again from the compiled columns on access."""
        if self.columns is not None:
            for name in NUMBERS:
                with suppress(AttributeError):  # not converted yet
                    object.__delattr__(self, name)

    @property
    def fingerprint(self) -> int:
        """Fingerprint of the whole page: `subtree` of the root."""
        return self.columns.value("subtree", 0) if self.columns is not None else self.subtree[0]

    def __len__(self) -> int:
        return len(self.tag)

    def ancestors(self, node: int) -> Iterator[int]:
        """Yield the ancestors of a node, nearest first."""
        parent = self.parent
        node = parent[node]
        while node >= 0:
            yield node
            node = parent[node]


class _Walk:
    """The data collected by the walk over a page; the other columns are computed from it."""

    __slots__ = ("anchors", "depth", "end", "facts", "hidden", "names", "parent", "tag", "text", "unshown")

    def __init__(self) -> None:
        self.tag: list[str] = []
        self.parent: list[int] = []
        self.depth: list[int] = []
        self.end: list[int] = []
        self.text: list[str] = []
        self.names: list[str] = []
        self.facts: list[tuple[int, int, int]] = []
        """(own characters, own words, label) of each row."""
        self.anchors: list[tuple[int, str, str]] = []
        self.hidden: list[int] = []
        self.unshown: list[int] = []

    def attributes(self, element: _Element, tag: str, row: int, given: Collection[str | bytes]) -> str:
        """Record the attributes of an element; return its class."""
        classes = element.get("class", "")[:MAX_NAMES] if "class" in given else ""
        number = element.get("id", "")[:MAX_NAMES] if "id" in given else ""
        self.names.append(f"{classes} {number}".strip() if number else classes.strip())
        if "href" in given and (tag == "a" or tag == "area"):
            self.anchors.append((row, element.get("href", ""), element.get("rel", "")))
        if not _HIDING.isdisjoint(given):
            style = element.get("style", "")
            if "hidden" in given or "none" in style or "NONE" in style:
                self.unshown.append(row)
            if _is_hidden(element):
                self.hidden.append(row)
        return classes


def flatten(root: _Element) -> FlatDom:
    """Return the columns of the tree below `root` (row 0). The tree is not changed.

    One loop over lxml's document-order iterator: each step first closes the elements that end before the next one,
    adding the texts after them, and then opens it. Everything is inlined, since calls would double the time.
    """
    walk = _Walk()
    tags, parents, depths, ends = walk.tag, walk.parent, walk.depth, walk.end
    strings, names, facts = walk.text, walk.names, walk.facts
    outside = etree.Element("outside")
    opened, rows = [outside], [_NO_ROW]  # the open elements and their rows
    size, gap = 0, ""
    element = root
    for following in concat(islice(root.iter(), 1, None), (etree.SubElement(outside, "end"),)):
        tag, parent = element.tag, rows[-1]
        opened.append(element)
        raw: str | None = None
        if parent == _LEFT_OUT or tag.__class__ is not str or (tag in SKIPPED and size):
            rows.append(_LEFT_OUT)
        else:
            if given := element.keys():
                classes = walk.attributes(element, tag, size, given)
            else:
                classes = ""
                names.append("")
            tags.append(tag)
            parents.append(parent)
            depths.append(len(rows) - 1)
            ends.append(0)
            strings.append("")
            facts.append((0, 0, ELEMENT_LABELS[tag, classes]))
            rows.append(size)
            size += 1
            raw = element.text
            if tag in PREFORMATTED:
                gap = ""  # white space before a block is not part of its text
        above = following.getparent()
        while True:
            if raw and (row := rows[-1]) >= 0:
                if value := TEXT_LABELS[raw]:
                    size += 1
                    tags.append(TEXT)
                    parents.append(row)
                    depths.append(len(rows) - 1)
                    ends.append(size)
                    strings.append(gap + raw)
                    names.append("")
                    facts.append(value)
                    gap = ""
                else:
                    gap += raw
            if opened[-1] is above:
                break
            if (row := rows.pop()) >= 0:
                ends[row] = size
            closed = opened.pop()
            raw = closed.tail if rows[-1] >= 0 else None
        element = following
    return _columns(walk)


def _is_hidden(element: _Element) -> bool:
    """Return whether an element's attributes hide it."""
    return (
        element.get("hidden", "until-found") != "until-found"
        or element.get("aria-hidden") == "true"
        or element.get("style", "").lower().startswith(HIDDEN_STYLES)
    )


def _columns(walk: _Walk) -> FlatDom:
    """Add the columns that are computed from others."""
    own_chars, own_words, labels = map(list, zip(*walk.facts, strict=True))
    end = walk.end
    own_link = _in_links(walk, own_chars)
    path, style, subtree = _chains(walk.tag, walk.parent, labels)
    return FlatDom(
        tag=walk.tag,
        parent=walk.parent,
        depth=walk.depth,
        end=end,
        text=walk.text,
        names=walk.names,
        chars=_sums(own_chars, end),
        words=_sums(own_words, end),
        link_chars=_sums(own_link, end),
        label=labels,
        path=path,
        style=style,
        subtree=subtree,
        anchors=walk.anchors,
        hidden=walk.hidden,
        unshown=walk.unshown,
    )


def _in_links(walk: _Walk, own_chars: list[int]) -> list[int]:
    """Return the characters of each text that is in a link; 0 for other rows."""
    addresses = {row: address for row, address, _ in walk.anchors}
    links: list[int] = []
    headed: list[bool] = []
    for row, (name, above) in enumerate(zip(walk.tag, walk.parent, strict=True)):
        link, in_heading = (links[above], headed[above]) if row else (_NO_LINK, False)
        in_heading = in_heading or name in HEADINGS
        if name == "a":
            own_page = addresses.get(row, "").startswith("#")
            if row in addresses and not own_page:
                link = _TO_PAGE
            elif not in_heading:
                link = max(link, _TO_OWN_PAGE if own_page else _WITHOUT_ADDRESS)
        elif (link == _WITHOUT_ADDRESS and name in BLOCK) or (link == _TO_OWN_PAGE and name in HEADINGS):
            link = _NO_LINK
        links.append(link)
        headed.append(in_heading)
    return [count if link else 0 for count, link in zip(own_chars, links, strict=True)]


def _sums(own: list[int], end: list[int]) -> list[int]:
    """Return the sum over each subtree, as a difference of running totals."""
    totals = [0, *accumulate(own)]
    return list(map(sub, map(totals.__getitem__, end), totals))


def _chains(tag: list[str], parent: list[int], label: list[int]) -> tuple[list[int], list[int], list[int]]:
    """Return (path, style, subtree); an inlined `labels.chain`."""
    path = [chain(0, label[0])]
    for above, own in islice(zip(parent, label, strict=True), 1, None):
        x = (path[above] ^ own) * MULTIPLIER
        path.append((x ^ (x >> 29)) & MASK)
    style, subtree = [0] * len(tag), label.copy()
    for i in range(len(tag) - 1, 0, -1):
        above = parent[i]
        x = (subtree[above] ^ subtree[i]) * MULTIPLIER
        subtree[above] = (x ^ (x >> 29)) & MASK
        if tag[i] != TEXT:
            x = (style[above] ^ label[i]) * MULTIPLIER
            style[above] = (x ^ (x >> 29)) & MASK
    return path, style, subtree


def elements(root: _Element) -> Iterator[_Element]:
    """Yield the lxml elements in the order of their rows in `flatten`."""
    stack: list[Iterator[_Element]] = [iter((root,))]
    while stack:
        for element in stack[-1]:
            if isinstance(element.tag, str) and (element is root or element.tag not in SKIPPED):
                yield element
                stack.append(iter(element))
                break
        else:
            stack.pop()


def elements_of(flat: FlatDom, root: _Element, rows: Iterable[int]) -> Iterator[_Element]:
    """Yield the lxml elements of `rows`. Only the children of their ancestors are visited."""
    known, parent = {0: root}, flat.parent
    for wanted in rows:
        unknown, row = list[int](), wanted
        while row not in known:
            row = parent[row]
            unknown.append(row)
        for above in reversed(unknown):
            inside = (one for one in known[above] if isinstance(one.tag, str) and one.tag not in SKIPPED)
            known.update(zip(element_rows(flat, above), inside, strict=True))
        yield known[wanted]


def element_rows(flat: FlatDom, row: int) -> Iterator[int]:
    """Yield the rows of the child elements of a row."""
    tag, end = flat.tag, flat.end
    child, stop = row + 1, end[row]
    while child < stop:
        if tag[child] != TEXT:
            yield child
        child = end[child]
