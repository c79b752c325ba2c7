"""Finds the elements that describe a page, such as its title, its `meta` elements and microdata, in one walk.

The compiled twin accesses the nodes of libxml2, so it is used only if the twin of `flatten` is.
"""

from itertools import islice
from typing import Final, NamedTuple, cast

from lxml import etree
from lxml.etree import _Element

from sitecrawl.dom.flattening import flatten
from sitecrawl.twins import twin

TELLING: Final = frozenset(("base", "frame", "h1", "iframe", "input", "link", "meta", "script", "title"))
"""Tags of elements that describe a page."""
MAX_ITEMS: Final = 500
"""Maximum elements with `itemprop` examined."""
_ANY_ITEM: Final = etree.XPath("boolean(descendant-or-self::*/@itemprop)")
_ITEMS: Final = etree.XPath("descendant-or-self::*[@itemprop]")


class TellingElements(NamedTuple):
    """The elements that describe a page, in document order."""

    named: list[_Element]
    """Elements with a tag of `TELLING`."""
    items: list[_Element]
    """Elements with `itemprop`, at most MAX_ITEMS."""


@twin("sitecrawl.dom._flat", lambda _: flatten.problem)
def telling_elements(root: _Element) -> TellingElements:
    """Return the elements at and below `root` that describe a page."""
    items: list[_Element] = []
    if _ANY_ITEM(root):  # most pages have none, and this takes a fifth of the full pattern's time
        items = list(islice(cast("list[_Element]", _ITEMS(root)), MAX_ITEMS))
    return TellingElements(list(root.iter(*TELLING)), items)
