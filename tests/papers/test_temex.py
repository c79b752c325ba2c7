"""TemEx: the similarity of siblings in the public code, the pages that vote, and what a vote is."""

import pytest
from lxml import etree

from sitecrawl.dom.flat import flatten
from sitecrawl.extractors.papers.equality import Equality, occurrences
from sitecrawl.extractors.papers.temex import VOTES
from sitecrawl.links.subdigraph import GOAL, complete_subdigraph
from sitecrawl.templates.siblings import LEAST_SIMILARITY, position_similarity, sibling_similarity

NONE = frozenset[str]()


def _places(length, other_length):
    return [[position_similarity(i, j, length, other_length) for j in range(other_length)] for i in range(length)]


def test_places_among_siblings():
    """Vector `hybex_mapping`."""
    assert _places(4, 5) == [
        [1.0, 1.0, 0.75, 0.5, 0.25],
        [0.75, 1.0, 1.0, 0.75, 0.5],
        [0.5, 0.75, 1.0, 1.0, 0.75],
        [0.25, 0.5, 0.75, 1.0, 1.0],
    ]
    assert _places(3, 3) == [
        pytest.approx([1, 2 / 3, 1 / 3]),
        pytest.approx([2 / 3, 1, 2 / 3]),
        pytest.approx([1 / 3, 2 / 3, 1]),
    ]
    assert _places(5, 4) == [
        [1.0, 0.75, 0.5, 0.25],
        [1.0, 1.0, 0.75, 0.5],
        [0.75, 1.0, 1.0, 0.75],
        [0.5, 0.75, 1.0, 1.0],
        [0.25, 0.5, 0.75, 1.0],
    ]


def test_similarity_of_siblings():
    """Vector `hybex_mapping`: a text is mapped if its position is nearly the same, whatever its content."""
    assert LEAST_SIMILARITY == 0.9
    assert sibling_similarity({"post", "wide"}, {"post"}, 9, 10, 1.0) == pytest.approx(0.9)
    texts = [sibling_similarity(NONE, NONE, 0, 0, place) for place in (1.0, 0.75, 0.5)]
    assert texts == [pytest.approx(1.0), pytest.approx(0.9), pytest.approx(0.8)]


def test_pages_that_link_to_each_other_vote():
    """Vector `complete_subdigraph`, and the defaults of the public code."""
    links = {
        "p1": ["p2", "p3"],
        "p2": ["p1", "p4", "p5"],
        "p3": ["p1"],
        "p4": ["p2", "p5"],
        "p5": ["p1", "p2", "p4"],
    }
    assert complete_subdigraph(links, GOAL) == ("p2", "p4", "p5")
    assert (GOAL, VOTES) == (3, 2)


def test_a_page_votes_once_for_a_node():
    """Vector `etdm_repeated` read as sets: a count of pairs would let one page make a template."""
    key_page = flatten(etree.fromstring("<html><ul><li>x</li><li>x</li></ul></html>"))
    other = flatten(etree.fromstring("<html><ul><li>x</li><li>x</li><li>x</li></ul></html>"))
    siblings = Equality.read("siblings")
    assert occurrences(key_page, [other]).counts == [1] * 6
    # One to one, by 0.1 + 0.4 + 0.5 * 2 / 3 the lists themselves are too different.
    assert occurrences(key_page, [other], siblings) == ([1, 0, 0, 0, 0, 0], 0)
    assert occurrences(key_page, [key_page, key_page], siblings) == ([2] * 6, 0)
