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


def test_a_block_that_is_nothing_else_is_left_out():
    assert shown(f'<p>One.</p><p><a href="{LINE}">source</a></p><p>Two.</p>') == "One.\nTwo."


def test_time_is_linear_in_links_and_in_what_follows_them():
    links = f'<a href="{LINE}">source</a> ' * 20_000
    flat = Page.from_html(f"<p>{links}x{'<b></b>' * 30_000}</p>", "https://example.org/").flat
    begun = time.thread_time()
    assert source_links(flat) == []
    assert time.thread_time() - begun < 5  # what is quadratic takes minutes
