"""Chooses the blocks of a listing: the texts and titles of its entries, without labels that the site's listings share.

Pure in (page, template, decision). [OWN]
"""

from sitecrawl.dom.blocks import Blocks
from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.page import Page
from sitecrawl.extractors.combined.headings import with_card_titles
from sitecrawl.extractors.combined.layout_rules import with_cards
from sitecrawl.extractors.combined.listing_cards import INTRODUCTION, with_own_cards
from sitecrawl.extractors.combined.listing_verdict import own_text
from sitecrawl.extractors.combined.region import SHARED, Known
from sitecrawl.extractors.combined.shared_labels import shared_labels
from sitecrawl.templates.decision import LayoutDecision


def listed_blocks(
    page: Page,
    blocks: Blocks,
    kept: list[bool],
    text_share: list[float],
    known: Known | None,
    decision: LayoutDecision | None,
) -> list[bool]:
    """Return which blocks of a listing are kept; `text_share` is the share of pages that repeat each text.

    A listing without entries consists of the labels, such as the overview of all tags, and keeps them.
    """
    labels = shared_labels(page.flat, blocks, known)
    if labels:
        others = [wanted and block not in labels for block, wanted in enumerate(kept)]
        share = [1.0 if block in labels else one for block, one in enumerate(text_share)]
        others = _with_entries(page, blocks, others, share, known, decision)
        others = [wanted and block not in labels for block, wanted in enumerate(others)]
        if _has_entries(page.flat, blocks, others, text_share):
            return others
    return _with_entries(page, blocks, kept, text_share, known, decision)


def _with_entries(
    page: Page,
    blocks: Blocks,
    kept: list[bool],
    text_share: list[float],
    known: Known | None,
    decision: LayoutDecision | None,
) -> list[bool]:
    """Return which blocks of a listing are kept, including those of its cards if hardly anything else is kept."""
    if decision is not None and decision.binds:
        kept = with_cards(page.flat, blocks, kept, decision)
    kept = with_own_cards(page, blocks, kept, text_share, known)
    return with_card_titles(page.flat, blocks, kept, known)


def _has_entries(flat: FlatDom, blocks: Blocks, kept: list[bool], text_share: list[float]) -> bool:
    """Return whether a listing keeps entries: links that are not on many pages, or prose."""
    own = zip(kept, text_share, blocks.link_chars, strict=True)
    linked = any(wanted and share < SHARED and links > 0 for wanted, share, links in own)
    return linked or own_text(flat, blocks, kept) >= INTRODUCTION
