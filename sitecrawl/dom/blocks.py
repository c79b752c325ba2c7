"""Text blocks of a page: maximal runs of inline content, which a reader sees as one paragraph or item.

A run ends where a block-level element begins or ends, and at two line breaks in a row (old pages use them for
paragraphs). Extraction keeps or drops whole blocks.

Three functions have a compiled twin (`_blocks.pyx`; see `dom.speedups`).
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol, Self

from sitecrawl.dom import speedups
from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.labels import BLOCK, TEXT

_COLUMNS: Final = frozenset(("first", "stop", "container", "chars", "words", "link_chars"))


class BlockColumns(Protocol):
    """The columns of the blocks of a page, held by the compiled twin."""

    @property
    def count(self) -> int:
        """Number of blocks."""
        ...

    def column(self, name: str) -> list[int]:
        """Return a column as a list."""


class _Kept:
    """Source of columns that are made on first access."""

    __slots__ = ("_columns",)
    _columns: BlockColumns

    @property
    def columns(self) -> BlockColumns | None:
        """The holder of the columns; None for the reference, which holds lists."""
        return getattr(self, "_columns", None)


@dataclass(frozen=True, slots=True, eq=False)
class Blocks(_Kept):
    """The text blocks of a page as columns, in document order."""

    first: list[int]
    """Row of the first text node of each block."""
    stop: list[int]
    """Row after the last text node: the texts of block `b` are the text rows in `first[b]:stop[b]`."""
    container: list[int]
    """Row of the nearest block-level ancestor."""
    chars: list[int]
    words: list[int]
    link_chars: list[int]

    @classmethod
    def kept_by(cls, columns: BlockColumns) -> Self:
        """Return blocks whose columns are fetched on first access."""
        blocks = cls.__new__(cls)
        object.__setattr__(blocks, "_columns", columns)
        return blocks

    if not TYPE_CHECKING:  # type checkers see every column

        def __getattr__(self, name: str) -> list[int]:
            if name not in _COLUMNS:
                raise AttributeError(f"Blocks has no {name!r}")
            column = self._columns.column(name)
            object.__setattr__(self, name, column)
            return column

    def __len__(self) -> int:
        return self.columns.count if self.columns is not None else len(self.first)


def text_blocks(flat: FlatDom) -> Blocks:
    """Return the text blocks of a page in one pass."""
    if _twin is not None and speedups.allowed():
        found: Blocks = _twin.text_blocks(flat)
        return found
    return text_blocks_reference(flat)


def text_blocks_reference(flat: FlatDom) -> Blocks:
    """Like `text_blocks`, in Python."""
    blocks = Blocks([], [], [], [], [], [])
    tag, parent, chars, words, link_chars = flat.tag, flat.parent, flat.chars, flat.words, flat.link_chars
    containers = [0] * len(flat)
    current, breaks, begun = -1, 0, True
    for i, name in enumerate(tag):
        if name != TEXT:
            if name in BLOCK:
                containers[i], begun = i, True
            else:
                containers[i] = containers[parent[i]] if i else 0
                if name == "br":
                    breaks += 1
            continue
        container = containers[parent[i]]
        if begun or breaks > 1 or container != current:
            blocks.first.append(i)
            blocks.stop.append(i + 1)
            blocks.container.append(container)
            blocks.chars.append(chars[i])
            blocks.words.append(words[i])
            blocks.link_chars.append(link_chars[i])
        else:
            blocks.stop[-1] = i + 1
            blocks.chars[-1] += chars[i]
            blocks.words[-1] += words[i]
            blocks.link_chars[-1] += link_chars[i]
        current, breaks, begun = container, 0, False
    return blocks


def block_text(flat: FlatDom, blocks: Blocks, block: int) -> str:
    """Return the text of one block with single spaces."""
    rows = range(blocks.first[block], blocks.stop[block])
    return " ".join("".join(flat.text[i] for i in rows if flat.tag[i] == TEXT).split())


def cover(flat: FlatDom, blocks: Blocks, chosen: list[bool]) -> tuple[int, ...]:
    """Return the fewest disjoint subtrees that contain exactly the chosen blocks, in document order."""
    if _twin is not None and speedups.allowed():
        nodes: tuple[int, ...] = _twin.cover(flat, blocks, chosen)
        return nodes
    kept = [False] * len(flat)
    for first, stop, wanted in zip(blocks.first, blocks.stop, chosen, strict=True):
        if wanted:
            kept[first:stop] = [True] * (stop - first)  # entries of elements are never read
    return cover_texts(flat, kept)


def cover_texts(flat: FlatDom, kept: list[bool]) -> tuple[int, ...]:
    """Return the fewest disjoint subtrees with exactly the text nodes marked in `kept`, in document order.

    The root and `body` are never returned whole, so that images and forms without text are not included.
    """
    if _twin is not None and speedups.allowed():
        nodes: tuple[int, ...] = _twin.cover_texts(flat, kept)
        return nodes
    return cover_texts_reference(flat, kept)


def cover_texts_reference(flat: FlatDom, kept: list[bool]) -> tuple[int, ...]:
    """Like `cover_texts`, in Python."""
    tag, parent, end = flat.tag, flat.parent, flat.end
    whole = [kept[i] if name == TEXT else True for i, name in enumerate(tag)]
    some = [name == TEXT for name in tag]
    for i in range(len(tag) - 1, 0, -1):
        p = parent[i]
        some[p] = some[p] or some[i]
        if some[i] and not whole[i]:
            whole[p] = False
    nodes: list[int] = []
    i = 1
    while i < len(tag):
        if some[i] and whole[i] and tag[i] != "body":
            nodes.append(i)
            i = end[i]
        else:
            i += 1
    return tuple(nodes)


def outermost(flat: FlatDom, nodes: Iterable[int]) -> list[int]:
    """Return the nodes that have no ancestor among them, in document order."""
    kept: list[int] = []
    stop = 0
    for node in sorted(nodes):
        if node >= stop:
            kept.append(node)
            stop = flat.end[node]
    return kept


def join_siblings(flat: FlatDom, nodes: Iterable[int]) -> list[int]:
    """Return the containers of the nodes, in document order.

    Nodes inside others are dropped. Then, while two members are siblings, their parent replaces all members below it.
    This is Algorithm 2 of the CNR paper and Algorithm 5 of the Web-ConEx paper, corrected to replace deeper members as
    well. Parents are visited deepest first, so one visit each is enough.
    """
    parent, depth = flat.parent, flat.depth
    members = set(outermost(flat, nodes))
    children: list[Counter[int]] = [Counter() for _ in range(max((depth[n] for n in members), default=0) + 1)]
    for node in members:
        children[depth[node]][parent[node]] += 1
    for level in range(len(children) - 1, 0, -1):
        for above, count in children[level].items():
            if count > 1:
                members.add(above)
                children[level - 1][parent[above]] += 1
    return outermost(flat, members)


_twin = speedups.compiled("sitecrawl.dom._blocks")
