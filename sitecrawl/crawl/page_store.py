"""Stores the pages of a crawl: without content until their template is ready, then with their extracted content."""

import logging
from itertools import islice

from sitecrawl.crawl.commit import store
from sitecrawl.crawl.content import feed_item
from sitecrawl.crawl.crawl_state import CrawlState
from sitecrawl.crawl.page_lifecycle import FetchOutcome, FetchResult
from sitecrawl.crawl.publishing import Publishing
from sitecrawl.crawl.visit_decision import Finds, Visit, earlier_fetch
from sitecrawl.crawl.visits import Visits
from sitecrawl.errors import PageError, StorageError, WritingEndedError
from sitecrawl.items import ContentItem, PageItem
from sitecrawl.links.traps import MANY_WORDS
from sitecrawl.links.urls import url_key
from sitecrawl.metadata.shared_values import Values
from sitecrawl.page_kind import Kind
from sitecrawl.storage.pages import Placement
from sitecrawl.storage.records import ContentRecord

logger = logging.getLogger(__name__)


class PageStore:
    """Stores and extracts the pages of a crawl, and updates the crawl's memory.

    Memory changes only after the commit of a page. After a failed store, it is read from the database again.
    """

    def __init__(self, crawl: CrawlState, visits: Visits, publishing: Publishing) -> None:
        self.crawl = crawl
        self.visits = visits
        self.publishing = publishing
        self.storing = 0
        """Number of pages that are being stored, and will then wait for their template."""
        self.together = False
        """Whether waiting pages are extracted concurrently, so that several may share a commit."""
        self._failed: set[int] = set()
        """Waiting pages whose first attempt to store their content failed."""

    @property
    def waiting(self) -> bool:
        """Whether pages wait for their template, or will once they are stored."""
        return bool(self.crawl.waiting.pages or self.storing)

    async def keep(self, item: PageItem) -> None:
        """Store a page whose extraction waits for the template, with the URLs found on it."""
        alias = self.is_alias(item)
        self.storing += 1
        try:
            await self.publishing.settled()
            visit, rules = self._visit(item, self.crawl.statistics.count(item)), self.crawl.rules
            await self.crawl.writer.submit(lambda s: store(s, rules, visit))
            self._stored(item)
        except Exception:
            await self.lost(item)
            raise
        finally:
            self.storing -= 1
        await self._compare(item)
        (self.crawl.waiting.aliases if alias else self.crawl.waiting.pages).append(item.url_key)
        self.crawl.bodies.hold(item, parsed=not alias)

    def is_alias(self, item: PageItem) -> bool:
        """Return whether a page declares a canonical page that the crawl may still find, and so must wait for it."""
        return not self.crawl.frontier.exhausted and self.crawl.canonical(item) is not None

    def _visit(self, item: PageItem, values: Values | None = None, made: ContentRecord | None = None) -> Visit:
        """Return the visit of a page: with the content `made`, or without content if that is to be extracted later."""
        visits, fetch_outcome = self.visits, self.visits.fetch_outcome(item)
        if item.again:
            fetch, placement = earlier_fetch(item, self.crawl.crawl_id), Placement(item.layout, counted=True)
            return Visit(
                fetch,
                FetchOutcome(FetchResult.PAGE),
                placement=placement,
                content=made,
                stored=True,
                again=True,
                settles=True,
                indexable=item.indexable,
                counting=item.counting,
            )
        if item.stored:
            fetch, placement = earlier_fetch(item, self.crawl.crawl_id), Placement(item.layout, counted=True)
            return Visit(
                *(fetch, fetch_outcome, item.depth == 0, placement, None, item.page, made),
                stored=True,
                settles=made is not None,
                counting=item.counting,
            )
        self.publishing.set_layout(item)
        fetch = visits.fetch(item.url_key, item.url, item.http_status, item.depth, item)
        placement = Placement(item.layout, item.learned_version, item.counted)
        finds = Finds(tuple(item.found), item.link_texts, values)
        return Visit(
            *(fetch, fetch_outcome, item.depth == 0, placement, finds, item.page, made), counting=item.counting
        )

    def _stored(self, item: PageItem) -> None:
        """Record a committed page and its finds in memory."""
        frontier, key = self.crawl.frontier, item.url_key
        frontier.settle(key)
        frontier.stored(item.found)
        frontier.seen.update(item.links)
        self.crawl.statistics.stored(key)
        self.publishing.stored(key)

    async def lost(self, item: PageItem) -> None:
        """Forget a page that could not be stored, or whose content could not be stored.

        The page is requested or extracted once more in this run. The URLs on it are stored separately, since pages read
        meanwhile treat them as known.
        """
        key, frontier = item.url_key, self.crawl.frontier
        if item.stored:
            self._wait_again(key)
            return
        if key not in frontier.arrived:
            return
        frontier.give_back(key)
        try:
            if self.crawl.statistics.failed(key):
                self.crawl.writer.run(self.crawl.statistics.load)
            await self.publishing.lost(key)
            await self.visits.discover(item.found)
        except StorageError as error:
            logger.warning("%s: its memory could not be restored from the database: %s", item.url, error)

    async def extract(self, item: PageItem) -> ContentItem | None:
        """Extract the main content of a page and store it; return its feed row, None if it has none now."""
        crawl = self.crawl
        order = crawl.order.emitted.next()
        try:
            # counted before extraction: the page itself is one of the pages that show the site's values
            values = None if item.stored else crawl.statistics.count(item)
            made = await crawl.extraction.record(item, crawl.statistics.values, crawl.crawl_id, order)
            await self.publishing.settled()
            visit, rules = self._visit(item, values, made), crawl.rules
            _, content = await crawl.writer.submit(
                lambda s: store(s, rules, visit), later=self.together and item.stored
            )
        except Exception:
            crawl.order.emitted.give_back(order)
            await self.lost(item)
            raise
        if not item.stored:
            self._stored(item)
            await self._compare(item)
        if item.again:
            crawl.waiting.again.discard(item.url_key)
            if content is None:
                crawl.order.emitted.give_back(order)
                return None
            crawl.report.replaced.append(item.url)
            return feed_item(content, crawl.site.host, with_markdown=crawl.config.content_markdown)
        if content is None:
            return None
        await self._judge(item, content.record)
        return feed_item(content, crawl.site.host, with_markdown=crawl.config.content_markdown)

    async def read_ahead(self, most: int) -> None:
        """Read up to `most` of the next waiting pages from the database at once."""
        await self.crawl.bodies.read_ahead(islice(self.crawl.waiting.pages, most))

    async def next_waiting(self) -> PageItem | None:
        """Read the page that has waited longest and remove it from the queue; None if it cannot be extracted now.

        Its body may be missing or unreadable, or it may declare a canonical page that may still be found.
        """
        key = self.crawl.waiting.pages.popleft()
        try:
            stored = await self.crawl.bodies.taken(key)
            if stored is None:
                return None
            item = self.crawl.extraction.item(stored)
        except WritingEndedError:
            self.crawl.waiting.pages.appendleft(key)
            raise
        except (StorageError, PageError) as error:
            logger.warning("a page that waits for its template could not be read: %s", error)
            self._wait_again(key)
            return None
        if key in self.crawl.waiting.again:
            item.again, item.indexable = True, stored.reason is None
            return item
        if self.is_alias(item):
            self.crawl.waiting.aliases.append(key)
            return None
        return item

    def _wait_again(self, key: int) -> None:
        """Queue a page again after its first failure; after a second one it is left to the next run."""
        first = key not in self._failed
        self._failed.add(key)
        (self.crawl.waiting.pages if first else self.crawl.waiting.unextracted).append(key)

    async def _compare(self, item: PageItem) -> None:
        """Compare a page with others that have the same query parameters; store the parameters that this closes."""
        traps = self.crawl.closed_traps
        closed = traps.same_answers.read(item.page, self.crawl.frontier.knows)
        closed += traps.withheld_answers.read(item.url, withheld=item.noindex and item.nofollow)
        try:
            await traps.store(closed)
        except StorageError as error:
            logger.warning("the traps that %s revealed could not be stored: %s", item.url, error)

    async def _judge(self, item: PageItem, record: ContentRecord) -> None:
        """Report the content of a page to the trap guard; store the traps that this closes, and the variants released.

        Variants are the frontier's least urgent pages. The page itself is already stored, so a failure here does not
        keep its row from the feed.
        """
        has_text = (record.kind == Kind.CONTENT and record.words > 0) or record.words >= MANY_WORDS
        own = has_text and record.duplicate_of is None
        judged = self.crawl.guard.judge(item.url, content=own, url_key=item.url_key, links=item.links)
        if not judged.released and not judged.closed:
            return
        added = [self.crawl.frontier.add(url_key(url), url, item.depth, 0) for url in judged.released]
        try:
            await self.visits.discover([one for one in added if one is not None])
            await self.crawl.closed_traps.store(judged.closed)
        except StorageError as error:
            logger.warning("the traps and variants that %s revealed could not be stored: %s", item.url, error)
