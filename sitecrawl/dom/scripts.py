"""Scripts without spaces between words, and the number of words of a text in any script."""

import re
from functools import cache
from typing import Final

UNSPACED: Final = (
    *(("\u0e00", "\u0eff"), ("\u0f00", "\u0fff")),  # Thai, Lao, Tibetan
    *(("\u1000", "\u109f"), ("\ua9e0", "\ua9ff"), ("\uaa60", "\uaa7f")),  # Myanmar
    *(("\u1780", "\u17ff"), ("\u1a20", "\u1aaf")),  # Khmer, Tai Tham
    *(("\u2e80", "\u2fdf"), ("\u3005", "\u3007"), ("\u3021", "\u3029"), ("\u3038", "\u303b")),  # Han, its signs
    *(("\u3400", "\u4dbf"), ("\u4e00", "\u9fff"), ("\uf900", "\ufaff"), ("\U00020000", "\U0003ffff")),  # Han
    *(("\u3040", "\u30ff"), ("\u31f0", "\u31ff"), ("\uff66", "\uff9f"), ("\U0001aff0", "\U0001b16f")),  # kana
)
"""First and last character of each range. Korean is not included: it uses spaces."""

UNSPACED_CLASS: Final = "".join(f"{first}-{last}" for first, last in UNSPACED)
"""The same ranges as a character class of a regular expression."""


LETTERS: Final = 2.5
"""Number of letters of other scripts that one letter of a script without spaces counts for."""


def letters(text: str) -> float:
    """Return the number of characters of a text; each letter of a script without spaces counts as `LETTERS`."""
    return len(text) if text.isascii() else len(text) + (LETTERS - 1) * len(_patterns()[0].findall(text))


def count_words(text: str) -> int:
    """Return the number of words of a text; each letter of a script without spaces counts as one."""
    if text.isascii():
        return len(text.split())
    unspaced, word = _patterns()
    total = 0
    for line in text.split("\n"):  # most lines of most pages are ASCII
        if line.isascii() or not unspaced.search(line):
            total += len(line.split())
        else:
            total += sum(len(word.findall(part)) if unspaced.search(part) else 1 for part in line.split())
    return total


def words(text: str) -> list[str]:
    r"""Return the words of a text in lower case, in order: runs of `\w`, and each letter of a script without spaces."""
    return _patterns()[1].findall(text.lower())


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return patterns of a character of those scripts and of a word; compiled on first use, which takes a while."""
    return re.compile(f"[{UNSPACED_CLASS}]"), re.compile(rf"[^\W{UNSPACED_CLASS}]+|(?=\w)[{UNSPACED_CLASS}]")
