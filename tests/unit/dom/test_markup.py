"""Lengths in the source of a page: no long tag hides."""

import pytest

from sitecrawl.dom import markup as module
from sitecrawl.dom.markup import SHORT, AttributeBounds, Markup, attribute_bounds, markup


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("", Markup(0, 0, 0, 0)),
        ("text", Markup(4, 0, 0, 4)),
        ("<p>text</p>", Markup(7, 2, 0, 7)),
        ("a < b <p>", Markup(8, 2, 0, 8)),
        ("<p title='a > b'>", Markup(12, 12, 1, 15)),
        ('<p title="a > b > c" id = "d>e">', Markup(12, 12, 2, 26)),
        ("<p title=a'>b'>", Markup(11, 11, 0, 11)),
        ("<p x='>", Markup(6, 6, 1, 6)),
        ("<p\x00q>", Markup(3, 3, 0, 3)),
        ("漢<字><Ä><ä", Markup(3, 0, 0, 3)),
    ],
)
def test_tags_and_attributes_of_a_source_are_counted(html, expected, monkeypatch):
    monkeypatch.setattr(module, "SHORT", 0)
    markup.cache_clear()
    assert markup(html) == expected
    markup.cache_clear()


@pytest.mark.parametrize(("size", "tagged"), [(SHORT - 1, 0), (SHORT, SHORT + 1)])
def test_short_tags_are_not_measured(size, tagged):
    markup.cache_clear()
    assert markup(f"<{'a' * size}>").tagged == tagged


def test_the_bound_counts_what_hidden_ends_may_join():
    assert Markup(500, 300, 0, 500).bound == 300
    assert Markup(500, 300, 2, 1200).bound == 1200


@pytest.mark.parametrize("gaps", [(SHORT,), (SHORT + 1,), (3, SHORT + 2, 0, 2 * SHORT, 5), (SHORT - 1, SHORT, SHORT)])
@pytest.mark.parametrize("end", ["", ">", "x", "x" * (SHORT + 1)])
def test_long_stretches_are_found_wherever_they_begin(gaps, end):
    html = ">".join(f"<{'a' * gap}" for gap in gaps) + end
    markup.cache_clear()
    longest = max(map(len, html.split(">")))
    longest, tagged = max(longest, SHORT), longest if longest > SHORT else 0
    assert markup(html) == Markup(longest, tagged, 0, longest)


LONG = "x" * SHORT
MANY = " ".join(f"a{number}" for number in range(500))


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<p a b c>", (0, 0)),  # too short to be counted
        (f"<p {MANY} {LONG}>", (501, 0)),
        (f"text {MANY} {LONG}>", (0, 0)),  # no tag begins there
        (f"<p\x00 {MANY} {LONG}>", (501, 0)),
        (f"<p a='1'b=\"2\"/c\t\n d {LONG}>", (7, 0)),
        (f"<p x='>' {MANY}>{LONG}", (0, 502)),  # what follows the hidden end belongs to the tag
        (f"<p x='>' y='>' {MANY}>{LONG}", (0, 504)),
    ],
)
def test_attributes_are_bounded_by_what_separates_them(html, expected):
    markup.cache_clear()
    assert attribute_bounds(html) == AttributeBounds(*expected)
