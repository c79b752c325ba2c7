"""Equalities of nodes: path keys against Algorithm 1 of Web-ConEx, which walks both trees and tries pairs of children."""

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from sitecrawl.dom.flat import FlatDom, flatten
from sitecrawl.dom.labels import TEXT
from sitecrawl.errors import ConfigError
from sitecrawl.extractors.papers.equality import Equality, occurrences

from ..unit.dom.trees import pages

NAMES = ("labels", "tag", "labels+children", "tag+attributes", "tag+children+position", "labels+attributes+position")


def children(flat: FlatDom, node: int) -> list[int]:
    return [child for child in range(node + 1, flat.end[node]) if flat.parent[child] == node]


def facts(flat: FlatDom, node: int, name: str) -> Iterator[object]:
    """Yield the common parts of two equal nodes, with the hints named as in the paper."""
    tag = flat.tag[node]
    if tag == TEXT:
        yield " ".join(flat.text[node].split())
    else:
        yield flat.label[node] if name.startswith("labels") else tag
    if tag in ("html", "body"):
        return
    if "attributes" in name and tag != TEXT:
        yield flat.names[node]
        yield [href for row, href, _ in flat.anchors if row == node]
    if "children" in name and tag != TEXT:
        yield len(children(flat, node))
    if "position" in name:
        yield children(flat, flat.parent[node]).index(node)


def literal(key_page: FlatDom, other: FlatDom, name: str, *, one_to_one: bool) -> list[int]:
    """Return 1 for each mapped node; one to one, each child is mapped to the first equal one that is free."""
    found = [0] * len(key_page)

    def equal(a: int, b: int) -> bool:
        return list(facts(key_page, a, name)) == list(facts(other, b, name))

    def visit(a: int, b: int) -> None:
        found[a] = 1
        free = children(other, b)
        for child in children(key_page, a):
            for candidate in [one for one in free if equal(child, one)]:
                visit(child, candidate)
                if one_to_one:
                    free.remove(candidate)
                    break

    if equal(0, 0):
        visit(0, 0)
    return found


@settings(max_examples=60)
@given(pages(), pages(), st.sampled_from(NAMES), st.booleans())
def test_occurrences_are_those_of_algorithm_1(found, other, name, one_to_one):
    equality = Equality.read(name, one_to_one=one_to_one)
    counts, greedy = occurrences(found.flat, [other.flat], equality)
    assert counts == literal(found.flat, other.flat, name, one_to_one=one_to_one)
    assert greedy == 0
    assert occurrences(found.flat, [found.flat] * 3, equality).counts == [3] * len(found.flat)


KEY_PAGE = flatten(etree.fromstring("<div><p>a</p><p class='x'>b</p><ul><li>c</li><li>c</li></ul></div>"))


@pytest.mark.parametrize(
    ("name", "other", "mapped"),
    [
        ("labels", "<div><ul><li>c</li></ul><p>b</p></div>", [0, 1, 5, 6, 7, 8, 9]),
        ("labels+children", "<div><ul><li>c</li></ul><p>b</p></div>", []),
        ("labels+children", "<div><ul><li>c</li><li>d</li></ul><p>a</p><i/></div>", [0, 1, 2, 5, 6, 7, 8, 9]),
        ("tag", "<div><p>b</p></div>", [0, 1, 3, 4]),
        ("tag+attributes", "<div><p>b</p></div>", [0, 1]),
        ("tag+position", "<div><p>b</p><p>a</p><ul><li>d</li><li>c</li></ul></div>", [0, 1, 3, 5, 6, 8, 9]),
        ("siblings", "<div><p>z</p><p class='x'>b</p><ul><li>d</li><li>c</li></ul></div>", list(range(10))),
        (
            "siblings+texts",
            "<div><p>z</p><p class='x'>b</p><ul><li>d</li><li>c</li></ul></div>",
            [0, 1, 3, 4, 5, 6, 8, 9],
        ),
    ],
)
def test_what_each_equality_compares(name, other, mapped):
    counts, _ = occurrences(KEY_PAGE, [flatten(etree.fromstring(other))], Equality.read(name))
    assert [node for node, count in enumerate(counts) if count] == mapped


def test_one_to_one_a_node_is_mapped_once():
    other = flatten(etree.fromstring("<div><ul><li>c</li></ul></div>"))
    assert occurrences(KEY_PAGE, [other]).counts[6:] == [1, 1, 1, 1]
    assert occurrences(KEY_PAGE, [other], Equality.read("labels", one_to_one=True)).counts[6:] == [1, 1, 0, 0]


def test_attributes_of_the_body_name_the_page():
    """As in the authors' public code, which maps `body` to `body`."""
    one, other = (
        flatten(etree.fromstring(f"<html><body id='post-{n}' class='a{n}'><p>x</p></body></html>")) for n in "ab"
    )
    for name in NAMES:
        assert occurrences(one, [other], Equality.read(name)).counts == [1] * 4


@pytest.mark.parametrize("name", ["", "sounds", "tag+texts", "siblings+children", "labels+", "labels children"])
def test_an_unknown_equality_is_an_error(name):
    with pytest.raises(ConfigError, match="equality"):
        Equality.read(name)
