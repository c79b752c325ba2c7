"""A cache of a function of one argument that is read like a dictionary, in one step for known arguments."""

from collections.abc import Callable
from typing import Final, TypeVar

LIMIT: Final = 2_048
"""Maximum entries of a cache of names or short texts [OWN].

Each page may have names of its own (`post-4711`), which fill it; the others repeat on the page and on the next ones.
With 8,192 entries no crawl is faster, and a large one takes 14 MB more (docs/performance-history.md).
"""

K = TypeVar("K")
V = TypeVar("V")


class BoundedCache(dict[K, V]):
    """The values of a function by its argument, each computed once; cleared when it grows too large."""

    LIMIT: Final = LIMIT

    def __init__(self, function: Callable[[K], V]) -> None:
        super().__init__()
        self.function = function

    def __missing__(self, key: K) -> V:
        value = self.function(key)
        if len(self) >= self.LIMIT:
            self.clear()
        self[key] = value
        return value
