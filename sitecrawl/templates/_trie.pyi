"""The compiled twin of `count_page` in `trie.py`."""

from typing import Generic, TypeVar

from sitecrawl.dom.flat import Columns, FlatDom
from sitecrawl.templates.trie import TemplateNode

Node = TypeVar("Node")

def count_page(flat: FlatDom, nodes: dict[int, TemplateNode], page: int) -> tuple[list[TemplateNode], int]: ...

class Counter(Generic[Node]):
    """Counts pages in the nodes of one class."""

    def __init__(self, kind: type[Node]) -> None: ...
    def count(
        self, columns: Columns, nodes: dict[int, Node], page: int
    ) -> tuple[list[Node], int, list[tuple[Node, int]]]:
        """Count a page in `nodes`, a dict by path key.

        Returns (new nodes, number of known ones, [(node, row)] of known ones without a label).
        """
