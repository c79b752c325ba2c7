"""Tests of the density method."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitecrawl.extractors.base import Extraction, Kind, get_extractor
from sitecrawl.extractors.papers.density import densest_region, string_length, strings

from ...dom.trees import is_disjoint_and_sorted, page, pages, text_rows

LONG = "A long paragraph, which holds most of the words of this page. "


def test_everything_between_the_first_and_the_last_long_string_is_chosen():
    found = page(f"<ul><li>Menu<li>More</ul><p>{LONG}</p><p>short</p><p>{LONG}</p><div>x</div><div>foot</div>")
    extraction = get_extractor("density").extract(found)
    assert found.text(extraction.nodes) == f"{LONG.strip()}\nshort\n{LONG.strip()}"
    assert [found.flat.tag[i] for i in extraction.nodes] == ["p", "p", "p"]
    assert (extraction.method, extraction.kind) == ("density", Kind.CONTENT)
    assert extraction.evidence == {"longest": len(LONG) - 1, "strings": 2, "span": 3}
    assert extraction.confidence == pytest.approx(107 / 120, abs=0.05)


def test_text_at_the_first_structural_tag_and_inline_tags():
    flat = page("<p>one <b>two</b> <a href=x>three</a><br>four</p>five").flat
    found = ["".join(flat.text[i] for i in rows) for rows in strings(flat)]
    assert found == ["", "", "", "one two three", "fourfive"]
    closed = ["".join(flat.text[i] for i in rows) for rows in strings(flat, close=True)]
    assert [text for text in closed if text] == ["one two three", "four", "five"]


def test_length_counts_one_space_between_words():
    flat = page("<p>  a <b>\n b</b>c </p>").flat
    assert [string_length(flat, rows) for rows in strings(flat)] == [0, 0, 0, 4]


def test_options_reach_the_method():
    html = f"<p>{LONG}</p><p>x</p><p>y</p><p>{LONG[:40]}</p>"
    assert len(text_rows(page(html).flat, get_extractor("density").extract(page(html)).nodes)) == 4
    for options in ({"reach": 3}, {"cutoff": 0.9}, {"close": True}):
        found = get_extractor("density", **options).extract(page(html))
        assert len(text_rows(page(html).flat, found.nodes)) == 1, options


def test_no_text_no_content():
    assert get_extractor("density").extract(page("<p> </p>")) == Extraction((), "density", 0.0, Kind.NONE)
    assert densest_region([]) == []


@given(st.lists(st.integers(0, 100), min_size=1, max_size=40), st.integers(1, 5))
def test_the_region_is_the_fix_point_of_the_paper(lengths, reach):
    region = {lengths.index(max(lengths))}
    while True:
        more = {
            i
            for i, length in enumerate(lengths)
            if length > 0.333 * max(lengths) and any(abs(i - j) < reach for j in region)
        }
        if more <= region:
            break
        region |= more
    assert densest_region(lengths, 0.333, reach) == sorted(region)


@given(pages(), st.booleans())
def test_strings_hold_each_text_once_and_choices_are_disjoint(found, close):
    flat = found.flat
    rows = [i for string in strings(flat, close=close) for i in string]
    assert rows == text_rows(flat, (0,))
    nodes = get_extractor("density", close=close).extract(found).nodes
    assert is_disjoint_and_sorted(flat, nodes)
    chosen = text_rows(flat, nodes)
    assert bool(chosen) == bool(rows)
    assert not chosen or chosen == rows[rows.index(chosen[0]) : rows.index(chosen[-1]) + 1]
