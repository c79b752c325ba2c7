"""Footnotes are kept if the text links to them."""

import pytest

from sitecrawl.dom.page import Page
from sitecrawl.extractors.combined.footnotes import with_footnotes

from .sites import Sample

TEXT = "The mole of the harbour was built by hand."
NOTE = "By hand, since a crane had fallen into the sea."
URL = "https://a.example/diary/2019.html?page=2#top"
LINKED = f"<p>{TEXT * 3} <a href='#fn1'>1</a></p>"


def added(html):
    """Return the texts that are added to a page that keeps its first block only."""
    site = Sample([html])
    kept = [block == 0 for block in range(len(site.texts))]
    found = with_footnotes(Page.from_html(html, URL), site.blocks, kept)
    assert found[0]
    return site.chosen([wanted and not before for wanted, before in zip(found, kept, strict=True)])


@pytest.mark.parametrize(
    "box",
    [
        f"<aside class=footnote id=fn1>{NOTE}</aside>",
        f"<section class=footnotes><ol><li id=fn1>{NOTE}</li></ol></section>",
        f"<div class='wp-block-endnotes'><p><a id=fn1 href='#back'></a>{NOTE}</p></div>",
    ],
)
def test_a_footnote_to_which_the_text_links_is_kept(box):
    assert added(f"{LINKED}{box}<p>Small print.</p>") == [NOTE]


@pytest.mark.parametrize(
    "address", ["https://a.example/diary/2019.html?page=2", "/diary/2019.html?page=2", "2019.html?page=2"]
)
def test_the_link_may_have_the_address_of_the_page(address):
    text = f"<p>{TEXT * 3} <a href='{address}#fn1'>1</a></p>"
    assert added(f"{text}<aside class=footnote id=fn1>{NOTE}</aside>") == [NOTE]
    assert added(f"{text.replace('2019', '2018')}<aside class=footnote id=fn1>{NOTE}</aside>") == []


def test_a_note_may_be_known_by_its_link_back():
    text = f"<p>{TEXT * 3} <a name=fm01 href='#f01'>*1</a></p>"
    assert added(f"{text}<p class=footnote><a name=f01 href='#fm01'>*1</a> {NOTE}</p>") == [f"*1 {NOTE}"]
    assert added(f"{text}<p class=footnote><a name=f02 href='#fm02'>*2</a> {NOTE}</p>") == []
    assert added(f"{text}<p class=footnote><a href='#top'>Top</a> {NOTE}</p>") == []


def test_small_print_is_no_footnote():
    assert added(f"<p>{TEXT * 3}</p><div class=footnote id=fn1>{NOTE}</div>") == []  # nothing links to it
    assert added(f"<p>{TEXT * 3} <a href='#fn2'>2</a></p><div class=footnote id=fn1>{NOTE}</div>") == []
    assert added(f"<p>{TEXT * 3} <a href='#'>2</a></p><div class=footnote id=fn1>{NOTE}</div>") == []
    assert (
        added(f"<p>{TEXT * 3}</p><p><a href='#fn1'>To the notes</a></p><div class=footnote id=fn1>{NOTE}</div>") == []
    )


def test_a_link_to_another_box_says_nothing():
    assert added(f"{LINKED}<div class=note id=fn1>{NOTE}</div>") == []


def test_a_box_with_the_text_itself_is_no_footnote():
    assert added(f"<main class=has-footnotes>{LINKED}<p id=fn1>Menu</p></main>") == []


def test_a_page_without_content_has_no_footnotes():
    html = f"{LINKED}<aside class=footnote id=fn1>{NOTE}</aside>"
    site = Sample([html])
    assert not any(with_footnotes(Page.from_html(html, URL), site.blocks, [False] * len(site.texts)))


@pytest.mark.parametrize(("notes", "kept"), [(1, True), (2, False)])
def test_more_small_print_than_text_is_no_footnote(notes, kept):
    box = f"<div class=footnotes id=fn1>{f'<p>{NOTE}</p>' * notes}</div>"
    assert added(LINKED + box) == [NOTE] * notes * kept
