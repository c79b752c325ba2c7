"""A cache of a function of one argument that is read like a dictionary, in one step for known arguments."""

from collections.abc import Callable
from typing import Final, TypeVar

LIMIT: Final = 8_192
"""Maximum entries of a cache of names or short texts. Each page may have names of its own (`post-4711`), which fill it:
with 50,000 entries a crawl of 10,000 such pages takes 10 MB more, and 50 sites crawled at once take no less time [OWN].
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
