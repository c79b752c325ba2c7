"""A name such as `x-widget` does not mean furniture if the element contains half of the kept text."""

import pytest

from sitecrawl.extractors.combined.furniture_names import furniture_beside
from sitecrawl.extractors.combined.region import region_of

from .sites import Sample

TEXT = "The mole of the harbour was built by hand, of stones that ships had brought."


def is_furniture(names, around=""):
    """Return whether a box with these names is furniture beside two paragraphs in boxes named `around`."""
    box = f"<div class='{around}'><p>{TEXT}</p></div>"
    site = Sample([f"<main>{box}<div class='{names}'><p>LOST</p></div>{box}<div>{TEXT}</div></main>"])
    kept = ["LOST" not in text for text in site.texts]
    furniture = furniture_beside(site.flat, site.blocks, kept, region_of(site.flat, site.blocks, kept))
    return furniture[site.blocks.container[kept.index(False)]]


@pytest.mark.parametrize("word", ["x-widget", "tab-pane", "panel-body", "collapse"])
def test_a_name_around_most_of_the_text_says_nothing(word):
    assert is_furniture(word)
    assert not is_furniture(word, word)
    assert not is_furniture(f"{word} {word}-list", word)
    assert is_furniture(f"{word} sidebar", word)
    assert is_furniture(f"nav-{word}", word)


@pytest.mark.parametrize(("name", "named"), [("bottomAlign", False), ("margin-bottom", False), ("bottom-bar", True)])
def test_a_word_about_the_style_of_a_box_does_not_mean_its_place(name, named):
    assert is_furniture(name) is named


def test_the_rest_of_a_name_does_not_matter():
    assert not is_furniture("tab-prices", "tab-text")
    assert is_furniture("tabs", "tab-text")


@pytest.mark.parametrize("word", ["sidebar", "menu", "comments", "related", "share", "author"])
def test_other_names_always_count(word):
    assert is_furniture(word, word)


def test_an_element_inside_another_of_the_name_counts_with_it():
    inside = f"<div class=tab-part><div class=tab-part><p>{TEXT}</p></div></div>"
    site = Sample([f"<main>{inside}<p>{TEXT} {TEXT}</p><div class=tab-part><p>LOST</p></div></main>"])
    kept = ["LOST" not in text for text in site.texts]
    assert furniture_beside(site.flat, site.blocks, kept, 0)[site.blocks.container[kept.index(False)]]


def test_the_name_of_a_piece_of_a_line_does_not_count():
    text = f"<p><span class=x-tab>{TEXT}</span></p>"
    site = Sample([f"<main>{text}{text}<div class=x-tab><p>LOST</p></div></main>"])
    kept = ["LOST" not in one for one in site.texts]
    assert furniture_beside(site.flat, site.blocks, kept, 0)[site.blocks.container[kept.index(False)]]


def test_boxes_of_many_names_around_much_text_say_nothing():
    names = "".join(f"<div class=a{number}-tab>" for number in range(500))
    names += f"<div class='{' '.join(f'b{number}-tab' for number in range(2_000))}'>"
    site = Sample([f"<main>{names}{'<p>LOST</p><p>Text</p>' * 15_000}"])
    kept = ["LOST" not in text for text in site.texts]
    assert not furniture_beside(site.flat, site.blocks, kept, 0)[site.blocks.container[0]]
