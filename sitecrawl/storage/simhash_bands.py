"""Simhashes in an index: near hashes share at least one of four bands."""

from collections.abc import Mapping
from typing import Final

NEAREST: Final = 3
"""Bits that differ between near-duplicates at the most; measured, see docs/discovery.md."""
BANDS: Final = ("band1", "band2", "band3", "band4")
"""Columns of `content`. Of NEAREST + 1 bands one is equal if at most NEAREST bits differ."""
LEAST_CHARS: Final = 100
"""Shorter texts have too few shingles for a distance to mean something; they are compared exactly only."""

_WIDTH: Final = 64 // len(BANDS)


def bands(simhash: int) -> dict[str, int]:
    """Return the bands of a 64-bit simhash, by column."""
    return {name: simhash >> (_WIDTH * i) & ((1 << _WIDTH) - 1) for i, name in enumerate(BANDS)}


def indexed_bands(simhash: int, chars: int, duplicate_of: str | None) -> Mapping[str, int | None]:
    """Return the band columns of a content row; all null for a duplicate or a text that is too short."""
    if duplicate_of is not None or chars < LEAST_CHARS:
        return dict.fromkeys(BANDS)
    return bands(simhash)


def distance(one: int, other: int) -> int:
    """Return the Hamming distance of two hashes."""
    return (one ^ other).bit_count()
