"""A baseline that removes repeated text: paragraphs whose n-grams also occur on other pages of the site.

Source: Pomikálek, "Removing boilerplate and duplicate content from web corpora" (thesis, Brno 2011), the program onion.
A paragraph is a duplicate if more than a given share of its word n-grams was seen before. onion cleans a corpus and
keeps the first instance; here all instances are removed, since the first page of a site has the template too.
"""

from collections.abc import Sequence
from typing import ClassVar

from sitecrawl.dom.blocks import block_text, cover, text_blocks
from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.page import Page
from sitecrawl.extractors.base import Extraction, Need, SiteContext, no_content
from sitecrawl.extractors.papers.sample import Learned, without_copies

Gram = tuple[str, ...]


def grams(text: str, length: int) -> list[Gram]:
    """Return the n-grams of a text's words in lower case; a text with fewer words is one n-gram."""
    words = tuple(text.lower().split())
    return [words[i : i + length] for i in range(max(1, len(words) - length + 1))]


class Shingles:
    """Extracts the paragraphs that share few n-grams with other pages."""

    name: ClassVar[str] = "shingles"
    needs: ClassVar[frozenset[Need]] = frozenset((Need.NEIGHBOURS,))

    def __init__(self, *, length: int = 5, share: float = 0.5, pages: int = 40) -> None:
        """Set the parameters; a page is compared with `pages` other pages of the site.

        A paragraph is removed if more than `share` of its n-grams of `length` words occur on any of these pages. The
        defaults are [OWN].
        """
        self.length = length
        self.share = share
        self.sample_size = pages
        self._learned = Learned(self._grams)

    def extract(self, page: Page, site: SiteContext | None = None) -> Extraction:
        """Return the paragraphs that are not repeated; confidence is their share of the page's text."""
        flat = page.flat
        others = without_copies(flat, site.neighbours if site is not None else ())
        if not others:
            return no_content(self.name)
        seen, blocks = self._learned.of(others), text_blocks(flat)
        chosen = []
        for number in range(len(blocks)):
            found = grams(block_text(flat, blocks, number), self.length)
            chosen.append(sum(one in seen for one in found) <= self.share * len(found))
        nodes = cover(flat, blocks, chosen)
        if not nodes:
            return no_content(self.name)
        return Extraction(nodes, self.name, sum(flat.chars[i] for i in nodes) / flat.chars[0])

    def _grams(self, pages: Sequence[FlatDom]) -> set[Gram]:
        found: set[Gram] = set()
        for flat in pages:
            blocks = text_blocks(flat)
            for number in range(len(blocks)):
                found.update(grams(block_text(flat, blocks, number), self.length))
        return found
