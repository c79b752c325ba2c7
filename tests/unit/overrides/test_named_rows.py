"""Selectors of a page's elements select the same elements as with cssselect."""

import pytest
from lxml.cssselect import CSSSelector

from sitecrawl.dom.flat import elements
from sitecrawl.dom.labels import TEXT
from sitecrawl.dom.page import Page
from sitecrawl.overrides.named_rows import CHILD, Compound, NamedRows, Selector, outermost

PAGES = (
    "<body><div id=top class='a b'><p class=a>1<p>2<script>x</script><p>3<div class='b a c'>4<ul><li>5<li class=x>6</ul></div>"
    "</div><div class=a>7<span>8</span><!-- no --><span class='a\tb'>9</span></div>",
    "<table class=t><tr><td>1<td class=t>2<tr><td><table><tr><td>3</table></table><h1>4</h1><p>5<hr><p id=q>6",
    "<div class='1x y:z'><o:p>1</o:p><b class=ok>2</b></div><div class='x\xa0y'>3<article><p>4</article></div>",
)


@pytest.mark.parametrize("html", PAGES)
def test_they_select_what_cssselect_selects(html):
    page = Page.from_html(html, "https://example.org/")
    named, flat = NamedRows(page), page.flat
    rows = [row for row, tag in enumerate(flat.tag) if tag != TEXT]
    number = dict(zip(elements(page.root), rows, strict=True))
    seen = 0
    for row in rows:
        for selector in named.selectors(row):
            found = named.matches(selector)
            assert row in found, str(selector)
            expected = CSSSelector(str(selector))(page.root)
            assert found == [number[one] for one in expected if one in number], str(selector)
            seen += 1
    assert seen > 30


def test_a_table_is_no_parent_of_its_rows():
    page = Page.from_html(PAGES[1], "https://example.org/")
    named = NamedRows(page)
    every = {str(one) for row in range(len(page.flat)) for one in named.selectors(row)}
    assert "tr > td" in every
    assert not [one for one in every if one.startswith("table") and one.endswith(("> tr", "> tr:first-of-type"))]


def test_a_name_by_itself_costs_nothing_and_each_more_part_something():
    name = Compound("div", "", ("post",))
    assert Selector(name).cost == 0
    assert Selector(Compound("div", "", ("a", "b"))).cost == 1
    assert Selector(name, CHILD, Compound("main")).cost < Selector(Compound("p"), CHILD, name).cost
    assert Selector(Compound("body")).cost > Selector(Compound("p", place=":first-of-type"), CHILD, name).cost


def test_outermost_rows_are_in_no_other():
    flat = Page.from_html("<div><p>1</p></div><p>2</p>", "https://example.org/").flat
    rows = [row for row, tag in enumerate(flat.tag) if tag in ("div", "p")]
    assert [flat.tag[row] for row in outermost(rows, flat.end)] == ["div", "p"]
