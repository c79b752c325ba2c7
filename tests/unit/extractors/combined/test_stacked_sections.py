"""Sections of a page that hardly another page has are kept beside its text, if they lead nowhere."""

import time

import pytest

from sitecrawl.extractors.combined.stacked_sections import with_sections

from .sites import Sample

TEXT = "The mole of the harbour was built by hand, of stones that ships had brought."
PRICES = ["LOST a small boat: 400 € a day", "LOST a large boat: 900 € a week"]
SECONDS = 2.0
"""Far above what a page with a thousand nested sections takes, or one with two hundred beside a long text."""


def section(*texts, name="part part-3", tag="section", more=""):
    return f"<{tag} class='{name}'><div>{''.join(f'<p>{text}</p>' for text in texts)}{more}</div></{tag}>"


PROSE = section(TEXT)
MENU = section("Harbour", "Ships")


def others(*sections, count=5):
    return [f"<main>{MENU}{section(f'Page {number}')}{''.join(sections)}</main>" for number in range(count)]


def added(*sections, beside=None, again="", known=True):
    """Return the texts that are kept too if those with LOST, and those of the menu, are not."""
    site = Sample([f"<main>{''.join(sections)}</main>", *(others() if beside is None else beside)])
    return site.added(
        lambda one, kept, repeats, what: with_sections(one.flat, one.blocks, kept, repeats, what),
        "LOST",
        again=again,
        known=site.known if known else None,
    )


@pytest.mark.parametrize("tag", ["section", "div"])
def test_a_section_of_its_own_beside_the_text_is_kept(tag):
    same = [section(text, tag=tag) for text in (TEXT, "Come and see the mole, which is open on all days.")]
    assert added(*same, section(*PRICES, tag=tag)) == PRICES


def test_a_section_with_a_kept_heading_may_have_one_block():
    one = "<section class=part><h2>Prices</h2><p>LOST 400 €, or 900 € a week</p></section>"
    assert added(PROSE, PROSE, one) == ["LOST 400 €, or 900 € a week"]
    assert added(PROSE, PROSE, section("LOST 400 €, or 900 € a week")) == []
    assert added(PROSE, PROSE, section(f"{TEXT} It is long.", *PRICES)) == []


def test_a_single_field_stays_dropped():
    assert added(PROSE, PROSE, section("LOST level:", "LOST beginner")) == []


@pytest.mark.parametrize(
    "lost",
    [
        section(*PRICES, name="other"),
        section(*PRICES, tag="aside"),
        section(*PRICES, more="<a href=/7>Seven</a><a href=/8>Eight</a>"),
        section(*PRICES, name="part sidebar"),
    ],
)
def test_other_sections_stay_dropped(lost):
    assert added(PROSE, PROSE, lost) == []


def test_sections_beside_the_one_with_all_the_text_are_kept():
    text, other = section(*(f"{TEXT} {number}" for number in range(3))), [f"{one} of the best sort" for one in PRICES]
    assert added(text, section(*PRICES), section(*other)) == [*PRICES, *other]
    assert added(text, section(*PRICES)) == []
    assert added(text, section(*PRICES, tag="div"), section(*other)) == []
    assert added(text.replace("section", "article"), *(section(*one, tag="article") for one in (PRICES, other))) == []


def test_a_section_that_is_mostly_on_other_pages_is_not_the_pages_own():
    shared = section(f"LOST {TEXT}", "LOST 400 €")
    assert added(PROSE, PROSE, shared, beside=[*others(section(f"LOST {TEXT}"), count=3), *others(count=3)]) == []
    assert added(PROSE, PROSE, shared, beside=others(count=6)) == [f"LOST {TEXT}", "LOST 400 €"]


def test_links_to_one_page_or_to_places_are_no_list():
    more = "<a href=/order>Order</a><a href=/order#b>Order b</a><a href='#form'>Ask</a>"
    assert added(PROSE, PROSE, section(*PRICES, more=more)) == PRICES


def test_what_other_pages_share_and_what_is_kept_already_stays_dropped():
    assert added(PROSE, PROSE, section(*PRICES), again=PRICES[0]) == PRICES[1:]
    assert added(PROSE, PROSE, section(*PRICES), beside=others(section(*PRICES))) == []
    assert added(PROSE, PROSE, section(*PRICES), beside=others(count=3)) == []
    assert added(PROSE, PROSE, section(*PRICES), known=False) == []
    shared = section("LOST in all seasons of the year", *PRICES)
    some = [*others(section("LOST in all seasons of the year"), count=3), *others(count=3)]
    assert added(PROSE, PROSE, shared, beside=some) == ["LOST in all seasons of the year", *PRICES]


def test_nested_sections_cost_little():
    html = "<section class=part><p>LOST 1</p><p>LOST 2</p>" * 1_000 + "</section>" * 1_000
    begun = time.perf_counter()
    added(PROSE, PROSE, html)
    assert time.perf_counter() - begun < SECONDS


def test_many_sections_beside_a_long_text_cost_little():
    lost = f"<section class=part><div class=one-panel><p>{PRICES[0]}</p><p>{PRICES[1]}</p></div></section>"
    text = f"<section class=part>{'<div class=panel><p>a</p></div>' * 25_000}<p>{TEXT * 100}</p></section>"
    begun = time.perf_counter()
    assert added(text, lost * 190) == []
    assert time.perf_counter() - begun < SECONDS
