"""A baseline: jusText's verdicts pooled over the pages of a site.

Source of the idea: Endrédy, Novák, "More effective boilerplate removal: the GoldMiner algorithm" (Polibits 48, 2013).
jusText judges the paragraphs of one page. GoldMiner judges them by the pages of a domain: a paragraph that occurs on
several pages is boilerplate, and the HTML around the good paragraphs of a sample marks the position of the content.

Here the verdicts are pooled in two ways. A text on several pages is boilerplate. All other texts with one place (the
tags above them, jusText's `dom_path`) get the verdict of the majority of their words. GoldMiner itself learns the
longest tag patterns before and after the content, which are not published in enough detail to be reimplemented.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

COPIES: Final = 2
"""Minimum number of pages with a text that is boilerplate."""
MOST: Final = 0.5
"""Minimum share of the words of a place that are good if its texts are kept."""


class Paragraph(NamedTuple):
    """A paragraph with the verdict of jusText."""

    text: str
    place: str
    """The tags above it."""
    good: bool


@dataclass(frozen=True, slots=True)
class Pool:
    """The pooled verdicts of a site."""

    pages: Counter[str]
    """The number of pages with a text, by text."""
    good: Counter[str]
    """The number of words in good paragraphs that occur on one page only, by place."""
    words: Counter[str]
    """The number of words in all paragraphs that occur on one page only, by place."""

    @classmethod
    def of(cls, pages: Sequence[Sequence[Paragraph]]) -> "Pool":
        """Return the pooled verdicts of the pages of a site."""
        seen: Counter[str] = Counter()
        for page in pages:
            seen.update({one.text for one in page})
        good: Counter[str] = Counter()
        words: Counter[str] = Counter()
        for page in pages:
            for one in page:
                if seen[one.text] < COPIES:
                    words[one.place] += len(one.text.split())
                    good[one.place] += len(one.text.split()) if one.good else 0
        return cls(seen, good, words)

    def kept(self, page: Iterable[Paragraph]) -> list[str]:
        """Return the texts of a page that are main content, in order."""
        return [
            one.text
            for one in page
            if self.pages[one.text] < COPIES and self.good[one.place] > MOST * self.words[one.place]
        ]
