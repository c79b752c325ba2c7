"""The sources of a process's sites: those that are due in the database, or those that `recrawl` hands out."""

import datetime as dt
import logging
import sys
from time import monotonic
from typing import Final, NamedTuple, Protocol

from scrapy.settings import BaseSettings

from sitecrawl.clock import JumpWatch, now
from sitecrawl.config import Config
from sitecrawl.crawl.site import STOPPED, pause_after
from sitecrawl.errors import StorageError
from sitecrawl.exit_status import FAILED
from sitecrawl.fleet.crawl_line import RESULTS, CrawlLine
from sitecrawl.fleet.job_channel import JobChannel
from sitecrawl.spiders.address_claims import AddressClaims
from sitecrawl.storage.db.session import Session
from sitecrawl.storage.db.writer import ProcessDatabase
from sitecrawl.storage.lease_owner import new_owner
from sitecrawl.storage.sites import SiteRef, SiteRepository

logger = logging.getLogger(__name__)

RECLAIMING: Final = 5.0
"""Seconds between two looks for leases of processes of this machine that have ended."""
NOT_BEGUN: Final = -2
"""Status of a crawl that was not begun, as if SIGINT had ended it."""
STATUSES: Final = {word: status for status, word in RESULTS.items()}


class TakenSite(NamedTuple):
    """A site that this process is to crawl."""

    site: SiteRef
    owner: str
    """Holder of the lease that was taken for the crawl."""
    due: bool = True
    """Whether only pages that are due are fetched."""
    rests: bool = False
    """Whether it is left alone for a while after a crawl that fails or reaches its limit of pages."""
    suspect: bool = False
    """Whether its last crawls died with their processes."""
    feed: str = ""
    """File of its rows; empty if there is none."""


class SiteSource(Protocol):
    """The sites of one process."""

    async def take(self, *, suspects: bool) -> TakenSite | None:
        """Return the next site; None if there is none now. With `suspects` it may be one whose crawls died.

        Raises StorageError.
        """

    def next_due(self) -> float | None:
        """Return in how many seconds a site may be due, after `take` returned None; None if that is not known."""

    async def is_waited_for(self) -> bool:
        """Return whether a site waits for a place. Raises StorageError."""

    async def claim(self, site: SiteRef) -> bool:
        """Return whether the site may be crawled now by this process. Raises StorageError."""

    async def ended(self, taken: TakenSite, line: CrawlLine | None) -> bool:
        """Note that a crawl has ended, or without a line that it was not begun; return whether its site is free."""

    async def keep(self) -> None:
        """Keep the claims until cancelled."""


class DueSites:
    """The sites that are due in the database, for a worker."""

    def __init__(self, config: Config, settings: BaseSettings, database: ProcessDatabase) -> None:
        self._config, self._database = config, database
        self._claims = AddressClaims(config, settings, database)
        self._reclaimed_at = -RECLAIMING
        self._jumps = JumpWatch(config.lease_seconds / 2)
        """After a jump the leases of running crawls may look ended. They are renewed before the watch is quiet."""
        self._next_due: float | None = None

    async def take(self, *, suspects: bool) -> TakenSite | None:
        """Lease the site that is due first. Raises StorageError."""
        owner, moment, quiet = new_owner(), now(), self._jumps.quiet()
        reclaim = quiet and monotonic() - self._reclaimed_at >= RECLAIMING
        if reclaim:
            self._reclaimed_at = monotonic()

        def take(session: Session) -> tuple[SiteRef | None, bool, tuple[str, dt.datetime] | None]:
            sites = SiteRepository(session)
            site = sites.lease_due(
                owner,
                moment,
                self._config.lease_seconds,
                due=moment,
                pause=self._config.recrawl_error_interval,
                excluded=self._claims.refused(),
                reclaim=reclaim,
                holder=self._claims.holder if self._config.address_politeness else None,
                suspects=suspects,
                died=quiet,
            )
            return site, site is not None and sites.is_suspect(site.id), sites.next_due()

        site, suspect, following = await self._database.writer.submit(take)
        self._next_due = (following[1] - moment).total_seconds() if following is not None else None
        return TakenSite(site, owner, rests=True, suspect=suspect) if site is not None else None

    def next_due(self) -> float | None:
        """Return in how many seconds the next site was due at the last `take`."""
        return self._next_due

    async def is_waited_for(self) -> bool:
        """Return whether a site is due. Raises StorageError."""
        moment = now()
        following = await self._database.writer.submit(lambda s: SiteRepository(s).next_due())
        return following is not None and following[1] <= moment

    async def claim(self, site: SiteRef) -> bool:
        """Claim the address of a site; return False if another process crawls sites of it. Raises StorageError."""
        return await self._claims.claim(site)

    async def ended(self, taken: TakenSite, line: CrawlLine | None) -> bool:
        """Release the lease and the address, if the crawl has not; return whether that was possible."""
        site, owner, moment = taken.site, taken.owner, now()
        pause = pause_after(line.outcome if line is not None else STOPPED, self._config)

        def release(session: Session) -> None:
            if line is None:
                SiteRepository(session).hand_back(site.id, owner, moment)
            else:
                SiteRepository(session).release(site.id, owner)
                if pause:
                    SiteRepository(session).postpone(site.id, moment + dt.timedelta(seconds=pause))

        try:
            await self._database.writer.submit(release)
            await self._claims.end(site)
        except StorageError as error:
            logger.warning("the site could not be released (%s); its lease ends by itself", error)
            return False
        return True

    async def keep(self) -> None:
        """Renew the claims of addresses until cancelled."""
        await self._claims.keep()


class GivenSites:
    """The sites that `recrawl` hands to one of its processes. `recrawl` leases them, and releases those left over."""

    def __init__(self, channel: JobChannel) -> None:
        self._channel = channel

    async def take(self, *, suspects: bool) -> TakenSite | None:
        """Ask for a site. `recrawl` ensures that suspects are crawled alone, so `suspects` is ignored."""
        job = await self._channel.take()
        if job is None:
            return None
        return TakenSite(SiteRef(job.site, job.host, job.url), job.lease, job.due, feed=job.feed)

    def next_due(self) -> float | None:
        """Return None, since `recrawl` decides which sites are due."""
        return None

    async def is_waited_for(self) -> bool:
        """Return False: no crawl has to end its turn for another."""
        return False

    async def claim(self, site: SiteRef) -> bool:
        """Return True: addresses are shared within the process alone."""
        return True

    async def ended(self, taken: TakenSite, line: CrawlLine | None) -> bool:
        """Write the reason why a crawl is not complete to stderr, and send its exit status to `recrawl`."""
        if line is not None and line.message:
            sys.stderr.write(f"{taken.site.host}: sitecrawl: {line.message}\n")
            sys.stderr.flush()
        await self._channel.ended(taken.site.id, STATUSES.get(line.result, FAILED) if line is not None else NOT_BEGUN)
        return True

    async def keep(self) -> None:
        """Do nothing: there are no claims."""
