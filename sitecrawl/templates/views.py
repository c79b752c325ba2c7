"""Readings of one trie: rows for people to look at, and the importance of style nodes (ALGORITHMS 6, 16.5)."""

from collections.abc import Iterator
from math import log
from typing import NamedTuple

from sitecrawl.templates.trie import SiteTemplate, TemplateNode


class ViewRow(NamedTuple):
    """One line of `template show`."""

    depth: int
    label: str
    pages: int
    share: float
    """Pages with the node among the pages with its parent."""
    importance: float
    """SST node importance of an element: 0 = always the same children, 1 = always different; texts have none (0)."""


def node_importance(pages: int, styles: list[int]) -> float:
    """Return NodeImp of ALGORITHMS 6.2: the entropy of the presentation styles to the base of the page count.

    `styles` holds the pages of each style. One page says nothing: 1.
    """
    if pages <= 1:
        return 1.0
    return -sum(count / pages * log(count / pages, pages) for count in styles if count)


def template_rows(template: SiteTemplate, min_share: float = 0.0, min_pages: int = 0) -> Iterator[ViewRow]:
    """Yield the kept rows as a tree: each node before its children, most frequent children first."""
    children: dict[int, list[TemplateNode]] = {}
    for node in template.nodes.values():
        children.setdefault(node.parent, []).append(node)
    stack = sorted(children.get(0, []), key=_order)
    while stack:
        node = stack.pop()
        above = template.nodes.get(node.parent)
        share = node.pages / (above.pages if above is not None else max(template.pages_seen, 1))
        if share < min_share or node.pages < min_pages:
            continue
        importance = 0.0 if node.is_text else node_importance(node.pages, list(node.styles.values()))
        yield ViewRow(node.depth, node.label, node.pages, share, importance)
        stack.extend(sorted(children.get(node.key, []), key=_order))


def _order(node: TemplateNode) -> tuple[int, str, int]:
    return node.pages, node.label, node.key
