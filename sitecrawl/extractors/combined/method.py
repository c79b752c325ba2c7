"""The production method: weighs template evidence and page evidence for each text block, in two passes.

Block features (`block_features`) describe a block, its place, the names of its ancestors, how often the site repeats
it, and how the site uses its path. A small forest turns them into a probability; a second one uses the probabilities of
the blocks around it (`context_features`). Blocks with texts from the page's structured data get a high probability
(`stated_blocks`). The threshold is chosen for each page (`choice`). The kept blocks determine the content region, and
blocks that belong to it are kept as well (`region`). Two more forests classify the page: whether it is a listing, and
how far its main content can be trusted (`page_features`). All forests were tested on sites that they were not trained
on (`docs/combined.md`). The decision of the page's layout is applied (`layout_rules`). Pure in (page, template
snapshot, decision).
"""

from functools import partial
from operator import ne
from typing import ClassVar, Final, NamedTuple

from sitecrawl.dom.blocks import Blocks, cover, text_blocks
from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.invisible import shown
from sitecrawl.dom.page import Page
from sitecrawl.extractors.base import ALONE, Extraction, Kind, Need, SiteContext, no_content, register
from sitecrawl.extractors.combined.accordions import with_accordions
from sitecrawl.extractors.combined.admonitions import with_admonitions
from sitecrawl.extractors.combined.block_classifier import Judged, chance, judge, kept_alone, with_doubts
from sitecrawl.extractors.combined.data_tables import with_data_tables
from sitecrawl.extractors.combined.enclosed_elements import with_enclosed_elements
from sitecrawl.extractors.combined.enclosed_sections import with_enclosed_sections
from sitecrawl.extractors.combined.field_rows import with_field_rows
from sitecrawl.extractors.combined.field_tables import with_fields
from sitecrawl.extractors.combined.folded_details import with_details
from sitecrawl.extractors.combined.judged_blocks import judged_blocks
from sitecrawl.extractors.combined.labelled_lines import with_usual_lines
from sitecrawl.extractors.combined.labelled_values import with_labels_and_values
from sitecrawl.extractors.combined.last_rules import kept_as_evidence, settled
from sitecrawl.extractors.combined.layout_evidence import page_evidence
from sitecrawl.extractors.combined.layout_rules import agreed, filled, gate
from sitecrawl.extractors.combined.listed_blocks import listed_blocks
from sitecrawl.extractors.combined.listing_verdict import LISTING, ListingEvidence, is_listing, why_listing
from sitecrawl.extractors.combined.lone_headings import without_shared_headings
from sitecrawl.extractors.combined.member_source import without_member_source
from sitecrawl.extractors.combined.page_features import PAGE_NAMES, page_figures
from sitecrawl.extractors.combined.partial_lists import with_whole_lists
from sitecrawl.extractors.combined.picture_captions import with_picture_captions
from sitecrawl.extractors.combined.reference import enclosed
from sitecrawl.extractors.combined.region import Known, completed, near_limit, own_gate
from sitecrawl.extractors.combined.repeated_texts import kept_once
from sitecrawl.extractors.combined.shared_blocks import without_shared
from sitecrawl.extractors.combined.shared_paragraphs import without_shared_paragraphs
from sitecrawl.extractors.combined.stacked_sections import with_sections
from sitecrawl.extractors.combined.stated_blocks import with_stated
from sitecrawl.extractors.combined.statistics import SiteStatistics, site_statistics
from sitecrawl.extractors.combined.teaser_cards import without_teasers
from sitecrawl.extractors.combined.thread_addresses import is_thread_page
from sitecrawl.extractors.combined.threads import posts
from sitecrawl.templates.decision import LayoutDecision, LayoutKind, PageEvidence
from sitecrawl.templates.trie import SiteTemplate

REMEMBERED: Final = 64
"""Maximum pages whose judged blocks are cached between the decision of their layout and their extraction."""

_LINKS: Final = PAGE_NAMES.index("link_share")
_KEPT: Final = PAGE_NAMES.index("kept_share")


class _Look(NamedTuple):
    """The probabilities of a page's blocks, the statistics that they are based on, and the page's features."""

    statistics: SiteStatistics | None
    judged: Judged
    alone: Judged | None
    """The result of the passes without a template; None if they were not run."""
    limit: float
    chances: list[float]
    """The probabilities of the blocks by the forests, with 0 for a block that repeats a kept one."""
    known: Known | None
    figures: list[float]
    """The features of the page as a whole (`page_features`)."""


