"""Pages of a small site for tests of rules that ask how many other pages have a text."""

from collections.abc import Callable

from sitecrawl.dom.blocks import Blocks, block_text, text_blocks
from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.page import Page
from sitecrawl.extractors.combined.region import Known
from sitecrawl.extractors.combined.statistics import site_statistics
from sitecrawl.templates.snapshot import snapshot
from sitecrawl.templates.trie import SiteTemplate

Rule = Callable[["Sample", list[bool], list[bool], Known | None], list[bool]]
"""A rule that keeps more blocks: given a page, the kept blocks, the repetitions, and what other pages have."""
DroppingRule = Callable[[FlatDom, Blocks, list[bool]], list[bool]]
"""A rule that keeps fewer blocks: given a page, its blocks, and whether each is kept."""


class Sample:
    """The first page of a site, with its blocks and what the other pages have."""

    def __init__(self, pages: list[str]) -> None:
        """Learn the pages, given as the HTML in `body`."""
        learned, read = SiteTemplate(), []
        for number, html in enumerate(pages):
            read.append(Page.from_html(f"<html><body>{html}</body></html>", f"https://a.example/{number}"))
            learned.learn(read[-1].flat)
        self.page: Page = read[0]
        self.flat: FlatDom = self.page.flat
        self.blocks: Blocks = text_blocks(self.flat)
        self.texts = [block_text(self.flat, self.blocks, block) for block in range(len(self.blocks))]
        self.known = Known(site_statistics(snapshot(learned, 1)), 1)

    def path(self, text: str) -> int:
        """Return the path key of the element with a text."""
        return self.flat.path[self.blocks.container[self.texts.index(text)]]

    def added(self, rule: Rule, word: str, *, again: str = "", known: Known | None) -> list[str]:
        """Return the texts that a rule keeps too, where all texts without a word are kept; `again` is a repetition."""
        kept = [word not in text for text in self.texts]
        found = rule(self, kept, [text == again for text in self.texts], known)
        return self.chosen([now and not before for now, before in zip(found, kept, strict=True)])

    def dropped(self, rule: DroppingRule) -> list[str]:
        """Return the texts that a rule drops if all texts are kept before."""
        found = rule(self.flat, self.blocks, [True] * len(self.texts))
        return self.chosen([not one for one in found])

    def chosen(self, kept: list[bool]) -> list[str]:
        """Return the texts of the kept blocks."""
        return [text for text, wanted in zip(self.texts, kept, strict=True) if wanted]
