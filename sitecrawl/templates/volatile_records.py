"""Converts volatile places, and the differences that show them, to records of plain values for storage, and back."""

from collections.abc import Mapping
from typing import Any

from sitecrawl.templates.fetch_difference import CountingLine, FetchDifference, NumberedPlace, PathDifference
from sitecrawl.templates.volatile import Places, VolatileBlocks, VolatilePlace

Plain = Mapping[str, Any]


def difference_record(one: FetchDifference) -> dict[str, object]:
    """Return a difference as JSON values."""
    return {
        "paths": [list(row) for row in one.paths],
        "stood": [[path, count] for path, count in one.stood.items()],
        "numbered": [list(row) for row in one.numbered],
        "lines": [list(row) for row in one.lines],
        "texts": sorted(one.texts),
    }


def difference_of(record: Plain) -> FetchDifference:
    """Return a stored difference."""
    return FetchDifference(
        tuple(PathDifference(*row) for row in record["paths"]),
        dict(record["stood"]),
        tuple(NumberedPlace(*row) for row in record["numbered"]),
        tuple(CountingLine(*row) for row in record["lines"]),
        frozenset(record["texts"]),
    )


def volatile_record(blocks: VolatileBlocks) -> dict[str, object]:
    """Return the volatile places of a layout as JSON values."""
    sorts = {"paths": blocks.paths, "numbered": blocks.numbered, "numbers": blocks.numbers, "lines": blocks.lines}
    record: dict[str, object] = {name: [list(one) for one in sorted(places.values())] for name, places in sorts.items()}
    return {**record, "refused": blocks.refused}


def volatile_of(record: Plain | None) -> VolatileBlocks:
    """Return the stored volatile places of a layout; none for None."""
    if record is None:
        return VolatileBlocks()
    return VolatileBlocks(
        paths=_places(record, "paths"),
        numbered=_places(record, "numbered"),
        numbers=_places(record, "numbers"),
        lines=_places(record, "lines"),
        refused=bool(record.get("refused")),
    )


def _places(record: Plain, name: str) -> Places:
    return {row[0]: VolatilePlace(*row) for row in record[name]}
