"""Decides whether later pages show that the decision of a layout was wrong.

A new decision from more pages moves the borders of the main content a little on many pages, without improving it: on
101 recorded sites, decided by 20 pages and again by all 40 to 80, a third of the feed rows differed, but word F1 only
by .005. So a decision stays unless many pages lose or gain a tenth of their text.
"""

from collections import Counter
from collections.abc import Iterable
from typing import Final

from sitecrawl.dom.scripts import words

ALIKE: Final = 0.9
"""Minimum share of common words for which the texts of a page by two decisions count as equal [OWN]."""
WRONG: Final = 0.25
"""Minimum share of pages with texts that are not equal for which a decision was wrong [OWN]."""


def wrong(texts: Iterable[tuple[str, str]]) -> bool:
    """Return whether a decision was wrong, from the (old, new) main texts of pages by it and by its replacement."""
    pairs = list(texts)
    return bool(pairs) and sum(common_words(old, new) < ALIKE for old, new in pairs) >= WRONG * len(pairs)


def common_words(one: str, other: str) -> float:
    """Return the share of the words of two texts that both have (Dice), 0..1; 1 for two texts without words."""
    if one == other:
        return 1.0
    first, second = Counter(words(one)), Counter(words(other))
    total = first.total() + second.total()
    return 2 * (first & second).total() / total if total else 1.0
