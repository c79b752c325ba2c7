"""Node and composite importance of the Site Style Tree (SST), and their computation from a template (SST*).

Source: Yi, Liu, Li, "Eliminating noisy information in web pages for data mining", KDD 2003, sections 3 and 4. In SST*
an element node is identified by its path, so an additional sibling does not restart the counts below it.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from math import log
from operator import attrgetter
from typing import Final

from sitecrawl.templates.trie import Composite, SiteTemplate, TemplateNode

GAMMA: Final = 0.9
"""The weight of the children's importance is GAMMA to the power of the number of styles."""
THRESHOLD: Final = 0.3
"""Composite importance up to which a node is noisy; the paper tunes it for each site [OWN]."""


def node_importance(styles: Sequence[int], pages: int) -> float:
    """Return the entropy of an element's presentation styles, to the base of the number of pages; 1 for one page.

    `styles` are the numbers of pages with each style. The result is 0 if the children are always the same, 1 if they
    differ on each page.
    """
    return 1.0 if pages < 2 else -sum(count / pages * log(count / pages, pages) for count in styles if count)


def leaf_importance(features: Sequence[Sequence[int]], pages: int) -> float:
    """Return the composite importance of an element without element children on `pages` pages.

    `features` are, for each distinct feature, its occurrences on each page. The result is 0 without features.
    """
    if pages < 2:
        return 1.0
    if not features:
        return 0.0
    return 1.0 - sum(_spread(counts, pages) for counts in features) / len(features)


def _spread(counts: Sequence[int], pages: int) -> float:
    total = sum(counts)
    return -sum(count / total * log(count / total, pages) for count in counts if count)


def composite_importance(styles: Sequence[int], children: Sequence[Sequence[float]], gamma: float = GAMMA) -> float:
    """Return the composite importance of an inner element from its styles' pages and its children's importance."""
    pages = sum(styles)
    below = sum(
        count / pages * (sum(values) / len(values) if values else 0.0)
        for count, values in zip(styles, children, strict=True)
    )
    return _composite(node_importance(styles, pages), below, len(styles), gamma)


def _composite(own: float, below: float, styles: int, gamma: float) -> float:
    weight = gamma**styles
    return (1 - weight) * own + weight * below


class _Below:
    """Sums over the children of one element."""

    __slots__ = ("children", "clean", "elements", "importance", "nodes", "noisy", "spread", "text_nodes", "texts")

    def __init__(self) -> None:
        self.children = 0
        self.elements = 0
        self.texts = 0
        self.nodes = 0
        self.text_nodes = 0
        self.importance = 0.0
        """Sum over the nodes of element children."""
        self.spread = 0.0
        """Sum over distinct texts."""
        self.noisy = False
        """Whether any element below is noisy."""
        self.clean = False
        """Whether any element below is not noisy."""


class StyleTree:
    """The importance of the rows of a template snapshot, and which of them are noisy; computed once.

    The features of an element are its texts. A row has the number of pages with a text, but not its occurrences per
    page, so these are assumed to be evenly spread. A stored element has the importance from before rows were dropped.
    For another `gamma` it is computed from the remaining rows, and dropped styles and children count as on one page
    each.
    """

    def __init__(
        self,
        template: SiteTemplate,
        *,
        threshold: float = THRESHOLD,
        gamma: float = GAMMA,
        rows: Iterable[TemplateNode] | None = None,
    ) -> None:
        self.template = template
        self.threshold = threshold
        self.importance: dict[int, float] = {}
        """Composite importance by path key; for a text, one minus its spread over the pages of its parent."""
        self.composites: dict[int, Composite] = {}
        """Importance of elements by path key, with the state of their descendants, in the stored form."""
        self.noisy: set[int] = set()
        """Elements at or below the threshold, with only such elements below them."""
        self.meaningful: set[int] = set()
        """Elements that are not noisy and have no noisy descendant."""
        below: defaultdict[int, _Below] = defaultdict(_Below)
        nodes = template.nodes
        for node in sorted(nodes.values() if rows is None else rows, key=attrgetter("depth"), reverse=True):
            parent = nodes.get(node.parent)
            above = below[node.parent] if parent is not None else None
            if _is_text(node):
                self._text(node, parent, above)
            else:
                self._element(node, below[node.key], above, gamma)

    def _text(self, node: TemplateNode, parent: TemplateNode | None, above: _Below | None) -> None:
        pages = parent.pages if parent is not None else self.template.pages_seen
        spread = min(log(node.pages, pages), 1.0) if pages > 1 and node.pages > 1 else 0.0
        self.importance[node.key] = 1.0 - spread
        if above is not None:
            above.children += 1
            above.texts += 1
            above.text_nodes += node.nodes
            above.spread += spread

    def _element(self, node: TemplateNode, below: _Below, above: _Below | None, gamma: float) -> None:
        stored = node.composite if gamma == GAMMA else None
        value = _element_importance(node, below, gamma) if stored is None else stored.importance
        below.clean = below.clean or (stored is not None and stored.clean)
        self.importance[node.key] = value
        self.composites[node.key] = Composite(value, below.clean)
        if value <= self.threshold and not below.clean:
            self.noisy.add(node.key)
        elif value > self.threshold and not below.noisy:
            self.meaningful.add(node.key)
        if above is not None:
            above.children += 1
            above.elements += 1
            above.nodes += node.nodes
            above.importance += value * node.nodes
            above.noisy = above.noisy or below.noisy or value <= self.threshold
            above.clean = above.clean or below.clean or value > self.threshold


def composites(template: SiteTemplate) -> Mapping[int, Composite]:
    """Return the importance, in the stored form, of the elements of a growing template on two pages or more.

    An element on one page has the importance 1 whatever is below it. So the rows inside such elements, which are most
    of the rows of a growing template, are not examined.
    """
    nodes = template.nodes
    rows = [one for one in nodes.values() if one.pages > 1 or ((above := nodes.get(one.parent)) and above.pages > 1)]
    return StyleTree(template, rows=rows).composites


def _is_text(node: TemplateNode) -> bool:
    """Return whether a row is a text. On a single page it has no label yet, but characters and no children."""
    return node.is_text if node.label else node.chars > 0 and not node.variants


def _element_importance(node: TemplateNode, below: _Below, gamma: float) -> float:
    pages = node.pages
    if pages < 2:
        return 1.0
    lost = max(node.variants - below.children, 0)
    texts = below.texts + lost
    own_texts = 1.0 - below.spread / texts if texts else 0.0
    styles = node.styles
    if not below.elements and not any(styles):
        return own_texts
    counts = list(styles.values())
    # Equal siblings may have different styles, so one page may count for several styles.
    total = max(pages, sum(counts))
    counts += [1] * (total - sum(counts))
    weight = below.nodes + below.text_nodes + lost
    importance = below.importance + own_texts * (below.text_nodes + lost)
    mean = importance / weight if weight else 0.0
    return _composite(node_importance(counts, total), mean, len(counts), gamma)
