"""Types of the compiled twin."""

from typing import Generic, TypeVar

from sitecrawl.dom.flat import Columns

Node = TypeVar("Node")

def element_keys(columns: Columns) -> set[int]:
    """Return the distinct path keys of the elements of a page."""

class Counter(Generic[Node]):
    """Counts pages in the nodes of one class."""

    def __init__(self, kind: type[Node]) -> None: ...
    def count(
        self, columns: Columns, nodes: dict[int, Node], page: int
    ) -> tuple[list[Node], int, list[tuple[Node, int]]]:
        """Count a page in `nodes`, a dict by path key.

        Returns (new nodes, number of known ones, [(node, row)] of known ones without a label).
        """
