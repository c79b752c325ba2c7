"""A cache of a function of one argument that is read like a dictionary, in one step for known arguments."""

from collections.abc import Callable
from typing import Final, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class BoundedCache(dict[K, V]):
    """The values of a function by its argument, each computed once; cleared when it grows too large."""

    LIMIT: Final = 50_000

    def __init__(self, function: Callable[[K], V]) -> None:
        super().__init__()
        self.function = function

    def __missing__(self, key: K) -> V:
        value = self.function(key)
        if len(self) >= self.LIMIT:
            self.clear()
        self[key] = value
        return value
