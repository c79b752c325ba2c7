"""The Site Style Tree (Yi, Liu, Li 2003), sections 3 and 4."""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from math import log

from sitecrawl.dom.labels import label_name

from .tree import Node

Style = tuple[str, ...]


@dataclass(eq=False)
class Element:
    """An element node: its style nodes, and what it shows where it is a leaf."""

    styles: dict[Style, "list[Element]"] = field(default_factory=dict)
    pages: Counter[Style] = field(default_factory=Counter)
    features: defaultdict[Hashable, list[int]] = field(default_factory=lambda: defaultdict(list))
    importance: float = 0.0

    def below(self) -> list["Element"]:
        """Return the element nodes of all styles."""
        return [element for elements in self.styles.values() for element in elements]

    def subtree(self) -> list["Element"]:
        """Return the element and all element nodes below, each before those below it."""
        found = [self]
        for element in found:
            found += element.below()
        return found


def style(node: Node) -> Style:
    """Return the sequence of the labels of a node's element children."""
    return tuple(label_name(child.tag, child.element.get("class", "")) for child in node.elements())


def features(node: Node) -> Counter[Hashable]:
    """Return the words and the link targets of a leaf."""
    found: Counter[Hashable] = Counter(word for child in node.children for word in child.text.lower().split())
    if node.tag in ("a", "area") and node.element.get("href") is not None:
        found["href", node.element.get("href")] += 1
    return found


def style_tree(pages: Iterable[list[Node]], gamma: float) -> Element:
    """Return the tree of some pages with composite importances."""
    root = Element()
    for nodes in pages:
        mapped = [(root, nodes[0])]
        while mapped:
            element, node = mapped.pop()
            own = style(node)
            element.pages[own] += 1
            element.styles.setdefault(own, [Element() for _ in own])
            mapped += zip(element.styles[own], node.elements(), strict=True)
            if not own:
                for feature, count in features(node).items():
                    element.features[feature].append(count)
    for element in reversed(root.subtree()):
        element.importance = composite_importance(element, gamma)
    return root


def composite_importance(element: Element, gamma: float) -> float:
    """Return the composite importance of an element whose children have theirs.

    Where it is a leaf on some pages only, which the paper leaves open, its texts stand for the missing children.
    """
    if set(element.styles) == {()}:
        return leaf_importance(element)
    pages = element.pages.total()
    shares = {own: count / pages for own, count in element.pages.items()}
    node = 1.0 if pages == 1 else -sum(share * log(share, pages) for share in shares.values())
    below = 0.0
    for own, share in shares.items():
        children = [child.importance for child in element.styles[own]]
        below += share * (sum(children) / len(children) if children else leaf_importance(element))
    weight = gamma ** len(shares)
    return (1 - weight) * node + weight * below


def leaf_importance(element: Element) -> float:
    """Return one minus the mean entropy of the features over the pages; 1 for one page, 0 without features."""
    pages = element.pages[()]
    if pages == 1:
        return 1.0
    if not element.features:
        return 0.0
    entropy = 0.0
    for counts in element.features.values():
        shares = [count / sum(counts) for count in counts]
        entropy -= sum(share * log(share, pages) for share in shares)
    return 1.0 - entropy / len(element.features)


def noisy(root: Element, threshold: float) -> set[Element]:
    """Return the element nodes that are at or under the threshold with all element nodes below."""
    found: set[Element] = set()
    for element in reversed(root.subtree()):
        if element.importance <= threshold and found.issuperset(element.below()):
            found.add(element)
    return found


def clean_texts(nodes: list[Node], root: Element, threshold: float) -> set[int]:
    """Return the rows of the texts of a page that stay: noisy nodes go, nodes of unknown style stay."""
    noise = noisy(root, threshold)
    kept = {node.row for node in nodes if node.is_text}
    mapped = [(root, nodes[0])]
    while mapped:
        element, node = mapped.pop()
        own = style(node)
        if element in noise:
            kept -= {one.row for one in node.subtree()}
        elif own in element.styles:
            mapped += zip(element.styles[own], node.elements(), strict=True)
    return kept
