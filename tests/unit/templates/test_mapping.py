"""Tests of the restricted top-down mapping, against trying all mappings of small trees."""

from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from sitecrawl.dom.flat import flatten
from sitecrawl.templates.mapping import labelled_tree, map_trees, part

from ..dom.trees import pages

SHAPES = st.recursive(
    st.just(()), lambda below: st.lists(st.tuples(st.sampled_from("ab"), below), max_size=4), max_leaves=9
)


def grown(children):
    root = etree.Element("r")
    rest = [(root, children)]
    while rest:
        above, below = rest.pop()
        rest += [(etree.SubElement(above, tag), more) for tag, more in below]
    return labelled_tree(flatten(root))


TREES = SHAPES.map(grown)


def tree(html):
    return labelled_tree(flatten(etree.fromstring(html)))


def cheapest(one, other, restricted, a=0, b=0, known=None):
    """The least cost of mapping two subtrees, by trying every choice of as many children on both sides."""
    known = {} if known is None else known
    if (a, b) not in known:
        differ = one.label[a] != other.label[b]
        left, right = one.children[a], other.children[b]
        if restricted and differ:
            left = right = []
        best = whole = one.size[a] + other.size[b] - 2
        for count in range(1, min(len(left), len(right)) + 1):
            for chosen in combinations(left, count):
                for partners in combinations(right, count):
                    pairs = list(zip(chosen, partners, strict=True))
                    cost = whole - sum(one.size[x] + other.size[y] for x, y in pairs)
                    best = min(best, cost + sum(cheapest(one, other, restricted, x, y, known) for x, y in pairs))
        known[a, b] = best + differ
    return known[a, b]


def check(one, other, mapping, restricted):
    """One-to-one, roots mapped, top-down, in order, restricted; and the cost is that of the pairs."""
    partner = dict(mapping.pairs)
    assert len(partner) == len(set(partner.values())) == len(mapping.pairs)
    assert partner[0] == 0
    for a, b in mapping.pairs[1:]:
        above = one.parent[a]
        assert partner[above] == other.parent[b]
        assert not restricted or one.label[above] == other.label[other.parent[b]]
    for children in one.children:
        images = [partner[child] for child in children if child in partner]
        assert images == sorted(images)
    replaced = sum(one.label[a] != other.label[b] for a, b in mapping.pairs)
    assert mapping.cost == len(one) + len(other) - 2 * len(mapping.pairs) + replaced


@settings(max_examples=200, deadline=None)
@given(TREES, TREES, st.booleans())
def test_no_mapping_is_cheaper(one, other, restricted):
    mapping = map_trees(one, other, restricted=restricted)
    check(one, other, mapping, restricted)
    assert mapping.greedy == 0
    assert mapping.cost == cheapest(one, other, restricted)


@settings(max_examples=60)
@given(TREES, TREES, st.booleans())
def test_the_cost_is_a_distance(one, other, restricted):
    cost = map_trees(one, other, restricted=restricted).cost
    assert map_trees(other, one, restricted=restricted).cost == cost
    assert (cost == 0) == (one.label == other.label and one.parent == other.parent)
    assert cost >= abs(len(one) - len(other))


@settings(max_examples=60)
@given(pages(), pages(), st.booleans(), st.sampled_from((0, 5, 20, 1000)))
def test_whatever_the_cells_it_is_a_mapping(one, other, restricted, cells):
    trees = labelled_tree(one.flat), labelled_tree(other.flat)
    mapping = map_trees(*trees, restricted=restricted, max_cells=cells)
    check(*trees, mapping, restricted)
    assert mapping.cells <= cells
    least = map_trees(*trees, restricted=restricted)
    assert mapping.cost >= least.cost
    assert mapping.greedy or mapping == least


def test_identical_trees_need_no_cells():
    one = tree("<r><a><b/><b>x</b></a><c/></r>")
    mapping = map_trees(one, one)
    assert (mapping.cost, mapping.cells) == (0, 0)
    assert mapping.pairs == [(i, i) for i in range(6)]


