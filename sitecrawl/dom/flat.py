"""One pass over an lxml tree to parallel columns in document order: the only walk over a page.

Every method reads these columns: a subtree is the slice `i:end[i]`, so each method is one loop. The walk
keeps its own stack: pages nest up to 2,047 deep, past Python's recursion limit.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import accumulate, islice
from itertools import chain as concat
from operator import sub
from typing import TYPE_CHECKING, Final, Protocol, Self

from lxml import etree
from lxml.etree import _Element

from sitecrawl.dom.labels import (
    ELEMENT_LABELS,
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
"""Characters of a `class`, and of an `id`, that are read: each of their words is looked at by many patterns."""
_HIDING: Final = frozenset(("hidden", "aria-hidden", "style"))
NUMBERS: Final = frozenset(
    ("parent", "depth", "end", "chars", "words", "link_chars", "label", "path", "style", "subtree")
)
"""The columns that hold one number for each row."""
_NO_ROW: Final = -1
"""Row of what is above the root."""
_LEFT_OUT: Final = -2
"""Row of what is left out, and of everything below it."""


class Columns(Protocol):
    """The columns of numbers of a page, kept elsewhere than in lists: by the compiled twin of `flatten`."""

    def column(self, name: str) -> list[int]:
        """Return a column as a list."""

    def value(self, name: str, row: int) -> int:
        """Return one number of a column."""

    def atomic_blocks(
        self, tag: list[str], anchors: list[tuple[int, str, str]], tags: frozenset[str]
    ) -> tuple[list[int], list[list[int]], list[int], list[int], list[int]]:
        """Return the columns of `dom.atomic.AtomicBlocks`."""


class _Kept:
    """Where columns come from that are made when they are first read."""

    __slots__ = ("_columns",)
    _columns: Columns

    @property
    def columns(self) -> Columns | None:
        """What keeps the columns, None for the reference's lists."""
        return getattr(self, "_columns", None)


@dataclass(frozen=True, slots=True, eq=False)
class FlatDom(_Kept):
    """The nodes of a page as columns; row `i` is a node, rows are in document order, row 0 is the root.

    Nodes are elements and non-blank text nodes; comments, and the subtrees of `SKIPPED` tags, are left out.
    """

    tag: list[str]
    """Tag name, `TEXT` for a text node."""
    parent: list[int]
    """Row of the parent, -1 for the root."""
    depth: list[int]
    """Steps from the root."""
    end: list[int]
    """The subtree of `i` is the slice `i:end[i]`."""
    text: list[str]
    """Text as on the page, white space included (a blank run before it belongs to it); "" for an element."""
    names: list[str]
    """`class` and `id` of an element, each cut to MAX_NAMES, joined by a space; "" for a text node."""
    chars: list[int]
    """Characters in the subtree, white space not counted."""
    words: list[int]
    """Words in the subtree, counted per text node."""
    link_chars: list[int]
    """The part of `chars` inside `a` elements."""
    label: list[int]
    """crc32 of what makes the node equal to another one (`dom.labels`)."""
    path: list[int]
    """Chain of labels from the root, 63 bits: equal key means equal node and equal ancestors."""
    style: list[int]
    """Chain of the labels of an element's element children: its presentation style (SST)."""
    subtree: list[int]
    """Chain of everything below: equal for exact repeats."""
    anchors: list[tuple[int, str, str]]
    """(node, raw href, rel) of `a` and `area` elements with an href, in document order."""
    hidden: list[int]
    """Elements that say they are not shown: `hidden`, `aria-hidden`, an inline style."""

    @classmethod
    def kept_by(
        cls,
        columns: Columns,
        tag: list[str],
        text: list[str],
        names: list[str],
        anchors: list[tuple[int, str, str]],
        hidden: list[int],
    ) -> Self:
        """Return a page whose other columns are asked for when they are first read: most methods need a few."""
        flat = cls.__new__(cls)
        put = object.__setattr__
        put(flat, "_columns", columns)
        put(flat, "tag", tag)
        put(flat, "text", text)
        put(flat, "names", names)
        put(flat, "anchors", anchors)
        put(flat, "hidden", hidden)
        return flat

    if not TYPE_CHECKING:  # for the type checker every column is there

        def __getattr__(self, name: str) -> list[int]:
            if name not in NUMBERS:
                raise AttributeError(f"FlatDom has no {name!r}")
            column = self._columns.column(name)
            object.__setattr__(self, name, column)
            return column

    @property
    def fingerprint(self) -> int:
        """The key of the whole page: `subtree` of the root."""
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
    """What the walk over a page collects; the other columns follow from it."""

    __slots__ = ("anchors", "depth", "end", "facts", "hidden", "names", "parent", "tag", "text")

    def __init__(self) -> None:
        self.tag: list[str] = []
        self.parent: list[int] = []
        self.depth: list[int] = []
        self.end: list[int] = []
        self.text: list[str] = []
        self.names: list[str] = []
        self.facts: list[tuple[int, int, int]] = []
        """(own characters, own words, label)."""
        self.anchors: list[tuple[int, str, str]] = []
        self.hidden: list[int] = []

    def attributes(self, element: _Element, tag: str, row: int, given: Collection[str | bytes]) -> str:
        """Note what the attributes of an element say; return its class."""
        classes = element.get("class", "")[:MAX_NAMES] if "class" in given else ""
        number = element.get("id", "")[:MAX_NAMES] if "id" in given else ""
        self.names.append(f"{classes} {number}".strip() if number else classes.strip())
        if "href" in given and (tag == "a" or tag == "area"):
            self.anchors.append((row, element.get("href", ""), element.get("rel", "")))
        if not _HIDING.isdisjoint(given) and _says_hidden(element):
            self.hidden.append(row)
        return classes


def flatten(root: _Element) -> FlatDom:
    """Return the columns of the tree below `root` (which is row 0). The tree is read, never changed.

    One loop over lxml's own document-order iterator: each step opens an element, then closes those that end
    before the next one and takes the texts on the way. All is in line: calls cost as much as the rest.
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
                gap = ""  # white space outside is not part of the lines inside
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


def _says_hidden(element: _Element) -> bool:
    """Say whether an element's attributes hide it."""
    return (
        element.get("hidden", "until-found") != "until-found"
        or element.get("aria-hidden") == "true"
        or element.get("style", "").lower().startswith(HIDDEN_STYLES)
    )


def _columns(walk: _Walk) -> FlatDom:
    """Add the columns that follow from others."""
    own_chars, own_words, labels = map(list, zip(*walk.facts, strict=True))
    end = walk.end
    own_link, link_end = [0] * len(end), 0
    for i, name in enumerate(walk.tag):
        if name == "a" and i >= link_end:
            link_end = end[i]
            own_link[i:link_end] = own_chars[i:link_end]
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
    )


def _sums(own: list[int], end: list[int]) -> list[int]:
    """Return the sum over each subtree: a difference of running totals."""
    totals = [0, *accumulate(own)]
    return list(map(sub, map(totals.__getitem__, end), totals))


def _chains(tag: list[str], parent: list[int], label: list[int]) -> tuple[list[int], list[int], list[int]]:
    """Return (path, style, subtree); `labels.chain`, in line."""
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
    """Yield the lxml elements of the rows that `flatten` makes of elements, in the same order."""
    stack: list[Iterator[_Element]] = [iter((root,))]
    while stack:
        for element in stack[-1]:
            if isinstance(element.tag, str) and (element is root or element.tag not in SKIPPED):
                yield element
                stack.append(iter(element))
                break
        else:
            stack.pop()
