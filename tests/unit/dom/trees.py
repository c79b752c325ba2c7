"""Random lxml trees, and small trees from text, for tests."""

from itertools import pairwise

from hypothesis import strategies as st
from lxml import etree

from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.page import Page

TAGS = ("div", "p", "b", "a", "ul", "li", "pre", "td", "section", "br", "script", "nav")
TEXTS = ("", " ", "\n  ", "word", " two words ", "Ünïcödé\xa0x", "many words stand here, in a row")


@st.composite
def _element(draw: st.DrawFn, depth: int = 0) -> etree._Element:
    element = etree.Element(draw(st.sampled_from(TAGS)))
    for name, values in (
        ("class", ("a", "b c", "item-3")),
        ("id", ("x",)),
        ("href", ("/y",)),
        ("hidden", ("",)),
    ):
        value = draw(st.sampled_from((None, None, *values)))
        if value is not None:
            element.set(name, value)
    element.text = draw(st.sampled_from(TEXTS))
    for _ in range(draw(st.integers(0, 3 if depth < 4 else 0))):
        if draw(st.integers(0, 9)) == 0:
            child: etree._Element = etree.Comment("remark")
        else:
            child = draw(_element(depth + 1))
        child.tail = draw(st.sampled_from(TEXTS))
        element.append(child)
    return element


@st.composite
def roots(draw: st.DrawFn) -> etree._Element:
    """Draw an `html` element with a body of random elements."""
    root = etree.Element("html")
    body = etree.SubElement(root, "body")
    for child in draw(st.lists(_element(), max_size=4)):
        child.tail = draw(st.sampled_from(TEXTS))
        body.append(child)
    return root


@st.composite
def pages(draw: st.DrawFn) -> Page:
    """Draw a page with a random tree."""
    return Page.from_root(draw(roots()), "https://example.org/page")


def page(html: str) -> Page:
    """Return the page of some HTML."""
    return Page.from_html(html, "https://example.org/a/page.html")


def row(flat: FlatDom, name: str) -> int:
    """Return the row of the one element with this tag, `tag.class`, or the one text with this content."""
    found = [
        i for i in range(len(flat)) if name in (flat.tag[i], f"{flat.tag[i]}.{flat.names[i]}", flat.text[i].strip())
    ]
    assert len(found) == 1, (name, found)
    return found[0]


def is_disjoint_and_sorted(flat: FlatDom, nodes: tuple[int, ...]) -> bool:
    """Say whether the subtrees follow each other."""
    return all(flat.end[a] <= b for a, b in pairwise(nodes))


def text_rows(flat: FlatDom, nodes: tuple[int, ...]) -> list[int]:
    """Return the rows of the texts of the subtrees."""
    return [i for node in nodes for i in range(node, flat.end[node]) if flat.tag[i] == "#text"]


_NASTY = (*TEXTS, "\u3000", "\x85", "\u2028x", "a\u1680b  c", "\U0001f600", "e\u0301", "x\u200by", "\u4e2d\u6587")
_NAMES = ("", " ", "active", "a b a", "b  open\xa0a 12", "x9y99", " y ", "\u2003z", "t " * 20, "u" * 250)


@st.composite
def _odd_element(draw: st.DrawFn, depth: int = 0) -> etree._Element:
    tags = (*TAGS, "svg", "area", "textarea", "body", "{urn:x}div", "{urn:x}a", "x-y", "\u0101")
    element = etree.Element(draw(st.sampled_from(tags)))
    for name in ("class", "id", "href", "rel", "hidden", "style", "aria-hidden", "{urn:x}class", "title"):
        if draw(st.integers(0, 3)) == 0:
            values = (*_NAMES, "true", "until-found", "Display:None;", "nofollow")
            element.set(name, draw(st.sampled_from(values)))
    element.text = draw(st.sampled_from((*_NASTY, etree.CDATA("data"), None)))
    for _ in range(draw(st.integers(0, 3 if depth < 4 else 0))):
        kind = draw(st.integers(0, 5))
        if kind == 0:
            child: etree._Element = draw(
                st.sampled_from((etree.Comment, etree.ProcessingInstruction, etree.Entity)).map(lambda make: make("x"))
            )
        else:
            child = draw(_odd_element(depth + 1))
        child.tail = draw(st.sampled_from((*_NASTY, None)))
        element.append(child)
    return element


def odd_roots() -> st.SearchStrategy[etree._Element]:
    """Draw trees with what no HTML parser makes: namespaces, entities, CDATA, every kind of white space."""
    return _odd_element()
