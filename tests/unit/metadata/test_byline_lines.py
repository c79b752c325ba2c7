"""Tests of authors in lines beside the main content."""

import pytest

from sitecrawl.dom.page import Page
from sitecrawl.metadata.byline_lines import line_author

TEXT = "The storm came in from the west on Tuesday night, and by morning the harbour was under two metres of water."


def author(html):
    page = Page.from_html(f"<body><h1>A storm</h1>{html}", "https://example.org/storm")
    return line_author(page.flat, [page.flat.tag.index("article")], [page.flat.tag.index("h1")])


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("By Ann Lee", "Ann Lee"),
        ("by <a href='#'>Ann Lee</a> | July 4, 2018", "Ann Lee"),
        ("By: Annlee", "Annlee"),
        ("By Annlee, 4 July 2018", "Annlee"),
        ("Por Ana, publicado el 15 de enero, 2010", "Ana"),
        ("by ann.lee82 | July 4, 2018", "ann.lee82"),
        ("by ann.lee82 | Storms", None),
        ("by admin | July 4, 2018", None),
        ("<b>Author(s):</b> Ann Lee", "Ann Lee"),
        ("Autor: Ana de la Vega", "Ana de la Vega"),
        ("Author: admin", None),
        ("Authors: write to us: Ann Lee", None),
        ("By Annlee", None),
        ("By Feb 11, 2018", None),
        ("By Tuesday morning", None),
        ("By Ann Lee and her dog, who came from the west with all the sails of the old boat", None),
        ("By Ann Lee.", None),
        ("The storm", None),
    ],
)
def test_a_line_above_the_text_or_at_its_beginning(line, name):
    assert author(f"<p>{line}</p><p>Share</p><article><p>{TEXT}</article>") == name
    assert author(f"<article><p>{line}</p><p>{TEXT}</article>") == name


def test_lines_farther_away_and_headings_do_not_count():
    assert author(f"<p>By Ann Lee</p><p>a</p><p>b</p><p>c</p><article><p>{TEXT}</article>") is None
    assert author(f"<article><p>{TEXT}</p><p>{TEXT}</p><p>By Ann Lee</p><p>{TEXT}</article>") is None
    assert author(f"<h2>By Seniority Level</h2><article><p>{TEXT}</article>") is None


@pytest.mark.parametrize(
    ("lines", "name"),
    [
        ("<div>Author</div><div>Ann Lee</div><div>A pilot.</div>", "Ann Lee"),
        ("<p>Written by:<p>Ana de la Vega</p>", "Ana de la Vega"),
        ("<p>Author(s)<p>Ann Lee</p>", "Ann Lee"),
        ("<div>Author</div><div>Lives in a harbour town in the west.</div>", None),
        ("<div>Author</div><div>Next</div>", None),
        ("<div>Tags</div><div>Ann Lee</div>", None),
        ("<p>a<p>b<p>c<p>Author<p>Ann Lee", None),
    ],
)
def test_a_name_below_a_label_after_the_text(lines, name):
    assert author(f"<article><p>{TEXT}</article>{lines}") == name


def test_two_names_and_lines_of_other_pages_do_not_count():
    assert author(f"<p>By Ann Lee</p><p>By Bo Ek</p><article><p>{TEXT}</article>") is None
    assert author(f"<div class=related><p>By Ann Lee</p></div><article><p>{TEXT}</article>") is None
    assert author(f"<p>Last reply by Ann Lee</p><article><p>{TEXT}</article>") is None


def test_a_page_without_main_content_has_no_such_line():
    flat = Page.from_html("<p>By Ann Lee", "https://example.org/").flat
    assert line_author(flat, (), ()) is None


def test_a_table_of_contents_has_no_author():
    contents = "<dl><dt><a href=#a>{}</a></dt><dt><a href=#b>Ann Lee</a></dt></dl>"
    assert author(f"<article><p>{TEXT}</p></article>{contents.format('AUTHOR')}") is None
    shown = "<dl><dt>AUTHOR</dt><dt><a href=#>Ann Lee</a></dt></dl>"
    assert author(f"<article><p>{TEXT}</p></article>{shown}") == "Ann Lee"
