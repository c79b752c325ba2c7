"""Pages that have their text in `noscript`: some forums put a whole thread there."""

from typing import Final

from lxml.etree import _Element

LEAST: Final = 200
"""Minimum characters in the `noscript` elements of a body."""
TIMES: Final = 4
"""Minimum ratio of the characters inside them to those outside."""
_UNSEEN: Final = frozenset(("script", "style", "template", "noscript"))


def read_noscript(root: _Element) -> None:
    """Turn the `noscript` elements of a body into `div` if nearly all of the page's text is in them."""
    body = next(root.iterchildren("body"), None)
    found = list(body.iter("noscript")) if body is not None else []
    if not found or body is None:
        return
    inside = sum(_chars(element) for element in found)
    if inside < LEAST:
        return
    outside, most = 0, inside / TIMES
    for element in body.iter():
        parent = element.getparent()
        if isinstance(element.tag, str) and element.tag not in _UNSEEN and not _in_noscript(element):
            outside += len((element.text or "").strip())
        if element is not body and parent is not None and not _in_noscript(parent) and parent.tag not in _UNSEEN:
            outside += len((element.tail or "").strip())
        if outside > most:
            return
    for element in found:
        element.tag = "div"


def _chars(element: _Element) -> int:
    return sum(len(text.strip()) for text in map(str, element.itertext()))


def _in_noscript(element: _Element) -> bool:
    return element.tag == "noscript" or next(element.iterancestors("noscript"), None) is not None
