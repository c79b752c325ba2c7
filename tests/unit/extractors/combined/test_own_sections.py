"""Headings that link to other pages distinguish a list from a text in sections."""

import pytest

from sitecrawl.dom.blocks import text_blocks
from sitecrawl.dom.page import Page
from sitecrawl.extractors.combined.own_sections import has_own_sections

OWN = "<h2>Install</h2><p>Run the command.</p>"


def told(html, kept=True):
    page = Page.from_html(f"<main>{html}</main>", "https://a.example/docs/")
    blocks = text_blocks(page.flat)
    return has_own_sections(page, blocks, [kept] * len(blocks))


@pytest.mark.parametrize(
    "heading",
    [
        "<h2>Install</h2>",
        "<h3><a href=#install>Install</a></h3>",
        "<h2><a href=/docs/#install>Install</a></h2>",
        "<h2><a href=https://b.example/>Install</a></h2>",
        "<h2><a href=mailto:ann@a.example>Install</a></h2>",
        "<h2><a href='http://['>Install</a></h2>",
    ],
)
def test_sections_of_a_text(heading):
    assert told(f"{heading}<p>Run the command.</p>" * 4)


@pytest.mark.parametrize("heading", ["<h2><a href=/docs/one>Install</a></h2>", "<a href=?page=2><h3>Install</h3></a>"])
def test_headings_that_lead_to_other_pages(heading):
    assert not told(f"{heading}<p>Run the command.</p>" * 4)
    assert told(f"{heading}<p>Run the command.</p>" + OWN * 4)


def test_few_headings_tell_nothing():
    assert not told(OWN * 3)
    assert not told(OWN * 4, kept=False)
