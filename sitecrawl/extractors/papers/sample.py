"""The pages that a method compares a page with: those of `SiteContext.neighbours` that are not copies of it."""

from collections.abc import Callable, Iterable, Sequence
from typing import Generic, TypeVar

from sitecrawl.dom.flat import FlatDom

T = TypeVar("T")


def without_copies(key_page: FlatDom, neighbours: Iterable[FlatDom]) -> list[FlatDom]:
    """Return the pages that differ from the key page; a copy of it would leave no candidates."""
    return [other for other in neighbours if other.subtree[0] != key_page.subtree[0]]


def occurrences(key_page: FlatDom, pages: Sequence[FlatDom]) -> list[int]:
    """Return for each node of the key page the number of pages that hold it (Web-ConEx, Algorithm 1)."""
    held = [frozenset(other.path) for other in pages]
    return [sum(path in paths for paths in held) for path in key_page.path]


class Learned(Generic[T]):
    """What a method learns from a sample, kept until it is asked about other pages.

    Pages of one site often come with the same sample; learning from it costs more than reading one page.
    """

    def __init__(self, learn: Callable[[Sequence[FlatDom]], T]) -> None:
        self._learn = learn
        self._last: tuple[tuple[FlatDom, ...], T] | None = None

    def of(self, pages: Sequence[FlatDom]) -> T:
        """Return what the pages teach, in their order."""
        last = self._last
        if last is None or len(last[0]) != len(pages) or any(a is not b for a, b in zip(last[0], pages, strict=True)):
            last = self._last = (tuple(pages), self._learn(pages))
        return last[1]
