"""Lines of links and boxes that other pages have are not content, though the layout keeps their paths."""

import pytest

from sitecrawl.extractors.combined.shared_blocks import without_shared
from sitecrawl.templates.decision import LayoutDecision, LayoutKind

from .sites import Sample

PAGES = 12
PROSE = "<p>Harbour {0} has a mole, which was built by hand in the year {0}.</p>" * 2
NEXT = "<p><a href=/all>All the harbours</a></p>"
SPONSOR = (
    "<div class=episode-note><p>This harbour is brought to you by the makers of ropes, who have made them since 1820.</p>"
    "<p>They have three shops.</p></div>"
)


def cut(html, *, kind=LayoutKind.ARTICLE, shown=PAGES, pages=PAGES, keeps=()):
    """Return the texts that are dropped of the first page of a layout.

    Each text is kept before. `shown` pages have what `html` has after `|`, and `keeps` are texts on whose path the
    layout keeps all.
    """
    before, box, after = html.partition("|")[0], *html.partition("|")[2].rsplit("|", 1)
    site = Sample([(before + box * (number < shown) + after).format(number) for number in range(pages)])
    verdicts = {site.path(text): (1.0, 1.0) for text in keeps}
    decision = LayoutDecision(kind, 0.9, pages, 80.0, verdicts=verdicts)
    found = without_shared(site.flat, site.blocks, [True] * len(site.texts), site.known, decision)
    return site.chosen([not one for one in found])


def test_a_line_of_links_on_nearly_all_pages_is_dropped():
    html = f"<main>{PROSE}|{NEXT}|{PROSE}</main>"
    assert cut(html) == ["All the harbours"]
    assert cut(html, keeps=["All the harbours"]) == ["All the harbours"]
    assert cut(html, shown=PAGES - 4) == []
    assert cut(html, pages=4) == []  # three others are no evidence
    assert cut(html.replace(NEXT, f"<p>See {'also ' * 9}<a href=/all>all the harbours</a></p>")) == []


def test_a_reference_has_several_such_lines_on_one_path():
    html = f"<main>{PROSE}|{NEXT}|{PROSE}</main>"
    assert cut(html, kind=LayoutKind.REFERENCE) == []
    assert cut(html.replace(NEXT, NEXT * 2), kind=LayoutKind.REFERENCE) == ["All the harbours"] * 2


def test_one_such_line_ends_a_page_of_a_reference():
    author = "<p><a href=/ann>Ann of the harbour</a></p>"
    assert cut(f"<main>{PROSE}|{author}|</main>", kind=LayoutKind.REFERENCE) == ["Ann of the harbour"]
    assert cut(f"<main>|{author}|{PROSE}</main>", kind=LayoutKind.REFERENCE) == []


@pytest.mark.parametrize("shown", [4, 6, PAGES])
def test_a_box_of_an_article_that_other_pages_have_is_dropped(shown):
    dropped = cut(f"<main>{PROSE}|{SPONSOR}|{PROSE}</main>", shown=shown)
    assert [text[:12] for text in dropped] == ["This harbour", "They have th"]


@pytest.mark.parametrize(
    ("box", "shown"),
    [
        (SPONSOR, 1),  # on this page alone
        (SPONSOR, 3),  # two others may be near copies
        (SPONSOR.replace("three", "three, says {0}, or {0}"), PAGES),  # one of its texts is this page's
        (SPONSOR.replace("div", "ul").replace("p>", "li>"), PAGES),
        ("<div><p>They have three shops.</p></div>", PAGES),
        (SPONSOR.replace("<div class=episode-note>", "").replace("</div>", ""), PAGES),  # no box
    ],
)
def test_other_boxes_stay(box, shown):
    assert cut(f"<main>{PROSE}|{box}|{PROSE}</main>", shown=shown) == []


@pytest.mark.parametrize(("shown", "pages", "dropped"), [(4, PAGES, 2), (3, PAGES, 0), (5, 41, 2), (4, 41, 0)])
def test_boxes_that_a_tenth_of_the_pages_of_a_mixed_layout_have_are_dropped(shown, pages, dropped):
    found = cut(f"<main>{PROSE}|{SPONSOR}|{PROSE}</main>", kind=LayoutKind.MIXED, shown=shown, pages=pages)
    assert len(found) == dropped


