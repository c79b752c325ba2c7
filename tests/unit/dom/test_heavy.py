"""Tests of the choice of pages that are tried in another process first."""

import pytest

from sitecrawl.dom.heavy import JOINED_ATTRIBUTES, MANY_ATTRIBUTES, SMALL, is_heavy

TEXT = "<p>A harmless paragraph.</p>" * (SMALL // 20)


def attributes(count):
    return " ".join(f"a{number}" for number in range(count))


def hidden(ends, between):
    """Return a tag with `>` in attribute values, and so many attributes between two of them."""
    return "<p " + "".join(f'x{number}=">" {attributes(between)} ' for number in range(ends)) + ">"


@pytest.mark.parametrize("ends", [1, 8, 40])
def test_hidden_ends_are_harmless_where_little_stands_between_them(ends):
    assert not is_heavy(TEXT + hidden(ends, 100))


@pytest.mark.parametrize("ends", [1, 8, 9, 40, 2_000])
def test_hidden_ends_that_may_join_a_long_tag_are_not(ends):
    assert is_heavy(TEXT + hidden(ends, JOINED_ATTRIBUTES // ends + 10))


def test_a_long_tag_behind_a_hidden_end_is_heavy_though_a_comment_hides_where_it_begins():
    assert is_heavy(f'{TEXT}<!-- <b x=" --><p y=">" {attributes(2 * JOINED_ATTRIBUTES)}>')


def test_a_small_page_is_never_heavy():
    assert not is_heavy(hidden(100, 600)[:SMALL])


@pytest.mark.parametrize(("count", "heavy"), [(MANY_ATTRIBUTES - 1, False), (MANY_ATTRIBUTES + 1, True)])
def test_a_tag_of_many_attributes_is_heavy(count, heavy):
    assert is_heavy(f"{TEXT}<p {attributes(count)}>") is heavy


@pytest.mark.parametrize(
    "tag",
    [
        f"<img src='data:image/png;base64,{'iVBORw0KGgo' * 5_000}'>",
        f'<p data-state="{{{"&quot;name&quot;:1," * 5_000}}}">',
        f'<a title="1 > 0" href="/{"a" * 100_000}">',
        f"<script>for(var i=0;i<n;i++){{{'a=b;' * 20_000}}}</script>",
    ],
)
def test_long_values_are_not_heavy(tag):
    assert not is_heavy(TEXT + tag)
