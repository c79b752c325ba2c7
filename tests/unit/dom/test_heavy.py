"""Tests of the choice of pages that are tried in another process first."""

import pytest

from sitecrawl.dom.heavy import HIDDEN_ENDS, LONG_TAG, SMALL, is_heavy

TEXT = "<p>A harmless paragraph.</p>" * (SMALL // 20)


def hidden(ends, between):
    """Return a tag with `>` in attribute values, and so many characters of attributes between two of them."""
    return "<p " + "".join(f'x{number}=">" {"a " * (between // 2)}' for number in range(ends)) + ">"


@pytest.mark.parametrize("ends", [HIDDEN_ENDS, HIDDEN_ENDS + 1, 40])
def test_hidden_ends_are_harmless_where_little_stands_between_them(ends):
    assert not is_heavy(TEXT + hidden(ends, 500))


@pytest.mark.parametrize("ends", [HIDDEN_ENDS + 1, 40, 20_000])
def test_hidden_ends_that_may_join_a_long_tag_are_not(ends):
    assert is_heavy(TEXT + hidden(ends, (HIDDEN_ENDS + 2) * LONG_TAG // ends))


def test_a_small_page_is_never_heavy():
    assert not is_heavy(hidden(100, 600)[:SMALL])


def test_a_long_tag_is_heavy():
    assert is_heavy(TEXT + f"<p {'a ' * LONG_TAG}>")
