"""Tests of the columns of a page."""

from dataclasses import fields

import pytest
from hypothesis import given
from lxml import etree

from sitecrawl.dom.flat import elements, elements_of
from sitecrawl.dom.flattening import flatten
from sitecrawl.dom.labels import BLOCK, SKIPPED, TEXT, chain, element_label, text_label

from .trees import page, roots


def test_a_small_page():
    flat = page('<body><p class="x" id="y">One <a href="/z" rel="nofollow">two three</a> four</p>').flat
    assert flat.tag == ["html", "body", "p", TEXT, "a", TEXT, TEXT]
    assert flat.parent == [-1, 0, 1, 2, 2, 4, 2]
    assert flat.depth == [0, 1, 2, 3, 3, 4, 3]
    assert flat.end == [7, 7, 7, 4, 6, 6, 7]
    assert flat.text == ["", "", "", "One ", "", "two three", " four"]
    assert flat.names == ["", "", "x y", "", "", "", ""]
    assert flat.chars == [15, 15, 15, 3, 8, 8, 4]
    assert flat.words == [4, 4, 4, 1, 2, 2, 1]
    assert flat.link_chars == [8, 8, 8, 0, 8, 8, 0]
    assert flat.anchors == [(4, "/z", "nofollow")]
    assert flat.hidden == []
    assert len(flat) == 7
    assert list(flat.ancestors(5)) == [4, 2, 1, 0]


def test_skipped_elements_and_comments_leave_their_tails():
    flat = page("<div>a<script>no<b>x</b></script>b<!-- no -->c<svg><g><text>no</text></g></svg>d</div>").flat
    assert [text for text in flat.text if text] == ["a", "b", "c", "d"]
    assert flat.tag == ["html", "body", "div", TEXT, TEXT, TEXT, TEXT]
    assert flat.end == [7, 7, 7, 4, 5, 6, 7]


def test_a_root_is_a_row_whatever_its_tag_and_its_tail_is_outside():
    tree = etree.fromstring("<div><svg>in<b>bold</b></svg>tail</div>")
    flat = flatten(tree[0])
    assert flat.tag == ["svg", TEXT, "b", TEXT]
    assert flat.text == ["", "in", "", "bold"]


def test_blank_runs_belong_to_the_next_text():
    flat = page("<p><b>foo</b> <i>bar</i>\n<!-- -->\n<u>baz</u> </p>").flat
    assert [text for text in flat.text if text] == ["foo", " bar", "\n\nbaz"]
    assert sum(name == TEXT for name in flat.tag) == 3


def test_white_space_before_pre_is_not_inside():
    flat = page("<p>a</p>\n    <pre><b>\n  code</b></pre>").flat
    assert [text for text in flat.text if text] == ["a", "\n  code"]


def test_links_nested_by_broken_pages_count_once():
    tree = etree.fromstring("<div><a>one<b><a>two</a></b></a>three</div>")
    flat = flatten(tree)
    assert flat.link_chars[0] == 6
    assert flat.chars[0] == 11


def test_an_anchor_without_an_address_holds_no_blocks():
    """Authors who write `<a name=x>` by hand often leave it open, and everything after it is inside it."""
    flat = page(
        "<h2><a name=x>One</a></h2><p><a name=y><i>two</i> three<p>four <a href=/z>five<p>six</p></a> seven"
    ).flat
    linked = {flat.text[i].strip(): flat.link_chars[i] > 0 for i, tag in enumerate(flat.tag) if tag == TEXT}
    assert linked == {
        "One": False,
        "two": True,
        "three": True,
        "four": False,
        "five": True,
        "six": True,
        "seven": False,
    }
    assert page("<a name=x><div><p>One</p></div></a>").flat.link_chars[0] == 0
    assert page("<a href=/z><div><a name=x><p>One</p></a></div></a>").flat.link_chars[0] == 3


@pytest.mark.parametrize(
    ("html", "linked"),
    [
        ('<h1><a href="#name">NAME</a></h1>', 0),
        ('<a href="#top"><h1>NAME</h1></a>', 0),
        ('<h3><a href="#">A question?</a></h3>', 0),
        ('<h2><a name="x">NAME</a></h2>', 0),
        ('<h2><a href="page.html#name">NAME</a></h2>', 4),
        ('<a href="/page"><h2><a name="x">NAME</a></h2></a>', 4),
        ('<ul><li><a href="#name">NAME</a></ul>', 4),
        ('<a href="#top">up <h1>NAME</h1></a>', 2),
    ],
)
def test_a_heading_that_leads_to_its_own_page_is_no_link(html, linked):
    assert page(f"<body>{html}").flat.link_chars[0] == linked


def test_hidden_elements_are_listed_once():
    html = """<div hidden aria-hidden=true>a</div><div hidden=until-found>b</div>
      <div aria-hidden=false>c</div>
      <div style="DISPLAY:none; color:red">d</div><div style="color:red">e</div>
      <p style="visibility: hidden">f</p>"""
    flat = page(html).flat
    assert [flat.text[i + 1].strip() for i in flat.hidden] == ["a", "d", "f"]


def test_elements_that_may_be_unshown_are_listed_once():
    html = """<div hidden style="display:none">a</div><div hidden=until-found>b</div><div aria-hidden=true>c</div>
      <div style="color:red; DISPLAY:NONE">d</div><div style="color:red">e</div><p style="border:none">f</p>
      <svg style="display:none"><g hidden></g></svg>"""
    flat = page(html).flat
    assert [flat.text[i + 1].strip() for i in flat.unshown] == ["a", "b", "d", "f"]


