"""Cells beside kept ones, and the headers above them."""

import time

import pytest

from sitecrawl.dom.blocks import block_text, text_blocks
from sitecrawl.dom.page import Page
from sitecrawl.extractors.combined.table_cells import cells_beside, headers_above, with_captions

HEADERS = "<tr><th>Name<th>Use"
TABLE = f"<table><thead>{HEADERS}</thead><tbody><tr><td>KEPT depth<td>required<tr><td>width<td>optional</table>"


def named(function, html):
    """Return the texts of the blocks that a function finds; those with KEPT are kept."""
    flat = Page.from_html(f"<main><p>Text</p>{html}</main>", "https://a.example/").flat
    blocks = text_blocks(flat)
    texts = [block_text(flat, blocks, block).strip() for block in range(len(blocks))]
    return [texts[block] for block in sorted(function(flat, blocks, ["KEPT" in text for text in texts]))]


def test_a_row_with_a_kept_cell_is_whole():
    assert named(cells_beside, TABLE) == ["KEPT depth", "required"]


@pytest.mark.parametrize(
    "html",
    [
        TABLE.replace("th>", "td>").replace("<th", "<td"),  # without headers it may lay out the page
        f"<table>{HEADERS}<tr><td>KEPT depth{'<td>link' * 12}</table>",
        TABLE.replace("KEPT ", ""),
    ],
)
def test_other_rows_stay_as_they_are(html):
    assert named(cells_beside, html) == []


@pytest.mark.parametrize(
    ("html", "found"),
    [
        (f"<table>{HEADERS}<tr><td>KEPT depth<td>required</table>", ["Name", "Use"]),
        (f"<table><thead>{HEADERS}</thead><tr><td>KEPT depth<td>KEPT required</table>", ["Name", "Use"]),
        (TABLE, []),  # a quarter of the cells is kept
        ("<table><tr><th>Name<tr><td>KEPT depth</table>", []),
        (f"<table>{HEADERS}</table><p>KEPT text", []),
    ],
)
def test_headers_of_kept_cells(html, found):
    assert named(headers_above, html) == found


@pytest.mark.parametrize(
    ("html", "found"),
    [
        ("<table><caption>Moles</caption><tr><td>KEPT depth<td>required</table>", ["Moles"]),
        ("<table><caption>Moles<br><br>of stone</caption><tr><td>KEPT depth</table>", ["Moles", "of stone"]),
        ("<table><caption>Moles</caption><tr><td>KEPT depth<td>required<td>stone</table>", []),
        ("<table><caption>KEPT Moles</caption><tr><td>depth</table>", []),
        ("<table><caption>Moles</caption><tr></table><p>KEPT text", []),
    ],
)
def test_captions_of_kept_rows(html, found):
    def added(flat, blocks, kept):
        after = with_captions(flat, blocks, kept)
        return [block for block, wanted in enumerate(kept) if after[block] and not wanted]

    assert named(added, html) == found


def test_time_is_linear_in_nested_tables():
    html = (
        f"<table><caption>Moles</caption>{HEADERS}<tr><td>KEPT" * 150
        + f"<table>{HEADERS}<tr><td>KEPT one<td>two</table>" * 4_000
    )
    flat = Page.from_html(html, "https://a.example/").flat
    blocks = text_blocks(flat)
    begun = time.thread_time()
    cells_beside(flat, blocks, [True] * len(blocks))
    headers_above(flat, blocks, [True] * len(blocks))
    with_captions(flat, blocks, [True] * len(blocks))
    assert time.thread_time() - begun < 5
