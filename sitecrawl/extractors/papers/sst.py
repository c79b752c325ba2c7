"""SST: keeps everything that the Site Style Tree of the site does not mark as noise.

Source: Yi, Liu, Li, KDD 2003, section 4, on the merged tree SST* (`templates.importance`). The paper keeps a page node
whose style is not in the tree. Here children are found by path whatever their style, so only nodes whose path is not in
the tree are kept; on pages with lists of varying length the paper's rule would keep whole pages.

`merged=False` is the published method, on the tree of `templates.styles`, which is built from the neighbours.
"""

from collections.abc import Sequence
from typing import ClassVar, Final

from sitecrawl.dom.blocks import cover_texts
from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.labels import TEXT
from sitecrawl.dom.page import Page
from sitecrawl.errors import ConfigError
from sitecrawl.extractors.base import Extraction, Need, SiteContext, no_content, register
from sitecrawl.extractors.papers.sample import Learned, without_copies
from sitecrawl.templates.importance import GAMMA, THRESHOLD, StyleTree
from sitecrawl.templates.styles import SiteStyleTree, element_children

SAMPLE_PAGES: Final = 30
"""Number of pages from which the confidence is highest [OWN]; the paper samples hundreds."""


def clean_texts(flat: FlatDom, tree: StyleTree) -> list[bool]:
    """Return for each node whether it is a text that remains after noisy nodes are deleted, from the root down."""
    tag, end, path = flat.tag, flat.end, flat.path
    kept = [False] * len(tag)
    i = 0
    while i < len(tag):
        key = path[i]
        if key in tree.noisy:
            i = end[i]
        elif key not in tree.importance or key in tree.meaningful:
            for row in range(i, end[i]):
                kept[row] = tag[row] == TEXT
            i = end[i]
        else:
            kept[i] = tag[i] == TEXT and tree.importance[key] > tree.threshold
            i += 1
    return kept


def published_texts(flat: FlatDom, tree: SiteStyleTree) -> list[bool]:
    """Return the same for the published tree: a node with an unknown sequence of children is kept."""
    kept = [name == TEXT for name in flat.tag]
    children = element_children(flat)
    mapped = [(tree.root, 0)]
    while mapped:
        element, node = mapped.pop()
        if element.noisy:
            kept[node : flat.end[node]] = [False] * (flat.end[node] - node)
        elif not element.meaningful and flat.style[node] in element.styles:
            mapped += zip(element.styles[flat.style[node]][1], children[node], strict=True)
    return kept


@register
class Sst:
    """Keeps the page without noisy style nodes."""

    name: ClassVar[str] = "sst"

    def __init__(self, *, threshold: float = THRESHOLD, gamma: float = GAMMA, merged: bool = True) -> None:
        """Set the importance up to which a node is noisy, and whether the merged tree of the template is used.

        Raises ConfigError for values outside 0..1.
        """
        for option, value in (("threshold", threshold), ("gamma", gamma)):
            if not 0 <= value <= 1:
                raise ConfigError(f"sst: {option} is {value}; give 0..1")
        self.threshold = threshold
        self.gamma = gamma
        self.merged = merged
        self.sample_size = 0 if merged else SAMPLE_PAGES
        self._tree: StyleTree | None = None
        self._published = Learned(self._learn)

    @property
    def needs(self) -> frozenset[Need]:
        """The template, or the neighbours for a tree that is not merged."""
        return frozenset((Need.TEMPLATE if self.merged else Need.NEIGHBOURS,))

    def _learn(self, pages: Sequence[FlatDom]) -> SiteStyleTree:
        return SiteStyleTree(pages, threshold=self.threshold, gamma=self.gamma)

    def extract(self, page: Page, site: SiteContext | None = None) -> Extraction:
        """Return the texts that are not noise; confidence grows with the pages that the tree was learned from."""
        if not self.merged:
            return self._extract_published(page, site)
        template = site.template if site is not None else None
        if template is None or not template.nodes:
            return no_content(self.name)
        if self._tree is None or self._tree.template is not template:
            self._tree = StyleTree(template, threshold=self.threshold, gamma=self.gamma)
        flat = page.flat
        nodes = cover_texts(flat, clean_texts(flat, self._tree))
        if not nodes:
            return no_content(self.name)
        evidence = {
            "pages": float(template.pages_seen),
            "noisy": float(len(self._tree.noisy)),
            "meaningful": float(len(self._tree.meaningful)),
        }
        return Extraction(nodes, self.name, min(1.0, template.pages_seen / SAMPLE_PAGES), evidence=evidence)

    def _extract_published(self, page: Page, site: SiteContext | None) -> Extraction:
        flat = page.flat
        pages = without_copies(flat, site.neighbours if site else ())
        tree = self._published.of(pages)
        nodes = cover_texts(flat, published_texts(flat, tree)) if pages else ()
        if not nodes:
            return no_content(self.name)
        evidence = {
            "pages": float(len(pages)),
            "elements": float(len(tree.nodes)),
            "noisy": float(sum(element.noisy for element in tree.nodes)),
        }
        return Extraction(nodes, self.name, min(1.0, len(pages) / SAMPLE_PAGES), evidence=evidence)
