"""The compiled `count_page` counts what the Python one counts."""

import gc
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from sitecrawl.dom import _flat, flat
from sitecrawl.dom.page import parse_html
from sitecrawl.templates import trie
from sitecrawl.templates._trie import Counter
from sitecrawl.templates.snapshot import snapshot
from sitecrawl.templates.trie import SiteTemplate, TemplateNode
from tests.unit.dom.trees import roots

MENU = "<ul class=menu><li class=item-1><a href=/>Home</a><li>News</ul>"


def assert_equal(one, other):
    assert list(one.nodes) == list(other.nodes)
    for key, node in one.nodes.items():
        for name in TemplateNode.__slots__:
            mine, theirs = getattr(node, name), getattr(other.nodes[key], name)
            assert mine == theirs, name
            assert type(mine) is type(theirs), name
    assert [[node.key for node in page] for page in one._created] == [[n.key for n in page] for page in other._created]


@pytest.fixture(autouse=True)
def _as_before():
    yield
    trie.count_page.reset()


def learn(compiled, reference, root):
    """Let one template learn a page by the twin, and the other by the reference."""
    trie.count_page.runs = trie.count_page.compiled
    share = compiled.learn(_flat.flatten(root))
    trie.count_page.runs = trie.count_page.reference
    assert share == reference.learn(flat.flatten(root))


def learned(trees, **limits):
    one, other = SiteTemplate(**limits), SiteTemplate(**limits)
    for root in trees:
        learn(one, other, root)
        assert_equal(one, other)
    return one, other


@given(st.lists(roots(), min_size=1, max_size=8), st.integers(1, 4))
def test_equal_counts_of_random_pages(trees, window):
    learned(trees, window=window, min_share=0.3, max_nodes=20)


def test_equal_counts_of_a_site_with_many_styles():
    bodies = [
        f"{MENU}<div class=main>{'<p>x<b>y</b>' * (n % 7)}{'<i>' * (n % 90)}<p class=k{n % 5}>text {n}"
        for n in range(200)
    ]
    one, other = learned(map(parse_html, bodies), window=16)
    assert any(node.other_styles for node in one.nodes.values())
    assert any(node.label.startswith('"') for node in one.nodes.values())
    kept, same = snapshot(one, 1), snapshot(other, 1)
    assert {key: node.counts() for key, node in kept.nodes.items()} == {k: n.counts() for k, n in same.nodes.items()}


def test_one_template_can_learn_both_ways():
    pages = [parse_html(f"{MENU}<p>text {n}") for n in range(20)]
    one, other = SiteTemplate(), SiteTemplate()
    for n, root in enumerate(pages):
        trie.count_page.runs = trie.count_page.compiled if n % 2 else trie.count_page.reference
        one.learn((flat if n % 3 else _flat).flatten(root))
        trie.count_page.runs = trie.count_page.reference
        other.learn(flat.flatten(root))
    assert_equal(one, other)


def test_stored_nodes_are_counted_on():
    pages = [parse_html(f"{MENU}<p>text {n}") for n in range(6)]
    one, other = SiteTemplate(), SiteTemplate()
    for root in pages[:3]:
        learn(one, other, root)
    one, other = snapshot(one, 1), snapshot(other, 1)
    for root in pages[3:]:
        learn(one, other, root)
    assert_equal(one, other)


def test_classes_without_the_slots_are_refused():
    class Other:
        __slots__ = ("key",)

    class Property:
        key = property(lambda self: 1)

    for kind in (Other, Property, object, int):
        with pytest.raises(TypeError, match="has no slot"):
            Counter(kind)


def test_a_slot_that_is_empty_is_an_error_and_no_crash():
    page = _flat.flatten(etree.fromstring("<p>x</p>"))
    empty = TemplateNode.__new__(TemplateNode)
    with pytest.raises(AttributeError):
        Counter(TemplateNode).count(page.columns, {page.path[0]: empty}, 1)


def test_nothing_is_left_behind():
    pages = [_flat.flatten(parse_html(f"{MENU}<p>text {n}<b>{n % 3}</b>")) for n in range(10)]
    trie.count_page.runs = trie.count_page.compiled

    def once():
        template = SiteTemplate(window=4)
        for page in pages:
            template.learn(page)

    once()
    gc.collect()
    before = sys.getallocatedblocks()
    for _ in range(100):
        once()
    gc.collect()
    assert sys.getallocatedblocks() - before < 100
