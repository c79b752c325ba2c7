"""The worked example of the Site Style Tree and of the merged tree."""

import pytest
from lxml import etree

from sitecrawl.dom.flat import flatten
from sitecrawl.templates.importance import GAMMA, composite_importance, leaf_importance, node_importance
from sitecrawl.templates.styles import SiteStyleTree
from sitecrawl.templates.trie import SiteTemplate


def test_the_importance_of_a_node_is_the_entropy_of_its_styles():
    assert node_importance([35, 25, 25, 15], 100) == pytest.approx(0.2921, abs=5e-5)
    assert node_importance([100], 100) == 0
    assert node_importance([1] * 100, 100) == pytest.approx(1)
    assert node_importance([1], 1) == 1


def test_the_importance_of_a_leaf_is_one_less_the_entropy_of_its_features():
    """Three pages have the texts {home, about, x}, {home, about}, {home, about}."""
    assert leaf_importance([[1, 1, 1], [1, 1, 1], [1]], 3) == pytest.approx(0.3333, abs=5e-5)
    assert leaf_importance([[1, 1, 1]], 3) == pytest.approx(0)
    assert leaf_importance([[1], [1], [1]], 3) == 1
    assert leaf_importance([[3, 1]], 2) == pytest.approx(0.1887, abs=5e-5)
    assert leaf_importance([], 3) == 0
    assert leaf_importance([[1]], 1) == 1


def test_composite_importance_weighs_a_node_and_its_children():
    assert GAMMA == 0.9
    assert node_importance([3, 1], 4) == pytest.approx(0.4056, abs=5e-5)
    assert composite_importance([3, 1], [[0, 0.5], [1]]) == pytest.approx(0.4314, abs=5e-5)


def test_one_more_sibling_does_not_begin_anew():
    """In the Site Style Tree all children would be on one page only."""
    template = SiteTemplate()
    for html in ("<body><n/><d><x/></d></body>", "<body><n/><s/><d><x/></d></body>"):
        template.learn(flatten(etree.fromstring(html)))
    pages = {node.depth: node.pages for node in template.kept()}
    assert pages == {0: 2, 1: 2, 2: 2}
    assert sorted(template.kept()[0].styles.values()) == [1, 1]


def _weighed(*bodies):
    """The importance of the children of `body` in the tree of these pages, one style of `body`."""
    tree = SiteStyleTree([flatten(etree.fromstring(f"<body>{body}</body>")) for body in bodies])
    ((_, children),) = tree.root.styles.values()
    return [element.importance for element in children]


def test_the_tree_as_published():
    """The same numbers, read off trees that are built from pages."""
    assert _weighed("<p>home about x</p>", "<p>home about</p>", "<p>home about</p>") == [
        pytest.approx(0.3333, abs=5e-5)
    ]
    assert _weighed(*["<p>home</p>"] * 3) == [pytest.approx(0)]
    assert _weighed("<p>one</p>", "<p>two</p>", "<p>three</p>") == [1]
    assert _weighed("<p>go go go</p>", "<p>go</p>") == [pytest.approx(0.1887, abs=5e-5)]
    styles = ["<i/>", "<i/><b/>", "<b/>", "<b/><i/>"]
    pages = [style for style, count in zip(styles, (35, 25, 25, 15), strict=True) for _ in range(count)]
    assert _weighed(*(f"<div>{style}</div>" for style in pages)) == [pytest.approx((1 - GAMMA**4) * 0.2921, abs=5e-5)]


def test_one_more_sibling_begins_anew_in_the_tree_as_published():
    tree = SiteStyleTree([flatten(etree.fromstring(html)) for html in ("<b><n/><d/></b>", "<b><n/><s/><d/></b>")])
    assert [pages for pages, _ in tree.root.styles.values()] == [[1], [1]]
    assert [element.importance for _, children in tree.root.styles.values() for element in children] == [1] * 5
