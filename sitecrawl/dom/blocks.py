"""Text blocks of a page: maximal runs of inline content, which are displayed as one paragraph or item.

A run ends where a block-level element begins or ends, and at two consecutive line breaks, which old pages use for
paragraphs. Extraction keeps or drops whole blocks.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import accumulate
from operator import sub
from typing import Final
from weakref import WeakKeyDictionary

from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.labels import BLOCK, TEXT


@dataclass(frozen=True, slots=True, eq=False)
class Blocks:
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

    def __len__(self) -> int:
        return len(self.first)


_MADE: Final[WeakKeyDictionary[FlatDom, Blocks]] = WeakKeyDictionary()


def text_blocks(flat: FlatDom) -> Blocks:
    """Return the text blocks of a page; cached with its columns."""
    made = _MADE.get(flat)
    if made is None:
        made = _MADE[flat] = _text_blocks(flat)
    return made


def _text_blocks(flat: FlatDom) -> Blocks:
    """Return the text blocks of a page."""
    parent = flat.parent
    containers = [0] * len(parent)
    texts: list[int] = []  # rows
    begins: list[int] = []  # number of the first text of each block
    container: list[int] = []
    current, breaks, begun = -1, 0, True
    rows = zip(range(len(parent)), flat.tag, parent, strict=True)
    next(rows, None)  # the root, whose row is 0
    for i, name, above in rows:
        if name == TEXT:
            row = containers[above]
            if begun or breaks > 1 or row != current:
                begins.append(len(texts))
                container.append(row)
                current, begun = row, False
            texts.append(i)
            breaks = 0
        elif name in BLOCK:
            containers[i], begun = i, True
        else:
            containers[i] = containers[above]
            if name == "br":
                breaks += 1
    ends = [*begins[1:], len(texts)] if begins else []
    return Blocks(
        [texts[begin] for begin in begins],
        [texts[end - 1] + 1 for end in ends],
        container,
        *(_sums(column, texts, begins, ends) for column in (flat.chars, flat.words, flat.link_chars)),
    )


def _sums(column: list[int], texts: list[int], begins: list[int], ends: list[int]) -> list[int]:
    """Return the sum of a column over the texts of each block."""
    totals = [0, *accumulate(map(column.__getitem__, texts))]
    return list(map(sub, map(totals.__getitem__, ends), map(totals.__getitem__, begins)))


def block_text(flat: FlatDom, blocks: Blocks, block: int) -> str:
    """Return the text of one block with single spaces."""
    first, stop = blocks.first[block], blocks.stop[block]
    texts = flat.text[first:stop]  # "" for elements
    return " ".join((texts[0] if len(texts) == 1 else "".join(texts)).split())


def blocks_below(flat: FlatDom, blocks: Blocks, row: int) -> tuple[int, int]:
    """Return the first block below a row, and the block after the last one."""
    return bisect_left(blocks.first, row), bisect_left(blocks.first, flat.end[row])


def cover(flat: FlatDom, blocks: Blocks, chosen: list[bool]) -> tuple[int, ...]:
    """Return the fewest disjoint subtrees that contain exactly the chosen blocks, in document order."""
    kept = [False] * len(flat)
    for first, stop, wanted in zip(blocks.first, blocks.stop, chosen, strict=True):
        if wanted:
            kept[first:stop] = [True] * (stop - first)  # entries of elements are never read
    return cover_texts(flat, kept)


def cover_texts(flat: FlatDom, kept: list[bool]) -> tuple[int, ...]:
    """Return the fewest disjoint subtrees with exactly the text nodes marked in `kept`, in document order.

    The root and `body` are never returned whole, so that images and forms without text are not included.
    """
    tag, end = flat.tag, flat.end
    texts = [i for i, name in enumerate(tag) if name == TEXT]
    chosen = [i for i in texts if kept[i]]
    nodes: list[int] = []
    i = 1
    for text in chosen:  # the next one that no chosen subtree contains
        if text < i:
            continue
        while True:
            after = end[i]
            if after <= text:
                i = after
                continue
            some = bisect_left(texts, after) - bisect_left(texts, i)
            if tag[i] != "body" and some == bisect_left(chosen, after) - bisect_left(chosen, i):
                nodes.append(i)
                i = after
                break
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


def subtract(flat: FlatDom, nodes: Iterable[int], dropped: Iterable[int]) -> tuple[int, ...]:
    """Return the fewest disjoint subtrees with all of `nodes` and nothing of `dropped`, in document order.

    Unlike `cover_texts`, it also drops elements without text, such as pictures.
    """
    parent, end = flat.parent, flat.end
    out = set(outermost(flat, dropped))
    holding: set[int] = set()  # elements that contain a dropped node
    for node in out:
        above = parent[node]
        while above >= 0 and above not in holding:
            holding.add(above)
            above = parent[above]
    stops = {node: end[node] for node in out}
    kept: list[int] = []
    dropped_until = 0
    below = iter(sorted(out))
    following = next(below, None)
    for node in outermost(flat, nodes):
        while following is not None and following <= node:
            dropped_until, following = max(dropped_until, stops[following]), next(below, None)
        i = max(node, dropped_until)
        while i < end[node]:
            if i in stops:
                i = stops[i]
            elif i in holding:
                i += 1
            else:
                kept.append(i)
                i = end[i]
    return tuple(kept)


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
