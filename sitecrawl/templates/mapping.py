"""Restricted top-down mapping of two ordered trees (RTDM), by dynamic programming.

Source: Reis, Golgher, Silva, Laender, "Automatic web news extraction using tree edit distance", WWW 2004. A top-down
mapping maps the parents of mapped nodes, keeps the order of siblings and maps the roots to each other. It is restricted
if nothing below a replaced node is mapped. Each deleted, inserted or replaced node costs 1; the mapping found has the
lowest cost.

Over 300 lines: one dynamic program.
"""

from bisect import bisect_left
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from sitecrawl.dom.flat import FlatDom

MAX_CELLS: Final = 200_000
"""Maximum cells of one mapping [OWN], about half a second: enough for 96 of 100 pairs of real pages."""

Pair = tuple[int, int]


@dataclass(frozen=True, slots=True, eq=False)
class LabelledTree:
    """An ordered tree as columns; node 0 is the root, nodes are in document order."""

    label: list[int]
    parent: list[int]
    """-1 for the root."""
    children: list[list[int]]
    size: list[int]
    """Nodes of the subtree, its root included."""
    identity: list[int]
    """Fingerprint of the subtree: equal for identical ones."""

    def __len__(self) -> int:
        return len(self.label)


@dataclass(frozen=True, slots=True)
class TreeMapping:
    """A mapping of two trees."""

    pairs: list[Pair]
    """Nodes of the first and the second tree, in document order, replaced nodes included."""
    cost: int
    """Number of deleted, inserted and replaced nodes."""
    cells: int
    """Number of matrix cells filled, plus nodes visited more than once."""
    greedy: int
    """Number of child lists that were aligned greedily, for lack of cells; if it is 0, `cost` is the minimum."""


def labelled_tree(flat: FlatDom) -> LabelledTree:
    """Return a page as a tree of labels (`dom.labels`): elements by tag and classes, texts by their words."""
    return _tree(flat.label, flat.parent)


def part(tree: LabelledTree, nodes: Collection[int]) -> LabelledTree:
    """Return the tree of some nodes and all their ancestors."""
    kept = [False] * len(tree)
    for node in nodes:
        kept[node] = True
    for node in range(len(tree) - 1, 0, -1):
        if kept[node]:
            kept[tree.parent[node]] = True
    number = [-1] * (len(tree) + 1)  # the last entry is the position of the root's parent
    rows = [node for node, wanted in enumerate(kept) if wanted]
    for new, node in enumerate(rows):
        number[node] = new
    return _tree([tree.label[node] for node in rows], [number[tree.parent[node]] for node in rows])


def _tree(label: list[int], parent: list[int]) -> LabelledTree:
    children: list[list[int]] = [[] for _ in label]
    for node in range(1, len(label)):
        children[parent[node]].append(node)
    size, identity = [1] * len(label), [0] * len(label)
    for node in range(len(label) - 1, -1, -1):
        # Hashes of integers are the same in each run; `FlatDom.subtree` does not distinguish a(b) from b(a) within a
        # parent.
        identity[node] = hash((label[node], *map(identity.__getitem__, children[node])))
        if node:
            size[parent[node]] += size[node]
    return LabelledTree(label, parent, children, size, identity)


def map_trees(
    one: LabelledTree, other: LabelledTree, *, restricted: bool = True, max_cells: int = MAX_CELLS
) -> TreeMapping:
    """Return the cheapest top-down mapping of two non-empty trees.

    With `restricted` off, nodes below replaced nodes may be mapped as well. Among equally cheap mappings, identical
    children at the end and at the beginning of two lists are mapped first; then a match is preferred to a deletion, and
    a deletion to an insertion.

    The time is one step per node and per cell. A cell is an entry in the matrix of two lists of children (without the
    identical ones at both ends), or a node below a node that is compared with several others. If two lists need more
    cells than are left, they are aligned greedily: the k-th of identical children is mapped to the k-th, as far as
    these pairs are in order (longest sequence); between them, children with the same label are mapped in the same way.
    """
    return _Mapper(one, other, max_cells, restricted=restricted).mapping()