@given(roots())
def test_elements_are_found_by_their_rows(root):
    flat = flatten(root)
    rows = [row for row, tag in enumerate(flat.tag) if tag != TEXT]
    every = list(elements(root))
    assert list(elements_of(flat, root, rows)) == every
    assert list(elements_of(flat, root, reversed(rows))) == every[::-1]
    assert [next(elements_of(flat, root, (row,))) for row in rows] == every


def test_anchors_in_document_order():
    flat = page('<a href="1">x</a><a name="n">y</a><map><area href="2" rel="me"></map><link href="3">').flat
    assert [(href, rel) for _, href, rel in flat.anchors] == [("1", ""), ("2", "me")]
    assert [flat.tag[i] for i, _, _ in flat.anchors] == ["a", "area"]


def test_very_deep_pages():
    root = page("<div>x" * 3000).root
    flat = flatten(root)
    assert max(flat.depth) == 2048
    assert flat.end[0] == len(flat)
    assert len(list(elements(root))) == sum(name != TEXT for name in flat.tag)


def test_labels_and_chains():
    flat = page('<ul class="menu"><li class="item-1">Home</li><li class="item-2">News  now</li></ul>').flat
    menu = flat.tag.index("ul")
    assert flat.label[menu:] == [
        element_label("ul", "menu"),
        element_label("li", "item-1"),
        text_label("Home"),
        element_label("li", "item-2"),
        text_label("News now"),
    ]
    assert flat.label[menu + 1] == flat.label[menu + 3]
    assert flat.path[menu + 1] == flat.path[menu + 3]
    assert flat.subtree[menu + 1] != flat.subtree[menu + 3]
    assert flat.style[menu] == chain(chain(0, flat.label[menu + 3]), flat.label[menu + 1])
    assert flat.style[menu + 1] == 0


@given(roots())
def test_columns_agree_with_a_recursive_reading(root):
    flat = flatten(root)
    expected = []

    def read(element, parent, depth, link):
        row = len(expected)
        expected.append((element.tag, parent, depth, ""))
        if element.tag == "a":
            link = "address" if element.get("href") is not None else link or "name"
        elif link == "name" and element.tag in BLOCK:
            link = None
        text(element.text, row, depth + 1, link)
        for child in element:
            if isinstance(child.tag, str) and child.tag not in SKIPPED:
                read(child, row, depth + 1, link)
            text(child.tail, row, depth + 1, link)

    def text(raw, parent, depth, link):
        if raw and raw.strip():
            expected.append((TEXT, parent, depth, raw.strip()))
            links.append(len("".join(raw.split())) if link else 0)

    links: list[int] = []
    read(root, -1, 0, None)
    found = zip(flat.tag, flat.parent, flat.depth, (text.strip() for text in flat.text), strict=True)
    assert list(found) == expected
    assert flat.link_chars[0] == sum(links)


@given(roots())
def test_columns_are_consistent(root):
    flat = flatten(root)
    lists = ("anchors", "hidden", "unshown")
    assert {len(getattr(flat, f.name)) for f in fields(flat) if f.name not in lists} == {len(flat)}
    children: list[list[int]] = [[] for _ in flat.tag]
    for i in range(1, len(flat)):
        assert flat.parent[i] < i < flat.end[i] <= flat.end[flat.parent[i]]
        assert flat.depth[i] == flat.depth[flat.parent[i]] + 1
        children[flat.parent[i]].append(i)
    for i, below in enumerate(children):
        ends = [i + 1, *(flat.end[child] for child in below)]
        assert below == ends[:-1]
        assert flat.end[i] == ends[-1]
        if flat.tag[i] != TEXT:
            for column in (flat.chars, flat.words, flat.link_chars):
                assert column[i] == sum(column[child] for child in below)
        else:
            assert flat.chars[i] == len("".join(flat.text[i].split())) > 0
        style = 0
        for child in reversed([child for child in below if flat.tag[child] != TEXT]):
            style = chain(style, flat.label[child])
        assert flat.style[i] == style


@given(roots())
def test_paths_are_equal_exactly_when_label_chains_are(root):
    flat = flatten(root)
    chains = [(flat.label[i], *(flat.label[above] for above in flat.ancestors(i))) for i in range(len(flat))]
    assert len(set(zip(chains, flat.path, strict=True))) == len(set(chains)) == len(set(flat.path))


@given(roots())
def test_equal_subtrees_have_equal_keys(root):
    flat = flatten(root)
    shapes = []
    for i in range(len(flat)):
        rows = range(i, flat.end[i])
        shapes.append(tuple((flat.label[j], flat.depth[j] - flat.depth[i]) for j in rows))
    assert len(set(zip(shapes, flat.subtree, strict=True))) == len(set(shapes)) == len(set(flat.subtree))


@given(roots())
def test_elements_are_aligned_with_rows_and_the_tree_stays(root):
    before = etree.tostring(root)
    flat = flatten(root)
    assert [e.tag for e in elements(root)] == [name for name in flat.tag if name != TEXT]
    names = [flat.names[i] for i, name in enumerate(flat.tag) if name != TEXT]
    assert [f"{e.get('class', '')} {e.get('id', '')}".strip() for e in elements(root)] == names
    assert etree.tostring(root) == before
