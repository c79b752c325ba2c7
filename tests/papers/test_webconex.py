"""The worked example of the Web-ConEx paper: Figure 3 with Examples 1 and 2, and Algorithm 1."""

import pytest
from lxml import etree

from sitecrawl.dom.flat import flatten
from sitecrawl.dom.page import Page
from sitecrawl.extractors.base import SiteContext, get_extractor
from sitecrawl.extractors.papers.equality import occurrences
from sitecrawl.extractors.papers.webconex import main_branch, main_content

PAGE = (
    "<body><div class='top'><h2>Site</h2><div class='crumb-{x}'><i>Path {x}</i></div></div>"
    "<div class='main'><div class='one-{x}'><p>First {x}</p><p>Second {x}</p></div>"
    "<div class='two-{x}'><p>Third {x}</p></div><div class='three-{x}'><img/></div></div>"
    "<div class='foot'><p>Imprint</p></div></body>"
)
KEY_PAGE = Page.from_root(etree.fromstring(PAGE.format(x="key")), "https://example.org/key")
SITE = SiteContext(neighbours=tuple(flatten(etree.fromstring(PAGE.format(x=x))) for x in "abcd"))
OWN = ("one-key", "two-key", "three-key")


def _row(name):
    return KEY_PAGE.flat.names.index(name)


def test_phases_of_figure_3():
    flat = KEY_PAGE.flat
    counts = occurrences(flat, SITE.neighbours).counts
    assert {counts[_row(name)] for name in ("top", "main", "foot")} == {4}
    assert {counts[_row(name)] for name in ("crumb-key", *OWN)} == {0}
    assert counts.count(0) == 13
    main, reduced, branch = main_content(flat, counts)
    assert reduced == [_row(name) for name in ("crumb-key", *OWN)]
    assert [flat.end[_row(name)] - _row(name) for name in ("top", "main")] == [6, 11]
    assert branch == main_branch(flat, reduced) == _row("main")
    assert main == [_row("main")]


def test_scores_of_figure_3():
    flat = KEY_PAGE.flat
    nodes = get_extractor("webconex", equality="labels").extract(KEY_PAGE, SITE).nodes
    retrieved = {i for node in nodes for i in range(node, flat.end[node])}
    gold = {i for name in OWN for i in range(_row(name), flat.end[_row(name)])}
    assert (len(gold), len(retrieved)) == (10, 11)
    precision, recall = len(gold & retrieved) / len(retrieved), len(gold & retrieved) / len(gold)
    assert recall == 1
    assert precision == pytest.approx(0.9091, abs=5e-5)
    assert 2 * precision * recall / (precision + recall) == pytest.approx(0.9524, abs=5e-5)


def test_algorithm_1_read_as_sets():
    key_page = flatten(etree.fromstring("<html><ul><li>x</li><li>x</li></ul></html>"))
    other = flatten(etree.fromstring("<html><ul><li>x</li><li>x</li><li>x</li></ul></html>"))
    assert occurrences(key_page, [other]).counts == [1] * 6
