"""Extracts the stored pages of a site again, without fetching: after an upgrade, or with another template."""

from collections.abc import AsyncGenerator
from typing import Final

from sitecrawl.clock import now
from sitecrawl.config import Config
from sitecrawl.crawl.changed_overrides import figure
from sitecrawl.crawl.commit import Rules, store
from sitecrawl.crawl.content import feed_item
from sitecrawl.crawl.extraction import SiteExtraction, chosen_extractor, new_learning, site_overrides
from sitecrawl.crawl.page_lifecycle import FetchOutcome, FetchResult
from sitecrawl.crawl.stored_pages import StoredPages
from sitecrawl.crawl.visit_decision import Visit, earlier_fetch
from sitecrawl.crawl.warm_start import restore_or_relearn
from sitecrawl.errors import DamagedBodyError, LeaseLostError, PageError, UnfinishedCrawlError
from sitecrawl.items import ContentItem, PageItem
from sitecrawl.links.scope import SiteScope
from sitecrawl.metadata.shared_values import SiteValues
from sitecrawl.storage.anchor_texts import Settled
from sitecrawl.storage.contents import ContentRepository
from sitecrawl.storage.crawls import REEXTRACT, CrawlRepository
from sitecrawl.storage.db.session import Session
from sitecrawl.storage.db.writer import BatchWriter
from sitecrawl.storage.layouts import LayoutRepository
from sitecrawl.storage.lease_owner import new_owner
from sitecrawl.storage.leases import LeaseFence
from sitecrawl.storage.pages import Placement
from sitecrawl.storage.records import StoredContent
from sitecrawl.storage.site_values import SiteValueRepository
from sitecrawl.storage.site_writer import SiteWriter
from sitecrawl.storage.sites import SiteRef, SiteRepository

REASON: Final = REEXTRACT
"""Finish reason of a reextraction in the history of crawls."""
CORRECTED: Final = ("title", "published")
"""Fields besides the text that an override may correct."""


class SiteReextraction:
    """Extracts all stored pages of one site again; the site stays leased meanwhile.

    Each transaction that writes renews the lease first. So a slow page does not lose the lease, and nothing is written
    once another process has taken the site over.
    """

    def __init__(self, config: Config, writer: BatchWriter, site: SiteRef, *, corrected: bool = False) -> None:
        """Prepare the extraction; with `corrected`, pages of which only the title or date differs are stored too.

        Such pages are always stored if their host has an override.
        """
        self.config = config
        self.writer = SiteWriter(writer, shared=True)
        self.site = site
        extractor = chosen_extractor(config)
        overrides = site_overrides(config, SiteScope.of(site.start_url, config.site_scope))
        self.learning = new_learning(config, extractor)
        self.bodies = StoredPages(config, self.writer, site.id)
        self._corrected, self._overrides = corrected, overrides
        self.extraction = SiteExtraction(config, overrides, extractor, self.learning, self.bodies)
        self.owner = new_owner()
        self.values = SiteValues()
        self.pages = self.changed = self.failed = 0
        self.unused: list[str] = []
        """The parts of overrides that applied to no page, in words, once all pages were extracted."""

    async def rows(self) -> AsyncGenerator[ContentItem]:
        """Yield the feed rows of pages whose main content differs from the stored one.

        The rows of an interrupted earlier extraction are included. Raises SiteLeasedError, UnknownSiteError,
        UnfinishedCrawlError, and LeaseLostError if another process takes the site over meanwhile.
        """
        site_id, config = self.site.id, self.config
        submit, seconds = self.writer.submit, config.lease_seconds
        epoch = await submit(lambda s: SiteRepository(s).lease_listed(self.site, self.owner, now(), seconds))
        self.writer.fence(LeaseFence(site_id, epoch, self.site.host))
        try:
            self.crawl_id = await submit(self._begin)
            self.values = SiteValues(await submit(lambda s: SiteValueRepository(s).used(site_id)))
            restore_or_relearn(
                self.writer.run, site_id, self.learning, self.bodies.read, None, now(), self.extraction.extractor
            )
            earlier = await submit(lambda s: list(ContentRepository(s).emitted(site_id, self.crawl_id)))
            for content in earlier:
                yield feed_item(content, self.site.host, with_markdown=self.config.content_markdown)
            done = {content.record.url_key for content in earlier}
            self._order = len(done)
            keys = await submit(lambda s: LayoutRepository(s).bodies(site_id))
            for key in keys:
                if key not in done and (row := await self._page_row(key)) is not None:
                    yield row
            await self.bodies.fetch_damaged_again()
            figures = {"pages": self.pages, "changed": self.changed, "failed": self.failed}
            await submit(lambda s: self._finish(s, {**figures, **figure(self._overrides.digest)}))
            self.unused = self.extraction.uses.unused(self._overrides.read)
        finally:
            await submit(lambda s: SiteRepository(s).release(site_id, self.owner))

    def _begin(self, session: Session) -> int:
        crawls = CrawlRepository(session)
        if crawls.unfinished(self.site.id):
            raise UnfinishedCrawlError(
                f"{self.site.host}: its last crawl did not end; run: sitecrawl crawl site -a url={self.site.start_url}"
            )
        return crawls.begin_finished(self.site.id, now(), REASON)

    def _finish(self, session: Session, figures: dict[str, int | str]) -> None:
        self._renew(session)
        CrawlRepository(session).finish(self.crawl_id, now(), REASON, figures)

    def _renew(self, session: Session) -> None:
        """Renew the lease in the current transaction. Raises LeaseLostError if another process has taken the site."""
        kept = SiteRepository(session).renew(self.site.id, self.owner, now(), self.config.lease_seconds)
        if not kept:
            raise LeaseLostError(
                f"{self.site.host}: another process took the site over; what was extracted so far is stored;"
                f" when that process has ended, run: sitecrawl reextract {self.site.host}"
            )

    async def _page_row(self, key: int) -> ContentItem | None:
        try:
            stored = await self.bodies.get(key)
            item = self.extraction.item(stored) if stored is not None else None
        except (DamagedBodyError, PageError) as error:
            self.bodies.pass_over(key, error)
            self.failed += 1
            return None
        if item is None or stored is None:
            return None
        self.pages += 1
        content = await self._extract(item, indexable=stored.reason is None)
        if content is None:
            return None
        self.changed += 1
        return feed_item(content, self.site.host, with_markdown=self.config.content_markdown)

    def _rules(self) -> Rules:
        return Rules(
            *(self.site.id, self.crawl_id, None, Settled(), self.config.max_nodes), store_bodies=True, keep_body=True
        )

    async def _extract(self, item: PageItem, *, indexable: bool) -> StoredContent | None:
        """Extract a page and store its content if it differs; return the stored content, else None.

        The decisions of its last fetch stay: whether the page is deleted, and whether an index may hold it.
        """
        made = await self.extraction.record(item, self.values, self.crawl_id, self._order + 1)
        corrected = self._corrected or self._overrides.rule(item.page.url) is not None
        visit = Visit(
            earlier_fetch(item, self.crawl_id),
            FetchOutcome(FetchResult.PAGE),
            placement=Placement(item.layout, counted=True),
            content=made,
            stored=True,
            again=True,
            counting=item.counting,
            indexable=indexable,
            corrected=CORRECTED if corrected else (),
        )
        rules = self._rules()

        def put(session: Session) -> StoredContent | None:
            self._renew(session)
            _, content = store(session, rules, visit)
            return content

        content = await self.writer.submit(put)
        self._order += content is not None
        return content
