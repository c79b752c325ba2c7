"""Types of the compiled twin."""

from lxml.etree import _Element

from sitecrawl.dom.atomic import AtomicBlocks
from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.telling_elements import TellingElements

BUILT_FOR: tuple[tuple[int, ...], tuple[int, ...]]
"""Versions, major and minor, of lxml and libxml2 whose headers describe the nodes that are read here."""

def flatten(root: _Element) -> FlatDom:
    """Return the columns of the tree below `root`: what `sitecrawl.dom.flat.flatten` returns."""

def atomic_blocks(flat: FlatDom, tags: frozenset[str] = ...) -> AtomicBlocks:
    """Return the atomic blocks of a page: what `sitecrawl.dom.atomic.atomic_blocks` returns."""

def telling_elements(root: _Element) -> TellingElements:
    """Return the elements that describe a page: what `sitecrawl.dom.telling_elements.telling_elements` returns."""

class Columns:
    """The numbers of a page, as rows in memory of their own; they become lists when they are asked for."""

    def __len__(self) -> int: ...
    def column(self, name: str) -> list[int]:
        """Return a column of `FlatDom` as a list. Raises KeyError for one that is not kept here."""
    def value(self, name: str, row: int) -> int:
        """Return one number of a column. Raises KeyError, IndexError."""
