"""Folds the numbers of texts: a line that differs only in numbers is a counter, and no change of the page."""

import re
from collections.abc import Iterable
from typing import Final

LETTER: Final = re.compile(r"[^\W\d_]")
_NUMBER: Final = re.compile(r"\d[\d.,:'\s]*")


def folded(text: str) -> str:
    """Return a text with each number replaced by `#`."""
    return _NUMBER.sub("#", text)


def without_numbers(text: str, counting: Iterable[str]) -> str:
    """Return a main text with the numbers of some blocks replaced by `#`; `counting` are these blocks, folded."""
    blocks = [f" {block} " for block in counting]
    if not blocks:
        return text
    lines = []
    for line in text.split("\n"):
        bullet, body = ("- ", line[2:]) if line.startswith("- ") else ("", line)
        lines.append(bullet + " | ".join(_uncounted(cell, blocks) for cell in body.split(" | ")))
    return "\n".join(lines)


def _uncounted(cell: str, blocks: list[str]) -> str:
    """Return a table cell or line, with its numbers folded if one of these blocks contains it."""
    fold = folded(cell)
    counts = fold != cell and LETTER.search(fold) and any(f" {fold} " in block for block in blocks)
    return fold if counts else cell
