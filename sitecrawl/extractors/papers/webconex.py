"""Web-ConEx: keeps the nodes of the key page that no page of its n-SET has.

Source: "Main content extraction from heterogeneous webpages" (Alarte, Insa, Silva, Tamarit, 2018), sections 2.2 to 2.6.
Two nodes are mapped by an equal top-down mapping if they and all their ancestors are equal. What makes two nodes equal
is a parameter of the paper (`papers.equality`).
"""

from collections.abc import Sequence
from typing import ClassVar, Final

from sitecrawl.dom.blocks import join_siblings, outermost
from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.page import Page
from sitecrawl.errors import ConfigError
from sitecrawl.extractors.base import Extraction, Need, SiteContext, no_content, register
from sitecrawl.extractors.papers.equality import Equality, occurrences
from sitecrawl.extractors.papers.sample import without_copies
from sitecrawl.links.comparison import read_selection

SET_SIZE: Final = 4
"""Size of the n-SET (Table 1: 4 pages give the best F1)."""
EQUALITY: Final = "tag+children+position"
"""The best of the equalities on half of the recorded sites, measured on the other half (docs/evaluation.md)."""


def main_branch(key_page: FlatDom, reduced: Sequence[int]) -> int:
    """Return the largest parent of the reduced candidates; the first of equals (Algorithm 3)."""
    parents = sorted({key_page.parent[node] for node in reduced})
    return max(parents, key=lambda node: key_page.end[node] - node)


def main_content(key_page: FlatDom, counts: Sequence[int]) -> tuple[list[int], list[int], int]:
    """Return (main content, reduced candidates, branch) for the occurrences of all nodes (Algorithms 2 to 5).

    Candidates are the nodes without occurrences. All their descendants are candidates too (Theorem 1), so the outermost
    ones represent them. Those outside the branch are discarded, and siblings among the rest are replaced by their
    parent. The branch is -1 if there are fewer than two reduced candidates.
    """
    reduced = outermost(key_page, [node for node, count in enumerate(counts) if not count])
    if len(reduced) < 2:
        return reduced, reduced, -1
    branch = main_branch(key_page, reduced)
    kept = [node for node in reduced if branch < node < key_page.end[branch]]
    return join_siblings(key_page, kept), reduced, branch


@register
class WebConEx:
    """Keeps the candidates of the main content branch, with siblings joined."""

    name: ClassVar[str] = "webconex"
    needs: ClassVar[frozenset[Need]] = frozenset((Need.NEIGHBOURS,))

    def __init__(
        self,
        *,
        size: int = SET_SIZE,
        selection: str = "n-set",
        equality: str = EQUALITY,
        one_to_one: bool = False,
        branch: bool = True,
    ) -> None:
        """Set the pages to compare with, the equality of nodes, and whether only the main content branch is kept.

        With `one_to_one` a node of another page is mapped at most once. With `branch=False` all reduced candidates are
        kept, which is not the paper's method. Raises ConfigError for fewer than one page, and for an unknown selection
        or equality.
        """
        if size < 1:
            raise ConfigError(f"webconex: size is {size}; give 1 or more pages, {SET_SIZE} are best")
        self.size = self.set_size = size
        self.selection = read_selection(selection, self.name)
        self.equality = Equality.read(equality, one_to_one=one_to_one)
        self.branch = branch

    def extract(self, page: Page, site: SiteContext | None = None) -> Extraction:
        """Return the main content; confidence is its share of the candidates' text.

        There is no content without an n-SET, or if each node of the page is on another page as well.
        """
        flat = page.flat
        pages = without_copies(flat, site.neighbours if site else ())[: self.size]
        if not pages:
            return no_content(self.name)
        counts, greedy = occurrences(flat, pages, self.equality)
        main, reduced, branch = main_content(flat, counts)
        if not main:
            return no_content(self.name)
        if not self.branch:
            main, branch = reduced, -1
        candidate_chars = sum(flat.chars[node] for node in reduced)
        inside = sum(flat.chars[node] for node in reduced if branch < node < flat.end[branch])
        share = inside / candidate_chars if branch >= 0 and candidate_chars else 1.0
        evidence = {
            "pages": float(len(pages)),
            "candidates": float(counts.count(0)),
            "reduced": float(len(reduced)),
            "branch": float(branch),
            "greedy": float(greedy),
        }
        return Extraction(tuple(main), self.name, share, evidence=evidence)
