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
    return site.chosen(without_contents(site.flat, site.blocks, kept, chances, furniture_rows(site.flat)))


@pytest.mark.parametrize("box", ["<div class=toc>{}</div>", "<table id=toc><td>{}</table>", "<nav>{}</nav>"])
def test_lists_of_contents_are_dropped(box):
    assert len(chosen(f"<main>{TEXT}{box.format(LINKS)}</main>")) == 1


@pytest.mark.parametrize(
    "box", ["<div class=toc-body>{}</div>", "<div>{}</div>", "<section class=contents>{}</section>"]
)
def test_other_lists_stay(box):
    assert len(chosen(f"<main>{TEXT}{box.format(LINKS)}</main>")) == 9


def test_a_nav_around_the_text_is_no_menu():
    assert len(chosen(f"<nav>{TEXT * 5}{LINKS}</nav>")) == 13


def test_what_is_left_is_judged_by_a_limit_of_its_own():
    page = f"<main>{TEXT}</main><nav>{LINKS}</nav>"
    assert len(chosen(page, chance=0.45)) == 1
    assert len(chosen(page, chance=0.01)) == 8  # nothing else: the list stays
    assert chosen(f"<main>{TEXT}<p>A harbour.</p></main>", chance=0.45) == []  # no list
