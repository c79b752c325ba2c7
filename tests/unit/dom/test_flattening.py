"""The compiled twin of `flatten` gives the columns of the reference, on every page."""

import contextlib
import gc
import pickle
import sys
from dataclasses import fields, replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from sitecrawl import twins
from sitecrawl.dom import _flat, flat, flattening
from sitecrawl.dom.atomic import BLOCK_TAGS, HTML5_BLOCK_TAGS, AtomicBlocks, atomic_blocks
from sitecrawl.dom.flat import MAX_NAMES, NUMBERS, FlatDom
from sitecrawl.dom.labels import STATES, element_label
from sitecrawl.dom.page import Page, parse_html

from .trees import odd_roots, page, roots

GOLDEN = sorted(Path(__file__).parents[2].joinpath("golden").glob("*/*.html"))
SMALL = '<body id=b><ul class="menu active"><li class=item-1><a href=/x rel=y>Home</a> <li>News <b>now</b></ul>'
SPACES = ["", " ", "\n\t", "\xa0", "\u2003", "\u3000", "\x1c", "\x85", "\u1680", "\u2028", "\u202f", "\u205f"]
MARKUP = [
    *("<", ">", "</", "<!--", "-->", "<?", "<![CDATA[", "]]>", "&", "&#xD800;", "&nbsp;", "&lt", "\x00", "\ufffe"),
    *("<p>", "</p>", "<a href=/x rel=nofollow>", "</a>", "<area href>", "<b>", "</b>", "<table>", "<tr>", "<td>"),
    *("<pre>", "</pre>", "<script>", "</script>", "<svg>", "</svg>", "<template>", "<textarea>", "<head>", "<html x>"),
    *("<p class='b a\xa0b open 12'>", "<p class=''>", "<p class=' '>", "<i id=' 1 '>", "<i id=2 class=' x '>"),
    *("<p hidden>", "<p hidden=until-found>", "<p aria-hidden=true>", "<p style='VISIBILITY:hidden'>", "<x:y>"),
    *("<p class='row-odd evenRow'>", "<p class='a-Alternate_b thread-alt_'>", "<p class='rowColor saltColor event'>"),
    *("<p class='" + "ab " * 30 + "'>", "<p class='" + "long" * 100 + "'>", "<body class=x>", "<\u0130 class=k>"),
    *("one", "two words", "\U0001f600", "e\u0301", *SPACES),
]


@pytest.fixture(scope="module")
def flattened_by():
    """Do not run these tests twice."""


def columns(page):
    return {field.name: getattr(page, field.name) for field in fields(FlatDom)}


def assert_equal(root):
    expected = columns(flat.flatten(root))
    found = _flat.flatten(root)
    assert columns(found) == expected
    for name in NUMBERS:
        assert set(map(type, getattr(found, name))) == {int}
    return found


def assert_equal_blocks(root):
    found, expected = _flat.flatten(root), flat.flatten(root)
    for tags in (BLOCK_TAGS, HTML5_BLOCK_TAGS, frozenset()):
        one, other = _flat.atomic_blocks(found, tags), atomic_blocks.reference(expected, tags)
        for field in fields(AtomicBlocks):
            assert getattr(one, field.name) == getattr(other, field.name), field.name
    assert found.fingerprint == expected.fingerprint == expected.subtree[0]


def test_pages_use_what_was_chosen():
    assert isinstance(page(SMALL).flat._columns, _flat.Columns)
    twins.choose("off")
    try:
        assert not hasattr(page(SMALL).flat, "_columns")
    finally:
        twins.choose()


@pytest.mark.parametrize("html", flattening.CHECKED)
def test_it_agrees_on_what_it_is_checked_with(html):
    assert flattening.differences(html, _flat.flatten) == []


def test_what_it_is_checked_with_has_what_is_hard():
    found = [parse_html(html) for html in flattening.CHECKED]
    flats = [flat.flatten(root) for root in found]
    assert any(isinstance(node, etree._Comment) for root in found for node in root.iter())
    assert max(max(one.depth) for one in flats) > 300
    assert sum(len(one.hidden) for one in flats) == 3
    assert sum(len(one.anchors) for one in flats) >= 3
    assert {"svg", "script", "template"}.isdisjoint({tag for one in flats for tag in one.tag})
    assert any("\u3000" in text for one in flats for text in one.text)