@register
class Combined:
    """Extracts main content by block probabilities."""

    name: ClassVar[str] = "combined"
    needs: ClassVar[frozenset[Need]] = frozenset()

    def __init__(self, *, threshold: float | None = None, listing: float = LISTING) -> None:
        self.threshold = threshold
        self.listing = listing
        self._site: tuple[SiteTemplate, SiteStatistics] | None = None
        self._looks: dict[tuple[str, int, int, bool], _Look] = {}
        """Cached looks of pages that gave evidence to their layout, until they are extracted."""
        self._evidence_template: SiteTemplate | None = None
        """The template with which the cached looks were computed."""

    def extract(self, page: Page, site: SiteContext | None = None) -> Extraction:
        """Return the blocks that are probably main content; confidence is the probability that the choice is good."""
        flat = page.flat
        blocks = self._blocks(page, site)
        if not len(blocks):
            return no_content(self.name)
        look = self._look(page, blocks, site)
        figures = look.figures
        decision = site.decision if site is not None else None
        read, confidence = self._read(look), chance("good", figures)
        own = self._kept_alone(page, blocks, look, decision)
        alone = own is not None
        kept = own if own is not None else self._kept(page, blocks, look, decision)
        listed = why_listing(page, blocks, kept, read)
        if listed is not None:
            kept = listed_blocks(page, blocks, kept, read.text_share, look.known, decision)
        else:
            kept = without_site_texts(flat, blocks, kept, look.known, decision, alone=alone)
        nodes = shown(page, cover(flat, blocks, kept))
        other = Kind.CONTENT if nodes else Kind.NONE
        return Extraction(
            nodes,
            self.name,
            confidence,
            Kind.LISTING if listed is not None else other,
            {"listing": read.chance, "links": figures[_LINKS], "kept": figures[_KEPT], "limit": look.limit}
            | ({ALONE: 1.0} if alone else {}),
            why=listed or "",
        )

    def evidence(self, page: Page, site: SiteContext) -> PageEvidence | None:
        """Return the evidence of a page for its layout; None for a page without text."""
        blocks = self._blocks(page, site)
        if not len(blocks):
            return None
        if self._evidence_template is not site.template:  # the pages of the previous layout have been extracted
            self._evidence_template = site.template
            self._looks.clear()
        look = self._look(page, blocks, site, remember=True)
        judged, limit, chances = look.judged, look.limit, look.chances
        kept = kept_as_evidence(page, blocks, self._chosen(page, blocks, look, None))
        listing = is_listing(page, blocks, kept, self._read(look))
        liked = [one >= limit for one in chances]
        return page_evidence(page, blocks, judged.chances, limit, liked, kept, look.known, listing=listing)

    def _look(self, page: Page, blocks: Blocks, site: SiteContext | None, *, remember: bool = False) -> "_Look":
        """Return the probabilities of the blocks of a page; `remember` caches them for its extraction."""
        flat = page.flat
        statistics, learned = self._statistics(site), site.learned if site is not None else False
        key = (page.url, flat.fingerprint, len(blocks), learned)
        look = self._looks.pop(key, None)
        if look is None or look.statistics is not statistics:
            judged, alone = with_doubts(flat, blocks, judge(flat, blocks, statistics, learned))
            judged = with_stated(flat, blocks, judged, page.stated_texts)
            limit = judged.limit if self.threshold is None else self.threshold
            chances = kept_once(flat, blocks, judged.chances, limit)
            known = Known(statistics, int(learned), judged.shares) if statistics is not None and judged.others else None
            figures = page_figures(page, blocks, chances, limit, judged.text_share, judged.others, statistics)
            look = _Look(statistics, judged, alone, limit, chances, known, figures)
        if remember and len(self._looks) < REMEMBERED:
            self._looks[key] = look
        return look

    def _kept(self, page: Page, blocks: Blocks, look: "_Look", decision: LayoutDecision | None) -> list[bool]:
        """Return which blocks are kept after all rules."""
        return settled(page, blocks, self._chosen(page, blocks, look, decision), look.chances, decision)

    def _chosen(self, page: Page, blocks: Blocks, look: "_Look", decision: LayoutDecision | None) -> list[bool]:
        """Return which blocks are kept by their probabilities, the layout's decision, the region, and the records."""
        flat, known, limit = page.flat, look.known, look.limit
        binding = decision if decision is not None and decision.binds else None
        kind = binding.kind if binding is not None else None
        thread = kind is LayoutKind.THREAD or is_thread_page(page.url, flat)
        # a table of members repeats the first sentences of their descriptions
        chances = look.chances if kind is not LayoutKind.REFERENCE else look.judged.chances
        kept = [one >= limit for one in chances]
        again = list(map(ne, look.judged.chances, chances))
        alone = partial(kept_alone, flat, blocks, look.alone)
        near = near_limit(chances, limit) if known is None else ()
        if binding is None:
            kept = completed(flat, blocks, kept, again, alone, known, near=near)
            kept = with_fields(flat, blocks, kept, again)
        else:
            kept = agreed(flat, blocks, chances, limit, kept, binding).kept
            opened = gate(binding, own_gate(flat, blocks, kept, known))
            kept = completed(flat, blocks, kept, again, alone, known, opened)
            kept = filled(flat, blocks, kept, again, binding, entries=opened.entries, known=known)
            kept = with_fields(flat, blocks, kept, again, frozenset(one.path for one in binding.regions))
        kept = with_data_tables(flat, blocks, kept, again, known)
        if not thread:
            kept = with_field_rows(flat, blocks, kept, again, known)
        kept = with_enclosed_elements(page, blocks, kept, again, known)
        kept = with_whole_lists(flat, blocks, kept, again, known, near)
        kept = with_accordions(flat, blocks, kept, again, known)
        kept = with_picture_captions(flat, blocks, kept, again, known)
        if binding is not None:
            kept = with_admonitions(flat, blocks, kept, again, known)
        if binding is not None and known is not None:
            kept = _compared(flat, blocks, kept, again, chances, known, binding, thread=thread)
        return kept if thread else with_labels_and_values(flat, blocks, kept, again)

    def _kept_alone(
        self, page: Page, blocks: Blocks, look: "_Look", decision: LayoutDecision | None
    ) -> list[bool] | None:
        """Return which blocks are kept of a page that does not follow its layout: an article in a layout of listings.

        None for a page that follows it.
        """
        if decision is None or decision.kind is not LayoutKind.LISTING:
            return None
        kept = self._kept(page, blocks, look, None)
        return None if is_listing(page, blocks, kept, self._read(look)) else kept

    def _read(self, look: "_Look") -> ListingEvidence:
        """Return the evidence for or against a listing."""
        figures = look.figures
        return ListingEvidence(chance("listing", figures), figures, look.judged.text_share, look.known, self.listing)

    def chances(self, page: Page, site: SiteContext | None = None) -> list[float]:
        """Return the probability of each text block that it is main content; 0 for a block that is not judged."""
        flat = page.flat
        every, blocks = text_blocks(flat), self._blocks(page, site)
        if not len(blocks):
            return [0.0] * len(every)
        judged = judge(flat, blocks, self._statistics(site), site.learned if site is not None else False)
        judged = with_stated(flat, blocks, with_doubts(flat, blocks, judged)[0], page.stated_texts)
        found = dict(zip(blocks.first, judged.chances, strict=True))
        return [found.get(first, 0.0) for first in every.first]

    def _blocks(self, page: Page, site: SiteContext | None) -> Blocks:
        """Return the text blocks of a page that are judged."""
        return judged_blocks(page, site, self._statistics(site))

    def _statistics(self, site: SiteContext | None) -> SiteStatistics | None:
        """Return the sums of a snapshot, cached for the next page of the same site."""
        template = site.template if site is not None else None
        if template is None:
            return None
        if self._site is None or self._site[0] is not template:
            self._site = (template, site_statistics(template))
        return self._site[1]


