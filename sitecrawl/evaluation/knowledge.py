"""Builds for gold pages the site knowledge that a crawl would have: template, blocks, and pages to compare with."""

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from random import Random
from typing import Final, Literal, TypeAlias

from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.page import Page
from sitecrawl.extractors.base import Extractor, Need, SiteContext, page_selection, set_size
from sitecrawl.extractors.layout_decision import DECIDING, layout_decision
from sitecrawl.links.anchors import Anchor, anchors
from sitecrawl.links.comparison import LOADED, StoredKeys, comparison_order
from sitecrawl.links.scope import SiteScope
from sitecrawl.links.selection import SAMPLE_SIZE, ranking
from sitecrawl.links.urls import url_key
from sitecrawl.templates.blocks import BlockStore
from sitecrawl.templates.decision import LayoutDecision
from sitecrawl.templates.learner import TemplateLearner
from sitecrawl.templates.trie import SiteTemplate

SEED: Final = 25
"""Seed of the random sample for methods with `sample_size`, and of the random order of learning."""
LearnOrder: TypeAlias = Literal["crawl", "random"]
"""The order in which pages are learned."""


def crawl_order(pages: Sequence[Page]) -> list[int]:
    """Return the numbers of the pages in the breadth-first order in which a crawl from the first one finds them.

    Pages to which no found page links follow in their original order, as a crawl would find them in a sitemap.
    """
    numbers: dict[int, int] = {}
    for i, page in enumerate(pages):
        numbers.setdefault(url_key(page.url), i)
    seen = [False] * len(pages)
    order: list[int] = []
    for first in range(len(pages)):
        waiting = deque((first,)) if not seen[first] else deque[int]()
        while waiting:
            i = waiting.popleft()
            if seen[i]:
                continue
            seen[i] = True
            order.append(i)
            found = _anchors(pages[i])
            waiting.extend(
                number for anchor in found if (number := numbers.get(anchor.url_key)) is not None and not seen[number]
            )
    return order


def learning_order(pages: Sequence[Page], order: LearnOrder) -> list[int]:
    """Return the numbers of the pages in crawl order, or in a random order that is the same in each run."""
    if order == "crawl":
        return crawl_order(pages)
    numbers = list(range(len(pages)))
    Random(SEED).shuffle(numbers)  # noqa: S311
    return numbers


def _anchors(page: Page) -> Sequence[Anchor]:
    return anchors(page, SiteScope.of(page.url)).found


@dataclass(frozen=True, slots=True, eq=False)
class SiteKnowledge:
    """The knowledge of a site after its first pages were learned."""

    pages: Sequence[Page]
    known: Sequence[int]
    """The numbers of the learned pages, in the order of learning."""
    template: SiteTemplate | None
    blocks: BlockStore | None
    counted: Sequence[int] = ()
    """The numbers of the pages that the template counts, without copies."""

    @classmethod
    def learn(cls, pages: Sequence[Page], order: Sequence[int], count: int) -> "SiteKnowledge":
        """Return the knowledge of a site after learning the first `count` pages of an order, as a crawl does."""
        known = tuple(order[:count])
        if not known:
            return cls(pages, (), None, None)
        learner = TemplateLearner(min_pages=1, learn_blocks=True)
        counted = tuple(i for i in known if learner.see(pages[i]))
        template, _ = learner.publish()
        return cls(pages, known, template, learner.published_blocks, counted)

    def decision(self, extractor: object) -> LayoutDecision | None:
        """Return the layout decision of the site, treated as one layout, from up to `DECIDING` counted pages.

        The result is None if the method makes no decision, or if nothing was learned. Pages of a page set may have the
        same URL.
        """
        if self.template is None:
            return None
        deciding = sorted(self.counted, key=lambda i: (url_key(self.pages[i].url), i))[:DECIDING]
        site = SiteContext(self.template, self.blocks, learned=True)
        return layout_decision(extractor, site, (self.pages[i] for i in deciding))

    def context(self, number: int, extractor: Extractor) -> SiteContext:
        """Return the context of the method for a page, without the decision of its layout.

        The pages to compare with are the n-SET by hyperlink and DOM distance, or a larger random sample.
        """
        neighbours: tuple[FlatDom, ...] = ()
        if Need.NEIGHBOURS in extractor.needs:
            size: int = getattr(extractor, "sample_size", 0)
            neighbours = self._sample(size) if size else self._compared(number, extractor)
        return SiteContext(self.template, self.blocks, neighbours, number in self.known)

    def _compared(self, number: int, extractor: Extractor) -> tuple[FlatDom, ...]:
        """Return the learned pages with which a method compares a page, chosen as in a crawl.

        Pages are identified by their numbers here, since pages of a page set may have the same URL.
        """
        size, selection = set_size(extractor, SAMPLE_SIZE), page_selection(extractor)
        numbers = {url_key(self.pages[i].url): i for i in reversed(self.known)}

        def linked(i: int) -> Iterator[int]:
            ranked = ranking(self.pages[i], _anchors(self.pages[i]))
            return (numbers[one.anchor.url_key] for one in ranked if one.anchor.url_key in numbers)

        links: dict[int, set[int]] = {}
        if selection == "subdigraph":
            for i in islice(linked(number), LOADED + 1):
                keys = {one.url_key for one in _anchors(self.pages[i])}
                links[i] = {numbers[key] for key in keys & numbers.keys()}
        stored = StoredKeys.of(self.known)
        ordered = comparison_order(linked(number), number, stored, size=size, selection=selection, links=links)
        return tuple(self.pages[i].flat for i in islice(ordered, size))

    def _sample(self, size: int) -> tuple[FlatDom, ...]:
        """Return a random sample of the learned pages, the same for all pages of the site."""
        known = list(self.known)
        Random(SEED).shuffle(known)  # noqa: S311
        return tuple(self.pages[i].flat for i in known[:size])
