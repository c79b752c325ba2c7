"""Moves content after the end tag of `html` to the end of the body.

Some pages close `html` too early, in an included file for example. Browsers continue the body (HTML standard,
13.2.6.4.22). libxml2 begins another `html` element beside the first one, which is outside the tree of the page.
"""

from typing import Final

from lxml.etree import _Element

_LEFT: Final = frozenset(("head", "body", "frameset"))


def take_trailing(root: _Element) -> None:
    """Move the content of all `html` elements that follow the root to the end of its body."""
    if root.tag != "html" or root.getnext() is None:
        return
    body = root.find("body")
    for trailing in list(root.itersiblings("html")):
        for part in [trailing, *trailing.findall("body")]:
            _append(body if body is not None else root, part)


def _append(target: _Element, part: _Element) -> None:
    """Move the text and the children of an element to the end of another, without `head` and `body` themselves."""
    last = next(target.iterchildren(reversed=True), None)
    if part.text and last is not None:
        last.tail = (last.tail or "") + part.text
    elif part.text:
        target.text = (target.text or "") + part.text
    target.extend([child for child in part if child.tag not in _LEFT])
