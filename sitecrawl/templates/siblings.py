"""Maps the children of two mapped nodes by the similarity of siblings, as in the public code of TemEx's authors.

Source: the add-on HybEx, which contains the template extraction of TemEx [CODE]; the papers do not define when nodes
are equal. It compares tags, classes, position among the siblings and number of children, never texts.
"""

from collections.abc import Callable, Set
from typing import Final

from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.labels import TEXT

CLASS_WEIGHT: Final = 0.1
POSITION_WEIGHT: Final = 0.4
CHILDREN_WEIGHT: Final = 0.5
LEAST_SIMILARITY: Final = 0.9
"""Minimum similarity of two siblings that may be mapped. It and the weights are those of the public code, whose fourth
weight, for other attributes, is 0."""
MAX_CELLS: Final = 200_000
"""Maximum sibling pairs compared for two pages [OWN], about 0.3 s; the public code groups children 20 by 20 from 200
on."""
_ROUNDING: Final = 1e-9


def position_similarity(i: int, j: int, length: int, other_length: int) -> float:
    """Return the similarity of positions i and j in two lists: 1 within the difference of the lengths, then falling."""
    longer = other_length - length
    first, last = (i, i + longer) if longer > 0 else (i + longer, i)
    steps = max(first - j, j - last, 0)
    return 1.0 - steps / min(length, other_length)


def sibling_similarity(
    names: Set[str], other_names: Set[str], children: int, other_children: int, place: float
) -> float:
    """Return the similarity, 0..1, of two siblings with the same tag: class tokens, numbers of children, and positions.

    Two texts have no names and no children, so only their positions count.
    """
    together = names | other_names
    classes = len(names & other_names) / len(together) if together else 1.0
    most = max(children, other_children)
    share = min(children, other_children) / most if most else 1.0
    return CLASS_WEIGHT * classes + POSITION_WEIGHT * place + CHILDREN_WEIGHT * share


class SiblingMapping:
    """The nodes of a key page that are mapped to those of another page, from `body` down.

    Columns contain class and id joined, and no other attributes. So an id counts as a class token, and a name that is
    unique in both lists of siblings decides, like an equal id in the public code.
    """

    def __init__(self, key_page: FlatDom, other: FlatDom) -> None:
        self.key_page = key_page
        self.other = other
        self.children = _children(key_page)
        self.other_children = _children(other)
        self.cells = 0
        """Number of sibling pairs compared."""
        self.greedy = 0
        """Number of child lists mapped in order, for lack of cells."""

    def mapped(self) -> list[bool]:
        """Return for each node of the key page whether it is mapped."""
        return self._mapped(lambda a, b: self.matched(self.children[a], self.other_children[b]))

    def mapped_with_texts(self) -> list[bool]:
        """Return for each node of the key page whether it is mapped; texts are mapped to texts with equal words."""
        return self._mapped(self._elements_and_texts)

    def _mapped(self, matched: Callable[[int, int], list[tuple[int, int]]]) -> list[bool]:
        found = [False] * len(self.key_page)
        body, other_body = _body(self.key_page), _body(self.other)
        for above in self.key_page.ancestors(body):
            found[above] = True
        pairs = [(body, other_body)]
        while pairs:
            a, b = pairs.pop()
            found[a] = True
            pairs.extend(matched(a, b))
        return found

    def _elements_and_texts(self, a: int, b: int) -> list[tuple[int, int]]:
        elements, texts = _parted(self.key_page, self.children[a])
        other_elements, other_texts = _parted(self.other, self.other_children[b])
        free: dict[int, list[int]] = {}
        for text in other_texts:
            free.setdefault(self.other.label[text], []).append(text)
        pairs = [(text, same.pop()) for text in texts if (same := free.get(self.key_page.label[text]))]
        return pairs + self.matched(elements, other_elements)

    def matched(self, left: list[int], right: list[int]) -> list[tuple[int, int]]:
        """Return the pairs of siblings: those with a unique name, then the most similar ones, greedily."""
        cells = len(left) * len(right)
        if self.cells + cells > MAX_CELLS:
            self.greedy += 1
            return self._by_order(left, right)
        self.cells += cells
        flat, other = self.key_page, self.other
        named, other_named = _named(flat, left), _named(other, right)
        sure = [(i, other_named[name]) for name, i in named.items() if name in other_named]
        ranked: list[tuple[float, int, int]] = []
        places = [(j, other.tag[b], frozenset(other.names[b].split()), b) for j, b in enumerate(right)]
        for i, a in enumerate(left):
            tag, names, children = flat.tag[a], frozenset(flat.names[a].split()), len(self.children[a])
            for j, other_tag, other_names, b in places:
                if tag == other_tag:
                    place = position_similarity(i, j, len(left), len(right))
                    number = len(self.other_children[b])
                    similarity = sibling_similarity(names, other_names, children, number, place)
                    if similarity >= LEAST_SIMILARITY - _ROUNDING:
                        ranked.append((round(similarity, 9), i, j))
        ranked.sort(reverse=True)  # of equally similar pairs, the last one comes first
        taken: set[int] = set()
        other_taken: set[int] = set()
        pairs: list[tuple[int, int]] = []
        for i, j in (*sure, *((i, j) for _, i, j in ranked)):
            if i not in taken and j not in other_taken:
                taken.add(i)
                other_taken.add(j)
                pairs.append((left[i], right[j]))
        return pairs

    def _by_order(self, left: list[int], right: list[int]) -> list[tuple[int, int]]:
        """Return pairs of siblings: the k-th with a label and the k-th with that label; all texts have one label."""
        free: dict[int, list[int]] = {}
        for b in reversed(right):
            free.setdefault(_kind(self.other, b), []).append(b)
        return [(a, places.pop()) for a in left if (places := free.get(_kind(self.key_page, a)))]


def _children(flat: FlatDom) -> list[list[int]]:
    children: list[list[int]] = [[] for _ in flat.tag]
    for node in range(1, len(flat)):
        children[flat.parent[node]].append(node)
    return children


def _parted(flat: FlatDom, nodes: list[int]) -> tuple[list[int], list[int]]:
    """Return the elements and the texts among some nodes."""
    return [node for node in nodes if flat.tag[node] != TEXT], [node for node in nodes if flat.tag[node] == TEXT]


def _body(flat: FlatDom) -> int:
    return flat.tag.index("body") if "body" in flat.tag else 0


def _named(flat: FlatDom, siblings: list[int]) -> dict[tuple[str, str], int]:
    """Return the positions of the siblings with unique tag and names."""
    found: dict[tuple[str, str], int] = {}
    repeated: set[tuple[str, str]] = set()
    for place, node in enumerate(siblings):
        if flat.names[node]:
            name = flat.tag[node], flat.names[node]
            if name in found:
                repeated.add(name)
            found[name] = place
    return {name: place for name, place in found.items() if name not in repeated}


def _kind(flat: FlatDom, node: int) -> int:
    return 0 if flat.tag[node] == TEXT else flat.label[node]