class _Mapper:
    """The pairs of inner nodes that may be mapped, and the costs of their subtrees."""

    def __init__(self, one: LabelledTree, other: LabelledTree, max_cells: int, *, restricted: bool) -> None:
        self.one = one
        self.other = other
        self.restricted = restricted
        self.max_cells = max_cells
        self.cells = 0
        self.ends: dict[Pair, tuple[int, int]] = {}
        """Number of children of an open pair that are identical at the beginning and at the end."""
        self.costs: dict[Pair, int] = {}
        """Cost of mapping a pair of inner nodes with their children; costs of other pairs follow from sizes and
        labels."""
        self.greedy: set[Pair] = set()

    def mapping(self) -> TreeMapping:
        """Find the pairs from the roots down, their costs from the leaves up, and the mapping from the roots down."""
        opened = [(0, 0)] if self.is_open(0, 0) else []
        if opened and not self.afford(opened):
            self.greedy.update(opened)
        for pair in opened:  # the loop appends to the list
            opened.extend(self.open_below(pair))
        for pair in reversed(opened):
            self.costs[pair] = self.cost_of_children(pair) + self.differ(*pair)
        pairs: list[Pair] = []
        chosen = [(0, 0)]
        while chosen:
            pair = chosen.pop()
            if self.one.identity[pair[0]] == self.other.identity[pair[1]]:
                pairs.extend((pair[0] + k, pair[1] + k) for k in range(self.one.size[pair[0]]))
                continue
            pairs.append(pair)
            if pair in self.costs:
                chosen.extend(self.aligned(pair))
        return TreeMapping(sorted(pairs), self.cost(0, 0), self.cells, len(self.greedy))

    def differ(self, a: int, b: int) -> int:
        """Return the cost of replacing one node by the other."""
        return int(self.one.label[a] != self.other.label[b])

    def is_open(self, a: int, b: int) -> bool:
        """Return whether the cost of the pair depends on its children."""
        return bool(
            self.one.children[a]
            and self.other.children[b]
            and self.one.identity[a] != self.other.identity[b]
            and not (self.restricted and self.differ(a, b))
        )

    def cost(self, a: int, b: int) -> int:
        """Return the cost of mapping a pair with its subtrees; `costs` must contain the open pairs."""
        known = self.costs.get((a, b))
        if known is not None:
            return known
        if self.one.identity[a] == self.other.identity[b]:
            return 0
        return self.differ(a, b) + self.one.size[a] + self.other.size[b] - 2

    def afford(self, pairs: Sequence[Pair]) -> bool:
        """Reserve the cells for aligning the children of open sibling pairs; return False if there are too few left.

        The descendants of a node in several pairs may be visited once for each pair, even with a greedy alignment.
        """
        cells, one, other = self.cells, self.one, self.other
        repeated = len(pairs) > min(len({a for a, _ in pairs}), len({b for _, b in pairs}))
        for a, b in pairs:
            if repeated:
                cells += one.size[a] + other.size[b]
            if cells <= self.max_cells:
                _, left, right = self.lists((a, b))
                cells += len(left) * len(right)
            if cells > self.max_cells:
                return False
        self.cells = cells
        return True

    def lists(self, pair: Pair) -> tuple[int, list[int], list[int]]:
        """Return the number of identical first children, and the children without those identical at either end."""
        left, right = self.one.children[pair[0]], self.other.children[pair[1]]
        if pair not in self.ends:
            mine, others = self.one.identity, self.other.identity
            shorter = min(len(left), len(right))
            last = 0
            while last < shorter and mine[left[-1 - last]] == others[right[-1 - last]]:
                last += 1
            first = 0
            while first < shorter - last and mine[left[first]] == others[right[first]]:
                first += 1
            self.ends[pair] = first, last
        first, last = self.ends[pair]
        return first, left[first : len(left) - last], right[first : len(right) - last]

    def open_below(self, pair: Pair) -> list[Pair]:
        """Return the pairs of children whose own children must be compared: all pairs, if there are enough cells."""
        _, left, right = self.lists(pair)
        if pair not in self.greedy:
            inner = [b for b in right if self.other.children[b]]
            found = [(a, b) for a in left if self.one.children[a] for b in inner if self.is_open(a, b)]
            if self.afford(found):
                return found
            self.greedy.add(pair)
        found = [(a, b) for a, b in self.aligned_greedily(left, right) if self.is_open(a, b)]
        for one in found:
            if not self.afford([one]):
                self.greedy.add(one)
        return found

    def cost_of_children(self, pair: Pair) -> int:
        """Return the cost of the children of an open pair; identical ones at both ends cost nothing."""
        _, left, right = self.lists(pair)
        if pair not in self.greedy:
            return self.matrix(left, right)[-1][-1]
        cost = sum(self.one.size[a] for a in left) + sum(self.other.size[b] for b in right)
        for a, b in self.aligned_greedily(left, right):
            cost += self.cost(a, b) - self.one.size[a] - self.other.size[b]
        return cost

    def matrix(self, left: Sequence[int], right: Sequence[int]) -> list[list[int]]:
        """Return the costs of mapping the first i to the first j subtrees of two lists."""
        mine, others = self.one, self.other
        columns = [(b, others.size[b], others.identity[b], others.label[b]) for b in right]
        row = [0]
        for _, size, _, _ in columns:
            row.append(row[-1] + size)
        rows, known = [row], self.costs.get
        for a in left:
            above, size, identity, label = row, mine.size[a], mine.identity[a], mine.label[a]
            best = above[0] + size
            row = [best]
            for j, (b, inserted, identity_of_other, label_of_other) in enumerate(columns):
                best += inserted
                matched = above[j]
                if identity != identity_of_other:
                    cost = known((a, b))
                    matched += size + inserted - 2 + (label != label_of_other) if cost is None else cost
                if matched < best:
                    best = matched
                if above[j + 1] + size < best:
                    best = above[j + 1] + size
                row.append(best)
            rows.append(row)
        return rows

    def aligned(self, pair: Pair) -> list[Pair]:
        """Return the pairs of children in the cheapest mapping of their parents."""
        first, left, right = self.lists(pair)
        all_left, all_right = self.one.children[pair[0]], self.other.children[pair[1]]
        pairs = list(zip(all_left[:first], all_right[:first], strict=True))
        pairs += zip(all_left[first + len(left) :], all_right[first + len(right) :], strict=True)
        if pair in self.greedy:
            return pairs + self.aligned_greedily(left, right)
        rows = self.matrix(left, right)
        i, j = len(left), len(right)
        while i and j:
            a, b = left[i - 1], right[j - 1]
            if rows[i][j] == rows[i - 1][j - 1] + self.cost(a, b):
                pairs.append((a, b))
                i, j = i - 1, j - 1
            elif rows[i][j] == rows[i - 1][j] + self.one.size[a]:
                i -= 1
            else:
                j -= 1
        return pairs

    def aligned_greedily(self, left: Sequence[int], right: Sequence[int]) -> list[Pair]:
        """Return pairs of children in order: identical ones, and between them those with the same label."""
        identical = _in_order([self.one.identity[a] for a in left], [self.other.identity[b] for b in right])
        pairs: list[Pair] = []
        i = j = 0
        for m, n in (*identical, (len(left), len(right))):
            labels = _in_order([self.one.label[a] for a in left[i:m]], [self.other.label[b] for b in right[j:n]])
            pairs.extend((left[i + x], right[j + y]) for x, y in labels)
            i, j = m + 1, n + 1
        return pairs + [(left[m], right[n]) for m, n in identical]


def _in_order(left: Sequence[int], right: Sequence[int]) -> list[tuple[int, int]]:
    """Return the longest rising sequence of the position pairs of equal values, the k-th paired with the k-th."""
    places: dict[int, list[int]] = {}
    for place in range(len(right) - 1, -1, -1):
        places.setdefault(right[place], []).append(place)
    ends: list[int] = []  # for each length of a sequence: the smallest last position
    ending: list[int] = []  # for each length: the pair that ends that sequence
    found: list[tuple[int, int, int]] = []  # the two positions, and the previous pair
    for i, value in enumerate(left):
        free = places.get(value)
        if not free:
            continue
        j = free.pop()
        length = bisect_left(ends, j)
        found.append((i, j, ending[length - 1] if length else -1))
        if length == len(ends):
            ends.append(j)
            ending.append(len(found) - 1)
        else:
            ends[length], ending[length] = j, len(found) - 1
    pairs: list[tuple[int, int]] = []
    last = ending[-1] if ending else -1
    while last >= 0:
        i, j, last = found[last]
        pairs.append((i, j))
    return pairs[::-1]
