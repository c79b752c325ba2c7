"""Random lxml trees, and small trees from text, for tests."""

from itertools import pairwise, product

from hypothesis import strategies as st
from lxml import etree

from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.page import Page

TAGS = ("div", "p", "b", "a", "ul", "li", "pre", "td", "section", "br", "script", "nav")
TEXTS = ("", " ", "\n  ", "word", " two words ", "Ünïcödé\xa0x", "many words stand here, in a row")


_ATTRIBUTES = {"class": ("a", "b c", "item-3"), "id": ("x",), "href": ("/y",), "hidden": ("",)}
_SHAPES = st.sampled_from(
    [
        (tag, {name: value for name, value in zip(_ATTRIBUTES, chosen, strict=True) if value is not None})
        for tag in TAGS
        for chosen in product(*((None, None, *values) for values in _ATTRIBUTES.values()))
    ]
)
"""A tag with attributes, drawn at once: a draw for each of them takes ten times as long as what is tested."""
_TEXTS = st.sampled_from(TEXTS)
_CHILDREN, _SEVERAL = st.integers(0, 3), st.integers(0, 6)
_JOINTS = st.sampled_from([(number == 0, tail) for number in range(10) for tail in TEXTS])
"""Whether a child is a comment, and its tail."""


def _grown(draw: st.DrawFn, depth: int) -> etree._Element:
    tag, attributes = draw(_SHAPES)
    element = etree.Element(tag, attributes)
    element.text = draw(_TEXTS)
    for _ in range(draw(_CHILDREN) if depth < 4 else 0):
        is_comment, tail = draw(_JOINTS)
        child = etree.Comment("remark") if is_comment else _grown(draw, depth + 1)
        child.tail = tail
        element.append(child)
    return element


@st.composite
def _element(draw: st.DrawFn) -> etree._Element:
    return _grown(draw, 0)


_ELEMENTS = st.lists(_element(), max_size=4)


@st.composite
def roots(draw: st.DrawFn) -> etree._Element:
    """Draw an `html` element with a body of random elements."""
    root = etree.Element("html")
    body = etree.SubElement(root, "body")
    for child in draw(_ELEMENTS):
        child.tail = draw(_TEXTS)
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


_ODD_TAGS = st.sampled_from((*TAGS, "svg", "area", "textarea", "body", "{urn:x}div", "{urn:x}a", "x-y", "\u0101"))
_ODD_ATTRIBUTES = ("class", "id", "href", "rel", "hidden", "style", "aria-hidden", "{urn:x}class", "title")
_PRESENT = st.integers(0, 4 ** len(_ODD_ATTRIBUTES) - 1)
"""Two bits for each attribute; it is there if both are 0."""
_VALUES = st.sampled_from((*_NAMES, "true", "until-found", "Display:None;", "nofollow"))
_ODD_TEXTS = st.sampled_from((*_NASTY, etree.CDATA("data"), None))
_ODD_TAILS = st.sampled_from((*_NASTY, None))
_KINDS = st.sampled_from((etree.Comment, etree.ProcessingInstruction, etree.Entity, *[None] * 15))


def _oddly_grown(draw: st.DrawFn, depth: int) -> etree._Element:
    element = etree.Element(draw(_ODD_TAGS))
    present = draw(_PRESENT)
    for name in _ODD_ATTRIBUTES:
        present, bits = divmod(present, 4)
        if bits == 0:
            element.set(name, draw(_VALUES))
    element.text = draw(_ODD_TEXTS)
    for _ in range(draw(_CHILDREN if depth else _SEVERAL) if depth < 4 else 0):
        make = draw(_KINDS)
        child: etree._Element = _oddly_grown(draw, depth + 1) if make is None else make("x")
        child.tail = draw(_ODD_TAILS)
        element.append(child)
    return element


@st.composite
def _odd_element(draw: st.DrawFn) -> etree._Element:
    return _oddly_grown(draw, 0)


def odd_roots() -> st.SearchStrategy[etree._Element]:
    """Draw trees with parts that no HTML parser creates: namespaces, entities, CDATA, every kind of white space."""
    return _odd_element()
