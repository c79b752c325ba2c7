"""Divides sequences into slices, for statements and requests that take a limited number of items."""

from collections.abc import Iterator, Sequence
from typing import TypeVar

T = TypeVar("T")


def slices(items: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    """Yield the consecutive slices of a sequence, each with at most `size` items; none for an empty sequence."""
    for first in range(0, len(items), size):
        yield items[first : first + size]
