"""Site-wide sums of a template for the block features, computed once per template version."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from sitecrawl.dom.labels import text_label
from sitecrawl.templates.trie import TEXT_LABEL_LENGTH, SiteTemplate


class PathStatistics(NamedTuple):
    """Sums over the learned pages for one path."""

    pages: int
    nodes: int
    variants: int
    chars: int
    plain: int
    """Characters outside links."""
    fresh: int
    """Characters outside links, without texts that several pages have in the same place."""


@dataclass(frozen=True, slots=True, eq=False)
class SiteStatistics:
    """Sums for every path of a template, and for the whole site."""

    pages: int
    paths: Mapping[int, PathStatistics]
    texts: Mapping[int, int]
    """Maximum number of pages with a text in one place, by the label of the text."""
    fresh: int
    """Fresh characters of the whole site, at least 1."""
    compiled: list[object] = field(default_factory=list, init=False, repr=False)
    """The sums in the form of a compiled module, cached for the next page."""


def site_statistics(template: SiteTemplate) -> SiteStatistics:
    """Return the sums over the rows of a published template."""
    repeated = dict.fromkeys(template.nodes, 0)
    paths: dict[int, PathStatistics] = {}
    texts: dict[int, int] = {}
    fresh_below = 0
    for node in sorted(template.nodes.values(), key=lambda node: -node.depth):
        plain = node.chars - node.link_chars
        if node.is_text:
            repeated[node.key] = plain
            words = node.label[1:-1]
            if len(words) < TEXT_LABEL_LENGTH:  # longer texts are cut in the template, so their label is unknown
                key = text_label(words)
                texts[key] = max(texts.get(key, 0), node.pages)
        fresh = max(plain - repeated[node.key], 0)
        paths[node.key] = PathStatistics(node.pages, max(node.nodes, 1), node.variants, node.chars, plain, fresh)
        if node.parent in repeated:
            repeated[node.parent] += repeated[node.key]
        else:
            fresh_below += fresh
    return SiteStatistics(template.pages_seen, paths, texts, max(fresh_below, 1))
