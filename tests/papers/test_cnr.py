"""The worked examples of the CNR paper: the Fox News page (Figure 2) and Example 4.2."""

import pytest
from lxml import etree

from sitecrawl.dom.blocks import join_siblings
from sitecrawl.dom.flat import flatten
from sitecrawl.extractors.papers.cnr import chars_nodes_ratios

TITLE = "Sandusky trial continues after yesterday‘s testimony from alleged victim | Fox News"
PARAGRAPHS = (
    "<p class='p1'>Sandusky has displayed no visible emotion (...)</p>"
    "<p class='p2'>The man identified as \"Victim 10\" by (...)</p>"
    "<p class='p3'>The man, now 25, had been in foster care (...)</p>"
)
PAGE = (
    "<body><div id='article-section'><h1>Alleged victim tells court Sandusky (...)</h1>"
    "<div class='article-text'>{}</div></div>"
    "<div id='section-footer'><p class='published'>Published June 13, 2012</p>"
    "<p class='summary'>This material may not be published, broadcast, rewritten, or "
    "redistributed. FOX News Network. All rights reserved. All market data "
    "delayed 20 minutes</p></div></body>"
)
# The malformed <title="Abstract"> of the figure: closed at </title>, or an element that swallows the rest;
# named `t` here, because XML has no element `title="abstract"`.
CLOSED = PAGE.format(f"<t>{TITLE}</t>{PARAGRAPHS}")
SWALLOWS = PAGE.format(f"<t>{TITLE}{PARAGRAPHS}</t>")
COMMON = {
    "body": (18, 369, 20.5),
    "article-section": (12, 221, 18.4167),
    "h1": (2, 36, 18.0),
    "article-text": (9, 185, 20.5556),
    "p1": (2, 41, 20.5),
    "p2": (2, 35, 17.5),
    "p3": (2, 37, 18.5),
    "section-footer": (5, 148, 29.6),
    "published": (2, 20, 10.0),
    "summary": (2, 128, 64.0),
}
TOP_RATED = ("h1", "p1", "p2", "p3", "summary")


def _named(flat):
    return {flat.names[i] or name: i for i, name in enumerate(flat.tag) if name != "#text"}


@pytest.mark.parametrize(
    ("html", "title", "blocks", "main"),
    [
        (CLOSED, (2, 72, 36.0), ["article-section", "summary"], "article-section"),
        (SWALLOWS, (8, 185, 23.125), ["h1", "t", "summary"], "t"),
    ],
)
def test_ratios_and_blocks_are_those_of_figure_2(html, title, blocks, main):
    flat = flatten(etree.fromstring(html))
    named = _named(flat)
    ratios = chars_nodes_ratios(flat)
    for name, (weight, chars, ratio) in {**COMMON, "t": title}.items():
        node = named[name]
        assert (ratios.weight[node], ratios.chars[node]) == (weight, chars), name
        assert ratios.ratio(node) == pytest.approx(ratio, abs=5e-5), name
    found = join_siblings(flat, [named[name] for name in TOP_RATED])
    assert found == [named[name] for name in blocks]
    assert max(found, key=ratios.chars.__getitem__) == named[main]


@pytest.mark.parametrize(
    ("tree", "blocks"),
    [
        ("<n0><n1><n2><n5/><n6><n7/><n8/></n6></n2><n3/></n1><w><n4/></w></n0>", ["n1", "n4"]),
        ("<n0><n1><n2><n5/><n6><n7/><n8/></n6></n2><n3/></n1><n4/></n0>", ["n0"]),
    ],
)
def test_example_4_2(tree, blocks):
    flat = flatten(etree.fromstring(tree))
    named = _named(flat)
    found = join_siblings(flat, [named[name] for name in ("n3", "n4", "n5", "n7", "n8")])
    assert [flat.tag[i] for i in found] == blocks
