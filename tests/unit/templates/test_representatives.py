"""Tests of the choice of pages of a layout to fetch twice."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitecrawl.dom.blocks import text_blocks
from sitecrawl.dom.page import Page
from sitecrawl.templates.representatives import SHOWN, representatives, shape
from sitecrawl.templates.tag_paths import tag_paths

GOLDEN = Path(__file__).parents[2] / "golden"

ARTICLE, LIST, ODD = frozenset({1, 2, 3}), frozenset({1, 7, 8}), frozenset({1, 99})


def test_pages_that_are_all_alike_need_four():
    shapes = dict.fromkeys(range(40), ARTICLE)
    assert representatives(shapes, shapes, {}, 6) == [0, 1, 2, 3]


def test_articles_and_lists_are_both_shown():
    shapes = {key: LIST if key % 4 == 0 else ARTICLE for key in range(40)}
    found = representatives(shapes, shapes, {}, 6)
    assert sorted(shapes[key] is LIST for key in found) == [False] * 4 + [True] * 2


def test_a_rare_shape_is_not_shown():
    shapes = {**dict.fromkeys(range(40), ARTICLE), 77: ODD}
    assert 77 not in representatives(shapes, shapes, {}, 6)


def test_places_that_were_shown_before_count():
    shapes = dict.fromkeys(range(40), ARTICLE)
    assert representatives(shapes, shapes, dict.fromkeys(ARTICLE, 2), 6) == [0, 1]
    assert representatives(shapes, shapes, dict.fromkeys(ARTICLE, 4), 6) == []
    assert representatives(shapes, shapes, {1: 4, 2: 4}, 6) == [0, 1, 2, 3]  # one place is new


def test_a_page_without_a_known_shape_is_no_candidate():
    assert representatives({1: ARTICLE, 2: ARTICLE}, [1, 5], {}, 2) == [1]


def test_the_shape_is_told_by_the_tags_above_a_text_and_the_names_next_to_it():
    pages = [
        Page.from_html(f"<html><body>{body}</body></html>", "https://example.org/").flat
        for body in (
            "<section class=a><div><p>One text.</p></div></section>",
            "<section class=b><div><p>Another text.</p></div></section>",
            "<section><p>Another text.</p></section>",
            "<section class=a><div><p class=lead>Another text.</p></div></section>",
            "<section class=a><div class=box><p>Another text.</p></div></section>",
        )
    ]
    assert shape(pages[0]) == shape(pages[1])
    assert len({shape(page) for page in pages}) == 4


shapes_of_pages = st.dictionaries(st.integers(0, 99), st.frozensets(st.integers(0, 9)), max_size=30)


@given(shapes_of_pages, st.integers(0, 8))
def test_the_choice_is_bounded_and_no_page_is_chosen_twice(shapes, most):
    found = representatives(shapes, shapes, {}, most)
    assert len(found) == len(set(found)) <= most
    assert found == representatives(dict(reversed(shapes.items())), list(shapes), {}, most)
    assert len(found) <= SHOWN * 10


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("*/*.html")), ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_shape_has_the_tag_paths_of_blocks_and_of_what_is_around_them(path):
    flat = Page.from_html(path.read_bytes().decode("utf-8", "replace"), "https://example.org/").flat
    keys = tag_paths(flat)
    containers = set(text_blocks(flat).container)
    rows = containers | {flat.parent[row] for row in containers}
    assert shape(flat) == {keys[row] for row in rows if row >= 0}
