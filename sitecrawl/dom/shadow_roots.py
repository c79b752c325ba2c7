"""Declarative shadow roots: templates that browsers show in place."""

from collections.abc import Iterable
from typing import Final

from lxml.etree import _Element

_ATTRIBUTES: Final = ("shadowrootmode", "shadowroot")
"""The attribute of the HTML standard, and its former name."""
_MODES: Final = ("open", "closed")


def read_shadow_roots(templates: Iterable[_Element]) -> None:
    """Turn the `template` elements of shadow roots into `div`; browsers show no other templates."""
    for element in templates:
        if any((element.get(name) or "").lower() in _MODES for name in _ATTRIBUTES):
            element.tag = "div"
