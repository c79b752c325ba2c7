"""Sample pages of each layout of a site with their main content, for commands that show what a layout extracts."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from sitecrawl.config import Config
from sitecrawl.crawl.extraction import new_learning
from sitecrawl.crawl.warm_start import restore
from sitecrawl.dom.page import Page
from sitecrawl.errors import DamagedBodyError, PageError
from sitecrawl.extractors.base import Extractor, SiteContext
from sitecrawl.page_kind import Kind
from sitecrawl.storage.bodies import BodyRepository
from sitecrawl.storage.db.session import Session
from sitecrawl.storage.layouts import LayoutRepository
from sitecrawl.templates.decision import SEEN, LayoutDecision

SAMPLE: Final = 40
"""Maximum pages of a layout that are examined."""


class LayoutSample(NamedTuple):
    """Pages of one layout, each with the nodes of its main content."""

    number: int
    pages: int
    """Number of pages with the layout."""
    decision: LayoutDecision | None
    chosen: list[tuple[Page, tuple[int, ...]]]
    """Pages that are not listings; listings too, if the layout has few others."""
    listings: list[tuple[Page, tuple[int, ...]]]
    """The listings that are not in `chosen`."""


def layout_samples(session: Session, site_id: int, config: Config, extractor: Extractor) -> Iterator[LayoutSample]:
    """Yield the layouts of a site with a template, largest first; only pages with a stored body."""
    learning = new_learning(config, extractor)
    restore(lambda operation: operation(session), site_id, learning)
    layouts, stored = LayoutRepository(session), BodyRepository(session)
    used = layouts.used(site_id)
    for layout in sorted(learning.layouts.published, key=lambda one: (-used.get(one.number, 0), one.number)):
        chosen: list[tuple[Page, tuple[int, ...]]] = []
        listings: list[tuple[Page, tuple[int, ...]]] = []
        for key in layouts.sample(site_id, layout.number, SAMPLE):
            try:
                found = stored.stored(site_id, key)
                if found is None or found.html is None:
                    continue
                page = Page.from_html(found.html, found.url, max_nodes=config.max_nodes)
            except (DamagedBodyError, PageError):
                continue  # enough pages
            learned = bool(found.learned_version)
            volatile = learning.volatile_of(layout.number, key)
            context = SiteContext(
                *(layout.template, layout.blocks), learned=learned, decision=layout.decision, volatile=volatile
            )
            extraction = extractor.extract(page, context)
            if extraction.kind is not Kind.NONE and extraction.nodes:
                (listings if extraction.kind is Kind.LISTING else chosen).append((page, extraction.nodes))
        if len(chosen) < SEEN:
            chosen, listings = chosen + listings, []
        yield LayoutSample(layout.number, used.get(layout.number, 0), layout.decision, chosen, listings)
