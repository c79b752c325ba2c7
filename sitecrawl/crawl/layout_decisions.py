"""Decides the layouts of a crawl from samples of their pages, and tests earlier decisions on pages learned since."""

from collections.abc import Mapping
from time import perf_counter
from typing import Final

from sitecrawl.crawl.crawl_state import CrawlState
from sitecrawl.crawl.decision_check import wrong
from sitecrawl.crawl.extraction import edition_context
from sitecrawl.crawl.learning import Publication
from sitecrawl.crawl.second_fetches import SecondFetches
from sitecrawl.crawl.work_turns import work_turns
from sitecrawl.extractors.base import SiteContext
from sitecrawl.extractors.layout_decision import DecidingPages, deciding_keys
from sitecrawl.items import PageItem
from sitecrawl.storage.layouts import LayoutRepository
from sitecrawl.storage.pages import PageRepository
from sitecrawl.templates.decision import LayoutDecision
from sitecrawl.templates.layouts import Layout
from sitecrawl.templates.volatile import VolatileBlocks

SAMPLE: Final = 20
"""Number of pages of a layout from which it is judged whether the layout's decision was wrong."""


class LayoutDecisions:
    """Decides the layouts of a crawl; `learned` are the pages that were learned and are not stored yet, by key."""

    def __init__(self, crawl: CrawlState, second_fetches: SecondFetches, learned: Mapping[int, PageItem]) -> None:
        self.crawl, self.second_fetches, self._learned = crawl, second_fetches, learned

    async def decide(self, publication: Publication) -> tuple[LayoutDecision | None, VolatileBlocks]:
        """Return a layout's decision and its volatile blocks, from a sample of the pages that a publication counts."""
        crawl, number = self.crawl, publication.layout.number
        if crawl.extraction.needs_neighbours:
            return None, VolatileBlocks()
        counted = {key for key, layout in crawl.learning.counted.items() if layout == number}
        keys = deciding_keys(counted.union(publication.keys))
        learned = {key: self._learned[key].page for key in keys if key in self._learned}
        read = await crawl.bodies.pages(key for key in keys if key not in learned)
        if publication.layout.template is None:
            for key, page in read.items():
                crawl.bodies.hold_parsed(key, page)  # these pages wait, and are extracted next
        known = read | learned
        pages = [known[key] for key in keys if key in known]
        started, edition = perf_counter(), publication.edition
        volatile = self.second_fetches.volatile(number, edition_context(edition, None), pages)
        deciding = DecidingPages(crawl.extraction.extractor, edition_context(edition, volatile))
        crawl.report.seconds["learn"] += perf_counter() - started
        for page in pages:
            await work_turns().of_parsed()
            started = perf_counter()
            deciding.add(page)
            crawl.report.seconds["learn"] += perf_counter() - started
        return deciding.decision(), volatile

    async def is_wrong(self, layout: Layout) -> bool:
        """Return whether a layout's decision is wrong, tested on a sample of the pages learned since then."""
        crawl, site_id = self.crawl, self.crawl.site_id
        if crawl.extraction.needs_neighbours:
            return True
        publication = crawl.learning.prepare(layout)
        (decision, volatile), edition = await self.decide(publication), publication.edition
        texts = []
        sample = await crawl.writer.submit(lambda s: LayoutRepository(s).sample(site_id, layout.number, SAMPLE))
        for key, page in (await crawl.bodies.pages(sample)).items():
            await work_turns().of_parsed()
            counted = crawl.learning.counted_in(key) == layout.number
            places, own = layout.volatile, crawl.learning.volatile_of(layout.number, key).texts
            old = SiteContext(*(layout.template, layout.blocks, (), counted, layout.decision, places.with_texts(own)))
            known = counted or key in publication.keys
            new = SiteContext(*(edition.template, edition.blocks, (), known, decision, volatile.with_texts(own)))
            texts.append((page.text(crawl.extraction.cut(page, old)), page.text(crawl.extraction.cut(page, new))))
        if wrong(texts):
            return True
        await crawl.writer.submit(lambda s: PageRepository(s).mark_learned(site_id, publication.keys, 0))
        crawl.learning.pass_over(layout)
        return False
