"""The crawl of one site, used by the spider, the middlewares and the pipelines."""

import asyncio
import datetime as dt
import logging
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any, Final, NamedTuple

from sitecrawl.clock import now
from sitecrawl.config import Config
from sitecrawl.crawl.changed_overrides import figure
from sitecrawl.crawl.content import feed_item
from sitecrawl.crawl.counters import Numbers
from sitecrawl.crawl.crawl_start import CrawlStart
from sitecrawl.crawl.crawl_state import CrawlState
from sitecrawl.crawl.deletions import conclude
from sitecrawl.crawl.next_pages import NextPages
from sitecrawl.crawl.page_store import PageStore
from sitecrawl.crawl.publishing import Publishing
from sitecrawl.crawl.second_fetches import SecondFetches
from sitecrawl.crawl.stored_pages import HeldRows
from sitecrawl.crawl.visits import Visits
from sitecrawl.errors import LeaseLostError, StorageError, WritingEndedError
from sitecrawl.items import ContentItem
from sitecrawl.links.urls import url_key
from sitecrawl.metadata.fields import RowStatus
from sitecrawl.overrides.unused import warning
from sitecrawl.page_kind import Kind
from sitecrawl.storage.contents import ContentRepository
from sitecrawl.storage.crawls import CrawlRepository
from sitecrawl.storage.db.engine import retrying, session_scope
from sitecrawl.storage.db.session import Session
from sitecrawl.storage.db.writer import ProcessDatabase
from sitecrawl.storage.page_report import LifeRepository, Missed, Repeated, Trouble
from sitecrawl.storage.pages import PageRepository
from sitecrawl.storage.records import StoredContent
from sitecrawl.storage.sites import SiteRepository

logger = logging.getLogger(__name__)

HELD: Final = "held"
"""Finish reason of a complete crawl whose deletions wait for an operator to release them."""
FEED: Final = "feed"
"""Finish reason of a crawl whose rows could not be written."""
DATABASE: Final = "database"
"""Finish reason of a crawl whose database was lost."""
LEASE_LOST: Final = "lease_lost"
"""Finish reason of a crawl whose site another process took over."""
STOPPED: Final = "shutdown"
"""Scrapy's finish reason of a crawl that was stopped by a signal and closed properly."""
REASONS: Final = 3
"""Maximum reasons in a message about pages that were not found at their last visit."""
EXTRACTED_SHARE: Final = 0.5
"""Minimum share of the site's pages that a crawl extracted for it to report unused parts of overrides [OWN]."""
ROWS: Final = 200
"""Feed rows of an interrupted run that are read in one operation."""
COMPLETE: Final = frozenset(("finished", "max_pages", HELD))
"""Finish reasons of complete crawls; after any other reason the next run resumes the crawl."""


class _Closed(NamedTuple):
    """Findings on a site in the transaction that ends its crawl."""

    troubles: list[Trouble]
    missed: Missed
    repeated: Repeated | None
    led_away: Repeated | None
    forgotten: bool
    """Whether the site was forgotten, since it never answered."""