def test_another_version_of_lxml_is_refused(monkeypatch):
    monkeypatch.setattr(_flat, "BUILT_FOR", ((6, 0), (2, 14)))
    assert "built for" in flattening.problem(_flat.flatten)


def test_a_disagreement_is_refused():
    other = page("<p>something else").flat
    found = flattening.problem(lambda root: other)
    assert "disagrees" in found
    assert "chars" in found


@given(roots())
def test_equal_columns_of_random_trees(root):
    assert_equal(root)


@given(odd_roots())
def test_equal_columns_of_trees_that_no_parser_makes(root):
    assert_equal(root)
    for element in root.iter(etree.Element):
        assert_equal(element)


@given(st.lists(st.sampled_from(MARKUP), max_size=60).map("".join))
def test_equal_columns_of_broken_markup(html):
    root = parse_html(html)
    if root is not None:
        assert_equal(root)


@given(st.lists(st.sampled_from([*MARKUP, "<q:r q:class='x' class='y'>", "</q:r>"]), max_size=40).map("".join))
def test_equal_columns_of_xml(markup):
    parser = etree.XMLParser(recover=True, strip_cdata=False, resolve_entities=False, huge_tree=True)
    root = etree.fromstring(f"<html xmlns:q='urn:q'>{markup}</html>".encode("utf-8", "replace"), parser)
    try:
        flat.flatten(root)
    except UnicodeDecodeError:  # half a surrogate pair, which lxml cannot give to Python; the twin may not need it
        with contextlib.suppress(UnicodeDecodeError):
            _flat.flatten(root)
    else:
        assert_equal(root)


def test_what_is_left_out_is_not_read():
    root = etree.fromstring(b"<html><script><p></p>&#xD800;</script>x</html>", etree.XMLParser(recover=True))
    assert assert_equal(root).text == ["", "x"]


def test_a_page_that_cannot_be_read_leaves_nothing_behind():
    parser = etree.XMLParser(recover=True)
    bad = etree.fromstring(b"<p class='a'>one<b class='&#xD800;'>two</b></p>", parser)
    for _ in range(3):
        with pytest.raises(UnicodeDecodeError):
            _flat.flatten(bad)
        assert gc.isenabled()
        assert_equal(parse_html(SMALL))


@given(odd_roots())
def test_equal_atomic_blocks_of_random_trees(root):
    assert_equal_blocks(root)


def test_columns_that_do_not_fit_are_refused():
    one = _flat.flatten(parse_html(SMALL))
    for broken in (replace(flat.flatten(parse_html(SMALL)), **change) for change in ({"tag": ["p"]}, {"end": []})):
        with pytest.raises(ValueError, match="lengths"):
            _flat.atomic_blocks(broken)
    with pytest.raises(IndexError):
        _flat.atomic_blocks(replace(flat.flatten(parse_html("<p>x")), anchors=[(99, "", "")]))
    with pytest.raises(IndexError):
        one.columns.value("path", len(one))
    with pytest.raises(KeyError):
        one.columns.column("text")


def test_every_white_space_character_counts_as_such():
    spaces = [chr(code) for code in range(sys.maxunicode + 1) if chr(code).isspace()]
    others = [chr(code) for code in (*range(0x20, 0x3100), 0xFEFF, 0xFFFD, 0x1F600)]
    root = etree.Element("div")
    for c in (*spaces, *others):
        for text in (f"x{c}y", f"{c}x y{c}", f"x {c} y", c):
            try:
                etree.SubElement(root, "p").text = text
            except ValueError:  # no character of XML
                continue
    found = assert_equal(root)
    assert len(spaces) == 29
    assert set(found.words[1:]) == {0, 1, 2, 3}


@given(
    st.text(["a", "b", "0", "7", "-", "\xe9", "\u4e2d", *"".join(SPACES)], max_size=30),
    st.lists(st.sampled_from([*STATES, "nav", "2"])),
)
def test_labels_of_any_class_names_are_those_of_the_reference(text, tokens):
    try:
        root = etree.Element("div", {"class": " ".join((*tokens, text))})
    except ValueError:
        root = etree.Element("div", {"class": " ".join(tokens)})
    assert _flat.flatten(root).label == [element_label("div", root.get("class"))]
    assert_equal(root)


@pytest.mark.parametrize("count", [15, 16, 17, 400])
@pytest.mark.parametrize("length", [1, 14, 15, 300])
def test_classes_of_every_size(count, length):
    root = etree.Element(
        "div", {"class": " ".join(f"{chr(97 + n % 26) * length}{chr(97 + n // 26)}" for n in range(count))}
    )
    assert _flat.flatten(root).label == [element_label("div", root.get("class")[:MAX_NAMES])]
    assert_equal(root)


