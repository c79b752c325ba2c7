from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from sitecrawl.dom.page import Page
from sitecrawl.links import selection
from sitecrawl.links.anchors import Anchor
from sitecrawl.links.selection import dom_distance, hyperlink_distance, rank, rank_all, select
from tests.strategies import directory_urls
from tests.unit.dom.trees import roots

ORIGIN = "https://example.org"
KEY = "/news/2024/a.html"
DISTANCES = {
    "/news/2024/b.html": 0,
    "/news/2024/c.html": 0,
    "/news/2024/d.html": 0,
    "/news/2024/may/e.html": 1,
    "/news/2024/may/x/f.html": 2,
    "/news/g.html": -1,
    "/news/2023/h.html": -1,
    "/about.html": -2,
    "/": -2,
}
"""A worked example of the order of hyperlink distances."""
NAMES = {url.removesuffix(".html")[-1]: url for url in DISTANCES} | {"i": "/about.html", "j": "/"}
NODES = "<div>{b}{c}{e}</div><div>{g}<p>{h}</p></div><div>{d}{f}</div><div>{i}{j}</div>"


def _example():
    """The anchors at the child-index paths of the example: b (1,0,0), c (1,0,1), h (1,1,1,0), ..."""
    body = NODES.format(**{name: f"<a href='{NAMES[name]}'/>" for name in "bcdefghij"})
    page = Page.from_root(etree.fromstring(f"<html><head/><body>{body}</body></html>"), ORIGIN + KEY)
    node = {href: row for row, href, _ in page.flat.anchors}
    return page, {name: node[NAMES[name]] for name in "bcdefghij"}


def _listed(page, nodes, names="bcdefghij"):
    return [Anchor(nodes[name], ORIGIN + NAMES[name], number, name, False) for number, name in enumerate(names)]


@pytest.mark.parametrize(("target", "distance"), DISTANCES.items())
def test_hyperlink_distance_of_the_example(target, distance):
    assert hyperlink_distance(KEY, target) == distance
    assert hyperlink_distance(ORIGIN + KEY, "http://www.example.org" + target) == distance


@pytest.mark.parametrize(
    ("key", "target", "distance"),
    [
        ("/a/b", "/a/b?x=/y/z/", 0),
        ("/a/b?x=/y/z/", "/a/c", 0),
        ("/a/b#/x/y", "/a/c", 0),
        ("/a", "/a/", 1),
        ("https://example.org", "https://example.org/a/b/", 2),
        ("https://example.org/a/b/", "https://example.org", -2),
        ("/a/b/c/", "/a/x/y/z/", -2),
        ("/a/b/", "/a//b/", -1),
    ],
)
def test_hyperlink_distance_counts_directory_levels(key, target, distance):
    assert hyperlink_distance(key, target) == distance


@given(directory_urls(), directory_urls(), directory_urls())
def test_hyperlink_distance_signs(key, target, third):
    there, back = hyperlink_distance(key, target), hyperlink_distance(target, key)
    assert hyperlink_distance(key, key) == 0
    assert (there == 0) == (back == 0)
    if there > 0:
        assert back == -there, "what lies below is climbed on the way back"
    if there >= 0 and hyperlink_distance(target, third) >= 0:
        assert hyperlink_distance(key, third) == there + hyperlink_distance(target, third)


def test_dom_distance_of_the_example():
    page, node = _example()
    assert dom_distance(page.flat, node["b"], node["c"]) == 2
    assert dom_distance(page.flat, node["b"], node["d"]) == 4
    assert dom_distance(page.flat, node["g"], node["h"]) == 3


@given(roots(), st.data())
def test_dom_distance_is_a_metric(root, data):
    flat = Page.from_root(root, ORIGIN).flat
    i, j, k = (data.draw(st.integers(0, len(flat) - 1)) for _ in range(3))
    paths = [[node, *flat.ancestors(node)][::-1] for node in (i, j)]
    common = sum(one == other for one, other in zip(*paths, strict=False))
    assert dom_distance(flat, i, j) == len(paths[0]) + len(paths[1]) - 2 * common
    assert dom_distance(flat, i, j) == dom_distance(flat, j, i)
    assert (dom_distance(flat, i, j) == 0) == (i == j)
    assert dom_distance(flat, i, k) <= dom_distance(flat, i, j) + dom_distance(flat, j, k)