def test_subtrees_are_identical_when_parents_and_children_change_places_in_neither():
    assert map_trees(tree("<r><a><b/></a></r>"), tree("<r><b><a/></b></r>")).cost > 0


def test_a_match_is_preferred_to_deletion_and_insertion():
    one, other = tree("<r><a/><b/></r>"), tree("<r><b/><a/></r>")
    assert map_trees(one, other).pairs == [(0, 0), (1, 1), (2, 2)]


def test_identical_children_at_the_end_are_mapped_first():
    assert map_trees(tree("<r><a/></r>"), tree("<r><a/><a/></r>")).pairs == [(0, 0), (1, 2)]


def test_a_deletion_is_preferred_to_an_insertion():
    """Of two subtrees that have changed places only one can be mapped; q is deleted, so p is."""
    p, q = "<p><i/><i/><i/></p>", "<q><i/><i/><i/></q>"
    mapping = map_trees(tree(f"<r>{p}{q}</r>"), tree(f"<r>{q}{p}</r>"))
    assert mapping.pairs == [(0, 0), (1, 5), (2, 6), (3, 7), (4, 8)]
    assert mapping.cost == 8


def test_without_cells_children_are_mapped_in_order():
    one, other = tree("<r><x/><a/><b/><c/><y/></r>"), tree("<r><c/><a/><z/><b/></r>")
    mapping = map_trees(one, other, max_cells=0)
    assert mapping.pairs == [(0, 0), (2, 2), (3, 4)]
    assert (mapping.greedy, mapping.cells, mapping.cost) == (1, 0, 5)


def test_without_cells_children_with_one_label_are_mapped_between_identical_ones():
    one = tree("<r><p><i/></p><q><i/></q><a/><p><k/></p></r>")
    other = tree("<r><q><j/></q><p><j/></p><a/><s/><p><i/></p></r>")
    mapping = map_trees(one, other, max_cells=0)
    assert mapping.pairs == [(0, 0), (3, 1), (5, 5), (6, 7)]
    assert mapping.cost == 9
    assert mapping.greedy == 3


def test_repeated_children_are_mapped_without_cells():
    one, other = tree("<r><y/>" + "<a/>" * 300 + "<x/></r>"), tree("<r>" + "<a/>" * 400 + "<b/></r>")
    mapping = map_trees(one, other, max_cells=0)
    assert (len(mapping.pairs), mapping.greedy) == (301, 1)


def test_pages_nested_deeply_are_mapped():
    def nested(last):
        root = element = etree.Element("a")
        for _ in range(3000):
            element = etree.SubElement(element, "a")
        etree.SubElement(element, last)
        return labelled_tree(flatten(root))

    mapping = map_trees(nested("b"), nested("c"))
    assert (mapping.cost, mapping.cells, len(mapping.pairs)) == (1, 3001, 3002)


@given(pages(), st.data())
def test_parts_hold_nodes_and_their_ancestors(found, data):
    whole = labelled_tree(found.flat)
    nodes = data.draw(st.sets(st.integers(0, len(whole) - 1), min_size=1))
    kept = sorted(nodes.union(*(found.flat.ancestors(node) for node in nodes)))
    smaller = part(whole, nodes)
    assert smaller.label == [whole.label[node] for node in kept]
    assert [kept[above] for above in smaller.parent[1:]] == [whole.parent[node] for node in kept[1:]]
    assert smaller.parent[0] == -1
    assert smaller.size[0] == len(kept)
    assert part(whole, range(len(whole))).identity == whole.identity


@pytest.mark.parametrize(("restricted", "cost"), [(True, 5), (False, 1)])
def test_below_a_replaced_node_nothing_is_mapped_when_restricted(restricted, cost):
    one, other = tree("<r><a><i/><j/></a></r>"), tree("<r><b><i/><j/></b></r>")
    assert map_trees(one, other, restricted=restricted).cost == cost
