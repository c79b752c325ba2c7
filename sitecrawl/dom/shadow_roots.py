"""Declarative shadow roots: templates that browsers show in place."""

from typing import Final

from lxml.etree import _Element

_ATTRIBUTES: Final = ("shadowrootmode", "shadowroot")
"""The attribute of the HTML standard, and its former name."""
_MODES: Final = ("open", "closed")


def read_shadow_roots(root: _Element) -> None:
    """Rename the `template` elements of shadow roots to `div`; browsers do not show other templates."""
    for element in list(root.iter("template")):
        if any((element.get(name) or "").lower() in _MODES for name in _ATTRIBUTES):
            element.tag = "div"
