"""Lengths in the source of a page: the compiled twin gives what the reference gives, and no long tag hides."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitecrawl.dom import markup as module
from sitecrawl.dom.markup import Markup, markup, measured

PIECES = (
    "<",
    ">",
    "<a",
    "<1",
    "</p",
    "=",
    '="',
    "='",
    '"',
    "'",
    " ",
    "\n",
    "\xa0",
    "x",
    "long text ",
    "é",
    "漢",
    "😀",
    "\x1c",
)


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("", Markup(0, 0, 0)),
        ("text", Markup(4, 0, 0)),
        ("<p>text</p>", Markup(7, 2, 0)),
        ("a < b <p>", Markup(8, 2, 0)),
        ("<p title='a > b'>", Markup(12, 12, 1)),
        ('<p title="a > b > c" id = "d>e">', Markup(12, 12, 2)),
        ("<p title=a'>b'>", Markup(11, 11, 0)),
        ("<p x='>", Markup(6, 6, 1)),
        ("<p\x00q>", Markup(3, 3, 0)),
        ("漢<字><Ä><ä", Markup(3, 0, 0)),
    ],
)
def test_lengths(html, expected):
    markup.cache_clear()
    assert markup(html) == expected
    assert measured(html.replace("\x00", "")) == expected


def test_the_bound_counts_what_hidden_ends_may_join():
    assert Markup(500, 300, 0).bound == 300
    assert Markup(500, 300, 2).bound == 1500


@given(st.lists(st.sampled_from(PIECES), max_size=60).map("".join) | st.text(max_size=50))
def test_the_twin_is_equal(html):
    assert module._twin is not None
    html = html.replace("\x00", "")
    assert Markup(*module._twin.measured(html)) == measured(html)


def test_the_twin_is_used(monkeypatch, flattened_by):
    markup.cache_clear()
    if flattened_by == "twin":
        monkeypatch.setattr(module, "measured", lambda html: pytest.fail("the reference was used"))
    else:
        monkeypatch.setattr(module, "_twin", None)
    assert markup("<p>once</p>").longest == 7
