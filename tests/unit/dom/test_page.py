"""Tests of pages: parsing, limits, and declared metadata."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from parsel import Selector

from sitecrawl.dom import page as page_module
from sitecrawl.dom.page import Page, parse_html
from sitecrawl.errors import EmptyPageError, PageTooLargeError

from .trees import page

URL = "https://example.org/a/page.html"


@pytest.mark.parametrize("body", [b"", "", b" \n\t ", b"\0\0", b"\xef\xbb\xbf"])
def test_a_page_without_markup_is_an_error_with_its_url(body):
    with pytest.raises(EmptyPageError, match=r"https://example.org/a/page\.html"):
        Page.from_html(body, URL)


def test_nul_bytes_do_not_end_the_page():
    assert Page.from_html(b"<p>be\0fore</p><p>after</p>", URL).text([0]) == "before\nafter"


@pytest.mark.parametrize(
    ("body", "encoding"),
    [
        ("<p>Größe €</p>".encode(), "utf-8"),
        ("<p>Größe €</p>".encode(), None),
        ("<meta charset=windows-1252><p>Größe €</p>".encode("cp1252"), None),
        ("<p>Größe €</p>".encode("cp1252"), "windows-1252"),
        ("<p>Größe €</p>".encode("utf-16"), None),
        ("<meta charset=windows-1252><p>Größe €</p>".encode("utf-8-sig"), None),
    ],
)
def test_bytes_are_decoded_by_the_declared_or_evident_charset(body, encoding):
    assert Page.from_html(body, URL, encoding).text([0]) == "Größe €"


@pytest.mark.parametrize("encoding", ["utf-8", "no-such-charset", None])
def test_wrong_charsets_lose_characters_not_pages(encoding):
    found = Page.from_html("<p>Größe und mehr</p>".encode("latin-1"), URL, encoding)
    assert found.text([0]).endswith("e und mehr")


@pytest.mark.parametrize("html", ["<p>a<b>c</p>d", "text", "<tr><td>x", " <title>t</title><p>é</p>"])
def test_the_tree_is_that_of_parsel(html):
    root = parse_html(html)
    assert root is not None
    assert etree.tostring(root) == etree.tostring(Selector(text=html).root)


def test_a_given_tree_is_taken_as_it_is():
    root = Selector(text="<p>x</p>").root
    found = Page.from_root(root, URL)
    assert found.root is root
    assert found.flat is found.flat
    assert found == Page.from_html("<p>other</p>", URL)
    assert len({found, Page.from_html("<p>other</p>", URL)}) == 1
    assert found != "page"
    assert repr(found) == f"Page({URL!r})"


def test_pages_with_too_many_nodes():
    html = "<p>x</p>" * 50
    assert len(Page.from_html(html, URL, max_nodes=102).flat) == 102
    with pytest.raises(PageTooLargeError, match="102 nodes, SITECRAWL_MAX_NODES is 101"):
        _ = Page.from_html(html, URL, max_nodes=101).flat


@pytest.mark.parametrize(
    ("html", "title"),
    [
        ("<title> A \n title </title><p>x", "A title"),
        ("<body><svg><title>Icon</title></svg><p>x", None),
        ("<html><body><svg><g><title>Icon</title></g></svg><p>x<title>Late</title>", "Late"),
        ("<title></title><p>x", None),
        ("<title>a&amp;b\x07 &lt;i></title><p>x", "a&b <i>"),
        ("<p>x", None),
        (f"<title>{'long ' * 1000}</title><p>x", ("long " * 200).strip()),
    ],
)
def test_the_title_is_the_first_one_cut_and_with_single_spaces(html, title):
    assert page(html).title == title


@pytest.mark.parametrize(
    ("html", "language"),
    [
        ("<html lang=EN><p>x", "en"),
        ("<html lang='pt_BR'><p>x", "pt-br"),
        ("<html xml:lang=de><p>x", "de"),
        ("<meta http-equiv=Content-Language content='fr, en'><p>x", "fr"),
        ("<html lang='{{lang}}'><p>x", None),
        ("<p lang=en>x", None),
    ],
)
def test_the_declared_language_is_read_in_lower_case(html, language):
    assert page(html).language == language


@pytest.mark.parametrize(
    ("html", "base"),
    [
        ("<p>x", URL),
        ("<base href='/other/'><base href='/second/'><p>x", "https://example.org/other/"),
        ("<base target=_top><base href='../up/'><p>x", "https://example.org/up/"),
        ("<base href='https://[bad'><p>x", URL),
        ("<base href='javascript:alert(1)'><p>x", URL),
        ("<base href=''><p>x", URL),
    ],
)
def test_the_base_url_is_that_of_the_first_base_element(html, base):
    assert page(html).base_url == base


@pytest.mark.parametrize(
    ("html", "canonical"),
    [
        ("<link rel='alternate CANONICAL' href=' other.html '><p>x", "https://example.org/a/other.html"),
        ("<base href='https://cdn.example/x/'><link rel=canonical href=y><p>x", "https://cdn.example/x/y"),
        ("<link rel=canonical href='https://[bad'><p>x", None),
        ("<link rel=canonical href='mailto:x@example.org'><p>x", None),
        ("<link rel=canonical><link rel=canonical href='/2'><p>x", "https://example.org/2"),
        ("<link rel=next href='/2'><p>x", None),
    ],
)
def test_the_canonical_url_is_absolute(html, canonical):
    assert page(html).canonical_url == canonical


def test_metadata():
    found = page(
        "<meta property='og:description' content='Graph'><meta name=Author content=' A  B '>"
        "<meta name=ROBOTS content='NoIndex, max-snippet:5'><meta name=robots content=nofollow><p>x"
    )
    assert found.description == "Graph"
    assert found.author == "A B"
    assert found.metas[1:] == (("robots", "NoIndex, max-snippet:5"), ("robots", "nofollow"))
    assert page("<meta name=description content='Own'><p>x").description == "Own"
    bare = page("<p>x")
    assert (bare.description, bare.author, bare.metas) == (None, None, ())


@given(
    st.lists(
        st.sampled_from(
            (
                b"<p>",
                b"x",
                b" ",
                b"\n",
                b"\x00",
                b"\x1f",
                b"\xc2\xa0",
                b"\xe3\x80\x80",
                b"\xff",
                b"\xc3",
                b"\xc3\xa9",
                b"\xef\xbb\xbf",
                b"\xef\xbf\xbd",
            )
        ),
        max_size=8,
    )
)
def test_the_bytes_of_a_text_give_its_tree(pieces):
    source = b"".join(pieces)
    text = source.decode("utf-8", "replace")
    expected, found = parse_html(text), parse_html(text, source)
    assert (expected is None) is (found is None)
    if expected is not None:
        assert etree.tostring(found) == etree.tostring(expected)


def test_the_bytes_are_taken_as_they_are():
    assert page_module._stripped("\n<p>\xe9</p> ", b"\n<p>\xc3\xa9</p> ") == b"<p>\xc3\xa9</p>"
    assert page_module._stripped("\xa0<p>", b"\xc2\xa0<p>") is None


def test_a_released_tree_is_parsed_again_only_when_it_is_asked_for():
    head = "<title>A</title><link rel=canonical href=/a><article>one</article>"
    html = f"<html lang=de><head>{head}</head><p>two</p></html>"
    page, asked = Page.from_html(html, "https://example.org/"), []
    before, numbers = etree.tostring(page.root), list(page.flat.path)
    page.release(lambda: asked.append(1) or html)
    assert (page.title, page.canonical_url, page.properties) == ("A", "https://example.org/a", ())
    assert (page.flat.path, page.text((0,)), asked) == (numbers, "one\ntwo", [])
    assert (page.language, etree.tostring(page.root), asked) == ("de", before, [1])
    page.release(lambda: "")
    with pytest.raises(EmptyPageError):
        _ = page.root
