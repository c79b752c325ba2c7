"""Pages of a crawl, kept until their template is there, extracted and stored."""

import logging
from collections.abc import Callable
from dataclasses import replace

from sitecrawl.crawl.content import feed_item
from sitecrawl.crawl.life import Decision, Emit, Finding
from sitecrawl.crawl.opened import OpenSite
from sitecrawl.crawl.publishing import Publishing
from sitecrawl.crawl.revision import confirmed
from sitecrawl.crawl.revisit import decided, record
from sitecrawl.crawl.visits import Visits
from sitecrawl.errors import DatabaseLostError, PageError, StorageError
from sitecrawl.items import ContentItem, PageItem
from sitecrawl.links.urls import url_id, url_key
from sitecrawl.metadata.survey import Values
from sitecrawl.scheduling import Outcome
from sitecrawl.storage.contents import ContentRecord, ContentRepository, StoredContent
from sitecrawl.storage.duplicates import DuplicateRepository, Text
from sitecrawl.storage.layouts import LayoutRepository
from sitecrawl.storage.linktexts import LinkTextRepository
from sitecrawl.storage.pages import PageRepository
from sitecrawl.storage.session import Session
from sitecrawl.storage.sitevalues import SiteValueRepository

logger = logging.getLogger(__name__)


class Keeping:
    """The pages of an open site, from the spider into the database and the feed.

    What the crawl remembers of a page follows its commit. After a failed store the memory says what the database says.
    """

    def __init__(self, open_site: OpenSite, visits: Visits, publishing: Publishing) -> None:
        self.open = open_site
        self.visits = visits
        self.publishing = publishing
        self.storing = 0
        """Pages that will wait for their template once they are stored."""
        self._failed: set[int] = set()
        """Waiting pages whose content could not be stored once."""

    @property
    def waiting(self) -> bool:
        """Whether pages wait for their template, or will when they are stored."""
        return bool(self.open.waiting or self.storing)

    async def keep(self, item: PageItem) -> None:
        """Store a page whose extraction waits for the template, with the URLs found on it."""
        alias = self.is_alias(item)
        self.storing += 1
        try:
            await self.publishing.settled()
            store = self._page_operation(item, self.open.survey.count(item))
            site_id, key = self.open.site.id, item.url_key

            def put(session: Session) -> None:
                LayoutRepository(session).set_aside(site_id, key)
                store(session)

            await self.open.writer.submit(put)
            self._stored(item)
        except Exception:
            await self.lost(item)
            raise
        finally:
            self.storing -= 1
        (self.open.aliases if alias else self.open.waiting).append(item.url_key)
        if not alias:
            self.open.bodies.hold(item)

    def is_alias(self, item: PageItem) -> bool:
        """Say whether a page waits because it names another as its canonical one, which may yet be found."""
        return not self.open.exhausted and self.open.canonical(item) is not None

    def _page_operation(self, item: PageItem, values: Values | None) -> Callable[[Session], Decision]:
        """Return what stores a page and what was found on it: one transaction."""
        self.publishing.tell(item)
        fetch = self.visits.fetch(item.url_key, item.url, item.http_status, item.depth, item)
        finding, survey = self.visits.finding(item), self.open.survey
        site_id, said = self.open.site.id, item.link_texts
        layout, counted, version = item.layout, item.counted, item.learned_version

        def store(session: Session) -> Decision:
            pages = PageRepository(session)
            decision = record(session, site_id, fetch, finding)
            if values is not None:
                SiteValueRepository(session).count(site_id, fetch.url_key, values)
            LinkTextRepository(session, survey.link_texts).record(site_id, fetch.url_key, said)
            pages.discover(site_id, item.found, fetch.fetched_at)
            LayoutRepository(session).place(site_id, fetch.url_key, layout, counted=counted)
            if version is not None and not counted:
                pages.mark_learned(site_id, [fetch.url_key], version)
            return decision

        return store

    def _stored(self, item: PageItem) -> None:
        """Remember a page that is committed, with what was found on it."""
        frontier, key = self.open.frontier, item.url_key
        frontier.settle(key)
        frontier.stored(item.found)
        frontier.seen.update(item.links)
        self.open.survey.stored(key)
        self.publishing.stored(key)

    async def lost(self, item: PageItem) -> None:
        """Forget what was remembered of a page that could not be stored, or whose content could not.

        The page is asked for or extracted once more in this run. The URLs that it names are stored all the same: pages
        that were read since took them for known.
        """
        key, frontier = item.url_key, self.open.frontier
        if item.stored:
            self._wait_again(key)
            return
        if key not in frontier.arrived:
            return
        frontier.give_back(key)
        try:
            if self.open.survey.failed(key):
                self.open.writer.run(self.open.survey.load)
            self.publishing.lost(key)
            await self.visits.discover(item.found)
        except StorageError as error:
            logger.warning("%s: the URLs that it names could not be stored: %s", item.url, error)

    async def extract(self, item: PageItem) -> ContentItem | None:
        """Extract the main content of a page and store it; return its feed row, None for a page that has none now."""
        site = self.open
        order = site.emit_order.next()
        try:
            # before the page is described: it is one of the pages that say what is the site's
            values = None if item.stored else site.survey.count(item)
            made = await site.extraction.record(item, site.survey.values, site.crawl.id, order)
            await self.publishing.settled()
            content = await site.writer.submit(self._content_operation(item, made, values))
        except Exception:
            site.emit_order.give_back(order)
            await self.lost(item)
            raise
        if not item.stored:
            self._stored(item)
        if content is None:
            return None
        await self._judge(item, content.record)
        return feed_item(content, site.site.host)

    def _content_operation(
        self, item: PageItem, made: ContentRecord, values: Values | None
    ) -> Callable[[Session], StoredContent | None]:
        """Return what stores the content of a page, and the page itself unless it is stored: one transaction.

        It returns the content as stored, None when the page has none now.
        """
        site, finding = self.open, self.visits.finding(item)
        store = None if item.stored else self._page_operation(item, values)
        site_id, key = site.site.id, item.url_key
        keep_body = site.config.store_bodies or site.extraction.needs_neighbours

        def put(session: Session) -> StoredContent | None:
            kept = confirmed(session, site_id, item, made, site.config)
            if store is not None:
                decision = store(session)
            else:
                decision = decided(session, site_id, key, finding)
                LayoutRepository(session).place(site_id, key, item.layout, counted=True)
                LayoutRepository(session).compared(site_id, key)
            if decision.emit is not Emit.CONTENT:
                site.schedule.visited(session, key, Outcome.EXCLUDED, item.fetched_at)
                return None
            contents = ContentRepository(session)
            complete = replace(kept, duplicate_of=_original(session, site_id, kept, finding, decision))
            status = contents.put(site_id, complete, index=decision.indexable)
            hub = complete.kind == "listing" or item.depth == 0
            site.schedule.visited(session, key, Outcome(status), item.fetched_at, hub=hub)
            if not keep_body:
                PageRepository(session).drop_body(site_id, key)
            return StoredContent(complete, status, item.url, item.http_status, item.depth, item.fetched_at)

        return put

    async def next_waiting(self) -> PageItem | None:
        """Take the page that waits longest from the database; None when it cannot be extracted now.

        Its body may not be there any more, or cannot be read; or the page names a canonical one that may yet be found.
        """
        key = self.open.waiting.popleft()
        try:
            stored = await self.open.bodies.get(key)
            item = await self.open.extraction.item(stored) if stored is not None else None
        except DatabaseLostError:
            self.open.waiting.appendleft(key)
            raise
        except (StorageError, PageError) as error:
            logger.warning("a page that waits for its template could not be read: %s", error)
            self._wait_again(key)
            return None
        if item is not None and self.is_alias(item):
            self.open.aliases.append(key)
            return None
        return item

    def _wait_again(self, key: int) -> None:
        """Have a page wait once more, after a failure; after two it is left to the next run."""
        first = key not in self._failed
        self._failed.add(key)
        (self.open.waiting if first else self.open.unextracted).append(key)

    async def _judge(self, item: PageItem, record: ContentRecord) -> None:
        """Tell the guard against traps what a page holds; store what it closes, and the variants that it releases.

        Those are the frontier's least urgent pages. The page itself is stored, so its row goes to the feed whatever
        becomes of them.
        """
        own = record.kind == "content" and bool(record.text) and record.duplicate_of is None
        judged = self.open.guard.judge(item.url, content=own)
        if not judged.released and not judged.closed:
            return
        added = [self.open.frontier.add(url_key(url), url, item.depth, 0) for url in judged.released]
        try:
            await self.visits.discover([one for one in added if one is not None])
            await self.open.closings.store(judged.closed)
        except StorageError as error:
            logger.warning("what %s shows of its path could not be stored: %s", item.url, error)


def _original(session: Session, site_id: int, kept: ContentRecord, finding: Finding, decision: Decision) -> str | None:
    """Return the page that a page repeats: the one it names as canonical, if that is indexed, or one with its text."""
    if kept.text and finding.canonical is not None and not decision.indexable:
        held = ContentRepository(session).indexed(site_id, url_key(finding.canonical))
        return url_id(finding.canonical) if held else None
    text = Text(kept.url_key, kept.digest, kept.simhash, len(kept.text), kept.title)
    return DuplicateRepository(session).original(site_id, text)
