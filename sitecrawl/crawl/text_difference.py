"""The lines that differ between a page's text and its earlier text."""

from collections import Counter
from typing import NamedTuple


class TextDifference(NamedTuple):
    """The lines that differ between two texts, in the order of their text; a line of main content is a block."""

    added: list[str]
    """Lines of the new text that the old one did not have, or had less often."""
    removed: list[str]
    """Lines of the old text that the new one does not have, or has less often."""


def text_difference(old: str, new: str) -> TextDifference:
    """Return the lines that were added and removed; a line that only moved is neither. Takes linear time."""
    before, after = old.splitlines(), new.splitlines()
    return TextDifference(_beyond(after, before), _beyond(before, after))


def _beyond(lines: list[str], others: list[str]) -> list[str]:
    """Return the lines in excess of their number in `others`: of equal lines the last ones."""
    left, found = Counter(others), []
    for line in lines:
        if left[line] > 0:
            left[line] -= 1
        elif line.strip():
            found.append(line)
    return found