class SiteCrawl(CrawlState):
    """One crawl of one site: CrawlState opens, leases and resumes it; this class concludes and closes it."""

    def __init__(
        self,
        config: Config,
        start: CrawlStart,
        database: ProcessDatabase | None = None,
        held: HeldRows | None = None,
    ) -> None:
        """Open the site and load its state; see `CrawlState` for the arguments and errors."""
        super().__init__(config, start, database, held)
        self.visits = Visits(self)
        self.next_pages = NextPages(self, self.visits)
        self.second_fetches = SecondFetches(self)
        self.publishing = Publishing(self, self.second_fetches)
        self.page_store = PageStore(self, self.visits, self.publishing)
        self.troubles: list[Trouble] = []
        """Why URLs of the site have no page, once the crawl is closed."""
        self.missed = Missed()
        """The pages that readers have and that the last visit did not find, once the crawl is closed."""
        self.repeated: Repeated | None = None
        """The pages of the crawl with the text that most of them have, once it is closed."""
        self.led_away: Repeated | None = None
        """The URLs that redirect, for now, to the address that most of them redirect to, once it is closed."""
        self.forgotten = False
        """Whether the site was forgotten again, since nothing of it was ever fetched."""

    async def emitted_rows(self) -> AsyncIterator[ContentItem]:
        """Yield the feed rows of interrupted runs of this crawl, so that the feed is complete."""
        after, last = 0, self.order.emitted_before
        while after < last:
            rows = await self._emitted(after, last, ROWS)
            for row in rows:
                yield feed_item(row, self.site.host, with_markdown=self.config.content_markdown)
            if len(rows) < ROWS:
                return
            after = rows[-1].record.emit_order

    async def _emitted(self, after: int, last: int | None = None, limit: int | None = None) -> list[StoredContent]:
        site_id, crawl_id, unchanged = self.site_id, self.crawl_id, self.config.emit_unchanged
        return await self.writer.submit(
            lambda s: list(
                ContentRepository(s).emitted(
                    site_id, crawl_id, after=after, last=last, limit=limit, unchanged=unchanged
                )
            )
        )

    async def conclude(self) -> list[ContentItem]:
        """Carry out the deletions, or hold them if they are too many; return the feed rows of the deleted pages."""
        await self.closed_traps.store(self.guard.conclude())
        site_id, crawl_id, before, moment = self.site_id, self.crawl_id, self.order.emitted.last, now()
        self.report.conclusion = await self.writer.submit(
            lambda s: conclude(s, site_id, crawl_id, before, self.config, moment, self.report.replaced)
        )
        self.order.emitted = Numbers(self.report.conclusion.emit_order)
        rows = await self._emitted(before) if self.order.emitted.last > before else []
        return [feed_item(row, self.site.host, with_markdown=self.config.content_markdown) for row in rows]

    async def figures(self, contents: dict[tuple[Kind, RowStatus], int], known: dict[str, int]) -> dict[str, Any]:
        """Return the figures of the whole crawl for its history, given the two results of `counts`."""
        site_id, crawl_id = self.site_id, self.crawl_id
        urls = await self.writer.submit(lambda s: PageRepository(s).counts(site_id, crawl_id))
        rows: dict[str, int] = {}
        kinds: dict[str, int] = {}
        for (kind, status), count in contents.items():
            rows[status] = rows.get(status, 0) + count
            if status != RowStatus.GONE:
                kinds[kind] = kinds.get(kind, 0) + count
        return {
            "pages": self.frontier.pages,
            "urls": urls,
            "known": known,
            "rows": rows,
            "kinds": kinds,
            "held": self.report.conclusion.held,
            "unlinked": len(self.frontier.known - self.frontier.seen),
            "template_version": self.learning.version,
        }

    async def counts(self) -> tuple[dict[tuple[Kind, RowStatus], int], dict[str, int]]:
        """Return the pages of this crawl by (kind, status), and the URLs of the site by status."""
        site_id, crawl_id = self.site_id, self.crawl_id
        return await self.writer.submit(
            lambda s: (ContentRepository(s).counts(site_id, crawl_id), PageRepository(s).counts(site_id))
        )

    def is_stored(self, url: str) -> bool:
        """Return whether this crawl has stored a URL's page and, if it has content, extracted it."""
        key = url_key(url)
        return key in self.frontier.settled and key not in self.waiting.unextracted

    async def renew(self) -> bool:
        """Renew the lease; return False if another process has taken it over."""
        return await self.writer.submit(
            lambda s: SiteRepository(s).renew(self.site_id, self.owner, now(), self.config.lease_seconds)
        )

    def outcome(self, reason: str) -> str:
        """Return the outcome of the crawl from the engine's finish reason."""
        if reason != "finished":
            return reason
        if self.frontier.stopped:
            return self.frontier.stopped
        if self.report.conclusion.held:
            return HELD
        return "max_pages" if self.frontier.full else reason

    async def close(
        self,
        reason: str,
        stats: dict[str, Any],
        *,
        forget: bool = False,
        keep_reach: bool = False,
        broken: bool = False,
    ) -> None:
        """Store pending data, finish the crawl or leave it to be resumed, and release the site.

        `forget` deletes a site of which no page was ever fetched; with `keep_reach`, the addresses that its host may
        resolve to stay stored. `broken` means that some pages could not be stored.
        """
        await self.bodies.fetch_damaged_again()
        complete = reason in COMPLETE
        if complete:
            await self.publishing.retire()
            stats = {**stats, **figure(self.extraction.overrides.digest)}
            self._judge_overrides()
        site_id, crawl_id, moment = self.site_id, self.crawl_id, now()
        why = self.report.moved[0] if self.report.moved else self.report.given_up or reason
        pause = pause_after(reason, self.config, broken=broken) if self.start.rests else 0
        rest = moment + dt.timedelta(seconds=pause)
        not_before = max(rest, self.hosts.of(self.hosts.home).not_before or rest)

        def close(session: Session) -> _Closed:
            crawls, sites = CrawlRepository(session), SiteRepository(session)
            if complete:
                crawls.finish(crawl_id, moment, reason, stats)
            else:
                crawls.leave(crawl_id, why)
            self.schedule.close(session, moment, not_before, stopped=reason in (STOPPED, FEED))
            sites.release(site_id, self.owner)
            lives = LifeRepository(session)
            troubles, missed = lives.troubles(site_id), lives.missed(site_id, REASONS)
            repeated, led_away = lives.repeated(site_id, crawl_id), lives.led_away(site_id)
            forgotten = forget and sites.forget_unanswered(site_id, keep_reach=keep_reach)
            return _Closed(troubles, missed, repeated, led_away, forgotten)

        closed = await self.writer.submit(close)
        self.troubles, self.missed, self.repeated, self.led_away, self.forgotten = closed
        await self.writer.close()
        self.dispose()

    def _judge_overrides(self) -> None:
        """Report and log the parts of overrides that applied to no page, if most pages of the site were extracted."""
        extraction = self.extraction
        if extraction.uses.pages < EXTRACTED_SHARE * self.report.conclusion.live:
            return  # a selector may apply to the pages that were not read
        self.report.unused = extraction.uses.unused(extraction.overrides.read)
        if self.report.unused:
            logger.warning("%s: %s", self.scope.key, warning(self.report.unused))

    async def abandon(self) -> None:
        """Close a crawl that can no longer write: try to release the lease, and store nothing else."""
        await self.writer.close()
        await asyncio.to_thread(self._try_to_release)
        self.dispose()

    def _try_to_release(self) -> None:
        with suppress(StorageError), session_scope(retrying(self.engine)) as session:
            SiteRepository(session).release(self.site_id, self.owner)

    def hand_back(self) -> None:
        """Release the site of a crawl that was stopped before its first request, so that the site is due again.

        Does nothing if the database fails. Needs no event loop.
        """
        with suppress(StorageError), session_scope(retrying(self.engine)) as session:
            CrawlRepository(session).leave(self.crawl_id, STOPPED)
            SiteRepository(session).hand_back(self.site_id, self.owner, now())


def pause_after(outcome: str, config: Config, *, broken: bool = False) -> int:
    """Return the minimum seconds between a worker's crawl with this outcome and the next crawl of the site.

    URLs that were never fetched make a site due at once. After a crawl of a site that does not answer, that ended by
    its page limit, or that could not store pages (`broken`), that would repeat the crawl without end; so it waits.
    """
    if broken and outcome in COMPLETE:
        return config.recrawl_error_interval
    if outcome == "max_pages":
        return config.recrawl_initial_interval
    again = outcome in COMPLETE or outcome in (STOPPED, LEASE_LOST, DATABASE)
    return 0 if again else config.recrawl_error_interval


def end_of_writing(error: WritingEndedError | None) -> str:
    """Return the finish reason of a crawl that can no longer write."""
    return LEASE_LOST if isinstance(error, LeaseLostError) else DATABASE
