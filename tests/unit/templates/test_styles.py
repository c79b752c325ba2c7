"""Tests of the Site Style Tree as published."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sitecrawl.templates.importance import composite_importance, leaf_importance, node_importance
from sitecrawl.templates.styles import SiteStyleTree

from ..dom.trees import page, pages


def tree_of(*htmls, **options):
    return SiteStyleTree([page(html).flat for html in htmls], **options)


def below(element, *places):
    """The element node at these places, through the first style of each."""
    for place in places:
        _, children = next(iter(element.styles.values()))
        element = children[place]
    return element


def test_leaves_are_weighed_by_words_and_targets():
    body = below(tree_of("<p>home about x</p>", *["<p>home about</p>"] * 2).root, 0)
    assert below(body, 0).importance == pytest.approx(leaf_importance([[1, 1, 1], [1, 1, 1], [1]], 3))
    links = [f"<a href=/{i}>more</a>" for i in range(2)]
    assert below(tree_of(*links).root, 0, 0).importance == pytest.approx(2 / 3)


def test_inner_nodes_are_weighed_by_styles():
    body = below(tree_of(*["<h1>same</h1>"] * 3, *["<h1>same</h1><h2>same</h2>"] * 2).root, 0)
    assert [counts for counts, _ in body.styles.values()] == [[3], [2]]
    assert body.importance == pytest.approx(composite_importance([3, 2], [[0], [0, 0]]))


def test_one_more_sibling_begins_anew():
    tree = tree_of("<i></i><div><p>same</p></div>", "<i></i><b></b><div><p>same</p></div>")
    styles = below(tree.root, 0).styles.values()
    assert [children[-1].styles and children[-1].importance for _, children in styles] == [pytest.approx(1)] * 2


def test_a_leaf_on_some_pages_only():
    body = below(tree_of("<p>one</p>", "<p>two</p>", "<p>three <b>x</b></p>", "<p>four <b>x</b></p>").root, 0)
    assert below(body, 0).importance == pytest.approx(composite_importance([2, 2], [[1], [0]]))


def test_menus_are_noisy_and_stories_meaningful():
    story = ["Fire in town", "Cup final drawn", "Rain all week", "Mayor resigns today"]
    tree = tree_of(*(f"<ul><li>Home</li><li>News</li></ul><p>{text}</p>" for text in story))
    body = below(tree.root, 0)
    assert (body.noisy, body.meaningful) == (False, False)
    assert (below(body, 0).noisy, below(body, 0).meaningful) == (True, False)
    assert (below(body, 1).noisy, below(body, 1).meaningful) == (False, True)


def test_threshold_and_gamma_are_options():
    htmls = ["<p>a</p>", "<p>b</p><b></b>"]
    assert tree_of(*htmls, threshold=1.0).root.noisy
    assert below(tree_of(*htmls, gamma=0.0).root, 0).importance == pytest.approx(node_importance([1, 1], 2))


@settings(max_examples=40)
@given(st.lists(pages(), min_size=1, max_size=6))
def test_importances_are_shares_and_marks_are_closed(found):
    tree = SiteStyleTree([each.flat for each in found])
    assert tree.pages == len(found) == sum(counts[0] for counts, _ in tree.root.styles.values())
    for element in tree.nodes:
        assert -1e-9 <= element.importance <= 1 + 1e-9
        assert not (element.noisy and element.meaningful)
        for _, children in element.styles.values():
            assert all(child.noisy for child in children) or not element.noisy
            assert all(child.meaningful for child in children) or not element.meaningful


def test_a_tree_without_pages_is_a_root():
    assert len(SiteStyleTree([]).nodes) == 1
