"""A baseline: jusText's verdicts pooled over the pages of a site.

Source of the idea: Endrédy, Novák, "More effective boilerplate removal: the GoldMiner algorithm" (Polibits 48, 2013).
jusText judges paragraphs of one page. GoldMiner judges them by the pages of a domain: a paragraph that several pages
have is boilerplate, and the HTML around the good paragraphs of a sample marks the place of the content.

Here the verdicts are pooled twice. A text on several pages is boilerplate. All other texts of one place (the tags above
it, jusText's `dom_path`) get the verdict of most of their words. What GoldMiner learns,
the longest tag patterns before and after the content, is not published in enough detail to be rebuilt.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

COPIES: Final = 2
"""Pages from which a text is boilerplate."""
MOST: Final = 0.5
"""Share of the words of a place that must be good."""


class Paragraph(NamedTuple):
    """A paragraph with the verdict of jusText."""

    text: str
    place: str
    """The tags above it."""
    good: bool


@dataclass(frozen=True, slots=True)
class Pool:
    """The verdicts of a site."""

    pages: Counter[str]
    """By text, the number of pages with it."""
    good: Counter[str]
    """By place, the words of its good paragraphs that one page alone has."""
    words: Counter[str]
    """By place, the words of all its paragraphs that one page alone has."""

    @classmethod
    def of(cls, pages: Sequence[Sequence[Paragraph]]) -> "Pool":
        """Pool the verdicts of the pages of a site."""
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
