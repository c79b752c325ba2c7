"""Tests of the breadcrumbs of a page."""

import pytest

from sitecrawl.dom.page import Page
from sitecrawl.metadata.candidate_rows import TRAIL, marked
from sitecrawl.metadata.trails import Trail, shown_trail

URL = "https://example.org/eu/storm.html"


def trail(html):
    page = Page.from_html(f"<title>A storm - Wind</title><body>{html}<h1>A storm</h1><p>It came from the west.", URL)
    found = marked(page.flat)
    return shown_trail(page, [row for row, bits in found.named if bits & TRAIL], found.headings)


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        ("<li><a href=/>Home</a><li><a href=/eu>Europe</a><li>Here", Trail("Europe", True)),
        ("<li><a href=/>Home</a><li><a href=/eu>Europe</a>", Trail("Europe", False)),
        ("<li><a href=/index.html>Wind</a><li><a href=/eu>Europe</a>", Trail("Europe", False)),
        ("<li><a href=/>Home</a><li>Guides<li>Storms<li>Here", Trail("Guides > Storms", True)),
        ("<li><a href=/>Home</a><li>A storm<li><a href=/source>View source</a>", Trail(None, True)),
        ("<li><a href=/>Home</a><li>Guides<li><a href=/eu>Europe</a>", Trail("Guides > Europe", False)),
        ("<li>You are here:<li><a href=/>Home</a><li><a href=/eu>Europe</a><li>Here", Trail("Europe", True)),
        ("<li><a href=/>Home</a><li><a href=/eu>Europe</a><li><a href=storm.html>storm-1</a>", Trail("Europe", True)),
        (
            "<li><a href=/>Home</a><li><a href=/eu>Europe</a><li><a href='#top'>Storms</a>",
            Trail("Europe > Storms", False),
        ),
        ("<li><a href=storm.html>storm-1</a>", Trail(None, True)),
        ("<li><a href=/eu>Europe</a><li><a href='' aria-current=page>storm-1</a>", Trail("Europe", True)),
        ("<li><a href=/><img src=home.png></a><li>Guides<li>Here", Trail("Guides", True)),
        ("<li><a href=/eu>Europe</a><li><a name=end></a>", Trail("Europe", False)),
        (
            "<li class=crumb><a href=/eu>Europe</a> <a href=/f>France</a><li><a href=/s>Search</a>",
            Trail("Europe > France", False),
        ),
        ("<li><a href=/eu>Europe</a><ul><li><a href=/asia>Asia</a></ul><li>Here", Trail("Europe", True)),
    ],
)
def test_a_list_of_steps(steps, expected):
    assert trail(f"<ul class=breadcrumb>{steps}</ul>") == expected


def test_links_without_a_list():
    links = "<a href=/>Home</a> / <a href=/eu>Europe</a> / "
    assert trail(f"<div class=breadcrumbs>{links}A storm</div>") == Trail("Europe", complete=False)
    assert trail(f"<div class=breadcrumbs>{links}<a href={URL}>storm-1</a></div>") == Trail("Europe", complete=True)


def test_items_that_are_named_as_breadcrumbs_are_read_together():
    items = "<li class=breadcrumb-item><a href=/eu>Europe</a><li class=breadcrumb-item><a href=/eu/f>France</a>"
    assert trail(f"<ol>{items}</ol>") == Trail("Europe > France", complete=False)


def test_pages_visited_before_are_no_breadcrumbs():
    visited = "<div class=trace>Trace: <a class=breadcrumbs href=/a>Tides</a> • <a href=/b>Moles</a></div>"
    assert trail(f"<div class=breadcrumbs>{visited}</div>") == Trail(None, complete=False)
    here = "<div class=youarehere>You are here: <a href=/eu>Europe</a></div>"
    assert trail(f"<div class=breadcrumbs>{visited}{here}</div>") == Trail("Europe", complete=False)


def test_a_long_element_is_no_trail():
    assert trail("<ul class=breadcrumb>" + "<li><a href=/eu>Europe</a>" * 60 + "</ul>") == Trail(None, complete=False)


def test_malformed_addresses_do_no_harm():
    assert trail("<ul class=breadcrumb><li><a href='http://[x'>Europe</a></ul>") == Trail("Europe", complete=False)
