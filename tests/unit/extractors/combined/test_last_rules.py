"""The last rules apply to each page, without knowledge of its site; the layout learns what was kept before them."""

import pytest

from sitecrawl.extractors.combined import last_rules
from sitecrawl.extractors.combined.last_rules import kept_as_evidence, settled
from sitecrawl.extractors.combined.notices import without_notices
from sitecrawl.templates.decision import LayoutDecision, LayoutKind

from .sites import Sample

TEXT = "<p>The mole of the harbour was built by hand, of stones that ships had brought.</p>"
LINKS = "".join(f"<li><a href=/{number}>Chapter {number} of the harbour</a></li>" for number in range(3))
FURNITURE = (
    f"<nav>{LINKS}</nav><div class=comments>What a mole!</div><p>Posted by Ann at 10:15</p>"
    "<div><a href=/2>Next post</a></div><div class=related>Ships</div>"
)


def test_all_of_them_hold_without_other_pages():
    site = Sample([f"<main>{TEXT * 4}{FURNITURE}</main>"])
    kept = [True] * len(site.texts)
    found = settled(site.page, site.blocks, kept, [0.9] * len(kept), None)
    assert site.chosen(found) == site.texts[:4]


def test_a_notice_that_is_a_heading_is_no_heading_of_the_text():
    site = Sample([f"<main><h2>Moles</h2><h6>Posted by: Ann 2 weeks ago</h6>{TEXT * 4}</main>"])
    found = settled(site.page, site.blocks, [True] * len(site.texts), [0.9] * len(site.texts), None)
    assert site.chosen(found) == ["Moles", *site.texts[2:]]


@pytest.mark.parametrize(("html", "times"), [(TEXT * 4, 1), (f"{TEXT}<h6>Moles</h6>{TEXT * 3}", 2)])
def test_notices_are_looked_for_again_only_if_the_kept_blocks_differ(html, times, monkeypatch):
    looked = []
    monkeypatch.setattr(last_rules, "without_notices", lambda *given: looked.append(given) or without_notices(*given))
    site = Sample([f"<main>{html}</main>"])
    kept = [text != "Moles" for text in site.texts]
    found = settled(site.page, site.blocks, kept, [0.9] * len(kept), None)
    assert (site.chosen(found), len(looked)) == (site.texts, times)


def test_a_headline_above_a_list_of_contents_stays_alone():
    """The limit that would keep the list would keep the names of the chapters around it too."""
    html = f"<h2>Harbours</h2><div class=toc>{LINKS * 3}</div><div class=navfooter><p>14.3. The moles before</p></div>"
    site = Sample([html])
    chances = [0.91, *[0.3] * 9, 0.25]
    found = settled(site.page, site.blocks, [one >= 0.57 for one in chances], chances, None)
    assert site.chosen(found) == ["Harbours"]


def test_answers_stay_in_a_thread():
    site = Sample([f"<main>{TEXT * 4}<div class=comments>What a mole!</div><p class=author>Ann</p></main>"])
    kept, chances = [True] * len(site.texts), [0.9] * len(site.texts)
    thread = LayoutDecision(LayoutKind.THREAD, 0.9, 20, 80.0)
    assert site.chosen(settled(site.page, site.blocks, kept, chances, thread)) == site.texts[:5]
    assert site.chosen(settled(site.page, site.blocks, kept, chances, None)) == [*site.texts[:4], "Ann"]


def test_facts_about_the_post_stay_in_a_thread():
    """There they are those of a ticket."""
    site = Sample([f"<main>{TEXT * 4}<ul><li>Author: Ann Finch</li><li>Opened: 3 May 2024</li></ul></main>"])
    kept, chances = [True] * len(site.texts), [0.9] * len(site.texts)
    thread = LayoutDecision(LayoutKind.THREAD, 0.9, 20, 80.0)
    assert site.chosen(settled(site.page, site.blocks, kept, chances, None)) == site.texts[:4]
    assert site.chosen(settled(site.page, site.blocks, kept, chances, thread))[:5] == site.texts[:5]


def test_the_layout_is_told_what_was_kept_before_them():
    site = Sample([f"<main>{TEXT * 4}{FURNITURE}</main>"])
    assert site.chosen(kept_as_evidence(site.page, site.blocks, [True] * len(site.texts))) == site.texts[:-1]


def test_a_page_that_keeps_nothing_stays_empty():
    site = Sample([TEXT])
    assert settled(site.page, site.blocks, [False], [0.4], None) == [False]
