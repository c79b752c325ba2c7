"""The worked examples of RTDM and RTDM-TD."""

import pytest
from lxml import etree

from sitecrawl.dom.flat import flatten
from sitecrawl.extractors.papers.rtdm_td import equal_nodes, tree_template
from sitecrawl.templates.mapping import labelled_tree, map_trees

MENU = "<ul><li>home</li><li>news</li></ul>"
A = flatten(etree.fromstring(f"<body>{MENU}<div><h1>A1</h1><p>x</p></div><p>foot</p></body>"))
B = flatten(etree.fromstring(f"<body>{MENU}<div><h1>B7</h1></div><p>foot</p></body>"))
DIV = flatten(etree.fromstring("<body><div><p>A</p><p>B</p></div></body>"))
SECTION = flatten(etree.fromstring("<body><section><p>A</p><p>B</p></section></body>"))


def _named(flat, node):
    return f"#text:{flat.text[node]}" if flat.tag[node] == "#text" else flat.tag[node]


def test_the_mapping_of_the_example_replaces_and_deletes_three_nodes():
    """Vector `rtdm`: A1 is replaced by B7, p and x are deleted."""
    one, other = labelled_tree(A), labelled_tree(B)
    assert (len(one), len(other)) == (13, 11)
    mapping = map_trees(one, other)
    assert (mapping.cost, len(mapping.pairs)) == (3, 11)
    pairs, _ = equal_nodes(one, other)
    template = ["body", "ul", "li", "#text:home", "li", "#text:news", "div", "h1", "p", "#text:foot"]
    assert [_named(A, a) for a, _ in pairs] == [_named(B, b) for _, b in pairs] == template


def test_template_of_two_pages():
    template = tree_template([A, B])
    assert (len(template.tree), template.greedy) == (10, 0)
    again = map_trees(template.tree, labelled_tree(B))
    assert (again.cost, len(again.pairs)) == (1, 10)


@pytest.mark.parametrize(("restricted", "cost"), [(True, 9), (False, 1)])
def test_nothing_below_a_replaced_node_is_mapped_when_restricted(restricted, cost):
    """Vector `rtdm_replaced_parent`."""
    one, other = labelled_tree(DIV), labelled_tree(SECTION)
    assert map_trees(one, other, restricted=restricted).cost == cost
    pairs, _ = equal_nodes(one, other, restricted=restricted)
    kept = ["body"] if restricted else ["body", "p", "#text", "p", "#text"]
    assert [DIV.tag[a] for a, _ in pairs] == kept
    # The template is a tree, so the replaced parent of kept nodes stays in it.
    assert len(tree_template([DIV, SECTION], restricted=restricted).tree) == (1 if restricted else 6)
