"""Links to places on their own page are found, however they are written."""

from sitecrawl.dom.page import Page
from sitecrawl.extractors.combined.own_links import own_links


def test_links_to_places_on_the_page_are_found_in_each_of_their_forms():
    hrefs = ("#a", "mole.html?n=1#b", "/piers/mole.html?n=1#c", "https://a.example/piers/mole.html?n=1#d")
    others = ("#", "mole.html?n=1", "quay.html#a", "/mole.html#a", "https://b.example/piers/mole.html#a")
    html = "".join(f"<p><a href='{href}'>Mole</a></p>" for href in (*hrefs, *others))
    page = Page.from_html(f"<body>{html}", "https://a.example/piers/mole.html?n=1#top")
    found = own_links(page)
    targets = {row: target for row, target, _ in page.flat.anchors}
    assert list(found.values()) == ["a", "b", "c", "d"]
    assert [targets[row] for row in found] == [*hrefs]
