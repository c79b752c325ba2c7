"""The lines by which two texts differ. Pure."""

from difflib import SequenceMatcher
from typing import Final, NamedTuple

MOST: Final = 4_000
"""Maximum lines of a text that are compared; the time grows with their product."""
AROUND: Final = 1
"""Equal lines shown beside those that differ."""


class DiffLine(NamedTuple):
    """One line of a comparison."""

    sign: str
    """`+` only in the new text, `-` only in the old one, ` ` in both, `…` for lines that are left out."""
    text: str


def differences(old: str, new: str, most: int = 200) -> list[DiffLine]:
    """Return the lines that differ with their neighbours, at most `most`; [] for equal texts."""
    if old == new:
        return []
    before, after = old.splitlines()[:MOST], new.splitlines()[:MOST]
    found: list[DiffLine] = []
    groups = SequenceMatcher(None, before, after, autojunk=False).get_grouped_opcodes(AROUND)
    for number, group in enumerate(groups):
        if number:
            found.append(DiffLine("…", ""))
        for tag, first, stop, other, end in group:
            if tag == "equal":
                found += [DiffLine(" ", line) for line in before[first:stop]]
                continue
            found += [DiffLine("-", line) for line in before[first:stop]]
            found += [DiffLine("+", line) for line in after[other:end]]
    return found if len(found) <= most else [*found[:most], DiffLine("…", f"{len(found) - most} more lines")]


def changed_lines(lines: list[DiffLine]) -> tuple[int, int]:
    """Return the numbers of lines that were added and taken away."""
    signs = [line.sign for line in lines]
    return signs.count("+"), signs.count("-")
