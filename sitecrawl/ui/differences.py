"""Compares two texts line by line, with pure functions."""

import re
from difflib import SequenceMatcher
from typing import Final, NamedTuple

MOST: Final = 4_000
"""Maximum lines of a text that are compared; the time grows with the product of the numbers of lines."""
_WORD: Final = re.compile(r"\s+|[^\s]+")
SHOWN: Final = 900
"""Maximum characters of a line that a view shows."""
MARKUP: Final = 90
"""Bytes of markup around a line."""
AROUND: Final = 1
"""Number of equal lines shown before and after those that differ."""


class DiffLine(NamedTuple):
    """One line of a comparison."""

    sign: str
    """`+` only in the new text, `-` only in the old one, ` ` in both, `…` for lines that are left out."""
    text: str
    first: int = 0
    """Start of the part that differs from the opposite line; equal to `stop` if there is no line to compare."""
    stop: int = 0

    @property
    def parts(self) -> tuple[str, str, str]:
        """The text before the part that differs, the part itself, and the text after it."""
        return self.text[: self.first], self.text[self.first : self.stop], self.text[self.stop :]


def differences(old: str, new: str, most: int = 200) -> list[DiffLine]:
    """Return the lines that differ and their neighbours, at most `most` lines; [] for equal texts."""
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
            gone, came = before[first:stop], after[other:end]
            pairs = [_unlike(*pair) for pair in zip(gone, came, strict=True)] if len(gone) == len(came) else []
            found += [DiffLine("-", line, *pairs[n][0] if pairs else ()) for n, line in enumerate(gone)]
            found += [DiffLine("+", line, *pairs[n][1] if pairs else ()) for n, line in enumerate(came)]
    return _cut(found, most)


def shortened(lines: list[DiffLine], most: int, room: int) -> tuple[list[DiffLine], int]:
    """Return the first lines of a comparison, at least one, and the remaining number of bytes of `room`."""
    for number, line in enumerate(lines):
        size = len(line.text[:SHOWN].encode()) + MARKUP
        if number == most or (number and size > room):
            return _cut(lines, number), room
        room -= size
    return lines, room


def _cut(lines: list[DiffLine], most: int) -> list[DiffLine]:
    return lines if len(lines) <= most else [*lines[:most], DiffLine("…", f"{len(lines) - most} more lines")]


def _unlike(old: str, new: str) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return, for each of two lines, the range of characters from the first to the last word that differs.

    The ranges are empty if everything differs.
    """
    one, two = _WORD.findall(old), _WORD.findall(new)
    shorter = min(len(one), len(two))
    begin = next((n for n in range(shorter) if one[n] != two[n]), shorter)
    end = next((n for n in range(shorter - begin) if one[-1 - n] != two[-1 - n]), shorter - begin)
    if not begin and not end:
        return (0, 0), (0, 0)
    ranges = [(len("".join(words[:begin])), len("".join(words[: len(words) - end]))) for words in (one, two)]
    return ranges[0], ranges[1]


def changed_lines(lines: list[DiffLine]) -> tuple[int, int]:
    """Return the numbers of added and removed lines."""
    signs = [line.sign for line in lines]
    return signs.count("+"), signs.count("-")
