"""Selects the known URLs that a crawl requests next; those in closed traps need no request."""

import logging
from collections.abc import Collection
from functools import partial
from typing import Final

from sitecrawl.clock import now
from sitecrawl.crawl.commit import store
from sitecrawl.crawl.crawl_state import CrawlState
from sitecrawl.crawl.page_lifecycle import FetchOutcome, FetchResult
from sitecrawl.crawl.schedule import Schedule
from sitecrawl.crawl.visit_decision import Visit
from sitecrawl.crawl.visits import Visits
from sitecrawl.printable import visible
from sitecrawl.storage.db.session import Session
from sitecrawl.storage.deletions import DeletionRepository
from sitecrawl.storage.pages import DuePage, PageRepository

logger = logging.getLogger(__name__)

BATCH: Final = 500
"""Maximum requests taken from the database at once [OWN]. The rest of the window is for links found meanwhile."""
KNOWN_SHARE: Final = 2
"""Divisor of `max_pages`: a half of the limit goes to known pages before new URLs [OWN].

Otherwise new URLs come first, and on a site with more of them than the limit no page would be visited a second time.
"""
HUB_SHARE: Final = 2
"""Divisor of that half: the start page and listings, which lead to new pages, get a half of it, rounded up [OWN]."""


class NextPages:
    """The known URLs of a crawl that are requested next."""

    def __init__(self, crawl: CrawlState, visits: Visits) -> None:
        self.crawl, self.visits = crawl, visits
        self.trapped = 0
        """Number of known URLs that were left out without a request, since they are in closed traps."""
        self._asked_witness = False
        """Whether a page that was not due was requested, to see whether the site is up."""
        self._shares: dict[bool, int] | None = None
        """Number of known pages to take before new URLs, by whether they are hubs; None before the first batch."""

    async def batch(self) -> list[DuePage]:
        """Take the next pages for the engine, at most BATCH, and return them, most urgent first.

        Pages in closed traps need no request: they are settled here.
        """
        await self._respell()
        taken: list[DuePage] = []
        while not taken and (due := await self._take_due() or await self._witness()):
            taken = await self._without_trapped(due)
        for page in taken:
            self.crawl.frontier.spellings.found(page.url_key, page.url)
        return await self.visits.known.conditional(taken)

    async def _take_due(self) -> list[DuePage]:
        """Take the most urgent pages from the database, at most BATCH, and return them."""
        frontier, schedule = self.crawl.frontier, self.crawl.schedule
        room, taken = min(frontier.room, BATCH), frontier.taken | frontier.arrived.keys() | frontier.postponed
        if not room:
            return []
        limited = bool(frontier.max_pages)
        due = await self._revisits(room, taken) if limited else []
        if not due:
            due = await self.crawl.writer.submit(
                lambda s: schedule.pages(s, now(), room, taken, limited=limited),
            )
        return [page for page in due if frontier.take(page.url_key)]

    async def _witness(self) -> list[DuePage]:
        """Return one good page that is not due, if deletions wait and this crawl has found no page that stays so far.

        Its answer shows whether the site is up, so that deletions need not wait until another page is due. A crawl
        requests one such page at most; requests that are still under way do not count.
        """
        crawl = self.crawl
        if self._asked_witness or not crawl.schedule.due:
            return []
        found = await crawl.writer.submit(
            lambda s: DeletionRepository(s).witness(crawl.site_id, crawl.crawl_id, now()),
        )
        if found is None or not crawl.frontier.take(found.url_key):
            return []
        self._asked_witness = True
        return [found]

    async def _revisits(self, room: int, taken: Collection[int]) -> list[DuePage]:
        """Return the known pages that come before never fetched URLs, while their share of the limit lasts."""
        frontier, schedule = self.crawl.frontier, self.crawl.schedule
        if self._shares is None:
            known = max(0, frontier.max_pages - frontier.pages) // KNOWN_SHARE
            hubs = -(-known // HUB_SHARE)
            self._shares = {True: hubs, False: known - hubs}
        for hubs, share in self._shares.items():
            wanted = min(room, share)
            if not wanted:
                continue
            due = await self.crawl.writer.submit(
                partial(_known, schedule=schedule, limit=wanted, excluded=taken, hubs=hubs)
            )
            self._shares[hubs] -= len(due)
            if len(due) < wanted:  # the others have what the hubs do not need
                self._shares[False] += self._shares[hubs] if hubs else 0
                self._shares[hubs] = 0
            if due:
                return due
        return []

    async def _without_trapped(self, pages: list[DuePage]) -> list[DuePage]:
        """Return the pages outside of closed traps; the others are settled as refused, all in one transaction."""
        reasons = [self.crawl.closed_traps.refusal(page.url) for page in pages]
        visits = [self._refused(page, why) for page, why in zip(pages, reasons, strict=True) if why is not None]
        if not visits:
            return pages
        frontier, rules = self.crawl.frontier, self.crawl.rules
        for visit in visits:
            frontier.arrive(visit.fetch.url_key)
        try:
            await self.crawl.writer.submit(lambda s: [store(s, rules, visit) for visit in visits])
        except Exception:
            for visit in visits:
                frontier.give_back(visit.fetch.url_key)
            frontier.taken.difference_update(page.url_key for page in pages)
            raise
        for visit in visits:
            frontier.settle(visit.fetch.url_key)
            self.visits.exclude(visit.fetch_outcome.why)
        self.trapped += len(visits)
        logger.info("left out %d known URLs in closed traps; the first: %s", len(visits), visits[0].fetch_outcome.why)
        return [page for page, why in zip(pages, reasons, strict=True) if why is None]

    def _refused(self, page: DuePage, why: str) -> Visit:
        """Return the visit of a page that is not requested."""
        fetch = self.visits.fetch(page.url_key, page.url, None, page.depth)._replace(requested=False)
        return Visit(fetch, FetchOutcome(FetchResult.TRAPPED, visible(why)))

    async def _respell(self) -> None:
        """Make pages that failed because of their host due once more, under another spelling of their URL."""
        site_id, frontier, failures = self.crawl.site_id, self.crawl.frontier, self.crawl.report.failures
        for key, url, why in frontier.spellings.take():
            await self.crawl.writer.submit(partial(_respell, site_id=site_id, key=key, url=url))
            frontier.ask_again(key)
            if failures.get(why):
                failures[why] -= 1
                if not failures[why]:
                    del failures[why]


def _respell(session: Session, site_id: int, key: int, url: str) -> None:
    PageRepository(session).respell(site_id, key, url)


def _known(session: Session, schedule: Schedule, limit: int, excluded: Collection[int], *, hubs: bool) -> list[DuePage]:
    return schedule.known(session, now(), limit, excluded, hubs=hubs)
