"""In a reference the folded source code of members is dropped, with its label."""

import time

import pytest

from sitecrawl.dom.blocks import block_text, text_blocks
from sitecrawl.dom.page import Page
from sitecrawl.extractors.combined.member_source import without_member_source

HEAD = "<h2>add(one, two)</h2><p>Adds two numbers, however large they are.</p>"
CODE = "<pre>def add(one, two):\n    return one + two</pre>"


def left(html):
    """Return the first words of the blocks that are left, where all were kept."""
    flat = Page.from_html(f"<main>{html}</main>", "https://a.example/").flat
    blocks = text_blocks(flat)
    found = without_member_source(flat, blocks, [True] * len(blocks))
    return [block_text(flat, blocks, block).split()[0] for block, wanted in enumerate(found) if wanted]


@pytest.mark.parametrize(
    "code",
    [
        f"<details class=source><summary><span>Expand source code</span></summary>{CODE}</details>",
        f"<details><summary>Source code in <code>a/b.py</code></summary><table><tr><td>{CODE}</table></details>",
        f"<div><label for=x>View Source</label></div><a href=#add></a><div class=code>{CODE}</div>",
        f"<div><a href=#>Show source</a></div>{CODE}",
        "<div><pre># File lib/add.rb, line 12\ndef add</pre></div>",
        "<table><tr><td><pre>12\n13</pre><td><pre># File 'lib/add.rb', line 12\n\ndef add</pre></table>",
    ],
)
def test_source_code_of_a_member_is_dropped(code):
    assert [one for one in left(f"{HEAD}{code}<p>Next.</p>") if one not in ("View", "Show")] == [
        "add(one,",
        "Adds",
        "Next.",
    ]


@pytest.mark.parametrize(
    "code",
    [
        CODE,
        f"<h3>Source code</h3>{CODE}",
        f"<p>Source code:</p>{CODE}",
        f"<div>1.57.0 · <a href='../src/add.html#7'>Source</a></div>{CODE}",
        f"<details><summary>Example</summary>{CODE}</details>",
        f"<details><summary>Source code</summary><p>It is kept elsewhere.</p>{CODE}</details>",
        "<pre># File: the list of members</pre>",
    ],
)
def test_other_code_stays(code):
    flat = Page.from_html(f"<main>{HEAD}{code}</main>", "https://a.example/").flat
    kept = [True] * len(text_blocks(flat))
    assert without_member_source(flat, text_blocks(flat), kept) is kept


def test_a_page_of_source_code_keeps_it():
    lines = "x = 1\n" * 400
    folded = f"<details><summary>Source code</summary><pre>{lines}</pre></details>"
    assert left(f"<h2>add</h2>{folded}") == ["add", "Source", "x"]


@pytest.mark.parametrize("box", [f"<details><summary>Source code</summary>{CODE}</details>", CODE])
def test_time_is_linear_in_nested_elements(box):
    html = "<div>" * 300 + box * 9_000
    flat = Page.from_html(html, "https://a.example/").flat
    blocks = text_blocks(flat)
    begun = time.thread_time()
    without_member_source(flat, blocks, [True] * len(blocks))
    assert time.thread_time() - begun < 5
