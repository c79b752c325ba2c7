"""The pages that a method compares a page with: `SiteContext.neighbours` without copies of the page."""

from collections.abc import Callable, Iterable, Sequence
from typing import Generic, TypeVar

from sitecrawl.dom.flat import FlatDom

T = TypeVar("T")


def without_copies(key_page: FlatDom, neighbours: Iterable[FlatDom]) -> list[FlatDom]:
    """Return the neighbours that differ from the key page; with a copy of it, no candidates would remain."""
    return [other for other in neighbours if other.subtree[0] != key_page.subtree[0]]


class Learned(Generic[T]):
    """Caches the result of learning from a sample, for the next page with the same sample.

    The pages of a site often have the same sample, and learning from it costs more than extracting a page.
    """

    def __init__(self, learn: Callable[[Sequence[FlatDom]], T]) -> None:
        self._learn = learn
        self._last: tuple[tuple[FlatDom, ...], T] | None = None

    def of(self, pages: Sequence[FlatDom]) -> T:
        """Return the result of learning from the pages in order."""
        last = self._last
        if last is None or len(last[0]) != len(pages) or any(a is not b for a, b in zip(last[0], pages, strict=True)):
            last = self._last = (tuple(pages), self._learn(pages))
        return last[1]
