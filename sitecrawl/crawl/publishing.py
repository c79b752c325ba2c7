"""Templates of a crawl: each fetched page is learned from, and what was learned is published when it is due.

A publication is a transaction of its own. It concerns dozens of pages, so no single page's failure can undo it; and
pages are extracted with it only once it is committed. What was learned from a page that could not be stored is
forgotten: the templates are read from the database again, as a resumed crawl does.
"""

import asyncio
import logging
from time import perf_counter
from typing import Final

from sitecrawl.clock import now
from sitecrawl.crawl.crawl_state import CrawlState
from sitecrawl.crawl.sandbox import pause
from sitecrawl.crawl.warm_start import mark
from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.page import Page
from sitecrawl.errors import DamagedBodyError, DatabaseLostError, PageError
from sitecrawl.items import PageItem
from sitecrawl.links.discovered import Discovered
from sitecrawl.storage.db.session import Session
from sitecrawl.storage.layouts import EarlierPage, LayoutRepository
from sitecrawl.storage.pages import PageRepository
from sitecrawl.storage.templates import TemplateRepository
from sitecrawl.templates.layouts import Layout

logger = logging.getLogger(__name__)

TRIES: Final = 2
"""How often a publication is tried at once."""


class Publishing:
    """The templates of an open site, from its pages into the database."""

    def __init__(self, open_site: CrawlState) -> None:
        self.open = open_site
        self.failed = 0
        """Publications that could not be stored. What they hold is published with the next pages."""
        self._turn = asyncio.Lock()
        """Held while a page is learned from, and until the publications that follow are stored."""
        self._learned: dict[int, PageItem] = {}
        """Pages that were learned and are not stored yet."""

    @property
    def ready(self) -> bool:
        """Whether waiting pages may be extracted now: their template is there, or nothing more will come."""
        return self.open.exhausted or not (self.open.extraction.needs_neighbours or self.open.learning.undecided)

    def ready_for(self, item: PageItem) -> bool:
        """Whether a page just fetched may be extracted now: strangers wait while they may become a layout."""
        alone = not self.open.extraction.needs_neighbours
        return self.ready or (alone and self.open.learning.template_of(item.layout) is not None)

    async def learn(self, item: PageItem) -> bool:
        """Find the layout of a fetched page and learn from it; publish what is due. True if the page was counted."""
        site = self.open
        await pause(item.page)
        before = await self._earlier(item) if site.learning.doubtful(item.page) else None
        async with self._turn:
            started = perf_counter()
            flat = before and self._flat(before)
            placed = site.learning.learn(item.page, item.url_key, flat or None, before and before.layout)
            item.layout, item.counted = placed.layout, placed.counted
            item.learned_version = None if placed.learned or placed.layout is None else 0
            if placed.counted:
                item.learned_version = site.learning.version_of(placed.layout)
            if placed.learned:
                self._learned[item.url_key] = item
            due = site.learning.due()
            site.seconds["learn"] += perf_counter() - started
            for layout in due:
                await self._publish(layout)
            self.tell(item)
        return placed.learned

    async def _earlier(self, item: PageItem) -> EarlierPage | None:
        """Return how a page looked when it was fetched before, None if that is not stored or cannot be read."""
        site_id, key = self.open.site.id, item.url_key
        try:
            return await self.open.writer.submit(lambda s: LayoutRepository(s).earlier(site_id, key))
        except DamagedBodyError as error:  # this visit replaces it
            logger.warning("%s", error)
            return None

    def _flat(self, before: EarlierPage) -> FlatDom | None:
        try:
            return Page.from_html(before.html, before.url, max_nodes=self.open.config.max_nodes).flat
        except PageError as error:  # over a limit that was higher once
            logger.warning("%s", error)
            return None

    async def _publish(self, layout: Layout) -> None:
        """Store a publication of a layout, then put it in use. One that fails twice is tried again with more pages."""
        started = perf_counter()
        site, publication = self.open, self.open.learning.prepare(layout)
        site.seconds["learn"] += perf_counter() - started
        site_id, crawl_id, moment = site.site.id, site.crawl.id, now()
        under_way = [self._learned[key] for key in publication.keys if key in self._learned]
        rows = self._missing_rows(under_way)

        def add(session: Session) -> None:
            PageRepository(session).discover(site_id, rows, moment)
            for page in under_way:
                LayoutRepository(session).place(site_id, page.url_key, layout.number, counted=True)
            TemplateRepository(session).add(site_id, publication.changes, moment, crawl_id=crawl_id)
            mark(session, site_id, [publication])

        for _ in range(TRIES):
            try:
                await site.writer.submit(add)
            except DatabaseLostError:
                raise
            except Exception:
                self.failed += 1
                logger.exception(
                    "%s: template version %d could not be stored", site.scope.key, publication.changes.version
                )
            else:
                site.learning.accept(publication)
                site.frontier.stored(rows)
                return

    def _missing_rows(self, pages: list[PageItem]) -> list[Discovered]:
        """Return those of these pages that have no row yet: targets of redirects that are not stored yet.

        They get one, so that the database says of each page that a template counts that it is counted.
        """
        frontier = self.open.frontier
        number = frontier.discoveries.last
        missing = (one for one in pages if one.url_key not in frontier.known)
        return [Discovered(one.url_key, one.url, one.depth, None, None, 0, number) for one in missing]

    def tell(self, item: PageItem) -> None:
        """Tell a page that was learned in which layout and version it was counted, if it was."""
        layout = self.open.learning.counted_in(item.url_key) if item.url_key in self._learned else None
        if layout:
            item.layout, item.learned_version = layout, self.open.learning.version_of(layout)

    async def settled(self) -> None:
        """Wait until no publication is under way: only then is it known which pages are counted."""
        if self._turn.locked():
            async with self._turn:
                pass

    def stored(self, key: int) -> None:
        """Note that a page is committed."""
        self._learned.pop(key, None)

    def lost(self, key: int) -> None:
        """Forget what was learned from a page that could not be stored: read again what is committed."""
        if self._learned.pop(key, None) is None:
            return
        self.open.learn_again()
        for item in self._learned.values():
            if not self.open.learning.has_learned(item.url_key):
                self.open.learning.learn(item.page, item.url_key)

    async def exhaust(self) -> None:
        """Nothing is left to fetch: publish what was learned, so that the waiting pages can be extracted."""
        site = self.open
        async with self._turn:
            for layout in site.learning.remaining():
                await self._publish(layout)
        settled = site.frontier.settled
        recalled = [key for key in site.recalled if key not in settled]
        site.waiting.extend([key for key in recalled if await self._found_a_layout(key)])
        site.exhausted = True
        site.waiting.extend(site.aliases)
        site.aliases.clear()

    async def _found_a_layout(self, key: int) -> bool:
        """Say whether a stored page that no layout described has one now."""
        page = await self.open.bodies.page(key)
        return page is not None and self.open.learning.find(page) is not None

    async def retire(self) -> None:
        """Let go of layouts that no page has any more."""
        site = self.open
        site_id, moment = site.site.id, now()
        live = [layout.number for layout in site.learning.layouts.published]

        def retire(session: Session) -> list[int]:
            used = LayoutRepository(session).used(site_id)
            unused = [number for number in live if number not in used] if used else []
            if unused:
                TemplateRepository(session).retire(site_id, unused, moment)
            return unused

        for number in await site.writer.submit(retire):
            site.retired.append(number)
            site.learning.layouts.drop(number)
            logger.info("%s: no page has layout %d any more; its template is dropped", site.scope.key, number)
