"""Templates of a crawl: each fetched page is learned from, and what was learned is published when it is due."""

import logging
from collections.abc import Callable
from time import perf_counter

from sitecrawl.clock import now
from sitecrawl.crawl.learning import Publication
from sitecrawl.crawl.opened import OpenSite
from sitecrawl.crawl.recall import mark
from sitecrawl.crawl.trial import pause
from sitecrawl.dom.page import Page
from sitecrawl.items import PageItem
from sitecrawl.storage.layouts import LayoutRepository
from sitecrawl.storage.session import Session
from sitecrawl.storage.templates import TemplateRepository

logger = logging.getLogger(__name__)


class Publishing:
    """The templates of an open site, from its pages into the database."""

    def __init__(self, open_site: OpenSite) -> None:
        self.open = open_site
        self._pending: Callable[[Session], None] | None = None

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
        site, before = self.open, None
        await pause(item.page)
        if site.learning.doubtful(item.page):
            site_id, key = site.site.id, item.url_key
            before = await site.writer.submit(lambda s: LayoutRepository(s).earlier(site_id, key))
        started = perf_counter()
        flat = before and Page.from_html(before.html, before.url, max_nodes=site.config.max_nodes).flat
        placed = site.learning.learn(item.page, item.url_key, flat or None, before and before.layout)
        item.layout, item.counted = placed.layout, placed.counted
        item.learned_version = None if placed.learned or placed.layout is None else 0
        if placed.counted:
            item.learned_version = site.learning.version_of(placed.layout)
        for publication in site.learning.publish_due():
            self._publish(publication)
            if item.url_key in publication.keys:
                item.learned_version = publication.changes.version
                item.layout = publication.changes.layout
        site.seconds["learn"] += perf_counter() - started
        return placed.learned

    def _publish(self, publication: Publication) -> None:
        """Make a template the one in use; it is stored with the next page."""
        site_id, crawl_id, moment = self.open.site.id, self.open.crawl.id, now()
        before = self._pending

        def add(session: Session) -> None:
            if before is not None:
                before(session)
            TemplateRepository(session).add(site_id, publication.changes, moment, crawl_id=crawl_id)
            mark(session, site_id, [publication])

        self._pending = add

    async def exhaust(self) -> None:
        """Nothing is left to fetch: publish what was learned, so that the waiting pages can be extracted."""
        site = self.open
        for publication in site.learning.publish_all():
            self._publish(publication)
        await self.publish_now()
        settled = site.frontier.settled
        recalled = [key for key in site.recalled if key not in settled]
        site.waiting.extend([key for key in recalled if await self._found_a_layout(key)])
        site.exhausted = True
        site.waiting.extend(site.aliases)
        site.aliases.clear()

    async def _found_a_layout(self, key: int) -> bool:
        """Say whether a stored page that no layout described has one now."""
        stored = await self.open.bodies.get(key)
        return stored is not None and self.open.learning.find(self.open.bodies.parse(stored)) is not None

    def take(self) -> Callable[[Session], None] | None:
        """Return what stores the templates that are due, for the transaction that is next."""
        pending, self._pending = self._pending, None
        return pending

    async def publish_now(self) -> None:
        """Store the templates that are due."""
        pending = self.take()
        if pending is not None:
            await self.open.writer.submit(pending)

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
