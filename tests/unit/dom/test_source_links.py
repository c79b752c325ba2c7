"""Links to source code: where they end a block, and by their address."""

import time

import pytest

from sitecrawl.dom.page import Page
from sitecrawl.dom.source_links import source_links
from sitecrawl.dom.text import main_text

LINE = "https://code.example/tree/main/lib/fenv.nim#L12"


def shown(html: str) -> str:
    flat = Page.from_html(html, "https://example.org/fenv.html").flat
    return main_text(flat, [0])


@pytest.mark.parametrize(
    "link",
    [
        f'<a href="{LINE}">Source</a>',
        f'<a href="{LINE}">Source</a>&nbsp;&nbsp;<a href="https://code.example/edit/main/lib/fenv.nim#L1">Edit</a>',
        '<a href="_modules/fenv.html#fenv.overflow"><span>[source]</span></a>',
        '<a href="../src/core/fenv.rs.html#12-20">[src]</a>',
        '<span class="links"><a href="fenv.html#line-40">View Source</a></span>',
    ],
)
def test_a_link_to_code_that_ends_its_block_is_no_text(link):
    assert shown(f"<dl><dt>overflow<dd>The result is too large. {link}<dt>next<dd>More.</dl>") == (
        "overflow\nThe result is too large.\nnext\nMore."
    )


@pytest.mark.parametrize(
    "text",
    [
        f'The <a href="{LINE}">source</a> says more.',
        'Read the <a href="source.html#notes">source</a>',
        'It is on <a href="https://code.example/tree/main/lib">source</a>',
        f'It is in <a href="{LINE}">the file of the environment</a>',
    ],
)
def test_a_text_about_a_source_stays(text):
    flat = Page.from_html(f"<p>{text}</p>", "https://example.org/fenv.html").flat
    assert source_links(flat) == []


def test_a_link_from_code_to_the_text_about_it_is_no_code():
    code = '<pre>import math\n<div><a href="fenv.html{}">[docs]</a>\n<span>def</span> overflow(): ...</div></pre>'
    assert shown(code.format("#fenv.overflow")) == "import math\ndef overflow(): ..."
    assert "[docs]" in shown(code.format(""))
    assert "[docs]" in shown('<p>See <a href="fenv.html#fenv.overflow">[docs]</a></p>')


def test_a_block_that_is_nothing_else_is_left_out():
    assert shown(f'<p>One.</p><p><a href="{LINE}">source</a></p><p>Two.</p>') == "One.\nTwo."


@pytest.mark.parametrize(
    ("line", "left"),
    [
        ('<a href="../src/fenv.rs.html#7">Source</a><a href="#add">§</a>', ""),
        ('<span><span>1.57.0</span> · <a href="../src/fenv.rs.html#7">Source</a></span>', "1.57.0\n"),
        ('<a href="../src/fenv.rs.html#7">Source</a> | <a href="https://code.example/edit/fenv.rs#L7">Edit</a>', ""),
        ('<a href="../src/fenv.rs.html#7">Source</a> of the sum', "Source of the sum\n"),
    ],
)
def test_a_link_to_code_may_end_a_line_above_another_block(line, left):
    html = f"<section>{line}<h4>fn add(one, two)</h4></section><p>Adds two.</p>"
    assert shown(html) == f"{left}fn add(one, two)\nAdds two."


@pytest.mark.parametrize(
    "line",
    [
        '<dl><dt>Source:</dt><dd><ul><li><a href="a.js.html">core/a.js</a>, <a href="a.js.html#line22">line 22</a></ul></dl>',
        '<div>Defined in: <a href="../files/p2.js.html#l857"><code>physics/p2/p2.js:857</code></a></div>',
        '<aside><p>Defined in <a href="https://code.example/blob/main/a.ts#L12">internal/a.ts:12</a></p></aside>',
        '<p><a href="a.js.html">View Source</a> <span><a href="a.js.html">a.js</a>, <a href="a.js.html#line4">line 4</a></span>',
    ],
)
def test_a_line_that_only_names_lines_of_a_file_is_no_text(line):
    assert shown(f"<h2>One</h2><div>Adds one.</div>{line}<h2>Two</h2>") == "One\nAdds one.\nTwo"


@pytest.mark.parametrize(
    "line",
    [
        '<p>The fault is in <a href="a.js.html#line22">line 22</a> of the loader.',
        '<li><a href="a.js.html#line22">a.js:22</a>, <a href="b.js.html#line3">b.js:3</a>',
        '<p><a href="log.html#line22">line 22</a> The crash',
        "<dl><dt>Licence<dd>MIT</dl>",
    ],
)
def test_lines_that_say_more_stay(line):
    assert source_links(Page.from_html(line, "https://example.org/fenv.html").flat) == []


def test_a_term_with_another_description_stays():
    html = '<dl><dt>Source:<dd><a href="a.js.html#line22">a.js:22</a><p>The file that all load.</dl>'
    assert shown(html) == "Source:\na.js:22\nThe file that all load."


FILE = "https://code.example/moles/blob/main/R/season.R"


@pytest.mark.parametrize(
    "line",
    [
        f'<small>Source: <a href="{FILE}"><code>R/season.R</code></a></small>',
        f'<p><strong>Source code:</strong> <a href="{FILE}#L1">R/season.R</a></p>',
    ],
)
def test_a_line_that_names_the_file_of_the_page_is_no_text(line):
    assert shown(f"<div><h1>Seasons</h1>{line}<div>Finds seasons.</div></div>") == "Seasons\nFinds seasons."


@pytest.mark.parametrize(
    "line",
    [
        f'<p>See <a href="{FILE}">R/season.R</a></p>',
        f'<p>Source: <a href="{FILE}">the function for seasons</a></p>',
        f'<p>Source: <a href="{FILE}">R/season.R</a>, by Ann Finch</p>',
        '<p>Source: <a href="https://research.example/blob/">research.example</a></p>',
        '<p>Source: <a href="https://news.example/report.pdf">report.pdf</a></p>',
    ],
)
def test_other_sources_stay(line):
    assert source_links(Page.from_html(line, "https://example.org/").flat) == []


def test_time_is_linear_in_links_and_in_what_follows_them():
    links = f'<a href="{LINE}">source</a> ' * 20_000
    flat = Page.from_html(f"<p>{links}x{'<b></b>' * 30_000}</p>", "https://example.org/").flat
    begun = time.thread_time()
    assert source_links(flat) == []
    assert time.thread_time() - begun < 5  # what is quadratic takes minutes
