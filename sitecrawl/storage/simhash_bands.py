"""Index bands of simhashes: similar hashes share one of four bands."""

from collections.abc import Mapping
from typing import Final

NEAREST: Final = 3
"""Maximum differing bits of near-duplicates; measured, see docs/discovery.md."""
BANDS: Final = ("band1", "band2", "band3", "band4")
"""Columns of `content`. Of NEAREST + 1 bands at least one is equal if at most NEAREST bits differ."""
LEAST_CHARS: Final = 100
"""Minimum characters of a text for a meaningful distance; shorter texts are compared only exactly."""

_WIDTH: Final = 64 // len(BANDS)


def bands(simhash: int) -> dict[str, int]:
    """Return the bands of a 64-bit simhash, by column."""
    return {name: simhash >> (_WIDTH * i) & ((1 << _WIDTH) - 1) for i, name in enumerate(BANDS)}


def indexed_bands(simhash: int, chars: int, duplicate_of: str | None) -> Mapping[str, int | None]:
    """Return the bands of a content row with a text of this length; none for a duplicate, which is no original."""
    if duplicate_of is not None or chars < LEAST_CHARS:
        return dict.fromkeys(BANDS)
    return bands(simhash)


def distance(one: int, other: int) -> int:
    """Return the number of differing bits."""
    return (one ^ other).bit_count()