def test_a_slot_of_a_mixed_layout_is_content():
    def page(number):
        return f"<main>{PROSE.format(number)}{SPONSOR.replace('1820', str(1820 + number // 2))}{PROSE.format(number)}</main>"

    site = Sample([page(number) for number in range(PAGES)])
    for kind, dropped in ((LayoutKind.ARTICLE, 2), (LayoutKind.MIXED, 0)):
        decision = LayoutDecision(kind, 0.9, PAGES, 80.0)
        found = without_shared(site.flat, site.blocks, [True] * len(site.texts), site.known, decision)
        assert found.count(False) == dropped


@pytest.mark.parametrize("kind", [LayoutKind.REFERENCE, LayoutKind.SERVICE, LayoutKind.PRODUCT, LayoutKind.LISTING])
def test_boxes_of_other_layouts_stay(kind):
    assert cut(f"<main>{PROSE}|{SPONSOR}|{PROSE}</main>", kind=kind) == []


def test_a_box_is_dropped_though_the_layout_keeps_its_path():
    """Its pages kept the sponsors too: what they keep is no evidence for a text that others have."""
    html = f"<main>{PROSE}|{SPONSOR}|{PROSE}</main>"
    assert len(cut(html, keeps=["They have three shops."])) == 2


def test_a_page_of_which_others_have_nearly_all_text_is_left_alone():
    copy = "<p>Harbour seven has a mole, which was built by hand in the year 1820, and a house at its end.</p>" * 9
    assert cut(f"<main><p>Harbour {{0}}.</p>|{copy}{SPONSOR}|</main>", shown=2) == []


def test_text_that_a_near_copy_of_the_page_has_is_no_furniture():
    """A page is evidence for its path: the texts there differ on other pages."""

    def page(number, told):
        box = f"<div class=offer><p>We look for a keeper of house {told}, who must be {told} years old at least and like the sea.</p></div>"
        return f"<main>{PROSE.format(number)}{box}{PROSE.format(number)}</main>"

    site = Sample([page(number, 40 + max(number, 1)) for number in range(PAGES)])  # the second tells the same
    decision = LayoutDecision(LayoutKind.ARTICLE, 0.9, PAGES, 80.0)
    kept = [True] * len(site.texts)
    assert without_shared(site.flat, site.blocks, kept, site.known, decision) == kept


@pytest.mark.parametrize(("others", "dropped"), [(0, 0), (2, 1), (4, 1)])
def test_what_one_other_page_has_is_dropped_where_other_pages_have_something_else(others, dropped):
    """A sponsor of two pages is where others have theirs; two copies of an offer are alone in their place."""

    def page(number):
        told = f"This harbour is brought to you by the makers of ropes, house number {number // 2} at the mole."
        box = f"<div class=note><p>{told}</p></div>"
        return f"<main>{PROSE.format(number)}{box if number < 2 + others else ''}{PROSE.format(number)}</main>"

    site = Sample([page(number) for number in range(PAGES)])
    decision = LayoutDecision(LayoutKind.ARTICLE, 0.9, PAGES, 80.0)
    found = without_shared(site.flat, site.blocks, [True] * len(site.texts), site.known, decision)
    assert found.count(False) == dropped


def test_a_page_of_nothing_else_stays_as_it_is():
    assert cut(f"<main>|{NEXT}|</main>") == []


LICENCE = (
    "<p>This harbour is provided as it is, without any warranty, and may not be copied or rebuilt but as its license says;"
    " refer to the makers of ropes for further information.</p>"
)


@pytest.mark.parametrize("kind", [LayoutKind.ARTICLE, LayoutKind.REFERENCE, LayoutKind.SERVICE])
def test_a_closing_paragraph_about_the_licence_is_dropped(kind):
    html = f"<main><section>{PROSE}|{LICENCE}|</section></main>"
    assert [text[:12] for text in cut(html, kind=kind, shown=4)] == ["This harbour"]
    assert cut(html, kind=kind, shown=2) == []  # one other page
    assert cut(html.replace("license", "owner"), kind=kind, shown=4) == []
    assert cut(html.replace("|</section>", f"|{PROSE}</section>"), kind=kind, shown=4) == []
    assert cut(f"<main><section><p>Mole {{0}}</p>|{LICENCE}|</section></main>", kind=kind, shown=4) == []
