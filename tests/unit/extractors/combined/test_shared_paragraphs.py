"""Sentences that a site inserts into the text of each article are not content, although they are among its paragraphs."""

import pytest

from sitecrawl.extractors.combined.shared_paragraphs import without_shared_paragraphs
from sitecrawl.templates.decision import LayoutDecision, LayoutKind

from .sites import Sample

PAGES = 12
PROSE = "<p>Harbour {0} has a mole, which was built by hand in the year {0}.</p>" * 2
APPEAL = "<p>If you enjoyed this article, please tell your friends of it.</p>"
HEADED = f"<h3>Support us</h3>{APPEAL}"
CLOSING = "<p>Send us your letters!</p>"
DROPPED = ["If you enjoyed this article, please tell your friends of it."]


def cut(html, *, kind=LayoutKind.ARTICLE, shown=PAGES, pages=PAGES, others="<ul><li>{0}</li></ul>"):
    """Return the texts that are dropped of the first page of a layout.

    `pages` pages have `html`, `shown` of them what it has between `|` too, and as many pages again have `others` if
    these are given.
    """
    before, box, after = html.split("|")
    made = [(before + box * (number < shown) + after).format(number) for number in range(pages)]
    site = Sample(made + [others.format(number + pages) for number in range(pages if others else 0)])
    decision = LayoutDecision(kind, 0.9, pages, 80.0)
    found = without_shared_paragraphs(site.flat, site.blocks, [True] * len(site.texts), site.known, decision)
    return site.chosen([not one for one in found])


@pytest.mark.parametrize("kind", [LayoutKind.ARTICLE, LayoutKind.LISTING])
@pytest.mark.parametrize("html", [f"<h1>Harbour {{0}}</h1>|{APPEAL}|{PROSE}", f"{PROSE}|{APPEAL}|"])
def test_a_sentence_above_or_below_the_text_is_dropped_if_a_fifth_of_the_pages_have_it(html, kind):
    assert cut(html, kind=kind, shown=6, others="") == DROPPED
    assert cut(html, kind=kind, shown=2, others="") == []
    assert cut(html, kind=kind, shown=4, pages=4, others="") == []  # three others may be near copies
    assert cut(html, kind=LayoutKind.MIXED, shown=6, others="") == []  # pages of a section may end alike


def test_a_sentence_in_the_text_is_dropped_if_half_of_the_pages_or_nearly_all_with_such_text_have_it():
    html = f"{PROSE}|{APPEAL}|{PROSE}"
    assert cut(html, shown=8, others="") == DROPPED
    assert cut(html, shown=6, others="") == []
    assert cut(html) == DROPPED
    assert cut(html, kind=LayoutKind.MIXED) == DROPPED
    assert cut(html, others="<p>A list {0}</p>") == []  # other pages have other text there


def test_in_service_pages_nearly_all_must_have_it_and_in_references_it_stays():
    html = f"{PROSE}|{APPEAL}|{PROSE}"
    assert cut(html, kind=LayoutKind.SERVICE, others="") == DROPPED
    assert cut(html, kind=LayoutKind.SERVICE, shown=8, others="") == []
    assert cut(html, kind=LayoutKind.REFERENCE, others="") == []


@pytest.mark.parametrize(
    "html",
    [
        f"{PROSE}|<p>Ingredients for four</p>|{PROSE}",  # a label
        f"{PROSE}|{APPEAL.replace('p>', 'li>')}|{PROSE}",
        f"{PROSE}|{APPEAL.replace('p>', 'h2>')}|{PROSE}",
        f"|{APPEAL * 9}|<p>Page {{0}}</p>",  # the page has little else
        f"{PROSE}|{HEADED}{HEADED.replace('Support', 'Tell')}|",  # several sections
        f"{PROSE * 9}|{''.join(APPEAL.replace('article', f'article of {one}') for one in 'abcdefghijkl')}|",
    ],
)
def test_labels_lists_headings_and_pages_with_little_else_stay(html):
    assert cut(html, others="") == []


def test_a_heading_goes_with_all_that_is_below_it():
    assert cut(f"{PROSE}|{HEADED}|") == ["Support us", *DROPPED]
    assert cut(f"{PROSE}|{HEADED}|<p>Send {{0}} pounds to the harbour.</p>{PROSE}") == DROPPED

    assert cut(f"{PROSE}|{APPEAL}|".replace("<p>If", "<h3>Letters of {0}</h3><p>If")) == DROPPED  # its own heading


def test_what_was_dropped_before_stays_dropped():
    site = Sample([f"{PROSE}{APPEAL}".format(number) for number in range(PAGES)])
    decision = LayoutDecision(LayoutKind.ARTICLE, 0.9, PAGES, 80.0)
    found = without_shared_paragraphs(site.flat, site.blocks, [True, False, True], site.known, decision)
    assert found == [True, False, False]


def test_below_the_text_a_short_sentence_goes():
    assert cut(f"{PROSE}|{CLOSING}|") == ["Send us your letters!"]
    assert cut(f"{PROSE}|{CLOSING}|{PROSE}") == []


def test_without_other_pages_or_a_decision_that_binds_all_stay():
    site = Sample([f"{PROSE}{APPEAL}".format(number) for number in range(PAGES)])
    kept, sure = [True] * len(site.texts), LayoutDecision(LayoutKind.ARTICLE, 0.9, PAGES, 80.0)

    def changed(known, decision, kept=kept):
        return without_shared_paragraphs(site.flat, site.blocks, kept, known, decision) != kept

    assert changed(site.known, sure)
    assert not changed(None, sure)
    assert not changed(Sample([PROSE + APPEAL]).known, sure)
    assert not changed(site.known, None)
    assert not changed(site.known, LayoutDecision(LayoutKind.ARTICLE, 0.9, 1, 80.0))
    assert not changed(site.known, sure, [False] * len(kept))


@pytest.mark.parametrize(("value", "dropped"), [("{0} harbours", []), ("No harbour", ["What this talk is about:"])])
def test_the_label_of_a_value_of_the_page_stays(value, dropped):
    assert cut(f"{PROSE}|<div><div>What this talk is about:</div><div>{value}</div></div>|") == dropped
