"""TemEx: keeps the nodes that too few pages of a complete subdigraph repeat.

Source: Alarte, Insa, Silva, Tamarit, "Site-level web template extraction based on DOM analysis", PSI 2015 (LNCS 9609),
sections 3 and 4, used as a main-content extractor as in the Web-ConEx paper, section 4: a node is template if at least
t pages repeat it, and the main content is the rest of the page.

The pages are `SiteContext.neighbours`: those that all link to each other first (`links.comparison`), then others in
the order of selection where there are too few of them.
"""

from typing import ClassVar, Final

from sitecrawl.dom.blocks import cover_texts
from sitecrawl.dom.labels import TEXT
from sitecrawl.dom.page import Page
from sitecrawl.errors import ConfigError
from sitecrawl.extractors.base import Extraction, Need, SiteContext, no_content, register
from sitecrawl.extractors.papers.equality import Equality, occurrences
from sitecrawl.extractors.papers.sample import without_copies
from sitecrawl.links.comparison import read_selection
from sitecrawl.links.subdigraph import GOAL

VOTES: Final = 2
"""Number of pages that must repeat a template node; if there are fewer, all (the public code: min(pages, 2))."""

EQUALITY: Final = "labels"
"""Tag and folded classes, and the words of a text; the paper does not define equality (docs/evaluation.md)."""


@register
class TemEx:
    """Keeps the page without the nodes with enough votes."""

    name: ClassVar[str] = "temex"
    needs: ClassVar[frozenset[Need]] = frozenset((Need.NEIGHBOURS,))

    def __init__(
        self,
        *,
        votes: int = VOTES,
        size: int = GOAL,
        selection: str = "subdigraph",
        equality: str = EQUALITY,
        one_to_one: bool = False,
    ) -> None:
        """Set the number of votes from which a node is template, the pages that vote, and the equality of nodes.

        With `one_to_one` a node of another page is mapped at most once. Raises ConfigError for fewer than one vote or
        page, and for an unknown selection or equality.
        """
        for option, value in (("votes", votes), ("size", size)):
            if value < 1:
                raise ConfigError(f"temex: {option} is {value}; give 1 or more")
        self.votes = votes
        self.size = self.set_size = size
        self.selection = read_selection(selection, self.name)
        self.equality = Equality.read(equality, one_to_one=one_to_one)

    def extract(self, page: Page, site: SiteContext | None = None) -> Extraction:
        """Return the texts with too few votes; confidence is the share of the wanted pages that were available."""
        flat = page.flat
        pages = without_copies(flat, site.neighbours if site else ())[: self.size]
        if not pages:
            return no_content(self.name)
        votes, greedy = occurrences(flat, pages, self.equality)
        least = min(self.votes, len(pages))
        template = [count >= least for count in votes]
        rest = [name == TEXT and not repeated for name, repeated in zip(flat.tag, template, strict=True)]
        nodes = cover_texts(flat, rest)
        if not nodes:
            return no_content(self.name)
        evidence = {
            "pages": float(len(pages)),
            "votes": float(least),
            "template": float(sum(template)),
            "greedy": float(greedy),
        }
        return Extraction(nodes, self.name, len(pages) / self.size, evidence=evidence)
