"""Boxes inside the content with telling names: the pages of the layout vote, and related pages are not content."""

import pytest

from sitecrawl.extractors.combined.named_boxes import without_boxes
from sitecrawl.templates.decision import LayoutDecision, LayoutKind

from .sites import Sample

TEXT = "<p>The mole of the harbour was built by hand, of stones that ships had brought.</p>"
BOX = "<div class='{}'><p>What a fine mole you have there, I would say.</p></div>"
SAID = "What a fine mole you have there, I would say."


def dropped(
    box, *, kept=0.2, kind=LayoutKind.ARTICLE, decided=True, before=TEXT * 2, pages=20, thread=False, body="<main>"
):
    """Return the texts that are dropped of a page that keeps all; `kept` is the layout's share on the path of the box."""
    site = Sample([f"{body}{before}{box}</main>"])
    decision = LayoutDecision(kind, 0.9, pages, 80.0, verdicts={site.path(SAID): (kept, kept)})
    found = without_boxes(
        site.flat, site.blocks, [True] * len(site.texts), decision if decided else None, thread=thread
    )
    return site.chosen([not one for one in found])


@pytest.mark.parametrize("names", ["comment odd", "toc", "sponsored advert"])
def test_a_layout_that_drops_most_of_such_boxes_drops_all(names):
    assert dropped(BOX.format(names)) == [SAID]
    assert dropped(BOX.format(names), kept=0.5) == []
    assert dropped(BOX.format(names), decided=False) == []
    assert dropped(BOX.format(names), pages=3) == []  # three pages bind none
    assert dropped(BOX.format(names), kind=LayoutKind.THREAD) == []


@pytest.mark.parametrize("names", ["note", "meta", "panel", "action", "listing"])
def test_other_names_do_not_vote(names):
    assert dropped(BOX.format(names)) == []


def test_the_element_that_holds_the_content_is_no_box():
    assert dropped(BOX.format("note"), body="<main class=comments>") == []


def test_a_paragraph_is_no_box():
    assert dropped(f"<p class=comment>{SAID}</p>") == []


def test_boxes_of_related_pages_are_dropped_whatever_the_layout_says():
    box = BOX.format("related_post wp_rp")
    assert dropped(box, kept=1.0) == [SAID]
    assert dropped(box, kept=1.0, decided=False) == [SAID]
    assert dropped(box, kind=LayoutKind.REFERENCE) == []  # see also
    assert dropped(box, kept=1.0, before="<p>One mole.</p>") == []  # the page consists of it
    assert dropped(BOX.format("correlated"), kept=1.0) == []
    assert dropped(BOX.format("featured more archive"), kept=1.0) == []


def test_a_heading_named_as_related_stays():
    heading = "<h2 id=related>Introduction</h2>"
    assert dropped(f"{heading}<p>{SAID}</p>", decided=False) == []
    assert dropped(heading + BOX.format("related"), decided=False) == [SAID]
    assert dropped(f"<p>{SAID}</p>{heading}", decided=False) == []


def test_a_table_of_facts_named_as_related_stays():
    cells = f"<tr><td><a href=/1>ships</a><td><a href=/2>moles</a></table><p>{SAID}</p>"
    assert dropped(f"<table class=related><tr><th>Modules<th>Directives{cells}", decided=False) == []
    assert dropped(f"<table class=related><tr><th>Stories<td>{cells}", decided=False) == ["Stories", "ships", "moles"]


def test_a_page_of_nothing_but_a_box_of_related_pages_that_its_layout_drops_has_no_content():
    box = BOX.format("related_post wp_rp")
    assert dropped(box, before="") == [SAID]
    assert dropped(box, before="<p>One mole.</p>") == [SAID]
    assert dropped(box, kept=0.5, before="") == []
    assert dropped(box, kept=0.5, before="<p>One mole.</p>") == []
    assert dropped(box, before="", decided=False) == []
    assert dropped(box, before="", pages=3) == []
    assert dropped(box, before="", kind=LayoutKind.REFERENCE) == []


def test_the_comments_of_a_thread_are_its_posts():
    assert dropped(BOX.format("comment"), thread=True) == []
    assert dropped(BOX.format("toc"), thread=True) == [SAID]


def test_a_page_of_nothing_else_stays_as_it_is():
    assert dropped(BOX.format("toc") * 2, before="") == []


def test_a_discussion_of_any_length_is_dropped_below_much_text():
    comments = BOX.format("comment") * 240
    assert set(dropped(comments, before=TEXT * 40)) == {SAID}  # a quarter of the characters, over 2,000
    assert dropped(comments, before=TEXT * 20) == []


def test_a_page_that_consists_of_comments_keeps_them():
    short = "<p>Questions about moles.</p>"
    assert dropped(BOX.format("comment"), before=short) == [SAID]
    assert dropped(BOX.format("comment") * 3, before=short) == []
    assert dropped(BOX.format("advert") * 3, before=short) == []


def test_a_list_of_contents_is_links():
    short, linked = "<p>Questions about moles.</p>", f"<div class=toc><p><a href=#mole>{SAID}</a></p></div>"
    assert len(dropped(linked * 3, before=short)) == 3  # however little is left
    assert dropped(f"<div class=contents>{BOX.format('text') * 3}</div>") == []  # the text itself


def test_a_section_without_links_is_no_box_of_related_pages():
    section = "<section id=harbour-related-settings><h2>Related settings</h2>{}</section>"
    assert dropped(section.format(TEXT * 2 + f"<p>{SAID}</p>"), before=TEXT * 5) == []
    linked = section.format(f"{TEXT * 2}<p><a href=/moles>{SAID}</a></p>")
    assert SAID in dropped(linked, before=TEXT * 5)
    assert dropped(BOX.format("related"), before=TEXT * 5) == [SAID]  # too short for a section


def test_boxes_of_one_kind_vote_by_their_place():
    contents = "<ul class=toc><li>Moles</ul>"
    figure = f"<div class=figure-contents><p>{SAID}</p></div>"
    site = Sample([f"<main>{TEXT * 2}{contents}{figure}</main>"])
    verdicts = {site.path("Moles"): (0.0, 0.0), site.path(SAID): (0.6, 0.6)}
    decision = LayoutDecision(LayoutKind.ARTICLE, 0.9, 20, 80.0, verdicts=verdicts)
    found = without_boxes(site.flat, site.blocks, [True] * len(site.texts), decision, thread=False)
    assert site.chosen([not one for one in found]) == ["Moles"]
