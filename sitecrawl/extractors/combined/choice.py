"""Which blocks of a page are kept, given the probability of each: the choice of the best expected F1.

A limit of one half makes the fewest errors block by block, but what counts is the page, and the errors of a page come
together: where the looks are unsure of all posts, rows or paragraphs, all are a little under one half, and nothing
would be kept. So the blocks are taken to err together: were one number between 0 and 1 drawn for the page, the blocks
with a greater probability would be its main content. Each block is that with its own probability still, and the F1, in
characters, that keeping all blocks from a level on can expect is the mean over levels u of

    2 min(S(t), S(u)) / (S(t) + S(u))

with S the characters of the blocks from a level on. The level t with the greatest mean is taken. (Were the errors
independent, the best level would be half of the best F1: Lipton, Elkan and Naryanaswamy, ECML PKDD 2014. But then a
menu is kept beside a short text, for menus are wrong as a whole: docs/combined.md.)

Pages that hold their text twice, for wide and for narrow screens or for a preview, keep it once.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable
from itertools import accumulate, compress, repeat
from math import exp
from typing import Final

SHIFT: Final = 0.3
"""Log odds taken off all probabilities: news wants less kept than recorded sites do (docs/combined.md)."""
LEVELS: Final = 40
LOWEST: Final = 0.1
"""Level under which nothing is kept."""
MARGIN: Final = 0.01
"""Expected F1 that a level must gain to be taken instead of one half; where the looks are sure, nothing does."""
REPEATED: Final = 60
"""Characters from which a kept block that says the same as one before it is a repetition."""
TWICE: Final = 0.25
"""Share of the kept characters from which repetitions are dropped; fewer are quotations and reference entries."""


def _chance(level: float) -> float:
    """Return the probability that `SHIFT` brings down to a level."""
    return level / (level + (1 - level) * exp(-SHIFT))


USUAL: Final = _chance(0.5)
"""Probability from which blocks are kept on pages where the looks are sure."""
CHANCES: Final = tuple(_chance((i + 0.5) / LEVELS) for i in range(LEVELS))
"""Probabilities of the levels."""
FIRST: Final = next(i for i in range(LEVELS) if (i + 0.5) / LEVELS >= LOWEST)
"""Number of the first level that may be taken."""


def kept_from(chars: list[int], chances: list[float]) -> float:
    """Return the probability from which the blocks of a page are kept; `chars` are their characters.

    `_block_classifier.pyx` does the same.
    """
    between = [0] * (LEVELS + 1)
    for count, number in zip(chars, map(bisect_right, repeat(CHANCES), chances), strict=True):
        between[number] += count
    above = list(accumulate(reversed(between[1:])))[::-1]
    usual = sum(compress(chars, map(USUAL.__le__, chances)))
    drawn = Counter(above)
    best, found = _expected(usual, drawn) + MARGIN, USUAL
    if LEVELS - drawn[0] <= best * LEVELS:  # no level can expect more than that there is main content at all
        return USUAL
    scores = {size: _expected(size, drawn) for size in drawn}
    for size, limit in zip(above[FIRST:], CHANCES[FIRST:], strict=True):
        if scores[size] > best:
            best, found = scores[size], limit
    return found


def without_repeats(chars: list[int], chances: list[float], limit: float, text: Callable[[int], str]) -> list[float]:
    """Return the probabilities, 0 for kept blocks that repeat one before them, if the page has many such.

    `text` gives the text of a block; it is asked for blocks of equal length only.
    """
    kept = [i for i, chance in enumerate(chances) if chance >= limit]
    lengths = Counter([chars[i] for i in kept if chars[i] >= REPEATED])
    least = TWICE * sum([chars[i] for i in kept])
    most = sum([size * (times - 1) for size, times in lengths.items()])  # if equal lengths are equal texts
    if most < least:
        return chances
    seen: set[str] = set()
    again: list[int] = []
    for i in kept:
        if lengths[chars[i]] > 1:
            own = text(i)
            if own in seen:
                again.append(i)
            seen.add(own)
    if not again or sum(chars[i] for i in again) < least:
        return chances
    found = list(chances)
    for i in again:
        found[i] = 0.0
    return found


def _expected(kept: int, drawn: Counter[int]) -> float:
    """Return the F1 that keeping so many characters can expect, when so many as `drawn` says are main content."""
    if not kept:
        return 0.0
    total = 0.0  # not by `sum`, which from Python 3.12 on rounds in another way than the twin
    for size, times in drawn.items():
        total += times * 2 * min(kept, size) / (kept + size)
    return total / LEVELS
