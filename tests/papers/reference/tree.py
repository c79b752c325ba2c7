"""Trees of nodes as in the DOM: elements and texts."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from lxml.etree import _Element

NO_NODES = frozenset(
    "script style head template noscript noframes noembed iframe object embed audio video canvas svg datalist".split()  # noqa: SIM905
)
"""Scripts, styles, pictures and frames, which a page's columns leave out with all that is in them."""


@dataclass(eq=False, slots=True)
class Node:
    """An element or a text that is not blank."""

    tag: str
    """"" for a text."""
    element: _Element | None = None
    text: str = ""
    """Of a text, with the blank texts before it."""
    parent: "Node | None" = None
    children: list["Node"] = field(default_factory=list)
    row: int = -1
    """Its number in document order."""

    @property
    def is_text(self) -> bool:
        return not self.tag

    def elements(self) -> list["Node"]:
        """Return the element children."""
        return [child for child in self.children if child.tag]

    def ancestors(self) -> Iterator["Node"]:
        """Yield the ancestors, nearest first."""
        node = self.parent
        while node is not None:
            yield node
            node = node.parent

    def subtree(self) -> Iterator["Node"]:
        """Yield the node and all nodes below, in document order."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting += reversed(node.children)

    def below(self, others: Collection["Node"]) -> bool:
        """Return whether an ancestor is among some nodes."""
        return any(above in others for above in self.ancestors())


def tree(root: _Element, without: Collection[str] = NO_NODES) -> list[Node]:
    """Return the nodes of a tree in document order. Elements with the tags in `without` are left out."""
    top = Node(root.tag, root)
    waiting = [top]
    while waiting:
        above = waiting.pop()
        _add_text(above, above.element.text)
        for child in above.element:
            if isinstance(child.tag, str) and child.tag not in without:
                node = Node(child.tag, child, parent=above)
                above.children.append(node)
                waiting.append(node)
            _add_text(above, child.tail)
    nodes, blank = [], ""
    for node in top.subtree():
        if node.is_text and not node.text.strip():
            blank += node.text
            continue
        if node.is_text:
            node.text, blank = blank + node.text, ""
        node.row = len(nodes)
        nodes.append(node)
    for node in nodes:
        node.children = [child for child in node.children if child.row >= 0]
    return nodes


def _add_text(above: Node, text: str | None) -> None:
    if text:
        above.children.append(Node("", text=text, parent=above))


def sizes(nodes: list[Node]) -> list[int]:
    """Return the number of nodes of each subtree."""
    found = [1] * len(nodes)
    for node in reversed(nodes):
        if node.parent is not None:
            found[node.parent.row] += found[node.row]
    return found