def without_site_texts(
    flat: FlatDom,
    blocks: Blocks,
    kept: list[bool],
    known: Known | None,
    decision: LayoutDecision | None,
    *,
    alone: bool,
) -> list[bool]:
    """Return which blocks of a page that is no listing are kept, without texts of the site that other pages have.

    `alone` means that the page does not follow the decision of its layout.
    """
    found = without_teasers(flat, blocks, kept, known, None if alone else decision)
    found = without_shared_paragraphs(flat, blocks, found, known, decision)
    return without_shared_headings(flat, blocks, found, known)


def _compared(
    flat: FlatDom,
    blocks: Blocks,
    kept: list[bool],
    again: list[bool],
    chances: list[float],
    known: Known,
    decision: LayoutDecision,
    *,
    thread: bool,
) -> list[bool]:
    """Return which blocks are kept after the rules that compare a page with the other pages of its layout."""
    reference = decision.kind is LayoutKind.REFERENCE
    if reference:
        kept = enclosed(flat, blocks, kept, again, known, decision)
    if thread:
        found = posts(flat, blocks, kept, again, known)
        return found if True in found else kept  # a list of threads has no posts
    kept = with_details(flat, blocks, kept, known)
    if reference:
        kept = without_member_source(flat, blocks, kept)
    kept = without_shared(flat, blocks, kept, known, decision)
    kept = with_sections(flat, blocks, kept, again, known)
    kept = with_enclosed_sections(flat, blocks, kept, again, known)
    return with_usual_lines(flat, blocks, kept, again, chances, known, decision)
