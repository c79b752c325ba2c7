"""Learns the templates of a crawl from each fetched page, and publishes them when they are due.

A publication is stored in a separate transaction. It concerns dozens of pages, so the failure of one page must not undo
it, and pages are extracted with it only after its commit. If a page cannot be stored, its counts are dropped: the
templates are read from the database again, as in a resumed crawl.
"""

import asyncio
import logging
from functools import partial
from time import perf_counter
from typing import Final

from sitecrawl.clock import now
from sitecrawl.crawl.crawl_state import CrawlState, decide_values
from sitecrawl.crawl.layout_decisions import LayoutDecisions
from sitecrawl.crawl.second_fetches import SecondFetches
from sitecrawl.crawl.warm_start import RELEARNED, mark
from sitecrawl.crawl.work_turns import pause
from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.page import Page
from sitecrawl.errors import DamagedBodyError, PageError, WritingEndedError
from sitecrawl.items import PageItem
from sitecrawl.links.discovered import Discovered
from sitecrawl.metadata.shared_values import SiteValues
from sitecrawl.storage.db.session import Session
from sitecrawl.storage.layouts import EarlierPage, LayoutRepository
from sitecrawl.storage.pages import PageRepository
from sitecrawl.storage.templates import TemplateRepository
from sitecrawl.templates.layouts import Layout

logger = logging.getLogger(__name__)

TRIES: Final = 2
"""Maximum consecutive attempts to store a publication."""


