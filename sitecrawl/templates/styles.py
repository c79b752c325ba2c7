"""The Site Style Tree as published: one tree of element nodes and style nodes for a sample of pages.

Source: Yi, Liu, Li, "Eliminating noisy information in web pages for data mining", KDD 2003, sections 3 and 4. Children
in another sequence are another style node, below which counts restart. `templates.importance` uses the trie of a site
as a merged tree, in which counts do not restart, and needs no pages.
"""

from collections import Counter
from collections.abc import Hashable, Sequence

from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.labels import TEXT
from sitecrawl.templates.importance import GAMMA, THRESHOLD, composite_importance, leaf_importance

_LEAF = 0
"""The style of an element without element children (`FlatDom.style`)."""


class ElementNode:
    """An element node of the tree with its style nodes, and the features of its texts if it is a leaf."""

    __slots__ = ("features", "importance", "meaningful", "noisy", "styles")

    def __init__(self) -> None:
        self.styles: dict[int, tuple[list[int], list[ElementNode]]] = {}
        """By style: the number of pages (in a list of one element), and the element nodes."""
        self.features: dict[Hashable, list[int]] = {}
        """By feature: its occurrences on each page that has it."""
        self.importance = 0.0
        self.noisy = False
        """Whether this node and all element nodes below it are at or under the threshold."""
        self.meaningful = False
        """Whether neither this node nor any node below it is noisy."""


class SiteStyleTree:
    """The Site Style Tree of some pages, with importances and marks."""

    def __init__(self, pages: Sequence[FlatDom], *, threshold: float = THRESHOLD, gamma: float = GAMMA) -> None:
        self.threshold = threshold
        self.gamma = gamma
        self.pages = len(pages)
        self.root = ElementNode()
        self.nodes = [self.root]
        """Element nodes, parents before children."""
        for flat in pages:
            self._add(flat)
        for node in reversed(self.nodes):
            self._weigh(node)

    def _add(self, flat: FlatDom) -> None:
        features = leaf_features(flat)
        found: list[ElementNode] = [self.root] * len(flat)
        children = element_children(flat)
        for i, style in enumerate(flat.style):
            if flat.tag[i] == TEXT:
                continue
            element = found[i]
            if style not in element.styles:
                below = [ElementNode() for _ in children[i]]
                self.nodes += below
                element.styles[style] = ([0], below)
            pages, below = element.styles[style]
            pages[0] += 1
            for child, node in zip(children[i], below, strict=True):
                found[child] = node
            if not below:
                for feature, count in features[i].items():
                    element.features.setdefault(feature, []).append(count)

    def _weigh(self, node: ElementNode) -> None:
        counts = [pages[0] for pages, _ in node.styles.values()]
        own = leaf_importance(list(node.features.values()), node.styles[_LEAF][0][0]) if _LEAF in node.styles else 0.0
        if list(node.styles) == [_LEAF]:
            node.importance = own
        else:
            # An element may be a leaf on some pages only. There it has an empty style, with the importance of its
            # texts.
            below = [[e.importance for e in below] or [own] for _, below in node.styles.values()]
            node.importance = composite_importance(counts, below, self.gamma)
        elements = [element for _, below in node.styles.values() for element in below]
        node.noisy = node.importance <= self.threshold and all(element.noisy for element in elements)
        node.meaningful = not node.noisy and all(element.meaningful for element in elements)


def element_children(flat: FlatDom) -> list[list[int]]:
    """Return the element children of each node, in document order."""
    children: list[list[int]] = [[] for _ in flat.tag]
    for i in range(1, len(flat)):
        if flat.tag[i] != TEXT:
            children[flat.parent[i]].append(i)
    return children


def leaf_features(flat: FlatDom) -> list[Counter[Hashable]]:
    """Return the features of each element: its own words and its link targets (columns have no image files)."""
    features: list[Counter[Hashable]] = [Counter() for _ in flat.tag]
    for i, name in enumerate(flat.tag):
        if name == TEXT:
            features[flat.parent[i]].update(flat.text[i].lower().split())
    for node, href, _ in flat.anchors:
        features[node]["href", href] += 1
    return features
