"""Lines between the paragraphs that lead to another page of the site are not content: "Read also: The mole"."""

import pytest

from sitecrawl.dom.blocks import block_text, text_blocks
from sitecrawl.dom.page import Page
from sitecrawl.extractors.combined.related_lines import without_related_lines
from sitecrawl.templates.decision import LayoutDecision, LayoutKind

TEXT = "<p>The mole of the harbour was built by hand, of stones that ships had brought.</p>"
URL = "https://moles.example/1"


def dropped(line, kind=None, *, html="<main>{0}{1}{0}</main>"):
    page = Page.from_html(html.format(TEXT, line), URL)
    blocks = text_blocks(page.flat)
    texts = [block_text(page.flat, blocks, block) for block in range(len(blocks))]
    decision = LayoutDecision(kind, 0.9, 12, 80.0) if kind is not None else None
    found = without_related_lines(page, blocks, [True] * len(texts), decision)
    return [text for text, wanted in zip(texts, found, strict=True) if not wanted]


@pytest.mark.parametrize(
    "line",
    [
        "<p>Read also: <a href=/2>The pier of the harbour</a></p>",
        "<p><strong>Related:</strong> <a href=https://www.moles.example/2>Pier</a></p>",
        "<p><a href=/2><b>Leggi anche:</b> Il molo</a></p>",
        "<div><a href=/2><p>Also read: The pier of the harbour</p></a></div>",
        "<p>À lire aussi : <a href=/2>Le môle</a> | <a href=/3>Le port</a></p>",
        "<p>あわせて読みたい <a href=/2>港の話</a></p>",
        "<p><strong>Related stories</strong><br><a href=/2>The pier</a><br><a href=/3>The quay</a></p>",
    ],
)
def test_a_line_that_leads_to_a_related_page_is_dropped(line):
    assert len(dropped(line)) == len(dropped(line, LayoutKind.ARTICLE)) == 1
    assert len(dropped(line, html="<main>{0}{1}{0}<p>The <a href=https://piers.example>piers</a></main>")) == 1
    assert dropped(line, LayoutKind.REFERENCE) == []
    assert dropped(line, html="{1}") == []  # nothing would be left


@pytest.mark.parametrize(
    "line",
    [
        "<p>Read also: <a href=https://piers.example/2>The pier of the harbour</a></p>",
        "<p>Source: <a href=/2>The pier of the harbour</a></p>",
        "<p>Read also: <a href=/2>The pier</a>, a book of 1870</p>",
        "<p>Read also: The pier of the harbour</p>",
        "<p>Read also <a href=/2>The pier of the harbour</a></p>",
        "<p>Read also: <a href=#pier>The pier of the harbour</a></p>",
        "<p>Read also: <a href=mailto:ann@moles.example>Write to Ann</a></p>",
        "<p><a href=/2>Related articles</a></p>",
        "<p>Read also <a href=/2>The pier</a><br><a href=/3>The quay</a></p>",
        "<p><a href=/2>Related piers of the harbour</a></p>",
        "<table><tr><td>Related: <a href=/2>Pier</a></table>",
        f"<p>Related: <a href=/2>{'The pier of the harbour ' * 20}</a></p>",
    ],
)
def test_other_lines_stay(line):
    assert dropped(line) == []


def test_a_block_that_was_dropped_before_stays_dropped():
    page = Page.from_html(f"<main>{TEXT}<p>Read also: <a href=/2>The pier</a></p>{TEXT}</main>", URL)
    blocks = text_blocks(page.flat)
    assert without_related_lines(page, blocks, [True, True, False], None) == [True, False, False]
