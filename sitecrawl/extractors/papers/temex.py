"""TemEx: keeps what too few pages of a complete subdigraph repeat.

Source: Alarte, Insa, Silva, Tamarit, "Site-level web template extraction based on DOM analysis", PSI 2015 (LNCS 9609),
sections 3 and 4, used as a main-content extractor as in the Web-ConEx paper, section 4: a node is template if at least
t pages repeat it, and the main content is the rest of the page.

The pages are `SiteContext.neighbours`. Their provider takes the links of the key page in the order of
`links.selection`, reads the links among those pages, and passes the result of `links.subdigraph.complete_subdigraph`.
Given a plain n-SET, the method takes its first pages.
"""

from collections.abc import Sequence
from typing import ClassVar, Final, Literal, TypeAlias

from sitecrawl.dom.blocks import cover_texts
from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.labels import TEXT
from sitecrawl.dom.page import Page
from sitecrawl.errors import ConfigError
from sitecrawl.extractors.base import Extraction, Need, SiteContext, no_content, register
from sitecrawl.extractors.papers.sample import occurrences, without_copies
from sitecrawl.links.subdigraph import GOAL
from sitecrawl.templates.siblings import SiblingMapping

VOTES: Final = 2
"""Pages that must repeat a template node; if there are fewer, all of them (the public code: min(pages, 2))."""

Equality: TypeAlias = Literal["labels", "siblings"]
"""When two nodes are equal. `labels`: their path keys are equal, text included (`dom.labels`); `siblings`: they are
similar by the public code (`templates.siblings`), which does not read texts."""


def votes_by_siblings(key_page: FlatDom, pages: Sequence[FlatDom]) -> tuple[list[int], int]:
    """Return (votes, lists): for each node of the key page the number of pages with a node mapped to it.

    `lists` is the number of child lists that were too long to compare pair by pair.
    """
    votes, lists = [0] * len(key_page), 0
    for other in pages:
        mapping = SiblingMapping(key_page, other)
        for node, mapped in enumerate(mapping.mapped()):
            votes[node] += mapped
        lists += mapping.greedy
    return votes, lists


@register
class TemEx:
    """The page without the nodes with enough votes."""

    name: ClassVar[str] = "temex"
    needs: ClassVar[frozenset[Need]] = frozenset((Need.NEIGHBOURS,))

    def __init__(self, *, votes: int = VOTES, size: int = GOAL, equality: Equality = "labels") -> None:
        """Set the votes that make a node template, and the number of pages that vote.

        Raises ConfigError if either is below one, and for an unknown equality.
        """
        for option, value in (("votes", votes), ("size", size)):
            if value < 1:
                raise ConfigError(f"temex: {option} is {value}; give 1 or more")
        if equality not in ("labels", "siblings"):
            raise ConfigError(f"temex: equality is {equality!r}; give labels or siblings")
        self.votes = votes
        self.size = size
        self.equality = equality

    def extract(self, page: Page, site: SiteContext | None = None) -> Extraction:
        """Return the texts with too few votes; confidence is the share of the wanted pages that were there."""
        flat = page.flat
        pages = without_copies(flat, site.neighbours if site else ())[: self.size]
        if not pages:
            return no_content(self.name)
        if self.equality == "siblings":
            votes, greedy = votes_by_siblings(flat, pages)
        else:
            votes, greedy = occurrences(flat, pages), 0
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
