r"""Splits text into words, the unit of the word, shingle and ROUGE metrics.

A word is a run of `\w` in lower case. In scripts without spaces each character is a word, so that one wrong character
does not make a whole Chinese sentence wrong.
"""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

from sitecrawl.dom.scripts import words

__all__ = ["ngrams", "runs", "words"]

_RUN: Final = re.compile(r"\w+")


def runs(text: str) -> list[str]:
    r"""Return the runs of `\w` as written, in any script."""
    return _RUN.findall(text)


def ngrams(sequence: Sequence[str], n: int) -> Counter[tuple[str, ...]]:
    """Return the number of each run of `n` words; a shorter text is one run, unless it is empty.

    Raises ValueError unless `n` is positive.
    """
    if n < 1:
        raise ValueError(f"n-grams of {n} words")
    if len(sequence) < n:
        return Counter([tuple(sequence)] if sequence else [])
    return Counter(zip(*(sequence[i:] for i in range(n)), strict=False))
