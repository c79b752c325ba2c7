"""Tests of RBM-TD."""

from itertools import accumulate

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from sitecrawl.dom.flat import flatten
from sitecrawl.errors import ConfigError
from sitecrawl.extractors.base import Kind, Need, SiteContext, extractor_class, get_extractor, no_content
from sitecrawl.extractors.papers.rbm_td import common_subtrees, placed_subtrees, template_roots

from ...dom.trees import is_disjoint_and_sorted, page, pages, row

PAGE = "<ul><li>Home</li><li>News</li></ul><div>{}</div><p>Imprint</p>"


def site(*contents):
    return SiteContext(neighbours=tuple(page(PAGE.format(content)).flat for content in contents))


SITE = site("<h1>One</h1><i>ad</i>", "<h1>Two</h1><i>ad</i>", "<i>ad</i><h1>Three</h1>")


def test_what_all_pages_have_in_one_place_is_removed():
    found = page(PAGE.format("<h1>Own</h1><i>ad</i>"))
    extraction = get_extractor("rbm-td").extract(found, SITE)
    assert found.text(extraction.nodes) == "Own\nad"
    assert (extraction.method, extraction.kind, extraction.confidence) == ("rbm-td", Kind.CONTENT, 3 / 25)
    assert extraction.evidence == {"pages": 3, "template": 2}
    assert found.text(get_extractor("rbm-td", size=2).extract(found, SITE).nodes) == "Own"
    assert extractor_class("rbm-td").needs == {Need.NEIGHBOURS}
    with pytest.raises(ConfigError, match="size"):
        get_extractor("rbm-td", size=0)


def test_tags_above_are_not_part_of_the_place():
    one, other = page("<div><p>x</p></div>").flat, page("<section><p>x</p></section>").flat
    assert template_roots(one, common_subtrees([one, other])) == [row(one, "p")]


def test_numbers_among_siblings_are():
    one, other = page("<div><b>y</b><p>x</p></div>").flat, page("<div><p>x</p></div>").flat
    assert template_roots(one, common_subtrees([one, other])) == []


def test_a_page_of_template_nodes_has_no_content():
    found = page(PAGE.format(""))
    assert get_extractor("rbm-td").extract(found, SITE) == no_content("rbm-td")


def written(flat):
    """Each node as its numbers from the root and its subtree as text: the definition, in quadratic time."""
    numbers = [()] * len(flat)
    children = [0] * len(flat)
    for i in range(1, len(flat)):
        above = flat.parent[i]
        numbers[i] = (*numbers[above], children[above])
        children[above] += 1
    return [
        (numbers[i], *((flat.depth[k] - flat.depth[i], flat.label[k]) for k in range(i, flat.end[i])))
        for i in range(len(flat))
    ]


@settings(max_examples=60)
@given(st.lists(pages(), min_size=1, max_size=4))
def test_common_subtrees_are_those_written_the_same(found):
    sets = [set(written(each.flat)) for each in found]
    common = list(accumulate(sets, set.intersection))[-1]
    fingerprints = common_subtrees([each.flat for each in found])
    flat = found[0].flat
    assert [node in common for node in written(flat)] == [node in fingerprints for node in placed_subtrees(flat)]


@settings(max_examples=40)
@given(pages(), st.lists(pages(), max_size=4))
def test_choices_are_disjoint_and_sorted(found, others):
    context = SiteContext(neighbours=tuple(other.flat for other in others))
    extraction = get_extractor("rbm-td").extract(found, context)
    assert is_disjoint_and_sorted(found.flat, extraction.nodes)
    assert 0 <= extraction.confidence <= 1
    assert bool(extraction.nodes) == (extraction.kind is Kind.CONTENT)


def test_pages_nested_deeply_are_read():
    root = element = etree.Element("html")
    for _ in range(3000):
        element = etree.SubElement(element, "div")
    assert len(set(placed_subtrees(flatten(root)))) == 3001
