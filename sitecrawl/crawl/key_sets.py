"""Sets of URL keys that share one table, so that a key takes little more memory in four sets than in one.

A crawl knows each URL's key in several sets: known, linked, settled, counted. In sets of their own each has a number
object of its own (32 bytes) and 27 to 107 bytes of the set's table.
"""

from collections.abc import Iterable, Iterator, MutableSet
from typing import TypeVar

T = TypeVar("T")


class KeyTable:
    """URL keys, and for each key a number whose bits tell in which sets it is."""

    __slots__ = ("_sets", "flags")

    def __init__(self) -> None:
        self.flags: dict[int, int] = {}
        """The bits by key; a key that is in no set is left out. With up to 8 sets a number is below 256, and Python has
        one object for each of these."""
        self._sets = 0

    def new_set(self) -> "KeySet":
        """Return another set of this table, empty at first."""
        self._sets += 1
        return KeySet(self.flags, 1 << (self._sets - 1))


class KeySet(MutableSet[int]):
    """One of the sets of a `KeyTable`, used like a `set`; what `-`, `&` and `|` return is a plain set."""

    __slots__ = ("_bit", "_flags", "_size")

    def __init__(self, flags: dict[int, int], bit: int) -> None:
        self._flags, self._bit, self._size = flags, bit, 0

    @classmethod
    def _from_iterable(cls, it: Iterable[T]) -> set[T]:
        return set(it)

    def __contains__(self, key: object) -> bool:
        return self._flags.get(key, 0) & self._bit != 0  # type: ignore[call-overload, no-any-return]

    def __iter__(self) -> Iterator[int]:
        bit = self._bit
        return (key for key, flags in self._flags.items() if flags & bit)

    def __len__(self) -> int:
        return self._size

    def __repr__(self) -> str:
        return f"KeySet({sorted(self)})"

    def add(self, key: int) -> None:
        """Add a key."""
        flags = self._flags.get(key, 0)
        if not flags & self._bit:
            self._flags[key] = flags | self._bit
            self._size += 1

    def update(self, keys: Iterable[int]) -> None:
        """Add all keys."""
        for key in keys:
            self.add(key)

    def discard(self, key: int) -> None:
        """Remove a key, if it is in the set."""
        flags = self._flags.get(key, 0)
        if not flags & self._bit:
            return
        self._size -= 1
        if flags == self._bit:
            del self._flags[key]
        else:
            self._flags[key] = flags ^ self._bit

    def replace(self, keys: Iterable[int]) -> None:
        """Make this the set of other keys."""
        for key in list(self):
            self.discard(key)
        self.update(keys)
