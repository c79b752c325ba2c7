"""Lists of contents and menus are dropped, and the rest is judged by a limit of its own."""

import pytest

from sitecrawl.extractors.combined.contents_lists import without_contents
from sitecrawl.extractors.combined.furniture_boxes import furniture_rows

from .sites import Sample

TEXT = "<p>The mole of the harbour was built by hand, of stones that ships had brought.</p>"
LINKS = "".join(f"<li><a href=/{number}>Chapter {number} of the harbour</a></li>" for number in range(8))


def chosen(html, *, chance=0.9, limit=0.57):
    """Return the texts that stay if lists have a probability of 0.9 and text has `chance`."""
    site = Sample([html])
    chances = [0.9 if "Chapter" in text else chance for text in site.texts]
    kept = [one >= limit for one in chances]
    return site.chosen(without_contents(site.page, site.blocks, kept, chances, furniture_rows(site.flat)))


@pytest.mark.parametrize("box", ["<div class=toc>{}</div>", "<table id=toc><td>{}</table>", "<nav>{}</nav>"])
def test_lists_of_contents_are_dropped(box):
    assert len(chosen(f"<main>{TEXT}{box.format(LINKS)}</main>")) == 1


@pytest.mark.parametrize(
    "box", ["<div class=toc-body>{}</div>", "<div>{}</div>", "<section class=contents>{}</section>"]
)
def test_other_lists_stay(box):
    assert len(chosen(f"<main>{TEXT}{box.format(LINKS)}</main>")) == 9


DESCRIBED = "".join(
    f"<dt><a href=/{number}>mole{number}</a>: Chapter of the harbour with its stones</dt>" for number in range(8)
)


@pytest.mark.parametrize(
    ("text", "box", "stay"),
    [
        (TEXT * 2, f"<dl class=toc>{DESCRIBED}</dl>", 2),
        (TEXT * 2, f"<dl>{DESCRIBED}</dl>", 10),
        (TEXT * 2, f"<dl class=toc>{DESCRIBED.replace('<a', '<b').replace('</a', '</b')}</dl>", 10),
        ("<p>The harbour.</p>", f"<dl class=toc>{DESCRIBED}</dl>", 9),  # the page consists of it
    ],
)
def test_contents_that_say_what_the_chapters_are_about_are_dropped(text, box, stay):
    assert len(chosen(f"<main>{text}{box}</main>")) == stay


PARTS = "".join(f"<li><a href=#part{number}>Chapter {number}</a></li>" for number in range(4))


@pytest.mark.parametrize(
    "line",
    [
        "<h3>Table of Contents</h3>",
        "<p><b>Contents:</b></p>",
        "<h2>目次</h2>",
        "<h2>2. Table of Contents</h2>",
        "<h2>1 Inhalt</h2>",
        "<p>Mục lục</p>",
        "<h2>جدول المحتويات</h2>",
        "<h2>תוכן העניינים</h2>",
        "<h2>विषय-सूची</h2>",
    ],
)
def test_a_list_of_the_parts_of_the_page_below_a_line_that_says_so_is_dropped_with_it(line):
    assert len(chosen(f"<main>{line}<ul>{PARTS}</ul>{TEXT}</main>")) == 1
    assert len(chosen(f"<main>{line}<ul><li><a href=#a>Chapter A</a><ol>{PARTS}</ol></ul>{TEXT}</main>")) == 1


@pytest.mark.parametrize(
    "html",
    [
        f"<h3>The contents of a chest</h3><ul>{PARTS}</ul>",
        f"<h3>2 contents</h3><p>They are old.</p><ul>{PARTS}</ul>",
        f"<h3>Contents</h3><p>What is in it.</p><ul>{PARTS}</ul>",
        "<h3>Contents</h3><ul><li><a href=#a>Chapter A</a></ul>",
        f"<h3>Contents</h3><ul>{LINKS}</ul>",
        f"<ul>{PARTS}</ul>",
    ],
)
def test_lists_that_nothing_names_so_and_those_of_other_pages_stay(html):
    kept = Sample([f"<main>{html}{TEXT}</main>"]).texts
    assert chosen(f"<main>{html}{TEXT}</main>") == kept


def test_links_that_name_the_file_of_the_page_lead_to_its_parts():
    parts = PARTS.replace("href=#", "href=0#")  # the page is https://a.example/0
    assert len(chosen(f"<main><h3>Table of Content:</h3><ul>{parts}</ul>{TEXT}</main>")) == 1
    assert len(chosen(f"<main><h3>Contents</h3><ul>{parts.replace('=0#', '=1#')}</ul>{TEXT}</main>")) == 6


def test_a_nav_around_the_text_is_no_menu():
    assert len(chosen(f"<nav>{TEXT * 5}{LINKS}</nav>")) == 13


def test_the_heading_of_a_short_menu_does_not_make_it_a_text():
    item = "<li><span>-</span><a href=#one>Chapter of a mole</a></li>"
    assert len(chosen(f"<main>{TEXT}<nav><h2>Contents of it</h2>{item}</nav></main>")) == 1
    assert len(chosen(f"<main>{TEXT}<nav><h2>Contents of it</h2><p>Two piers Chapter.</p>{item}</nav></main>")) == 4
    assert len(chosen(f"<main>{TEXT}<nav><h2>Chapter one</h2><p>The Chapter.</p></nav></main>")) == 3


def test_what_is_left_is_judged_by_a_limit_of_its_own():
    page = f"<main>{TEXT}</main><nav>{LINKS}</nav>"
    assert len(chosen(page, chance=0.45)) == 1
    assert len(chosen(page, chance=0.01)) == 8  # nothing else: the list stays
    assert chosen(f"<main>{TEXT}<p>A harbour.</p></main>", chance=0.45) == []  # no list
