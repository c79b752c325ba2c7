"""Finds the links of a page to places on the page itself, however they are written: `#a`, `mole.html#a`, a URL."""

from urllib.parse import urlsplit

from sitecrawl.dom.page import Page


def own_links(page: Page) -> dict[int, str]:
    """Return the rows of the links to places on the page, with the ids of these places, in document order."""
    whole = page.url.partition("#")[0]
    parts = urlsplit(whole)
    path = f"{parts.path}?{parts.query}" if parts.query else parts.path
    own = ("", whole, path, path.rpartition("/")[2])
    found = {}
    for node, href, _ in page.flat.anchors:
        address, _, place = href.partition("#")
        if place and address in own:
            found[node] = place
    return found
