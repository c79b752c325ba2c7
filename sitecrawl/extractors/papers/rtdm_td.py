"""RTDM-TD: removes from a page the template that all sample pages share.

Source: Vieira, da Silva, Pinto, de Moura, Cavalcanti, Freire, "A fast and robust method for web page template detection
and removal", CIKM 2006. The template begins as the first page. Each further page reduces it to the nodes that a
restricted top-down mapping (`templates.mapping`) maps to equal ones. The template is then mapped to each page. The
paper takes the sample in random order; here it is the order of `SiteContext.neighbours`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from sitecrawl.dom.blocks import cover_texts
from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.labels import TEXT
from sitecrawl.dom.page import Page
from sitecrawl.errors import ConfigError
from sitecrawl.extractors.base import Extraction, Need, SiteContext, no_content, register
from sitecrawl.extractors.papers.sample import Learned, without_copies
from sitecrawl.templates.mapping import MAX_CELLS, LabelledTree, labelled_tree, map_trees, part

SAMPLE_PAGES: Final = 25
"""Pages of the sample [OWN]; the paper says a small set."""


@dataclass(frozen=True, slots=True, eq=False)
class TreeTemplate:
    """The common nodes of the sample pages."""

    tree: LabelledTree
    greedy: int
    """Number of child lists that were aligned greedily (`templates.mapping`)."""


def equal_nodes(
    one: LabelledTree, other: LabelledTree, *, restricted: bool = True, max_cells: int = MAX_CELLS
) -> tuple[list[tuple[int, int]], int]:
    """Return the mapped pairs of nodes with equal labels, and the number of child lists aligned greedily."""
    mapping = map_trees(one, other, restricted=restricted, max_cells=max_cells)
    return [(a, b) for a, b in mapping.pairs if one.label[a] == other.label[b]], mapping.greedy


def tree_template(pages: Sequence[FlatDom], *, restricted: bool = True, max_cells: int = MAX_CELLS) -> TreeTemplate:
    """Return the template of one or more pages: the nodes of the first that all others have, and their ancestors."""
    tree, greedy = labelled_tree(pages[0]), 0
    for flat in pages[1:]:
        pairs, lists = equal_nodes(tree, labelled_tree(flat), restricted=restricted, max_cells=max_cells)
        tree = part(tree, [a for a, _ in pairs])
        greedy += lists
    return TreeTemplate(tree, greedy)


@register
class RtdmTd:
    """Keeps the page without the nodes to which the template of the sample is mapped."""

    name: ClassVar[str] = "rtdm-td"
    needs: ClassVar[frozenset[Need]] = frozenset((Need.NEIGHBOURS,))
    sample_size: ClassVar[int] = 25

    def __init__(self, *, size: int = SAMPLE_PAGES, restricted: bool = True, max_cells: int = MAX_CELLS) -> None:
        """Set the number of sample pages, whether nothing below a replaced node is mapped, and the cells of a mapping.

        Raises ConfigError for fewer than one page or negative cells.
        """
        if size < 1:
            raise ConfigError(f"rtdm-td: size is {size}; give 1 or more pages, {SAMPLE_PAGES} are usual")
        if max_cells < 0:
            raise ConfigError(f"rtdm-td: max_cells is {max_cells}; give 0 or more, {MAX_CELLS} are usual")
        self.size = size
        self.restricted = restricted
        self.max_cells = max_cells
        self._template = Learned(self._learn)

    def _learn(self, pages: Sequence[FlatDom]) -> TreeTemplate:
        return tree_template(pages, restricted=self.restricted, max_cells=self.max_cells)

    def extract(self, page: Page, site: SiteContext | None = None) -> Extraction:
        """Return the texts outside the template; confidence grows with the sample."""
        flat = page.flat
        pages = without_copies(flat, site.neighbours if site else ())[: self.size]
        if not pages:
            return no_content(self.name)
        template = self._template.of(pages)
        pairs, greedy = equal_nodes(
            template.tree, labelled_tree(flat), restricted=self.restricted, max_cells=self.max_cells
        )
        rest = [name == TEXT for name in flat.tag]
        for _, node in pairs:
            rest[node] = False
        nodes = cover_texts(flat, rest)
        if not nodes:
            return no_content(self.name)
        evidence = {
            "pages": float(len(pages)),
            "template": float(len(template.tree)),
            "removed": float(len(pairs)),
            "greedy": float(template.greedy + greedy),
        }
        return Extraction(nodes, self.name, min(1.0, len(pages) / SAMPLE_PAGES), evidence=evidence)
