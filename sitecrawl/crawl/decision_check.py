"""Tells whether more pages show that the decision of a layout was wrong.

A decision by more pages draws the border of the main content a little differently on many pages, and neither is better:
on 35 recorded sites, decided by 20 pages and again by all 42 to 80, a third of the rows differed, and word F1 by .003.
So a decision stays unless pages lose or gain a tenth of their text, and many of them do.
"""

from collections import Counter
from collections.abc import Iterable
from typing import Final

from sitecrawl.crawl.digest import fingerprints
from sitecrawl.evaluation.words import words

ALIKE: Final = 0.9
"""Share of the words in common from which two texts of a page say the same of its decision [OWN]."""
WRONG: Final = 0.25
"""Share of the pages with less in common from which a decision was wrong [OWN]."""
MATERIAL: Final = 0.05
"""Share of the pages with another text above which a provisional decision is replaced [OWN]."""


def wrong(texts: Iterable[tuple[str, str]], *, provisional: bool) -> bool:
    """Tell whether a decision was wrong, by the main texts of some pages with it and with the one that would follow it.

    A `provisional` decision, by fewer pages than are enough, is replaced where it makes a difference.
    """
    pairs = list(texts)
    if provisional:
        return _differing(pairs) > MATERIAL * len(pairs)
    return bool(pairs) and sum(common_words(old, new) < ALIKE for old, new in pairs) >= WRONG * len(pairs)


def _differing(pairs: Iterable[tuple[str, str]]) -> int:
    return sum(old != new and fingerprints(old).digest != fingerprints(new).digest for old, new in pairs)


def common_words(one: str, other: str) -> float:
    """Return the share of the words of two texts that both have (Dice), 0..1; 1 for two texts without words."""
    if one == other:
        return 1.0
    first, second = Counter(words(one)), Counter(words(other))
    total = first.total() + second.total()
    return 2 * (first & second).total() / total if total else 1.0