def test_labels_do_not_depend_on_what_was_seen_before():
    for n in range(20_000):
        root = etree.Element(
            "p" if n % 2 else "b", {"class": f"x{chr(97 + n % 23)}{chr(97 + n % 19)} y{chr(97 + n % 17)}"}
        )
        assert _flat.flatten(root).label == [element_label(root.tag, root.get("class"))]
        assert _flat.flatten(root).names == [root.get("class")]


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_equal_columns_of_golden_pages(path):
    root = Page.from_html(path.read_bytes(), "https://example.org/").root
    assert_equal(root)
    assert_equal_blocks(root)


def test_a_large_page():
    root = parse_html("<p class=a>x <b>y</b>" * 40_000)
    assert len(assert_equal(root)) > 131_072  # more rows than memory is kept for
    assert_equal(parse_html(SMALL))


@given(st.lists(st.text(alphabet="ab1-_: é9Z", min_size=1, max_size=14), min_size=1, max_size=3))
def test_hashes_in_class_names(tokens):
    root = etree.Element("div")
    etree.SubElement(root, "p").set("class", " ".join(tokens))
    assert_equal(root)


@given(st.lists(st.sampled_from(["odd", "Even", "even", "alt", "Alternate", "row", "Color", "-", "_", "7", "é", " "])))
def test_parts_of_class_names_that_take_turns(parts):
    root = etree.Element("div")
    etree.SubElement(root, "p").set("class", "".join(parts))
    assert_equal(root)


def test_a_very_deep_tree():
    root = element = etree.Element("div")
    for _ in range(10_000):
        element.tail, element = "t", etree.SubElement(element, "div")
    found = _flat.flatten(root)
    assert max(found.depth) == 10_000
    assert columns(found) == columns(flat.flatten(root))


def test_attributes_from_a_document_type():
    declared = '<!DOCTYPE html [<!ATTLIST a rel CDATA "nofollow" class CDATA "c">]>'
    root = etree.fromstring(f'{declared}<html><a href="x" hidden="">y</a></html>')
    assert assert_equal(root).anchors == [(1, "x", "nofollow")]


def test_what_is_no_element_is_refused():
    for root in (etree.Comment("x"), etree.ProcessingInstruction("x"), etree.Entity("x")):
        with pytest.raises(ValueError, match="unpack"):
            _flat.flatten(root)
    for root in (None, "x", object()):
        with pytest.raises(TypeError):
            _flat.flatten(root)


def test_columns_outlive_the_tree():
    expected = columns(flat.flatten(parse_html(SMALL)))
    root = parse_html(SMALL)
    found = _flat.flatten(root)
    for element in list(root.iter()):
        element.text, element.tail = "changed", None
        element.attrib.clear()
        element.set("class", "changed")
    root.clear()
    del root, element
    gc.collect()
    [parse_html("<p class=other>" * 1000) for _ in range(20)]  # takes the memory of the tree
    assert columns(found) == expected


def test_columns_of_two_pages_do_not_touch():
    one, other = parse_html(SMALL), parse_html(f"{SMALL}<p>more")
    expected = columns(flat.flatten(one)), columns(flat.flatten(other))
    found = _flat.flatten(one), _flat.flatten(other)
    assert (columns(found[0]), columns(found[1])) == expected


def test_the_collector_works_on():
    assert gc.isenabled()
    _flat.flatten(parse_html(SMALL))
    assert gc.isenabled()
    gc.disable()
    try:
        _flat.flatten(parse_html(SMALL))
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_nothing_is_left_behind():
    roots = [parse_html(html) for html in (SMALL, "".join(MARKUP), *flattening.CHECKED)]

    def once():
        for root in roots:
            columns(_flat.flatten(root))

    once()
    gc.collect()
    before = sys.getallocatedblocks()
    for _ in range(200):
        once()
    gc.collect()
    assert sys.getallocatedblocks() - before < 100


def test_columns_can_be_pickled_and_have_no_others():
    found = _flat.flatten(parse_html(SMALL))
    assert columns(pickle.loads(pickle.dumps(found))) == columns(found)
    with pytest.raises(AttributeError, match="colour"):
        found.colour  # noqa: B018
    with pytest.raises(AttributeError):
        found.path = []
