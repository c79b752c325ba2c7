"""Tests of the merged Site Style Tree."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sitecrawl.templates.importance import StyleTree, composite_importance, leaf_importance, node_importance
from sitecrawl.templates.snapshot import snapshot
from sitecrawl.templates.trie import SiteTemplate

from ..dom.trees import page, pages

PAGE = "<div class=menu><a>Home</a><a>News</a></div><div class=main>{}</div>"
BODIES = [f"<h1>Title {i}</h1><p>Story {i}</p>" + "<ul><li>more</li></ul>" * (i % 2) for i in range(4)]


def tree_of(*htmls, **options):
    template = SiteTemplate(min_share=0.0)
    for html in htmls:
        template.learn(page(html).flat)
    return StyleTree(snapshot(template, 1), **options)


def importance(tree, label):
    return [tree.importance[key] for key, node in tree.template.nodes.items() if node.label == label]


def labels(tree, keys):
    return {tree.template.nodes[key].label for key in keys}


def test_what_repeats_is_noisy_and_what_differs_is_meaningful():
    tree = tree_of(*(PAGE.format(body) for body in BODIES))
    assert labels(tree, tree.noisy) == {"div.menu", "a", "ul", "li"}
    assert labels(tree, tree.meaningful) == {"h1", "p"}
    assert importance(tree, "a") == [pytest.approx(0)]
    assert importance(tree, "h1") == [1.0]


def test_leaves_agree_with_the_formula():
    tree = tree_of("<p>home <br>about <br>x</p>", *["<p>home <br>about</p>"] * 2)
    own_texts = leaf_importance([[1, 1, 1], [1, 1, 1], [1]], 3)
    assert own_texts == pytest.approx(1 / 3)
    leaf = tree_of("<p>x</p>", "<p>y</p>", "<p>x</p>")
    assert importance(leaf, "p") == [pytest.approx(leaf_importance([[1, 1], [1]], 3))]
    # An element with element children counts its texts among them: three texts and two kinds of br a page.
    assert 0 < importance(tree, "p")[0] < own_texts


def test_inner_elements_agree_with_the_formula():
    htmls = ["<div><h1>same</h1></div>"] * 3 + ["<div><h1>same</h1><h2>same</h2></div>"] * 2
    tree = tree_of(*htmls)
    assert importance(tree, "div") == [pytest.approx(composite_importance([3, 2], [[0], [0, 0]]))]


def test_styles_of_one_page_count_for_one_page_each():
    htmls = [f"<div>{'<i>x</i>' * number}</div>" for number in range(1, 9)]
    tree = tree_of(*htmls)
    div = next(node for node in tree.template.nodes.values() if node.label == "div")
    assert div.styles == {}
    expected = (1 - 0.9**8) * node_importance([1] * 8, 8)
    assert importance(tree, "div") == [pytest.approx(expected)]


def test_threshold_and_gamma_are_options():
    htmls = [PAGE.format(body) for body in BODIES]
    assert not tree_of(*htmls, threshold=1.0).meaningful
    own = tree_of(*htmls, gamma=0.0)
    assert importance(own, "div.main") == [pytest.approx(node_importance([2, 2], 4))]


def test_an_empty_template_has_an_empty_tree():
    tree = StyleTree(SiteTemplate())
    assert (tree.importance, tree.noisy, tree.meaningful) == ({}, set(), set())


@settings(max_examples=40)
@given(st.lists(pages(), min_size=2, max_size=8))
def test_importances_are_shares_and_marks_are_closed(found):
    template = SiteTemplate(min_share=0.0)
    for each in found:
        template.learn(each.flat)
    tree = StyleTree(snapshot(template, 1))
    assert tree.importance.keys() == tree.template.nodes.keys()
    assert all(-1e-9 <= value <= 1 + 1e-9 for value in tree.importance.values())
    assert not tree.noisy & tree.meaningful
    for node in tree.template.nodes.values():
        if not node.is_text:
            assert node.parent not in tree.noisy or node.key in tree.noisy
            assert node.parent not in tree.meaningful or node.key in tree.meaningful
