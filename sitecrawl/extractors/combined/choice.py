"""Chooses the threshold from which blocks of a page are kept: the one with the best expected F1.

A threshold of one half minimises the errors per block, but the result of the page matters, and the errors on a page are
correlated: if the passes are unsure of all posts, rows or paragraphs, all are a little below one half, and nothing
would be kept. So the model assumes fully correlated blocks: one number between 0 and 1 is drawn for the page, and the
blocks with a greater probability are its main content. Each block then still has its own probability. The expected F1,
in characters, of keeping all blocks from a level t on is the mean over levels u of

    2 min(S(t), S(u)) / (S(t) + S(u))

where S(t) is the number of characters of the blocks from level t on. The level with the greatest mean is chosen. (If
the errors were independent, the best level would be half of the best F1: Lipton, Elkan and Naryanaswamy, ECML PKDD
2014. But with that level a menu is kept beside a short text, since menus are misjudged as a whole:
docs/combined-history.md.)
"""

from bisect import bisect_right
from collections import Counter
from itertools import accumulate, compress, repeat
from math import exp
from typing import Final

from sitecrawl.twins import twin

SHIFT: Final = 0.3
"""Log odds subtracted from all probabilities: news needs a higher threshold than recorded sites
(docs/combined-history.md)."""
LEVELS: Final = 40
LOWEST: Final = 0.1
"""Level below which nothing is kept."""
MARGIN: Final = 0.01
"""Minimum gain of expected F1 for a level to replace one half; if the passes are certain, no level reaches it."""


def _chance(level: float) -> float:
    """Return the probability that `SHIFT` maps to a level."""
    return level / (level + (1 - level) * exp(-SHIFT))


USUAL: Final = _chance(0.5)
"""Threshold on pages where the passes are certain."""
CHANCES: Final = tuple(_chance((i + 0.5) / LEVELS) for i in range(LEVELS))
"""Probabilities of the levels."""
FIRST: Final = next(i for i in range(LEVELS) if (i + 0.5) / LEVELS >= LOWEST)
"""Number of the first level that may be chosen."""


@twin("sitecrawl.extractors.combined._block_classifier")
def kept_from(chars: list[int], chances: list[float]) -> float:
    """Return the threshold of a page; `chars` are the characters of its blocks."""
    between = [0] * (LEVELS + 1)
    for count, number in zip(chars, map(bisect_right, repeat(CHANCES), chances), strict=True):
        between[number] += count
    above = list(accumulate(reversed(between[1:])))[::-1]
    usual = sum(compress(chars, map(USUAL.__le__, chances)))
    drawn = Counter(above)
    best, found = _expected(usual, drawn) + MARGIN, USUAL
    if LEVELS - drawn[0] <= best * LEVELS:  # upper bound: the probability that there is any main content
        return USUAL
    scores = {size: _expected(size, drawn) for size in drawn}
    for size, limit in zip(above[FIRST:], CHANCES[FIRST:], strict=True):
        if scores[size] > best:
            best, found = scores[size], limit
    return found


def _expected(kept: int, drawn: Counter[int]) -> float:
    """Return the expected F1 of keeping a number of characters, given the distribution `drawn` of the true number."""
    if not kept:
        return 0.0
    total = 0.0  # not `sum`, which since Python 3.12 rounds differently from the twin
    for size, times in drawn.items():
        total += times * 2 * min(kept, size) / (kept + size)
    return total / LEVELS
