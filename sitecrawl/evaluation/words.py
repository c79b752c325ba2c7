"""Text to words: the unit of the word, shingle and ROUGE metrics.

A word is a run of `\\w`, in lower case. Scripts that are written without spaces have no such runs: each of their
characters is a word of its own, so that a Chinese sentence with one wrong character is not all wrong.
"""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

UNSPACED: Final = (
    "\u0e00-\u0eff"  # Thai, Lao
    "\u1000-\u109f\ua9e0-\ua9ff\uaa60-\uaa7f"  # Myanmar
    "\u1780-\u17ff"  # Khmer
    "\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3038-\u303b\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"  # Han
    "\U00020000-\U0003ffff"  # Han, rare characters
    "\u3041-\u30ff\u31f0-\u31ff\uff66-\uff9f\U0001aff0-\U0001b16f"  # Hiragana, Katakana
)
"""Scripts without spaces between words, as ranges of a character class. Korean has spaces."""

_WORD: Final = re.compile(rf"[^\W{UNSPACED}]+|(?=\w)[{UNSPACED}]")
_RUN: Final = re.compile(r"\w+")


def words(text: str) -> list[str]:
    """Return the words of a text in lower case, in order; `\\w+` for scripts with spaces."""
    return _WORD.findall(text.lower())


def runs(text: str) -> list[str]:
    """Return the runs of `\\w` as they are written, whatever the script."""
    return _RUN.findall(text)


def ngrams(sequence: Sequence[str], n: int) -> Counter[tuple[str, ...]]:
    """Count the runs of `n` words; a text of fewer words, but not of none, is one run.

    Raises ValueError unless `n` is positive.
    """
    if n < 1:
        raise ValueError(f"n-grams of {n} words")
    if len(sequence) < n:
        return Counter([tuple(sequence)] if sequence else [])
    return Counter(zip(*(sequence[i:] for i in range(n)), strict=False))
