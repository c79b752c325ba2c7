"""Values that depend only on the tags from the root to an element, computed once per path key."""

from abc import ABC, abstractmethod
from itertools import chain
from typing import Final, Generic, TypeVar

from sitecrawl.dom.flat import FlatDom

T = TypeVar("T", str, int)


class PathValues(ABC, dict[int, T], Generic[T]):
    """Values by path key, each computed from the value of the parent; cleared above `LIMIT` entries.

    A path key depends on more than the tags, so two path keys may have equal values.
    """

    LIMIT: Final = 50_000
    ROOT: T
    """The value used as that of the root element's parent."""

    @abstractmethod
    def below(self, above: T, tag: str) -> T:
        """Return the value of an element from the value of its parent and its own tag."""

    def of(self, flat: FlatDom, node: int) -> T:
        """Return the value of an element."""
        value = self.get(flat.path[node])
        if value is not None:
            return value
        if len(self) >= self.LIMIT:
            self.clear()
        value, unknown = self.ROOT, []
        for row in chain((node,), flat.ancestors(node)):
            known = self.get(flat.path[row])
            if known is not None:
                value = known
                break
            unknown.append(row)
        for row in reversed(unknown):
            value = self[flat.path[row]] = self.below(value, flat.tag[row])
        return value
