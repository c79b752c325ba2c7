"""The merged Site Style Tree: that of Yi, Liu and Li (2003), section 4, where nodes with equal paths are one.

It is the package's own form of the tree (`docs/extractors.md`), written once more from its description: an element node
is a path of labels, its children are the paths below it, and a text is a child as an element is.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from math import log

from sitecrawl.dom.labels import label_name

from .style_tree import style
from .tree import Node

MOST_STYLES = 64
"""Number of styles counted besides the first one; if there are more, those of one page are dropped."""


@dataclass(eq=False)
class Path:
    """The nodes of some pages on one path."""

    is_text: bool = False
    children: "dict[tuple[bool, str], Path]" = field(default_factory=dict)
    pages: set[int] = field(default_factory=set)
    nodes: int = 0
    seen: set[tuple[int, tuple[str, ...]]] = field(default_factory=set)
    styles: Counter[tuple[str, ...]] = field(default_factory=Counter)
    """Pages with each sequence of element children."""
    importance: float = 1.0

    def subtree(self) -> "list[Path]":
        """Return the path and all below, each before those below it."""
        found = [self]
        for path in found:
            found += path.children.values()
        return found

    def elements(self) -> "list[Path]":
        """Return the paths of the element children."""
        return [path for path in self.children.values() if not path.is_text]

    def count(self, node: Node, page: int) -> None:
        """Count a node of a page, once a page and for each style that its equal nodes have there."""
        self.is_text = node.is_text
        self.pages.add(page)
        self.nodes += 1
        own = style(node)
        if (page, own) in self.seen:
            return
        self.seen.add((page, own))
        first = next(iter(self.styles), own)
        if own not in self.styles and own != first and len(self.styles) > MOST_STYLES:
            self.styles = Counter({one: n for one, n in self.styles.items() if n > 1 or one == first})
        if own in self.styles or own == first or len(self.styles) <= MOST_STYLES:
            self.styles[own] += 1

    def is_noise(self, threshold: float) -> bool:
        """Return whether the element and all elements below are at or under the threshold."""
        return all(path.importance <= threshold for path in self.subtree() if not path.is_text)


def name(node: Node) -> tuple[bool, str]:
    """Return what nodes with equal parents share that are on one path."""
    if node.is_text:
        return True, " ".join(node.text.split())
    return False, label_name(node.tag, node.element.get("class", ""))


def located(nodes: list[Node], root: Path, *, add: bool = False) -> list[Path | None]:
    """Return the path of each node of a page; None if the tree has none. With `add` it is created."""
    found: list[Path | None] = [root]
    for node in nodes[1:]:
        above = found[node.parent.row]
        if add:
            found.append(above.children.setdefault(name(node), Path()))
        else:
            found.append(above.children.get(name(node)) if above is not None else None)
    return found


def merged_tree(pages: Iterable[list[Node]], gamma: float) -> Path:
    """Return the tree of some pages, whose first nodes are equal, with importances."""
    root = Path()
    for number, nodes in enumerate(pages):
        for path, node in zip(located(nodes, root, add=True), nodes, strict=True):
            path.count(node, number)
    for path in reversed(root.subtree()):
        if not path.is_text:
            weigh(path, gamma)
    return root


def weigh(path: Path, gamma: float) -> None:
    """Set the composite importance of an element and its texts; those of the elements below are set."""
    pages = len(path.pages)
    texts = [child for child in path.children.values() if child.is_text]
    for text in texts:  # as a feature that its pages show equally often
        text.importance = 1.0 - min(1.0, log(len(text.pages), pages)) if pages > 1 else 1.0
    own_texts = sum(text.importance for text in texts) / len(texts) if texts else 0.0
    if pages == 1:
        path.importance = 1.0
    elif set(path.styles) == {()}:
        path.importance = own_texts
    else:
        total = max(pages, path.styles.total())
        shares = [count / total for count in [*path.styles.values(), *[1] * (total - path.styles.total())]]
        node = -sum(share * log(share, total) for share in shares)
        weights = [(child.nodes, own_texts if child.is_text else child.importance) for child in path.children.values()]
        below = sum(count * value for count, value in weights) / sum(count for count, _ in weights)
        weight = gamma ** len(shares)
        path.importance = (1 - weight) * node + weight * below


def clean_texts(nodes: list[Node], root: Path, threshold: float) -> set[int]:
    """Return the rows of the texts of a page that stay, from the root down.

    A noisy element goes. One that is on fewer than two pages stays, and so does one that is not noisy and has no noise
    below; of any other the children are looked at, and a text stays above the threshold.
    """
    paths, kept = located(nodes, root), set()
    waiting = [nodes[0]]
    while waiting:
        node = waiting.pop()
        path = paths[node.row]
        known = path is not None and len(path.pages) > 1
        if node.is_text:
            if not known or path.importance > threshold:
                kept.add(node.row)
        elif known and path.is_noise(threshold):
            continue
        elif known and any(one.importance <= threshold for one in path.subtree() if not one.is_text):
            waiting += node.children
        else:
            kept |= {one.row for one in node.subtree() if one.is_text}
    return kept
