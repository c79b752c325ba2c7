"""The kept links of a page lead outside if most of them, and three at least, lead to two other sites or more."""

import pytest

from sitecrawl.dom.blocks import text_blocks
from sitecrawl.dom.page import Page
from sitecrawl.extractors.combined.outside_links import leads_outside

OUT = ["https://b.example/", "//c.example/7", "http://www.d.example/x.html"]


def outside(links, dropped=(), url="https://a.example/links.html"):
    """Return whether a page leads outside that has a paragraph for each link, without those to `dropped`."""
    page = Page.from_html("".join(f"<p><a href='{link}'>A mole</a>, and more</p>" for link in [*links, *dropped]), url)
    blocks = text_blocks(page.flat)
    assert len(blocks) == len(links) + len(dropped)
    return leads_outside(page, blocks, [number < len(links) for number in range(len(blocks))])


def test_three_links_to_other_sites_lead_outside():
    assert outside(OUT)
    assert not outside(OUT[:2])
    assert not outside([OUT[0], OUT[0] + "#top", OUT[1], OUT[1]])


def test_they_must_lead_to_two_sites():
    assert outside(["https://b.example/1", "https://b.example/2", "https://c.example/3"])
    assert not outside(["https://b.example/1", "https://www.b.example/2", "https://B.example/3"])


def test_most_links_must_lead_outside():
    four = [*OUT, "https://e.example/"]
    assert outside([*four, "/one"])
    assert outside([*four, "/one", "/one#part", "#here", "mailto:a@b.example", "javascript:go()", ""])
    assert not outside([*four, "/one", "/two"])
    assert not outside([*four, "https://www.a.example/one", "https://A.example/two"])


def test_links_in_dropped_blocks_do_not_count():
    assert outside(OUT, dropped=["/one", "/two", "/three"])
    assert not outside(OUT[:2], dropped=OUT[2:])


@pytest.mark.parametrize("links", [["<p>Moles</p>"], []])
def test_a_page_without_links_leads_nowhere(links):
    page = Page.from_html("<p>Moles</p>" + "".join(links), "https://a.example/x")
    blocks = text_blocks(page.flat)
    assert not leads_outside(page, blocks, [True] * len(blocks))


def test_pictures_with_links_around_a_text_do_not_count():
    pictures = "".join(f"<a href={link}><img></a>" for link in OUT)
    page = Page.from_html(f"<div>{pictures}</div><p>Moles</p><div>{pictures}</div>", "https://a.example/x")
    blocks = text_blocks(page.flat)
    assert not leads_outside(page, blocks, [True] * len(blocks))
