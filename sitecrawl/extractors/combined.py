"""The production method: weighs template evidence with page evidence for each text block.

A block's evidence (`extractors.evidence`) says what the block is, where it stands, what its ancestors are called, how
often the site repeats it, and how the site uses its path. A small tree model, trained on recorded sites and tested
on sites it never saw (`docs/combined.md`), turns it into a probability. Pure in (page, template snapshot).
"""

from typing import ClassVar, Final

from sitecrawl.dom.blocks import cover, text_blocks
from sitecrawl.dom.page import Page
from sitecrawl.extractors.base import Extraction, Kind, Need, SiteContext, no_content, register
from sitecrawl.extractors.evidence import BlockEvidence
from sitecrawl.extractors.model import load_model, probabilities
from sitecrawl.extractors.statistics import SiteStatistics, site_statistics
from sitecrawl.templates.trie import SiteTemplate

THRESHOLD: Final = 0.5
"""Probability from which a block is kept; best of 0.35..0.6 leave-sites-out (docs/combined.md)."""
LISTING_LINKS: Final = 0.5
"""Share of linked characters in the kept text above which the page is a listing [OWN]."""


@register
class Combined:
    """Main content by block probabilities."""

    name: ClassVar[str] = "combined"
    needs: ClassVar[frozenset[Need]] = frozenset()

    def __init__(self, *, threshold: float = THRESHOLD) -> None:
        self.threshold = threshold
        self._site: tuple[SiteTemplate, SiteStatistics] | None = None

    def extract(self, page: Page, site: SiteContext | None = None) -> Extraction:
        """Choose the blocks that are probably main content."""
        flat = page.flat
        blocks = text_blocks(flat)
        if not len(blocks):
            return no_content(self.name)
        template = site.template if site is not None else None
        statistics = self._statistics(template) if template is not None else None
        evidence = BlockEvidence(flat, blocks, statistics, site.learned if site is not None else False)
        evidence.build()
        chances = probabilities(load_model(), evidence.columns)
        chosen = [chance >= self.threshold for chance in chances]
        nodes = cover(flat, blocks, chosen)
        certainty = sum(c * abs(2 * p - 1) for c, p in zip(blocks.chars, chances, strict=True))
        confidence = certainty / max(sum(blocks.chars), 1)
        chars = sum(flat.chars[i] for i in nodes)
        if not chars:
            return Extraction((), self.name, confidence, Kind.NONE)
        links = sum(flat.link_chars[i] for i in nodes) / chars
        kind = Kind.LISTING if links > LISTING_LINKS else Kind.CONTENT
        return Extraction(nodes, self.name, confidence, kind, {"links": links, "kept": chars / flat.chars[0]})

    def _statistics(self, template: SiteTemplate) -> SiteStatistics:
        """Return the sums of a snapshot, kept for the next page of the same site."""
        if self._site is None or self._site[0] is not template:
            self._site = (template, site_statistics(template))
        return self._site[1]
