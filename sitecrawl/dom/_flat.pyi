"""Types of the compiled twin."""

from lxml.etree import _Element

from sitecrawl.dom.flat import FlatDom

BUILT_FOR: tuple[tuple[int, ...], tuple[int, ...]]
"""Versions, major and minor, of lxml and libxml2 whose headers describe the nodes that are read here."""

def flatten(root: _Element) -> FlatDom:
    """Return the columns of the tree below `root`: what `sitecrawl.dom.flat.flatten` returns."""

def named(root: _Element, names: tuple[str, ...]) -> list[_Element]:
    """Return the elements of the tree below `root`, itself counted, with one of these names (8 at most)."""

def named_contents(elements: list[_Element], naming: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """Return (name, content) of the `meta` elements among these."""

class Columns:
    """The numbers of a page, as rows in memory of their own; they become lists when they are asked for."""

    def __len__(self) -> int: ...
    def column(self, name: str) -> list[int]:
        """Return a column of `FlatDom` as a list. Raises KeyError for one that is not kept here."""
    def value(self, name: str, row: int) -> int:
        """Return one number of a column. Raises KeyError, IndexError."""
    def atomic_blocks(
        self, tag: list[str], anchors: list[tuple[int, str, str]], tags: frozenset[str]
    ) -> tuple[list[int], list[list[int]], list[int], list[int], list[int]]:
        """Return the columns of `dom.atomic.AtomicBlocks`: what `atomic_blocks` there does in Python."""
