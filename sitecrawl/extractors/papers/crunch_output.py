"""The output of Crunch: the page's own tree without the removed nodes, so that layout, head and styles stay.

Source: S4, sections 3 and 4.2: filters edit elements first, then delete them; the removed text links are listed at the
end of the document; the output is HTML or text.
"""

from collections.abc import Sequence
from copy import deepcopy
from typing import Final

from lxml import etree
from lxml.etree import _Element

from sitecrawl.dom.flat import elements
from sitecrawl.dom.labels import SKIPPED, TEXT
from sitecrawl.dom.page import Page
from sitecrawl.extractors.papers.crunch_filters import Filtering, filtering, is_advertisement, removed_links
from sitecrawl.extractors.papers.crunch_settings import CrunchSettings

DOCTYPE: Final = "<!DOCTYPE html>"
_FIXED: Final = frozenset(("html", "head", "body"))


def filtered_page(page: Page, settings: CrunchSettings) -> str:
    """Return the filtered page as an HTML document or as text, with the removed text links at its end."""
    found = filtering(page, settings)
    links = removed_links(page, found.gone, settings) if settings.retain_links else []
    if settings.output == "text":
        flat = page.flat
        texts = [i for i, name in enumerate(flat.tag) if name == TEXT and not found.gone[i]]
        lines = [page.text(texts), *(f"{text} <{href}>" for text, href in links)]
        return "\n".join(line for line in lines if line)
    root = deepcopy(page.root)
    if not found.portal:
        _delete(root, page, found, settings)
    _edit(root, settings)
    _base(root, page)
    _retain(root, links)
    return etree.tostring(root, encoding="unicode", method="html", doctype=DOCTYPE)


def _delete(root: _Element, page: Page, found: Filtering, settings: CrunchSettings) -> None:
    """Delete elements from a copy of a page's tree; cells of which only the content is removed are emptied."""
    flat, gone = page.flat, found.gone
    rows = (i for i, name in enumerate(flat.tag) if name != TEXT)
    copies = list(zip(rows, elements(root), strict=True))
    unseen = [one for one in root.iter(*SKIPPED) if _goes(one, settings)]
    emptied = set() if settings.remove_cells else set(found.link_lists)
    for row, copy in copies:
        if not gone[row] or gone[flat.parent[row]]:
            continue
        if row in emptied:
            del copy[:]
            copy.text = None
        else:
            _remove(copy)
    for one in unseen:
        _remove(one)


def _edit(root: _Element, settings: CrunchSettings) -> None:
    """Remove attributes from elements."""
    for name in settings.ignored_attributes:
        tag, _, attribute = name.rpartition(".")
        for one in root.iter(tag or "*"):
            if attribute in one.attrib:
                del one.attrib[attribute]


def _base(root: _Element, page: Page) -> None:
    """Add a `base` element to the head, so that links, styles and images work in the copy."""
    head = root.find("head")
    if head is None:
        head = etree.Element("head")
        root.insert(0, head)
    if head.find("base") is None:
        head.insert(0, etree.Element("base", href=page.base_url))


def _goes(element: _Element, settings: CrunchSettings) -> bool:
    """Return whether an element that is no node of the page's columns (a script, a frame) is removed."""
    return element.tag not in _FIXED and (element.tag in settings.ignored_tags or is_advertisement(element, settings))


def _remove(element: _Element) -> None:
    """Remove an element with its subtree, but not the text after it."""
    above = element.getparent()
    if above is None:
        return
    if element.tail:
        before = element.getprevious()
        if before is not None:
            before.tail = (before.tail or "") + element.tail
        else:
            above.text = (above.text or "") + element.tail
    element.tail = None
    above.remove(element)


def _retain(root: _Element, links: Sequence[tuple[str, str]]) -> None:
    """Add a list of links to the end of the document."""
    if not links:
        return
    body = root.find("body")
    items = etree.SubElement(body if body is not None else root, "ul")
    for text, href in links:
        etree.SubElement(etree.SubElement(items, "li"), "a", href=href).text = text
