"""Applies the sitemaps, feeds and translations of a site to a crawl: new URLs, visits brought forward or skipped."""

import datetime as dt
import logging
from collections.abc import Callable, Sequence

from sitecrawl import stats
from sitecrawl.clock import now
from sitecrawl.crawl.conditional_get import may_ask
from sitecrawl.crawl.frontier import SAMPLE_PRIORITY, SITEMAP_PRIORITY
from sitecrawl.crawl.out_of_scope import OutOfScope
from sitecrawl.crawl.site import SiteCrawl
from sitecrawl.crawl.sources import SourceRequest, Sources
from sitecrawl.links.anchors import may_be_html
from sitecrawl.links.dates import Dated
from sitecrawl.links.discovered import Discovered
from sitecrawl.links.relations import Relation
from sitecrawl.links.traps import trap_problem
from sitecrawl.links.urls import split_url, url_key
from sitecrawl.storage.db.session import Session
from sitecrawl.storage.revisits import RevisitRepository
from sitecrawl.storage.sources import SourceRepository, StoredSource
from sitecrawl.storage.visits import VisitRepository

logger = logging.getLogger(__name__)

Entry = tuple[str, int, Dated | None]
"""URL, url_key, date of the last change."""


class Discovery:
    """Reads the sources of one crawl into its frontier, and stores the URLs found."""

    def __init__(self, crawl: SiteCrawl) -> None:
        self.crawl = crawl
        site_id = crawl.site_id
        stored = crawl.writer.run(lambda s: SourceRepository(s).all(site_id))
        self.out_of_scope = OutOfScope(crawl)
        self.revisit = bool(crawl.frontier.known)
        """Whether pages are known, so that sitemaps and feeds are read before any page is requested."""
        self.spared: int | None = None
        """Number of skipped visits; None until `spare` has decided them."""
        sources = crawl.config.feeds or crawl.config.sitemaps
        self.sources = Sources(crawl.scope, stored if sources else (), now())

    async def begin(self) -> None:
        """Settle the stored pages that are out of scope; add the URLs of the list, or else the start URL."""
        crawl = self.crawl
        await self.out_of_scope.leave_out()
        listed = crawl.options.listed
        if listed:
            found = [crawl.frontier.add(key, url, 1, SITEMAP_PRIORITY) for key, url in listed.items()]
        else:
            found = [crawl.frontier.add(url_key(crawl.start_url), crawl.start_url, 0, SAMPLE_PRIORITY)]
        # a resumed crawl knows the start URL, unless another was given
        await crawl.visits.discover([one for one in found if one is not None])

    def count_refused(self, count: Callable[[str, int], None]) -> None:
        """Report the number of URLs that were out of scope, by reason."""
        for reason, number in self.out_of_scope.counts.items():
            count(f"{stats.SCOPE_REFUSED}/{reason}", number)
        if self.crawl.config.sitemap_only and not self.sources.read_any:
            logger.warning("%s: no sitemap was read, so only known pages were fetched", self.crawl.site.host)

    async def take(self, source: int, entries: Sequence[Entry]) -> tuple[int, int]:
        """Add the new URLs of a source and bring visits forward by its dates; return the number of each."""
        crawl = self.crawl
        allowed = [(url, key) for url, key, _ in entries if self.out_of_scope.refusal(url, key) is None]
        found = [crawl.frontier.add(key, url, 1, SITEMAP_PRIORITY) for url, key in allowed]
        new = [one for one in found if one is not None]
        await crawl.visits.discover(new)
        await crawl.visits.bring_near([key for _, key in allowed], 1)
        dates = {key: dated.last for _, key, dated in entries if dated is not None}
        if not crawl.config.lastmod:
            return len(new), 0
        site_id, moment, bounds = crawl.site_id, now(), crawl.schedule.bounds

        def note(session: Session) -> int:
            moved = SourceRepository(session).announce(site_id, source, dates)
            return VisitRepository(session).bring_forward(site_id, moved, moment, bounds)

        hastened = await crawl.writer.submit(note)
        self.sources.confirmed.add(source)
        return len(new), hastened

    async def read(
        self,
        ask: SourceRequest,
        pages: int,
        problem: str | None,
        *,
        etag: str | None = None,
        last_modified: str | None = None,
        good: bool = True,
    ) -> None:
        """Store the result of reading a source; `good` means that it could be read, `problem` what was wrong with it.

        Of a guessed source that is not there, the time is stored too: it is not looked for again soon.
        """
        moment: dt.datetime | None = now() if good or ask.guessed else None
        source = StoredSource(ask.url_key, ask.url, ask.kind, ask.parent, etag, last_modified, moment, problem, pages)
        site_id = self.crawl.site_id
        await self.crawl.writer.submit(lambda s: SourceRepository(s).put(site_id, source))

    async def unchanged(self, ask: SourceRequest) -> None:
        """Store that a source has not changed, and take the URLs that it named before."""
        self.sources.not_modified(ask)
        self.sources.confirmed.add(ask.url_key)
        site_id, moment = self.crawl.site_id, now()
        await self.crawl.writer.submit(lambda s: SourceRepository(s).read_again(site_id, ask.url_key, moment))

    async def spare(self) -> None:
        """Skip the visits of pages that the site reports as unchanged; only the first call does so, after all sources.

        The links of skipped pages count as seen. Each page is visited now and then, since dates can be wrong. Nothing
        is skipped if there is no template, or if unchanged pages get feed rows.
        """
        if self.spared is not None:
            return
        self.spared = 0
        crawl, config = self.crawl, self.crawl.config
        if not (self.revisit and config.lastmod and crawl.learning.published) or config.emit_unchanged:
            return
        site_id, crawl_id, moment = crawl.site_id, crawl.crawl_id, now()

        def skip(session: Session) -> tuple[list[int], list[tuple[int, ...]]]:
            sources = SourceRepository(session)
            found, every = sources.unchanged(site_id, crawl_id, self.sources.confirmed), config.full_fetch_every
            pages = [page for page in found if may_ask(page.url_key, page.not_modified, every)]
            sources.skip(site_id, pages, crawl_id, moment)
            return [page.url_key for page in pages], list(RevisitRepository(session).links(site_id, crawl_id))

        keys, links = await crawl.writer.submit(skip)
        for key in keys:
            crawl.frontier.settle(key)
        for one in links:
            crawl.frontier.seen.update(one)
        self.spared = len(keys)

    def alternate(self, named: Relation, depth: int) -> Discovered | None:
        """Claim and return a translation that a page declares; None if it is known, refused, a trap, or too deep."""
        frontier, parts = self.crawl.frontier, split_url(named.url)
        if parts is None or not may_be_html(parts) or trap_problem(parts, self.crawl.guard.limits):
            return None
        if frontier.is_too_deep(depth):
            return None
        if not self.out_of_scope.follows_links or self.out_of_scope.refusal(named.url, named.url_key) is not None:
            return None
        return frontier.add(named.url_key, named.url, depth, frontier.link_priority(depth))
