"""Tests of readable text: the white-space rules."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import html as lxml_html

from sitecrawl.dom.blocks import cover_texts
from sitecrawl.dom.markdown import markdown
from sitecrawl.dom.text import LEVELS, printable

from .trees import page, pages, row, text_rows

ODD = "ab é\t\n\r\x85\xa0\x7f\x9f\u2003\u3000第\ufdd0\U0001f600"
"""Letters, white space and unprintable characters of each width in memory; all may occur in a tree of lxml."""


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<p><b>foo</b> <i>bar</i>", "foo bar"),
        ("<p>foo<b>bar</b>", "foobar"),
        ("<p>foo<b>\n</b>bar", "foo bar"),
        ("<p>foo<wbr>bar<img src=x>baz", "foobarbaz"),
        ("<p>  a \n\n\t b\xa0\xa0c\u2003d ", "a b c d"),
        ("<p>a&nbsp;</p><p>&nbsp;</p><p>b", "a\nb"),
        ("<p>a<br>b<br/><br>c", "a\nb\nc"),
        ("<div>a<p>b</p>c</div>", "a\nb\nc"),
        ("<div>a<div></div>b</div>", "a\nb"),
        ("<span>a<p>b</p>c</span>", "a\nb\nc"),
        ("<p>a<!-- remark -->b<script>var x</script> c<style>p{}</style>", "ab c"),
        ("<ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby>", "漢(kan)"),
        ("<p>x<textarea>\n  a\n  b</textarea>y", "x\n  a\n  b\ny"),
        ("<h1>T</h1>text", "T\ntext"),
        ("<p><a>Call</a><a>Write</a><a> to us</a><b><a>Go</a></b><a><i>on</i></a>", "Call Write to us Go on"),
        ("<p>fo<a id=x></a><a>o</a>b<a>a</a>r <a>b</a>a<a>z</a>, <a>f</a><a id=y></a>oo", "foobar baz, foo"),
        ("<p><a href=x>PD</a><a href=x>F</a> <a href=x>a</a><a href=y>b</a>", "PDF a b"),
        ("<p><a>std</a><a>::string</a>, <a>x</a><a><img></a>", "std::string, x"),
        ("<pre><a>ab</a><a>cd</a></pre>", "abcd"),
        (
            "<p><span>Prep time</span><span>13</span> <b><span>9</span></b><time>Minutes</time>",
            "Prep time 13 9 Minutes",
        ),
        (
            "<p><span>Enterprise</span><strong>Build team</strong>, <em>up to now</em><small>A</small>",
            "Enterprise Build team, up to now A",
        ),
        # ends of sentences between links and elements, a title in bold
        (
            "<p><a href=x>Is it far?</a><a href=y>Tides</a><a href=z>std::</a><a href=v>io</a>",
            "Is it far? Tides std::io",
        ),
        ("<p><span>Ann C.</span><span>Buyer</span>, <span>os.</span><span>Path</span>", "Ann C. Buyer, os.Path"),
        (
            '<p><span>The file "</span><em>Moles.txt</em>, <b>Built: by hand,</b><em>Rubble</em>',
            'The file "Moles.txt, Built: by hand, Rubble',
        ),
        ("<p><b>Tides</b><span>When they come</span>, <b>a</b><i>To be</i>", "Tides When they come, aTo be"),
        # web components, of which the second is beside a text or code
        (
            "<p><x-link>Tower</x-link><x-link>imagine</x-link> <x-a>O</x-a>nce <code><c-k>var</c-k><c-n>x</c-n></code>",
            "Tower imagine Once varx",
        ),
        ("<p><x-a>fo<x-b>o</x-b></x-a><x-c>bar</x-c>", "foo bar"),
        # names of tabs, which are labels of controls
        ("<div><input type=radio><label>npm</label><input type=radio><label>pnpm</label></div>", "npm pnpm"),
        # names in two parts, a part that is no piece, text around a piece, code, a place to break a word
        (
            "<p><span>Adw</span><span>ViewSwitcher</span> <b>the acros</b><b>T</b> <span>to a<em>B</em></span>",
            "AdwViewSwitcher the acrosT to aB",
        ),
        ("<p><code><span>to a</span><span>B</span></code> <span>to a</span><wbr><span>B</span>", "to aB to aB"),
        ("<p><span>x</span>2 <span>H</span><sub>2</sub>", "x2 H2"),
        # more elements around them than are looked at
        (f"<p>{'<i>' * LEVELS}<span>to a</span><span>B</span>", "to aB"),
    ],
)
def test_each_block_is_a_line_of_text(html, text):
    assert page(html).text([0]) == text


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<p>x</p>\n    <pre>a\n  b\n\n c  \n</pre>\n<p>y", "x\na\n  b\n\n c\ny"),
        ("<pre><span>def</span> <b>f</b>():\n    <i>return</i> 1\n</pre>", "def f():\n    return 1"),
        ("<pre>\n  <code>  a\n  b</code></pre>", "    a\n  b"),
        ("<pre>a\r\nb&nbsp;c</pre>", "a\nb c"),
        ("<pre>  a<br>  b</pre>", "  a\n  b"),
        ("<pre><div>  a</div>\n<div>  b</div></pre>", "  a\n  b"),
        ("<div>\n\n   <pre>   </pre> x</div>", "x"),
    ],
)
def test_pre_keeps_its_white_space(html, text):
    assert page(html).text([0]) == text


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<ul><li>a<li><b>b</b> c</ul>", "- a\n- b c"),
        ("<ul><li><p>a</p><p>b</p><li>c</ul>", "- a\nb\n- c"),
        ("<ol><li>a<ul><li>b</ul>c<li>d</ol>", "- a\n- b\nc\n- d"),
        ("<ul><li><ul><li>a</ul></ul>", "- a"),
        ("<ul><li><div><div>a</div></div></ul>", "- a"),
        ("<ul><li>a<br>b</ul>", "- a\nb"),
        ("<ul><li> </li><li>a</ul>", "- a"),
        ("<dl><dt>a<dd>b</dl>", "a\nb"),
    ],
)
def test_list_items_show_one_bullet(html, text):
    assert page(html).text([0]) == text


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<table><tr><th>a<th>b<tr><td>c<td> d </table>", "a | b\nc | d"),
        ("<table><tr><td>a<td> <td>c</table>", "a | c"),
        ("<table><tr><td>a<td><p>b</p><td>c</table>", "a | b | c"),
        ("<table><tr><td><p>a</p><td><div><div>b</div></div><tr><th><p>c</p><td>d</table>", "a | b\nc | d"),
        ("<table><tr><td><p>a</p><td><p>b</p><p>c</p><td><p>d</p></table>", "a\nb\nc\nd"),
        ("<table><tr><td><p>a</p><td><p>b<br>c</p></table>", "a\nb\nc"),
        ("<table><tr><td><p>a</p><td><ul><li>b</ul></table>", "a\n- b"),
        ("<table><tr><td><p>a</p><td><pre>b</pre></table>", "a\nb"),
        ("<table><tr><td><p>a</p><td><p>b</p><table><tr><td>c</table></table>", "a\nb\nc"),
        ("<table><tr><td><p>a</p><td><table><caption>b</caption></table></table>", "a\nb"),
        ("<ul><li><table><tr><td><p>a</p><td><p>b</p></table></ul>", "- a | b"),
        ("<table><tr><td>a<br>b<td>c<td>d</table>", "a\nb\nc | d"),
        ("<table><tr><td><table><tr><td>1<td>2</table><td>3</table>", "1 | 2\n3"),
        ("<table><tr><td>menu<td><h1>T</h1><p>text</p></table>", "menu\nT\ntext"),
        (
            "<table><caption>c</caption><thead><tr><th>a<th>b</thead><tbody><tr><td>1<td>2</table>",
            "c\na | b\n1 | 2",
        ),
        ("<ul><li><table><tr><td>a<td>b</table></ul>", "- a | b"),
    ],
)
def test_the_cells_of_a_row_are_a_line_of_text(html, text):
    assert page(html).text([0]) == text


@pytest.mark.parametrize(("length", "between"), [(200, " | "), (201, "\n")])
def test_blocks_of_much_text_in_most_cells_are_no_row(length, between):
    much, few = "a" * length, "<tr><td><p>b</p><td><p>c</p>"
    row = f"<tr><td><p>{much}</p><td><p>{much}</p>"
    rows = f"{much}{between}{much}\n" * 2
    assert page(f"<table>{row}{row}{few}</table>").text([0]) == f"{rows}b{between}c"
    assert page(f"<table>{row}{few}{few}</table>").text([0]) == f"{much} | {much}\nb | c\nb | c"


def test_what_is_not_chosen_separates():
    found = page("<div>a<p>no</p>b <i>c</i><u> no </u>d<br>e</div>")
    flat = found.flat
    chosen = [row(flat, name) for name in ("a", "b", "i", "d", "e")]
    assert found.text(chosen) == "a\nb c d\ne"
    assert found.text([]) == ""
    assert found.text([row(flat, "p")]) == "no"


def test_very_deep_and_very_wide_pages_take_no_time():
    for html in (
        "<b>x" * 3000,
        "<div>x" * 3000,
        "<div>" * 2000 + "x<br>y<i>z</i>" * 19_000,
        "x<!-- -->" * 90_000,
    ):
        found = page(html)
        texts = text_rows(found.flat, (0,))
        for nodes in ([0], texts):
            begun = time.process_time()
            assert found.text(nodes)
            assert time.process_time() - begun < 15


def test_printable():
    assert printable("a\0b\x1bc\ud800d\ufffee\x85f\tg\nh") == "abcde\x85f\tg\nh"
    assert printable("\u202aa\u202eb\u2066c\u2069d\u200ee\u200ff\u061cg") == "abcd\u200ee\u200ff\u061cg"
    assert page("<p>a\x01b<pre>\x02</pre><p>\x7f").text([0]) == "ab"


def test_soft_hyphens_are_no_part_of_a_word():
    found = page("<title>Do&shy;nau</title><h1>Do&shy;nau</h1><p>Donau&shy;dampf&shy;schiff</p>")
    assert found.title == "Donau"
    assert found.text([0]) == "Donau\nDonaudampfschiff"
    assert "Donau\xaddampf\xadschiff" in found.html((0,))  # browsers need them
    assert "Donaudampfschiff" in markdown(found.html((0,)))


@given(pages(), st.randoms(use_true_random=False))
def test_text_has_the_chosen_characters_in_order(found, random):
    flat = found.flat
    kept = [name == "#text" and random.random() < 0.6 for name in flat.tag]
    nodes = cover_texts(flat, kept)
    raw = "".join(flat.text[i] for i in text_rows(flat, nodes))
    text = found.text(nodes)
    assert _bare(text) == _bare(raw)
    assert all(line.strip() for line in text.splitlines() if not line.startswith(" "))
    assert not text.startswith("\n")
    words = set(_bare(raw)) | {""}
    assert set(_bare("".join(lxml_html.fragment_fromstring(found.html(nodes), create_parent=True).itertext()))) <= words


def _bare(text):
    """Drop white space and what `main_text` adds itself."""
    return "".join(character for character in text if not character.isspace() and character not in "-|")