class Publishing:
    """Learns and stores the templates of a crawl."""

    def __init__(self, crawl: CrawlState, second_fetches: SecondFetches) -> None:
        self.crawl = crawl
        self.second_fetches = second_fetches
        self.failed = 0
        """Number of publications that could not be stored. Their counts are published with the next pages."""
        self._turn = asyncio.Lock()
        """Held while a page is learned, and until the publications that follow are stored."""
        self._learned: dict[int, PageItem] = {}
        """Pages that were learned and are not stored yet."""
        self.decisions = LayoutDecisions(crawl, second_fetches, self._learned)

    @property
    def ready(self) -> bool:
        """Whether waiting pages may be extracted now: all templates are ready, or nothing more will be fetched."""
        crawl = self.crawl
        return crawl.frontier.exhausted or not (crawl.extraction.needs_neighbours or crawl.learning.undecided)

    def ready_for(self, item: PageItem) -> bool:
        """Return whether a page that was just fetched may be extracted now; pages without a layout wait to form one."""
        alone, learning = not self.crawl.extraction.needs_neighbours, self.crawl.learning
        decided = learning.template_of(item.layout) is not None and not learning.doubted(item.layout)
        return self.ready or (alone and decided)

    async def learn(self, item: PageItem) -> bool:
        """Find the layout of a page, learn from it, publish what is due; return whether the page was counted."""
        crawl = self.crawl
        await pause(item.page)
        before = await self._earlier(item) if crawl.learning.doubtful(item.page) else None
        async with self._turn:
            started = perf_counter()
            flat = before and self._flat(before)
            placed = crawl.learning.learn(item.page, item.url_key, flat or None, before and before.layout)
            item.layout, item.counted = placed.layout, placed.counted
            item.learned_version = None if placed.learned or placed.layout is None else 0
            if placed.counted:
                item.learned_version = crawl.learning.version_of(placed.layout)
            if placed.learned:
                self._learned[item.url_key] = item
            due = crawl.learning.due()
            crawl.report.seconds["learn"] += perf_counter() - started
            for layout in due:
                await self._publish(layout, anew=layout.template is not None)
            self.set_layout(item)
        return placed.learned

    async def _earlier(self, item: PageItem) -> EarlierPage | None:
        """Return the stored page of the previous fetch; None if it is not stored or cannot be read."""
        site_id, key = self.crawl.site_id, item.url_key
        try:
            return await self.crawl.writer.submit(lambda s: LayoutRepository(s).earlier(site_id, key))
        except DamagedBodyError as error:  # this visit replaces it
            logger.warning("%s", error)
            return None

    def _flat(self, before: EarlierPage) -> FlatDom | None:
        try:
            return Page.from_html(before.html, before.url, max_nodes=self.crawl.config.max_nodes).flat
        except PageError as error:  # the page exceeds a limit that was higher when it was stored
            logger.warning("%s", error)
            return None

    async def _publish(self, layout: Layout, *, anew: bool = False) -> None:
        """Store a publication of a layout, then put it in use; after two failures the next learned page retries it."""
        started = perf_counter()
        crawl, publication = self.crawl, self.crawl.learning.prepare(layout)
        crawl.report.seconds["learn"] += perf_counter() - started
        publication = publication.deciding(*await self.decisions.decide(publication))
        site_id, crawl_id, moment = crawl.site_id, crawl.crawl_id, now()
        under_way = [self._learned[key] for key in publication.keys if key in self._learned]
        rows = self._missing_rows(under_way)
        first = not crawl.learning.published
        values_too = not crawl.statistics.decided or layout.learner.provisional

        def add(session: Session) -> SiteValues | None:
            PageRepository(session).discover(site_id, rows, moment)
            for page in under_way:
                LayoutRepository(session).place(site_id, page.url_key, layout.number, counted=True)
            TemplateRepository(session).add(site_id, publication.changes, moment, crawl_id=crawl_id)
            mark(session, site_id, [publication])
            if not first:
                LayoutRepository(session).unsettle(site_id, layout.number if anew else None)
            return decide_values(session, site_id) if values_too else None

        for _ in range(TRIES):
            try:
                values = await crawl.writer.submit(add)
            except WritingEndedError:
                raise
            except Exception:
                self.failed += 1
                logger.exception(
                    "%s: template version %d could not be stored", crawl.scope.key, publication.changes.version
                )
            else:
                crawl.learning.accept(publication)
                crawl.frontier.stored(rows)
                if values is not None:
                    crawl.statistics.take(values)
                return

    def _missing_rows(self, pages: list[PageItem]) -> list[Discovered]:
        """Return rows for the pages that have none yet, such as unstored targets of redirects.

        The database must have a row for every page that a stored template counts.
        """
        frontier = self.crawl.frontier
        number = frontier.discoveries.last
        missing = (one for one in pages if one.url_key not in frontier.known)
        return [Discovered(one.url_key, one.url, one.depth, None, None, 0, number) for one in missing]

    def set_layout(self, item: PageItem) -> None:
        """Set layout and template version on the item of a learned page, if a stored template counts the page."""
        layout = self.crawl.learning.counted_in(item.url_key) if item.url_key in self._learned else None
        if layout:
            item.layout, item.learned_version = layout, self.crawl.learning.version_of(layout)

    async def settled(self) -> None:
        """Wait until no publication is in progress: only then is it certain which pages are counted."""
        async with self._turn:
            pass

    def stored(self, key: int) -> None:
        """Record that a page is committed."""
        self._learned.pop(key, None)

    async def lost(self, key: int) -> None:
        """Drop the counts of a page that could not be stored, by reading the committed counts again."""
        async with self._turn:  # else a publication in progress would add its counts to those that were just read
            if self._learned.pop(key, None) is None:
                return
            self.crawl.learn_again()
            for item in self._learned.values():
                if not self.crawl.learning.has_learned(item.url_key):
                    self.crawl.learning.learn(item.page, item.url_key)

    async def exhaust(self) -> None:
        """Publish the remaining counts when nothing is left to fetch, so that the waiting pages can be extracted."""
        crawl = self.crawl
        async with self._turn:
            known = {layout.number for layout in crawl.learning.layouts}
            for layout in crawl.learning.remaining():
                await self._publish(layout)
            for number in known.difference(layout.number for layout in crawl.learning.layouts):
                await self.second_fetches.forget(number)
            for layout in await self._grown():
                if layout.learner.provisional or await self.decisions.is_wrong(layout):
                    await self._publish(layout, anew=True)
            for layout in crawl.learning.layouts.published:
                await self.second_fetches.revise(layout)
        settled = crawl.frontier.settled - crawl.waiting.unread
        recalled = [key for key in crawl.waiting.recalled if key not in settled]
        crawl.waiting.pages.extend([key for key in recalled if await self._found_a_layout(key)])
        crawl.waiting.recalled.clear()
        crawl.frontier.exhausted = True
        crawl.waiting.pages.extend(crawl.waiting.aliases)
        crawl.waiting.aliases.clear()
        site_id, waiting = crawl.site_id, set(crawl.waiting.pages)
        unsettled = await crawl.writer.submit(lambda s: LayoutRepository(s).unsettled(site_id))
        again = [key for key in unsettled if key not in waiting]
        crawl.waiting.again.update(again)
        crawl.waiting.pages.extend(again)

    async def _grown(self) -> list[Layout]:
        """Return the layouts that have grown so much that they may decide again, after learning all their pages."""
        crawl, site_id = self.crawl, self.crawl.site_id
        uncounted = await crawl.writer.submit(lambda s: LayoutRepository(s).uncounted(site_id))
        for number, keys in crawl.learning.unpublished.items():
            uncounted[number] = uncounted.get(number, 0) - len(keys)
        grown = crawl.learning.grown(uncounted)
        for layout in grown:
            for key in await crawl.writer.submit(partial(_uncounted, site_id=site_id, layout=layout.number)):
                if not crawl.learning.is_unpublished(key) and (stored := await self._readable(key)) is not None:
                    crawl.learning.learn_more(layout, [(key, stored)])
        return grown

    async def _readable(self, key: int) -> Page | None:
        """Return a stored page; None if its body is not stored or cannot be read."""
        return self.crawl.bodies.held(key) or await self.crawl.bodies.page(key)

    async def _found_a_layout(self, key: int) -> bool:
        """Return whether a stored page without a layout matches a layout by now."""
        page = await self._readable(key)
        return page is not None and self.crawl.learning.find(page) is not None

    async def retire(self) -> None:
        """Drop layouts that no page has any more."""
        crawl = self.crawl
        site_id, moment = crawl.site_id, now()
        live = [layout.number for layout in crawl.learning.layouts.published]

        def retire(session: Session) -> list[int]:
            used = LayoutRepository(session).used(site_id)
            unused = [number for number in live if number not in used] if used else []
            if unused:
                TemplateRepository(session).retire(site_id, unused, moment)
            return unused

        for number in await crawl.writer.submit(retire):
            crawl.report.retired.append(number)
            crawl.learning.layouts.drop(number)
            logger.info("%s: no page has layout %d any more; its template is dropped", crawl.scope.key, number)


def _uncounted(session: Session, site_id: int, layout: int) -> list[int]:
    return LayoutRepository(session).uncounted_pages(site_id, layout, RELEARNED)
