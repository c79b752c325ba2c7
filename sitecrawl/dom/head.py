"""Moves body content that libxml2 leaves in the head to the body.

HTML allows the tags of head and body to be omitted: the first element that cannot be in a head begins the body. libxml2
knows HTML 4 only, so `main`, `article`, `header` or a custom element does not end its head. Since the head is not
content, a page that begins with one of them would be empty.
"""

from typing import Final

from lxml import etree
from lxml.etree import _Element

OF_HEAD: Final = frozenset(
    ("base", "basefont", "bgsound", "link", "meta", "noframes", "noscript", "script", "style", "template", "title")
)
"""Elements allowed in a head (HTML standard, 13.2.6.4.4)."""


def empty_head(root: _Element) -> None:
    """Move the first element that is not allowed in a head, and everything after it, to the beginning of the body."""
    head = next(root.iterchildren("head"), None) if root.tag == "html" else None
    if head is None:
        return
    first = next((i for i, child in enumerate(head) if isinstance(child.tag, str) and child.tag not in OF_HEAD), None)
    if first is None:
        return
    body = root.find("body")
    if body is None:
        body = etree.SubElement(root, "body")
    moved = list(head)[first:]
    moved[-1].tail = (moved[-1].tail or "") + (body.text or "") or None
    body.text = None
    for i, child in enumerate(moved):
        body.insert(i, child)
