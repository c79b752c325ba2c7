"""Converts a decision to a record of plain values for storage, and back."""

from collections.abc import Mapping, Sequence
from typing import Final

from sitecrawl.templates.decision import LayoutDecision, LayoutKind, PathVerdict, Region

STORED: Final = 12
"""Maximum places of each list that are stored; of `verdicts` all are stored."""
DIGITS: Final = 4
"""Decimal places of stored shares."""

Plain = Mapping[str, object]


def to_record(decision: LayoutDecision) -> dict[str, object]:
    """Return a decision as JSON values."""
    return {
        "kind": str(decision.kind),
        "sure": round(decision.sure, DIGITS),
        "pages": decision.pages,
        "mean": round(decision.mean, 1),
        "regions": [[one.path, one.place, round(one.share, DIGITS)] for one in decision.regions[:STORED]],
        "within": [round(one.within, DIGITS) for one in decision.regions[:STORED]],  # earlier versions ignore it
        "content": _rows(decision.content),
        "furniture": _rows(decision.furniture),
        "beside": _rows(decision.beside),
        "verdicts": [
            [path, round(liked, DIGITS), round(kept, DIGITS)]
            for path, (liked, kept) in sorted(decision.verdicts.items())
        ],
    }


def from_record(record: Plain | None) -> LayoutDecision | None:
    """Return a stored decision; None for None."""
    if record is None:
        return None
    return LayoutDecision(
        kind=LayoutKind(str(record["kind"])),
        sure=_number(record["sure"]),
        pages=int(_number(record["pages"])),
        mean=_number(record["mean"]),
        regions=_regions(record),
        content=_verdicts(record, "content"),
        furniture=_verdicts(record, "furniture"),
        beside=_verdicts(record, "beside"),
        verdicts={
            int(_number(path)): (_number(liked), _number(kept)) for path, liked, kept in _lists(record, "verdicts")
        },
    )


def stored_form(decision: LayoutDecision) -> LayoutDecision:
    """Return a decision as storage returns it, so that the decision in use equals the stored one."""
    made = from_record(to_record(decision))
    assert made is not None
    return made


def _rows(verdicts: Sequence[PathVerdict]) -> list[list[object]]:
    return [[one.path, one.place, one.pages, *(round(share, DIGITS) for share in one[3:])] for one in verdicts[:STORED]]


def _regions(record: Plain) -> tuple[Region, ...]:
    """Return the regions; in records of earlier versions, which have no `within`, it equals `share`."""
    rows = _lists(record, "regions")
    within = record.get("within") or [share for _, _, share in rows]
    assert isinstance(within, list)
    return tuple(
        Region(int(_number(path)), str(place), _number(share), _number(further))
        for (path, place, share), further in zip(rows, within, strict=True)
    )


def _verdicts(record: Plain, name: str) -> tuple[PathVerdict, ...]:
    return tuple(
        PathVerdict(int(_number(path)), str(place), int(_number(pages)), *map(_number, shares))
        for path, place, pages, *shares in _lists(record, name)
    )


def _lists(record: Plain, name: str) -> list[list[object]]:
    """Return the rows of a list of lists."""
    rows = record[name]
    assert isinstance(rows, list)
    return rows


def _number(value: object) -> float:
    assert isinstance(value, int | float)
    return value
