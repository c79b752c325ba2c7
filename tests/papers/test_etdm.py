"""Equal top-down mappings: the trie of path keys against Algorithm 1 of Web-ConEx, written out literally."""

from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from sitecrawl.dom.flat import FlatDom, flatten
from sitecrawl.templates.trie import SiteTemplate

from ..unit.dom.trees import pages


def children(flat: FlatDom, node: int) -> list[int]:
    found, i = [], node + 1
    while i < flat.end[node]:
        found.append(i)
        i = flat.end[i]
    return found


def literal(key_page: FlatDom, other: FlatDom) -> list[int]:
    """Algorithm 1: visit each pair of equal children of each visited pair, and count."""
    counts = [0] * len(key_page)

    def visit(n: int, m: int) -> None:
        counts[n] += 1
        for child in children(key_page, n):
            for candidate in children(other, m):
                if key_page.label[child] == other.label[candidate]:
                    visit(child, candidate)

    if key_page.label[0] == other.label[0]:
        visit(0, 0)
    return counts


def largest_mapping(one: FlatDom, other: FlatDom, n: int = 0, m: int = 0) -> int:
    """Nodes of the largest one-to-one equal top-down mapping below an equal pair, by trying all of them."""
    left, right = children(one, n), children(other, m)
    if len(left) > len(right):
        one, other, left, right = other, one, right, left
    best = 0
    for order in permutations(right, len(left)):
        pairs = [(a, b) for a, b in zip(left, order, strict=True) if one.label[a] == other.label[b]]
        best = max(best, sum(largest_mapping(one, other, a, b) for a, b in pairs))
    return best + 1


def tree(html: str) -> FlatDom:
    return flatten(etree.fromstring(html))


def trie_counts(key_page: FlatDom, *others: FlatDom) -> list[int]:
    template = SiteTemplate()
    for other in others:
        template.learn(other)
    return template.occurrences(key_page, learned=False)


@settings(max_examples=50)
@given(pages(), st.lists(pages(), max_size=5))
def test_occurrences_are_those_of_algorithm_1(found, others):
    flat = found.flat
    counts = [literal(flat, other.flat) for other in others]
    as_sets = [sum(column[i] > 0 for column in counts) for i in range(len(flat))]
    assert trie_counts(flat, *(other.flat for other in others)) == as_sets


@settings(max_examples=50)
@given(pages(), st.lists(pages(), max_size=5))
def test_nodes_are_the_literal_counts(found, others):
    flat, template = found.flat, SiteTemplate()
    for other in others:
        template.learn(other.flat)
    counts = [literal(flat, other.flat) for other in others]
    for i, key in enumerate(flat.path):
        node = template.nodes.get(key)
        assert (node.nodes if node else 0) == sum(column[i] for column in counts)


@settings(max_examples=50)
@given(st.lists(pages(), min_size=1, max_size=5))
def test_a_learned_page_is_not_counted_for_itself(found):
    template = SiteTemplate()
    for page in found:
        template.learn(page.flat)
    for number, page in enumerate(found):
        others = [other.flat for other in found[:number] + found[number + 1 :]]
        assert template.occurrences(page.flat, learned=True) == trie_counts(page.flat, *others)


def test_repeated_siblings_count_once_in_the_trie():
    """Vector `etdm_repeated`: each key node is counted once for each equal node, as Algorithm 1 is printed."""
    key_page = tree("<html><ul><li>x</li><li>x</li></ul></html>")
    other = tree("<html><ul><li>x</li><li>x</li><li>x</li></ul></html>")
    assert literal(key_page, other) == [1, 1, 3, 3, 3, 3]
    assert trie_counts(key_page, other) == [1] * 6


@pytest.mark.parametrize(
    ("key_page", "other", "covered", "largest"),
    [
        ("<r><a/><a/></r>", "<r><a/></r>", 3, 2),
        ("<r><d><a/></d><d><b/></d></r>", "<r><d><a/><b/></d><d/></r>", 5, 4),
        ("<r><d><a/></d><d><b/></d></r>", "<r><d><b/></d></r>", 4, 3),
        ("<r><d><a/><b/></d></r>", "<r><d><a/></d><d><b/></d></r>", 4, 3),
        ("<r><a/><b/></r>", "<r><b/><a/></r>", 3, 3),
        ("<r><d><a/><b/></d></r>", "<r><s><a/><b/></s></r>", 1, 1),
    ],
)
def test_counterexamples_to_one_to_one(key_page, other, covered, largest):
    """With equal siblings a page covers more nodes than a one-to-one mapping can."""
    counts = trie_counts(tree(key_page), tree(other))
    assert sum(count > 0 for count in counts) == covered
    assert largest_mapping(tree(key_page), tree(other)) == largest


def test_without_equal_siblings_the_mapping_is_one_to_one():
    """Equal top-down mapping is equality of path keys."""
    key_page = tree("<r><d><a/><b/></d><e><a>x</a></e><f/></r>")
    other = tree("<r><e><a>y</a><c/></e><d><b/></d></r>")
    assert sum(trie_counts(key_page, other)) == largest_mapping(key_page, other) == 5
