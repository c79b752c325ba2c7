"""The similarity of siblings in the public code of the authors of TemEx and Web-ConEx, and the mapping by it."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from sitecrawl.dom.labels import label_name

from .tree import Node

CLASSES, POSITION, CHILDREN = 0.1, 0.4, 0.5
"""Weights of what two siblings have in common."""
LEAST = 0.9
"""Similarity from which two siblings may be mapped."""


def names(node: Node) -> str:
    """Return the classes of an element as written, and its id, which counts as one more."""
    if node.element is None:
        return ""
    given = (node.element.get(name, "").strip() for name in ("class", "id"))
    return " ".join(one for one in given if one)


def overlap(one: Iterable[str], other: Iterable[str]) -> float:
    """Return the share of tokens that both have; 1 if there are none."""
    first, second = set(one), set(other)
    return len(first & second) / len(first | second) if first | second else 1.0


def similarity(lists: tuple[Sequence[Node], Sequence[Node]], i: int, j: int) -> float:
    """Return the similarity of the i-th of a list of siblings and the j-th of another, 0 with different tags.

    The shorter list can lie along the longer one in several ways. A position is the same if it is in one of them; each
    step further off costs one part of the shorter list.
    """
    one, other = lists[0][i], lists[1][j]
    if one.tag != other.tag:
        return 0.0
    longer = len(lists[1]) - len(lists[0])
    off = max(0, min(0, longer) - (j - i), (j - i) - max(0, longer))
    fewest, most = sorted((len(one.children), len(other.children)))
    return (
        CLASSES * overlap(names(one).split(), names(other).split())
        + POSITION * (1 - off / min(map(len, lists)))
        + CHILDREN * (fewest / most if most else 1.0)
    )


def alone(siblings: Sequence[Node]) -> dict[tuple[str, str], int]:
    """Return the positions of the siblings whose tag and names no other sibling has."""
    kinds = [(node.tag, names(node)) for node in siblings]
    counts = Counter(kinds)
    return {kind: place for place, kind in enumerate(kinds) if kind[1] and counts[kind] == 1}


def most_alike(key: Sequence[Node], other: Sequence[Node]) -> list[tuple[Node, Node]]:
    """Return pairs of siblings: those with a name that is the only one in both lists, then the most similar first."""
    own, others = alone(key), alone(other)
    pairs = [(place, others[kind]) for kind, place in own.items() if kind in others]
    rated = [(round(similarity((key, other), i, j), 9), i, j) for i in range(len(key)) for j in range(len(other))]
    for _, i, j in sorted((one for one in rated if one[0] >= LEAST), reverse=True):
        pairs.append((i, j))
    taken: tuple[set[int], set[int]] = set(), set()
    found = []
    for i, j in pairs:
        if i not in taken[0] and j not in taken[1]:
            taken[0].add(i)
            taken[1].add(j)
            found.append((key[i], other[j]))
    return found


def in_order(key: Sequence[Node], other: Sequence[Node]) -> list[tuple[Node, Node]]:
    """Return the k-th sibling with a label, or the k-th text, with the k-th of the other list."""
    free = defaultdict(list)
    for node in other:
        free[_kind(node)].append(node)
    return [(node, free[_kind(node)].pop(0)) for node in key if free[_kind(node)]]


def same_words(key: Sequence[Node], other: Sequence[Node]) -> list[tuple[Node, Node]]:
    """Return the texts of two lists that have the same words, each once."""
    free = defaultdict(list)
    for node in other:
        free[" ".join(node.text.split())].append(node)
    found = ((node, free[" ".join(node.text.split())]) for node in key)
    return [(node, same.pop(0)) for node, same in found if same]


def _kind(node: Node) -> str:
    return label_name(node.tag, node.element.get("class", "")) if node.element is not None else ""


def occurrences(key_page: list[Node], pages: Iterable[list[Node]], most: int, *, texts: bool) -> list[int]:
    """Return on how many pages each node of the key page is mapped, from `body` down.

    With `texts`, texts are mapped to those of the same words, else as elements without names and children. From `most`
    pairs of siblings on, lists are mapped in order: this, and that the last pair of a list is followed first, is the
    package's own.
    """
    counts = [0] * len(key_page)
    for other in pages:
        key = _body(key_page)
        for above in key.ancestors():
            counts[above.row] += 1
        mapped = [(key, _body(other))]
        rated = 0
        while mapped:
            one, partner = mapped.pop()
            counts[one.row] += 1
            lists = one.children, partner.children
            if texts:
                mapped += same_words(*([node for node in nodes if node.is_text] for nodes in lists))
                lists = one.elements(), partner.elements()
            pairs = len(lists[0]) * len(lists[1])
            if rated + pairs > most:
                mapped += in_order(*lists)
            else:
                rated += pairs
                mapped += most_alike(*lists)
    return counts


def _body(nodes: list[Node]) -> Node:
    return next((node for node in nodes if node.tag == "body"), nodes[0])
