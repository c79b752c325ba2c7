"""Tests of pages that differ in nonces alone."""

import datetime as dt

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sitecrawl.dom.nonces import MOST, same_but_for_nonces
from sitecrawl.dom.page import Page
from sitecrawl.metadata.describe import read

NOW = dt.datetime(2025, 1, 2, tzinfo=dt.UTC)
PAGE = """<!DOCTYPE html><html lang="en"><head><title>The harbour</title>
<meta name="csrf-token" content="{0}"><meta name="description" content="Ships of 1911">
<link rel="stylesheet" href="/a.css?v={0}"><link rel=canonical href="/harbour">
<script nonce="{0}">var t = {{"at": {1}, "id": "{0}"}}; if (1 < 2) go();</script>
<script type="application/ld+json">{{"@type": "Article", "headline": "The harbour", "identifier": "17"}}</script>
</head><body class="page" data-csrf='{0}'><!-- made at {1} for {0} -->
<form><input type="hidden" name="csrfmiddlewaretoken" value="{0}"><input name=q value="ships"></form>
<h1>The harbour</h1><p>In 1911 the <a href="/wall?id=7">wall</a> was finished &lt; early.</p>
<img src="/a.png" alt="a > b"></body></html><!-- {1} ms -->"""
FIRST = PAGE.format("a81Fd93kdk3dkfj30dkA", "1763900000")
SECOND = PAGE.format("99fkdKd83kfjd92kd0d1", "1763912345")


def columns(html):
    page = Page.from_html(html, "https://example.org/harbour")
    flat, told = page.flat, read(page, NOW)
    return flat.tag, flat.text, flat.names, flat.path, flat.anchors, flat.hidden, told, page.links[1:], page.metas[1:]


def test_nonces_tokens_and_times_are_no_difference():
    assert same_but_for_nonces(FIRST, SECOND)
    assert columns(FIRST) == columns(SECOND)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("finished", "begun"),
        ("In 1911", "In 1912"),
        (" was ", "  was "),
        ("/wall?id=7", "/wall?id=8"),
        ('href="/wall', 'nonce=1 href="/wall'),
        ("<title>The harbour", "<title>The harbours"),
        ("Ships of 1911", "Ships of 1912"),
        ('"identifier": "17"', '"identifier": "18"'),
        ('class="page"', 'class="page2"'),
        ('value="ships"', 'value="boats"'),
        ('rel=canonical href="/harbour"', 'rel=canonical href="/harbour2"'),
        ("/a.css", "/b.css"),
        ("/a.png", "/b.png"),
        ("go();", "stay();"),
        ("<p>In", "<p hidden>In"),
        ("<h1>", "<h2>"),
        ("</p>", ""),
        ("<!-- made", "<!--[if IE]> made"),
        ("<img", "<!-- --><img"),
    ],
)
def test_whatever_is_read_is_a_difference(old, new):
    assert old in SECOND
    changed = SECOND.replace(old, new, 1)
    assert not same_but_for_nonces(FIRST, changed)
    assert not same_but_for_nonces(changed, FIRST)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("<p><!-- 1 -->text", "<p><!-- 2 --!> lost -->text"),
        ("<p><!--> 1 -->text", "<p><!--> 2 -->text"),
        ("<title><!-- 1 --></title>", "<title><!-- 2 --></title>"),
        ("<textarea><!-- 1 --></textarea>", "<textarea><!-- 2 --></textarea>"),
        ("<plaintext><!-- 1 -->", "<plaintext><!-- 2 -->"),
        ("<script><!-- <script> </script> <!-- 1 --></script>", "<script><!-- <script> </script> <!-- 2 --></script>"),
        ('<meta name=description content="a > <!-- 1 -->">', '<meta name=description content="a > <!-- 2 -->">'),
        (
            '<p title="x <input type=hidden name=token value=1> "y>',
            '<p title="x <input type=hidden name=token value=2> "y>',
        ),
        ("<input type=hidden name=note value='old news'>", "<input type=hidden name=note value='new news'>"),
        ("<input type=text name=token value=a1>", "<input type=text name=token value=a2>"),
        ("<input type=text type=hidden name=token value=a1>", "<input type=text type=hidden name=token value=a2>"),
        ("<meta name=token property=og:title content=a1>", "<meta name=token property=og:title content=a2>"),
        ("<script type=application/ld+json>1</script>", "<script type=application/ld+json>2</script>"),
        ("<script>a</script>", "<script type=text/json>1</script>"),
    ],
)
def test_what_parsers_may_read_in_two_ways_is_a_difference(old, new):
    assert not same_but_for_nonces(old, new)


def test_a_page_with_many_differences_is_another_page():
    few, many = ["".join(f"<!-- {i + start} -->" for i in range(size)) for size, start in ((MOST, 0), (MOST + 1, 0))]
    assert same_but_for_nonces(few, few.replace("<!-- ", "<!-- x"))
    assert not same_but_for_nonces(many, many.replace("<!-- ", "<!-- x"))


PIECES = st.sampled_from(
    [
        *("<p>", "</p>", "word ", "other ", "<!-- 1 -->", "<!-- 2 -->", "<script>", "</script>", "<title>", "</title>"),
        *("<!--", "-->", "<", ">", '"', "'", "=", " 17 ", " 18 ", "<a href=/1>", "<a href=/2>", "</a>", "<textarea>"),
        *("</textarea>", "<input type=hidden name=token value=1>", "<input type=hidden name=token value=2>"),
        *(
            "<meta name=csrf content=1>",
            "<meta name=csrf content=2>",
            "<p nonce=1>",
            "<p nonce=2>",
            "<style>",
            "</style>",
        ),
    ]
)


@settings(max_examples=200, deadline=None)
@given(st.lists(PIECES, max_size=12), st.data())
def test_pages_that_count_as_equal_are_read_equally(pieces, data):
    changed = list(pieces)
    for i in data.draw(st.lists(st.integers(0, max(len(pieces) - 1, 0)), max_size=3)):
        if i < len(changed):
            changed[i] = data.draw(PIECES)
    old, new = "<body><p>text</p>" + "".join(pieces), "<body><p>text</p>" + "".join(changed)
    if same_but_for_nonces(old, new):
        assert columns(old)[:6] == columns(new)[:6]