@pytest.mark.parametrize(("order", "names"), [("seed", "bdceghfij"), ("hybex", "bdcefghij")])
def test_order_of_the_example(order, names):
    page, node = _example()
    ranked = rank_all(page, sorted(_listed(page, node)), order)
    assert "".join(one.anchor.text for one in ranked) == names
    assert [one.rank for one in ranked] == list(range(9))
    assert [one.hyperlink_distance for one in ranked] == [DISTANCES[NAMES[name]] for name in names]
    apart = {one.anchor.text: one.dom_distance for one in ranked}
    assert apart == {"b": None, "d": 4, "c": 2, "e": None, "g": None, "h": 3, "f": None, "i": None, "j": 2}


def test_n_set_of_the_example():
    page, node = _example()
    listed = sorted(_listed(page, node))
    assert [one.anchor.text for one in select(page, listed)] == list("bdce")
    assert select(page, listed, 0) == select(page, [], 4) == []
    assert [one.anchor.text for one in rank(page, listed, 1)] == list("bcdeghfij")
    assert [one.dom_distance for one in rank(page, listed, 2)][:3] == [None, 4, None]


def _plain_order(flat, anchors):
    """Farthest-first, word for word: the slow reference for one group."""
    left, picked = list(anchors), []
    while left:
        best = max(left, key=lambda a: min((dom_distance(flat, a.node, p.node) for p in picked), default=0))
        picked.append(best)
        left.remove(best)
    return picked


@given(
    roots(),
    st.lists(directory_urls(), min_size=30, max_size=30),
    st.sampled_from(("seed", "hybex")),
    st.integers(0, 12),
)
@settings(deadline=None)
def test_the_first_links_are_those_of_the_whole_order(root, targets, order, size):
    page = Page.from_root(root, ORIGIN + "/a/b/")
    flat = page.flat
    elements = [row for row, tag in enumerate(flat.tag) if tag != "#text"][:30]
    listed = [Anchor(row, url, row, "", False) for row, url in zip(elements, targets, strict=False)]
    everything = rank_all(page, listed, order)
    assert sorted(one.anchor for one in everything) == listed
    assert select(page, listed, size, order) == everything[:size]
    cheap = rank(page, listed, size, order)
    assert cheap[:size] == everything[:size]
    assert sorted(one.anchor for one in cheap) == listed
    assert [one.hyperlink_distance for one in cheap] == [one.hyperlink_distance for one in everything]
    assert [one.rank for one in cheap] == [one.rank for one in everything] == list(range(len(listed)))
    rest = [(one.hyperlink_distance, one.anchor.node) for one in cheap[size:]]
    assert rest == sorted(
        rest, key=lambda pair: ([one.hyperlink_distance for one in everything].index(pair[0]), pair[1])
    )
    for distance in {one.hyperlink_distance for one in everything}:
        group = [anchor for anchor in listed if hyperlink_distance(page.url, anchor.url) == distance]
        assert [one.anchor for one in everything if one.hyperlink_distance == distance] == _plain_order(flat, group)


def test_large_groups_are_cut(monkeypatch):
    monkeypatch.setattr(selection, "MAX_GROUP", 3)
    page = Page.from_root(etree.fromstring("<div><p><a/><a/><a/></p><a/><a/></div>"), ORIGIN)
    rows = [row for row, tag in enumerate(page.flat.tag) if tag == "a"]
    listed = [Anchor(row, f"{ORIGIN}/{row}", row, "", False) for row in rows]
    ranked = rank_all(page, listed)
    assert [one.anchor.node for one in ranked] == rows, "the far ones beyond the cut come last"
    assert [one.dom_distance for one in ranked] == [None, 2, 2, None, None]


def test_reported_distance_is_that_to_the_nearest_before():
    page, node = _example()
    ranked = rank_all(page, [a._replace(url=f"{ORIGIN}/news/2024/{a.text}") for a in sorted(_listed(page, node))])
    for place, one in enumerate(ranked[1:], 1):
        assert one.dom_distance == min(
            dom_distance(page.flat, one.anchor.node, other.anchor.node) for other in ranked[:place]
        )
    first = max(dom_distance(page.flat, *pair) for pair in combinations([a.anchor.node for a in ranked], 2))
    assert ranked[1].dom_distance <= first


def test_deep_pages_do_not_recurse():
    depth = 2000
    html = "<div>" * depth + "<a/>" + "</div>" * depth
    root = etree.fromstring(f"<html><a/>{html}</html>", etree.XMLParser(huge_tree=True))
    page = Page.from_root(root, ORIGIN)
    rows = [row for row, tag in enumerate(page.flat.tag) if tag == "a"]
    listed = [Anchor(row, f"{ORIGIN}/{row}", row, "", False) for row in rows]
    assert [one.dom_distance for one in rank_all(page, listed)] == [None, depth + 2]
