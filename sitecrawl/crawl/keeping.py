"""Pages of a crawl, kept until their template is there, extracted and stored."""

from collections.abc import Callable
from dataclasses import replace

from sitecrawl.crawl.content import feed_item
from sitecrawl.crawl.life import Decision, Emit, Finding
from sitecrawl.crawl.opened import OpenSite
from sitecrawl.crawl.publishing import Publishing
from sitecrawl.crawl.revision import confirmed
from sitecrawl.crawl.revisit import decided, record
from sitecrawl.crawl.visits import Visits
from sitecrawl.items import ContentItem, PageItem
from sitecrawl.links.urls import url_id, url_key
from sitecrawl.scheduling import Outcome
from sitecrawl.storage.contents import ContentRecord, ContentRepository, StoredContent
from sitecrawl.storage.duplicates import DuplicateRepository, Text
from sitecrawl.storage.layouts import LayoutRepository
from sitecrawl.storage.pages import PageRepository
from sitecrawl.storage.session import Session


class Keeping:
    """The pages of an open site, from the spider into the database and the feed."""

    def __init__(self, open_site: OpenSite, visits: Visits, publishing: Publishing) -> None:
        self.open = open_site
        self.visits = visits
        self.publishing = publishing

    async def keep(self, item: PageItem) -> None:
        """Store a page whose extraction waits for the template, with the URLs found on it."""
        alias = self.is_alias(item)
        (self.open.aliases if alias else self.open.waiting).append(item.url_key)
        store, site_id, key = self._page_operation(item, self.open.survey.count(item)), self.open.site.id, item.url_key
        if not alias:
            self.open.bodies.hold(item)

        def put(session: Session) -> None:
            LayoutRepository(session).set_aside(site_id, key)
            store(session)

        await self.open.writer.submit(put)

    def is_alias(self, item: PageItem) -> bool:
        """Say whether a page waits because it names another as its canonical one, which may yet be found."""
        return not self.open.exhausted and self.open.canonical(item) is not None

    def _page_operation(self, item: PageItem, survey: Callable[[Session], None]) -> Callable[[Session], Decision]:
        """Return what stores a page, what was found on it, and a publication that is due: one transaction."""
        fetch = self.visits.fetch(item.url_key, item.url, item.http_status, item.depth, item)
        finding = self.visits.finding(item)
        publication = self.publishing.take()
        site_id, sampled_out = self.open.site.id, item.learned_version == 0
        layout, counted = item.layout, item.counted

        def store(session: Session) -> Decision:
            pages = PageRepository(session)
            decision = record(session, site_id, fetch, finding)
            survey(session)
            pages.discover(site_id, item.found, fetch.fetched_at)
            LayoutRepository(session).place(site_id, fetch.url_key, layout, counted=counted)
            if sampled_out:
                pages.mark_learned(site_id, [fetch.url_key], 0)
            if publication is not None:
                publication(session)
            return decision

        return store

    async def extract(self, item: PageItem) -> ContentItem | None:
        """Extract the main content of a page and store it; return its feed row, None for a page that has none now."""
        site = self.open
        site.emit_order += 1
        order = site.emit_order
        # before the page is described: it is one of the pages that say what is the site's
        survey = None if item.stored else site.survey.count(item)
        made = await site.extraction.record(item, site.survey.values, site.crawl.id, order)
        content = await site.writer.submit(self._content_operation(item, made, survey))
        if content is None:
            return None
        if content.record.text and content.record.duplicate_of is None:
            await self._release(site.guard.credit(item.url), item.depth)
        return feed_item(content, site.site.host)

    def _content_operation(
        self, item: PageItem, made: ContentRecord, survey: Callable[[Session], None] | None
    ) -> Callable[[Session], StoredContent | None]:
        """Return what stores the content of a page, and the page if it is given a `survey`: one transaction.

        It returns the content as stored, None when the page has none now.
        """
        site, finding = self.open, self.visits.finding(item)
        store = None if survey is None else self._page_operation(item, survey)
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

    async def waiting_item(self, key: int) -> PageItem | None:
        """Return a page that waited in the database, None when its body is not there any more."""
        stored = await self.open.bodies.get(key)
        return await self.open.extraction.item(stored) if stored is not None else None

    async def _release(self, urls: list[str], depth: int) -> None:
        """Put variants of a path that has proved to hold content into the frontier, as its least urgent pages."""
        found = [self.open.frontier.add(url_key(url), url, depth, 0) for url in urls]
        await self.visits.discover([one for one in found if one is not None])


def _original(session: Session, site_id: int, kept: ContentRecord, finding: Finding, decision: Decision) -> str | None:
    """Return the page that a page repeats: the one it names as canonical, if that is indexed, or one with its text."""
    if kept.text and finding.canonical is not None and not decision.indexable:
        held = ContentRepository(session).indexed(site_id, url_key(finding.canonical))
        return url_id(finding.canonical) if held else None
    text = Text(kept.url_key, kept.digest, kept.simhash, len(kept.text), kept.title)
    return DuplicateRepository(session).original(site_id, text)
