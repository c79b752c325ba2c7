"""Tests of the similarity of siblings."""

from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from sitecrawl.dom.flat import flatten
from sitecrawl.templates import siblings
from sitecrawl.templates.siblings import SiblingMapping, position_similarity

from ..dom.trees import page, pages, row


def mapped(html, other):
    flat = page(html).flat
    return flat, SiblingMapping(flat, page(other).flat).mapped()


def test_texts_are_not_read():
    flat, found = mapped("<h1>One</h1><p>this</p>", "<h1>Two</h1><p>that</p>")
    assert found == [True] * len(flat)


def test_other_tags_are_not_mapped():
    flat, found = mapped("<h1>One</h1><p>this</p>", "<h1>One</h1><div>this</div>")
    assert not found[row(flat, "p")]
    assert not found[row(flat, "this")]


def test_children_of_another_number_are_another_node():
    one, other = "<div><p>a</p><p>b</p></div>", "<div><p>a</p><p>b</p><p>c</p></div>"
    flat, found = mapped(one, other)
    assert not found[row(flat, "div")]
    flat, found = mapped(one.replace("<div", "<div class=x"), other.replace("<div", "<div class=x"))
    assert found == [True] * len(flat), "a name of its own decides"


def test_names_that_repeat_do_not_decide():
    one, other = "<div class=x><p>a</p></div>" * 2, "<div class=x><p>a</p><p>b</p></div>" * 2
    assert mapped(one, other)[1] == [True, True] + [False] * 6


def test_the_most_similar_sibling_is_taken_once():
    flat, found = mapped("<p>a</p><p>b</p><p>c</p>", "<p>a</p>")
    texts = [found[row(flat, name)] for name in "abc"]
    assert texts == [False, False, True], "all are equal, and of equals the last is taken"


def test_body_is_mapped_whatever_it_holds():
    flat, found = mapped("<body class=a><p>x</p></body>", "<body class=b><p>x</p><p>y</p><p>z</p><div>a</div></body>")
    assert found[:2] == [True, True]
    assert found[row(flat, "p")]


def test_long_lists_are_mapped_in_order(monkeypatch):
    monkeypatch.setattr(siblings, "MAX_CELLS", 3)
    flat = page("<p>a</p><i>b</i><p>c</p>").flat
    mapping = SiblingMapping(flat, page("<i>b</i><p>x</p>").flat)
    found = mapping.mapped()
    assert [found[row(flat, name)] for name in "abc"] == [True, True, False]
    assert (mapping.greedy, mapping.cells) == (1, 2)


def test_pages_without_a_body_are_mapped_from_the_root():
    flat = flatten(etree.fromstring("<r><p>a</p></r>"))
    assert SiblingMapping(flat, flat).mapped() == [True] * 3


@given(st.integers(1, 9), st.integers(1, 9), st.data())
def test_places_are_alike_both_ways(length, other_length, data):
    i = data.draw(st.integers(0, length - 1))
    j = data.draw(st.integers(0, other_length - 1))
    found = position_similarity(i, j, length, other_length)
    assert 0 < found <= 1
    assert found == position_similarity(j, i, other_length, length)
    assert position_similarity(i, i, length, length) == 1


@given(pages(), pages())
def test_parents_of_mapped_nodes_are_mapped(found, other):
    flat = found.flat
    nodes = SiblingMapping(flat, other.flat).mapped()
    assert nodes[0]
    assert all(nodes[flat.parent[i]] for i in range(1, len(flat)) if nodes[i])
    assert SiblingMapping(flat, flat).mapped() == [True] * len(flat)
