"""A closed URL trap: a folder, the variants of one path or of one parameter set, or the values of one parameter."""

from enum import IntEnum
from typing import Final, NamedTuple

TRAP: Final = "a trap"
"""Prefix of the reasons of URLs in traps."""


class ClosedKind(IntEnum):
    """The reason why a trap was closed."""

    FOLDER = 1
    """The folder answers any URL with a page of new links (`links.infinite_spaces`)."""
    COMBINATIONS = 2
    """The query parameters of a path or parameter set combine without end (`links.traps`)."""
    FULL = 3
    """The path or parameter set has reached its maximum number of variants; known variants stay allowed."""
    SAME = 4
    """All values of a query parameter give the same page (`links.same_answers`)."""
    WITHHELD = 5
    """All pages with a query parameter say `noindex` and `nofollow` (`links.withheld_answers`)."""


class Closed(NamedTuple):
    """One closed trap of a site."""

    key: int
    """63-bit fingerprint of the folder, path, parameter set or parameter."""
    kind: ClosedKind
    place: str
    """Readable name: a folder's URL, or a path with `?` and the parameter names."""
    reason: str
    """Readable reason, stored as `page.reason` of its URLs."""
