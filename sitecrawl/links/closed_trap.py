"""A closed trap: a folder, the variants of one path, or those of one parameter set."""

from enum import IntEnum
from typing import NamedTuple


class ClosedKind(IntEnum):
    """Why nothing more is asked for."""

    FOLDER = 1
    """The folder answers any URL with a page of new links (`links.infinite_spaces`)."""
    COMBINATIONS = 2
    """The queries of a path or parameter set combine without end (`links.traps`)."""
    FULL = 3
    """The most variants that a path or parameter set may ever have; those that are known stay."""


class Closed(NamedTuple):
    """One closed place of a site."""

    key: int
    """63-bit fingerprint of the place."""
    kind: ClosedKind
    place: str
    """For people: a folder's URL, or a path with `?` and the parameters."""
    reason: str
    """For people; `page.reason` of its URLs."""
