from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitecrawl.links.subdigraph import complete_subdigraph

EXAMPLE = {
    "p1": ("p2", "p3"),
    "p2": ("p1", "p4", "p5"),
    "p3": ("p1",),
    "p4": ("p2", "p5"),
    "p5": ("p1", "p2", "p4"),
}
"""A worked example of the complete subdigraph: p5 links p1, but p1 does not link p5."""


def test_the_complete_subdigraph_of_the_example_has_three_pages():
    assert complete_subdigraph(EXAMPLE, 3) == ("p2", "p4", "p5")


@pytest.mark.parametrize(
    ("goal", "pages"),
    [(0, ()), (1, ("p1",)), (2, ("p1", "p2")), (4, ("p2", "p4", "p5"))],
)
def test_the_subdigraph_has_as_many_pages_as_the_goal_if_there_are_any(goal, pages):
    assert complete_subdigraph(EXAMPLE, goal) == pages


def test_nothing_to_find():
    assert complete_subdigraph({}) == ()
    assert complete_subdigraph({"a": ("a", "b"), "b": ()}) == ("a",)
    assert complete_subdigraph({"a": ("x",), "b": ("a", "y")}) == ("a",), "pages that were not loaded do not count"


def test_the_first_complete_set_in_load_order_wins():
    everyone = "abcdef"
    links = dict.fromkeys(everyone, everyone)
    assert complete_subdigraph(links, 3) == ("a", "b", "c")
    assert complete_subdigraph(dict(reversed(links.items())), 3) == ("f", "e", "d")


def test_many_pages_that_all_link_each_other():
    pages = range(150)
    assert complete_subdigraph(dict.fromkeys(pages, pages), 120) == tuple(range(120))


@given(st.sets(st.tuples(st.integers(0, 6), st.integers(0, 6))), st.integers(1, 4))
def test_agrees_with_trying_all_sets(arcs, goal):
    links = {page: {b for a, b in arcs if a == page} for page in range(7)}

    def complete(pages):
        return all(b in links[a] and a in links[b] for a, b in combinations(pages, 2))

    for size in range(goal, 0, -1):
        sets = [pages for pages in combinations(range(7), size) if complete(pages)]
        if sets:
            # found as soon as its last page is loaded
            assert complete_subdigraph(links, goal) == min(sets, key=lambda pages: (pages[-1], pages))
            break
