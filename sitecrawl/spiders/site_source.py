"""Sources of the sites that a process crawls: those due in the database, or those that `recrawl` assigns."""

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
from sitecrawl.storage.due_filter import DueFilter
from sitecrawl.storage.lease_owner import new_owner
from sitecrawl.storage.sites import SiteRef, SiteRepository

logger = logging.getLogger(__name__)

RECLAIMING: Final = 5.0
"""Seconds between two searches for leases of ended processes of this machine."""
NOT_BEGUN: Final = -2
"""Exit status of a crawl that was not begun: that of a process ended by SIGINT."""
STATUSES: Final = {word: status for status, word in RESULTS.items()}


class TakenSite(NamedTuple):
    """A site that this process is to crawl."""

    site: SiteRef
    owner: str
    """Holder of the lease that was taken for the crawl."""
    due: bool = True
    """Whether only pages that are due are fetched."""
    rests: bool = False
    """Whether its next crawl is postponed if this one fails or reaches its page limit."""
    suspect: bool = False
    """Whether its last crawls died with their processes."""
    feed: str = ""
    """File for its feed rows; empty for none."""


class _Leased(NamedTuple):
    """The site that was due first, with a new lease, and when another is due."""

    site: SiteRef | None
    """None if none was due."""
    is_suspect: bool
    next_due: tuple[str, dt.datetime] | None
    """The host that is due next, and when; None if none is planned."""


class SiteSource(Protocol):
    """The sites of one process."""

    async def take(self, *, suspects: bool) -> TakenSite | None:
        """Return the next site; None if there is none now. `suspects` allows sites whose last crawls died.

        Raises StorageError.
        """

    def next_due(self) -> float | None:
        """Return the seconds until a site may be due, after `take` returned None; None if unknown."""

    async def is_waited_for(self) -> bool:
        """Return whether a site waits, so that a long crawl should make room for it. Raises StorageError."""

    async def claim(self, site: SiteRef) -> bool:
        """Return whether the site may be crawled now by this process. Raises StorageError."""

    async def ended(self, taken: TakenSite, line: CrawlLine | None) -> bool:
        """Handle the end of a crawl; `line` is None if it was not begun. Return whether its site is released."""

    async def keep(self) -> None:
        """Renew the claims of `claim` until cancelled."""


class DueSites:
    """The sites that are due in the database, for a worker."""

    def __init__(self, config: Config, settings: BaseSettings, database: ProcessDatabase) -> None:
        self._config, self._database = config, database
        self._claims = AddressClaims(config, settings, database)
        self._reclaimed_at = -RECLAIMING
        self._jumps = JumpWatch(config.lease_seconds / 2)
        """Watches for jumps of the clock: after one, leases of running crawls look expired until they are renewed."""
        self._next_due: float | None = None

    async def take(self, *, suspects: bool) -> TakenSite | None:
        """Lease the site that is due first. Raises StorageError."""
        owner, moment, quiet = new_owner(), now(), self._jumps.quiet()
        reclaim = quiet and monotonic() - self._reclaimed_at >= RECLAIMING
        if reclaim:
            self._reclaimed_at = monotonic()

        def take(session: Session) -> _Leased:
            sites = SiteRepository(session)
            site = sites.lease_due(
                owner,
                moment,
                self._config.lease_seconds,
                due=moment,
                pause=self._config.recrawl_error_interval,
                wanted=DueFilter(
                    excluded=self._claims.refused(),
                    holder=self._claims.holder if self._config.address_politeness else None,
                    suspects=suspects,
                    died=quiet,
                ),
                reclaim=reclaim,
            )
            return _Leased(site, site is not None and sites.is_suspect(site.id), sites.next_due())

        leased = await self._database.writer.submit(take)
        following, site = leased.next_due, leased.site
        self._next_due = (following[1] - moment).total_seconds() if following is not None else None
        return TakenSite(site, owner, rests=True, suspect=leased.is_suspect) if site is not None else None

    def next_due(self) -> float | None:
        """Return the seconds from the last `take` until the next site is due; None if no site is planned."""
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
        """Release the lease, unless the crawl did, and the address; return whether the database allowed it."""
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
            logger.warning("the site could not be released (%s); its lease will expire", error)
            return False
        return True

    async def keep(self) -> None:
        """Renew the claims of addresses until cancelled."""
        await self._claims.keep()


class GivenSites:
    """The sites that `recrawl` assigns to one of its processes. `recrawl` leases them, and releases those left over."""

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
        """Return False: crawls of `recrawl` run to their end."""
        return False

    async def claim(self, site: SiteRef) -> bool:
        """Return True: processes of `recrawl` do not claim addresses."""
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
