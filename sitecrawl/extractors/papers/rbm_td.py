"""RBM-TD: keeps a page without the subtrees that all sample pages have in the same place.

Source: Vieira, da Costa Carvalho, Berlt, de Moura, da Silva, Freire, "On finding templates on web collections", World
Wide Web 12(2), 2009, and its summary in the Web-ConEx paper, section 4. A restricted bottom-up mapping maps identical
subtrees in identical places; it is the equality of (indexed path, subtree), and takes linear time.
"""

from collections.abc import Sequence
from typing import ClassVar, Final

from sitecrawl.dom.blocks import cover_texts, outermost
from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.labels import TEXT
from sitecrawl.dom.page import Page
from sitecrawl.errors import ConfigError
from sitecrawl.extractors.base import Extraction, Need, SiteContext, no_content, register
from sitecrawl.extractors.papers.sample import Learned, without_copies
from sitecrawl.templates.mapping import labelled_tree

SAMPLE_PAGES: Final = 25
"""Pages of the sample [OWN], as for RTDM-TD."""


def placed_subtrees(flat: FlatDom) -> list[int]:
    """Return a fingerprint for each node: equal for identical subtrees with the same indexed path.

    An indexed path consists of the position of each node among its siblings, from the root down, without tags.
    """
    tree = labelled_tree(flat)
    place = [0] * len(flat)
    for node, children in enumerate(tree.children):
        above = place[node]
        for number, child in enumerate(children):
            place[child] = hash((above, number))
    return [hash(pair) for pair in zip(place, tree.identity, strict=True)]


def common_subtrees(pages: Sequence[FlatDom]) -> frozenset[int]:
    """Return the placed subtrees that all pages share."""
    common = frozenset(placed_subtrees(pages[0]))
    for flat in pages[1:]:
        common = common.intersection(placed_subtrees(flat))
    return common


def template_roots(flat: FlatDom, common: frozenset[int]) -> list[int]:
    """Return the roots of the largest subtrees that are template, in document order."""
    return outermost(flat, [node for node, subtree in enumerate(placed_subtrees(flat)) if subtree in common])


@register
class RbmTd:
    """Keeps the page without the subtrees that all sample pages have in the same place."""

    name: ClassVar[str] = "rbm-td"
    needs: ClassVar[frozenset[Need]] = frozenset((Need.NEIGHBOURS,))
    sample_size: ClassVar[int] = 25

    def __init__(self, *, size: int = SAMPLE_PAGES) -> None:
        """Set the number of sample pages. Raises ConfigError for fewer than one."""
        if size < 1:
            raise ConfigError(f"rbm-td: size is {size}; give 1 or more pages, {SAMPLE_PAGES} are usual")
        self.size = size
        self._common = Learned(common_subtrees)

    def extract(self, page: Page, site: SiteContext | None = None) -> Extraction:
        """Return the texts that are not template; confidence grows with the sample."""
        flat = page.flat
        pages = without_copies(flat, site.neighbours if site else ())[: self.size]
        if not pages:
            return no_content(self.name)
        roots = template_roots(flat, self._common.of(pages))
        rest = [name == TEXT for name in flat.tag]
        for root in roots:
            rest[root : flat.end[root]] = [False] * (flat.end[root] - root)
        nodes = cover_texts(flat, rest)
        if not nodes:
            return no_content(self.name)
        evidence = {"pages": float(len(pages)), "template": float(len(roots))}
        return Extraction(nodes, self.name, min(1.0, len(pages) / SAMPLE_PAGES), evidence=evidence)
