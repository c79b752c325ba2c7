"""Applies the last rules to the blocks of a page: those about boxes, links, notices and headings.

They need no other page, but follow the decision of the layout if there is one. Pure in (page, decision).
"""

from collections.abc import Mapping
from itertools import compress

from sitecrawl.dom.blocks import Blocks
from sitecrawl.dom.page import Page
from sitecrawl.extractors.combined.code_labels import without_code_labels
from sitecrawl.extractors.combined.comment_sections import without_comment_sections
from sitecrawl.extractors.combined.contents_headings import with_contents_headings
from sitecrawl.extractors.combined.contents_lists import without_contents
from sitecrawl.extractors.combined.copyright_lines import without_copyright_lines
from sitecrawl.extractors.combined.customer_reviews import without_customer_reviews
from sitecrawl.extractors.combined.field_labels import without_field_labels
from sitecrawl.extractors.combined.footnotes import with_footnotes
from sitecrawl.extractors.combined.furniture_boxes import REST, furniture_rows, without_furniture
from sitecrawl.extractors.combined.headings import (
    beside_headings,
    with_headings,
    with_headline_of_layout,
)
from sitecrawl.extractors.combined.login_forms import without_login_forms
from sitecrawl.extractors.combined.lone_headings import without_lone_headings
from sitecrawl.extractors.combined.named_boxes import without_boxes
from sitecrawl.extractors.combined.notices import without_notices
from sitecrawl.extractors.combined.own_address import without_own_address
from sitecrawl.extractors.combined.pagers import without_pagers
from sitecrawl.extractors.combined.paragraph_numbers import without_paragraph_numbers
from sitecrawl.extractors.combined.post_facts import without_post_facts
from sitecrawl.extractors.combined.related_lines import without_related_lines
from sitecrawl.extractors.combined.related_lists import without_related_lists
from sitecrawl.extractors.combined.table_cells import with_captions
from sitecrawl.extractors.combined.tag_lines import without_tag_lines
from sitecrawl.extractors.combined.thread_addresses import is_thread_page
from sitecrawl.extractors.combined.top_links import without_top_links
from sitecrawl.extractors.combined.trails import without_trails
from sitecrawl.templates.decision import LayoutDecision, LayoutKind


def settled(
    page: Page, blocks: Blocks, kept: list[bool], chances: list[float], decision: LayoutDecision | None
) -> list[bool]:
    """Return which blocks are kept after the last rules, which drop some of the `kept` blocks and add headings.

    `chances` are the probabilities of all blocks.
    """
    if True not in kept:
        return kept
    flat, binding = page.flat, decision if decision is not None and decision.binds else None
    thread = (decision is not None and decision.kind is LayoutKind.THREAD) or is_thread_page(page.url, flat)
    named = furniture_rows(flat)
    found = _beside_headings(page, blocks, kept, chances, named)
    found = without_boxes(flat, blocks, found, binding, thread=thread)
    found = without_related_lists(page, blocks, found, binding)
    if not thread:
        found = without_related_lines(page, blocks, found, binding)
        found = without_comment_sections(flat, blocks, found)
    found = without_furniture(flat, blocks, found, named, thread=thread, chances=chances if binding is not None else ())
    found = without_customer_reviews(page, blocks, found)
    found = without_own_address(page, blocks, without_top_links(flat, blocks, without_pagers(flat, blocks, found)))
    before = found
    noticed = without_notices(flat, blocks, before)
    found = without_login_forms(page, blocks, noticed)
    found = without_field_labels(page, blocks, without_trails(flat, blocks, found))
    found = without_code_labels(flat, blocks, without_paragraph_numbers(flat, blocks, found))
    found = with_captions(flat, blocks, with_footnotes(page, blocks, found))
    if not thread:
        found = with_headings(flat, blocks, found)
        found = noticed if found == before else without_notices(flat, blocks, found)  # a notice may be a heading
        found = without_post_facts(flat, blocks, found)
    found = without_copyright_lines(flat, blocks, without_tag_lines(flat, blocks, found))
    if binding is not None:
        found = with_headline_of_layout(flat, blocks, found, binding)
    return found if thread else without_lone_headings(flat, blocks, with_contents_headings(page, blocks, found))


def _beside_headings(
    page: Page, blocks: Blocks, kept: list[bool], chances: list[float], named: Mapping[str, list[int]]
) -> list[bool]:
    """Return which blocks are kept, with text added to lone headings and without tables of contents.

    Nothing is added to the headings if that would be little more than tables of contents: a threshold that is low
    enough for a table of contents is too low for the blocks around it.
    """
    beside = beside_headings(page.flat, blocks, kept, chances)
    found = without_contents(page, blocks, beside, chances, named)
    if beside is kept or found is beside:
        return found
    headings = sum(compress(blocks.chars, kept))
    added, left = (sum(compress(blocks.chars, some)) - headings for some in (beside, found))
    return kept if left < REST * added else found


def kept_as_evidence(page: Page, blocks: Blocks, kept: list[bool]) -> list[bool]:
    """Return the blocks that count as kept in the evidence for the layout: `kept` without boxes, and with headings.

    Links and notices are dropped only later, on each page separately. Without them the regions of the pages would be
    smaller, and a headline would be outside the region on one page and inside on the next.
    """
    flat = page.flat
    thread = is_thread_page(page.url, flat)
    found = without_boxes(flat, blocks, kept, None, thread=thread)
    return found if thread else with_headings(flat, blocks, found)
