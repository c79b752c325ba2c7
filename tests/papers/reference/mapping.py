"""Web-ConEx, sections 2.2 to 2.6: Algorithm 1 (occurrences) to Algorithm 5 (main content selection)."""

from collections import Counter
from collections.abc import Collection, Hashable, Iterable
from dataclasses import dataclass
from functools import cached_property

from sitecrawl.dom.labels import label_name

from .tree import Node, sizes


def equal_by(node: Node, place: int, equality: str) -> Hashable:
    """Return what two equal nodes have in common; `place` is the number of the node among its siblings.

    The equality is open in the paper; section 3.2 names attributes, number of children and position.
    """
    base, *hints = equality.split("+")
    if node.tag in ("html", "body"):
        return node.tag
    where = place if "position" in hints else -1
    if node.is_text:
        return "", where, " ".join(node.text.split())
    classes = node.element.get("class", "")
    return (
        node.tag if base == "tag" else label_name(node.tag, classes),
        where,
        len(node.children) if "children" in hints else -1,
        _attributes(node, classes) if "attributes" in hints else "",
    )


def _attributes(node: Node, classes: str) -> tuple[str, str, str]:
    href = node.element.get("href", "") if node.tag in ("a", "area") else ""
    return classes.strip(), node.element.get("id", "").strip(), href


def occurrences(key_page: list[Node], pages: Iterable[list[Node]], equality: str, *, one_to_one: bool) -> list[int]:
    """Return on how many pages each node of the key page is (Algorithm 1).

    The listing visits all pairs of equal children of an equal pair. Here each node of the key page is visited once, with
    all nodes that it is mapped to; one to one, each child is mapped to the first equal one that is free.
    """
    counts = [0] * len(key_page)
    for other in pages:
        mapped = []
        if equal_by(key_page[0], 0, equality) == equal_by(other[0], 0, equality):
            mapped.append((key_page[0], Partners([other[0]], equality)))
        while mapped:
            node, partners = mapped.pop()
            counts[node.row] += 1
            for place, child in enumerate(node.children):
                equal = partners.children.get(equal_by(child, place, equality))
                if equal and not one_to_one:
                    mapped.append((child, equal))
                elif equal and equal.nodes:
                    mapped.append((child, Partners([equal.nodes.pop(0)], equality)))
    return counts


@dataclass(eq=False)
class Partners:
    """The nodes of another page to which some nodes of the key page are mapped."""

    nodes: list[Node]
    equality: str

    @cached_property
    def children(self) -> "dict[Hashable, Partners]":
        """Their children, by what is equal."""
        found: dict[Hashable, Partners] = {}
        for node in self.nodes:
            for place, child in enumerate(node.children):
                own = equal_by(child, place, self.equality)
                found.setdefault(own, Partners([], self.equality)).nodes.append(child)
        return found


def reduced(candidates: Collection[Node]) -> list[Node]:
    """Return the outermost candidates (Algorithm 2)."""
    known, found = set(candidates), []
    for node in candidates:
        outermost = node
        while outermost.parent in known:
            outermost = outermost.parent
        if outermost not in found[-1:]:
            found.append(outermost)
    return sorted(set(found), key=lambda node: node.row)


def branch(key_page: list[Node], candidates: Iterable[Node]) -> Node:
    """Return the largest parent, the first of equals in a depth-first traversal (Algorithm 3)."""
    size = sizes(key_page)
    best, count = key_page[0], 0
    for parent in sorted((node.parent for node in candidates), key=lambda node: node.row):
        if size[parent.row] > count:
            best, count = parent, size[parent.row]
    return best


def joined(nodes: Iterable[Node]) -> set[Node]:
    """Return the nodes with siblings replaced by their parent, until no two are siblings (Algorithm 5).

    It is Algorithm 2 of the CNR paper, whose first line drops nodes below others. As Example 4.2 there needs it, a
    parent replaces deeper nodes too.
    """
    found = set(nodes)
    found = {node for node in found if not node.below(found)}
    while True:
        siblings = Counter(node.parent for node in found if node.parent is not None)
        parent = next((one for one, count in siblings.items() if count > 1), None)
        if parent is None:
            return found
        found = {node for node in found if parent not in node.ancestors()} | {parent}


def main_content(key_page: list[Node], counts: list[int]) -> set[Node]:
    """Return the main content by the occurrences of the nodes (Algorithms 2 to 5)."""
    outermost = reduced([node for node in key_page if not counts[node.row]])
    if len(outermost) < 2:
        return set(outermost)
    root = branch(key_page, outermost)
    return joined(node for node in outermost if root in node.ancestors())
