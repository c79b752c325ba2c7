"""Types of the compiled twin."""

from lxml.etree import _Element

from sitecrawl.dom.flat import FlatDom

BUILT_FOR: tuple[tuple[int, ...], tuple[int, ...]]
"""Versions, major and minor, of lxml and libxml2 whose headers describe the nodes that are read here."""

def flatten(root: _Element) -> FlatDom:
    """Return the columns of the tree below `root`: what `sitecrawl.dom.flat.flatten` returns."""
