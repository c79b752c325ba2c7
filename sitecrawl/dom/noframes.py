"""Pages of frames that have their text in `noframes`, which browsers do not show."""

from collections.abc import Callable
from typing import Final

from lxml.etree import _Element

LEAST: Final = 200
"""Minimum characters of a text; a notice that the page has frames is shorter."""


def read_noframes(root: _Element, parse: Callable[[str], _Element | None]) -> None:
    """On a page of frames, replace each `noframes` that has a text by a `div` with the parsed content.

    The parser returns the content of `noframes` as one text; `parse` returns the tree of such a text.
    """
    if root.find("frameset") is None and root.find("body/frameset") is None:
        return
    for element in list(root.iter("noframes")):
        inner = parse(element.text or "")
        body = inner.find("body") if inner is not None else None
        if body is None or sum(len(text.strip()) for text in map(str, body.itertext())) < LEAST:
            continue
        element.tag = "div"
        element.text = body.text
        element.extend(list(body))
