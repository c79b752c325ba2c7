"""Forests as arrays of C, for `_block_classifier`."""

from collections.abc import Sequence

from sitecrawl.extractors.combined.forest import Forest

class Trees:
    """A forest as arrays of C."""

    width: int
    def __init__(self, forest: Forest) -> None: ...

def probabilities(trees: Trees, columns: Sequence[Sequence[float]]) -> list[float]: ...
def probability(trees: Trees, row: list[float]) -> float: ...
