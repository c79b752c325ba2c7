"""Views of a learned template as rows for people."""

from collections.abc import Iterator
from typing import NamedTuple

from sitecrawl.templates.blocks import BlockStore
from sitecrawl.templates.importance import StyleTree
from sitecrawl.templates.trie import SiteTemplate, TemplateNode


class ViewRow(NamedTuple):
    """One line of `template show`."""

    depth: int
    label: str
    pages: int
    share: float
    """Share of the pages with the parent that have the node, 0..1."""
    importance: float
    """Composite importance, 0..1; at most `templates.importance.THRESHOLD` on a noisy node."""


class PathViewRow(NamedTuple):
    """One line of `template show --view fastce`."""

    path: str
    content_pages: int
    noise_pages: int
    share: float
    """Share of all learned pages on which the path had content, 0..1."""


def template_rows(template: SiteTemplate, min_share: float = 0.0, min_pages: int = 0) -> Iterator[ViewRow]:
    """Yield the kept rows as a tree: each node before its children, most frequent children first."""
    importance = StyleTree(template).importance
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
        yield ViewRow(node.depth, node.label, node.pages, share, importance[node.key])
        stack.extend(sorted(children.get(node.key, []), key=_order))


def path_rows(blocks: BlockStore, min_share: float = 0.0) -> Iterator[PathViewRow]:
    """Yield the traversal paths, each before the longer ones that begin with it."""
    pages = max(blocks.pages_seen, 1)
    for row in sorted(blocks.paths.values(), key=lambda row: row.path.split(".")):
        share = row.content_pages / pages
        if share >= min_share:
            yield PathViewRow(row.path, row.content_pages, row.noise_pages, share)


def _order(node: TemplateNode) -> tuple[int, str, int]:
    return node.pages, node.label, node.key
