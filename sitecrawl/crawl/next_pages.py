"""Selects the known URLs that a crawl requests next; those in closed traps need no request."""

import logging
from functools import partial
from typing import Final

from sitecrawl.clock import now
from sitecrawl.crawl.commit import Visit, store
from sitecrawl.crawl.crawl_state import CrawlState
from sitecrawl.crawl.page_lifecycle import FetchOutcome, FetchResult
from sitecrawl.crawl.visits import Visits
from sitecrawl.printable import visible
from sitecrawl.storage.db.session import Session
from sitecrawl.storage.pages import DuePage, PageRepository

logger = logging.getLogger(__name__)

BATCH: Final = 500
"""Maximum requests taken from the database at once [OWN]. The rest of the window is for links found meanwhile."""


class NextPages:
    """The known URLs of a crawl that are requested next."""

    def __init__(self, crawl: CrawlState, visits: Visits) -> None:
        self.crawl, self.visits = crawl, visits
        self.trapped = 0
        """Number of known URLs that were settled without a request, since they are in closed traps."""

    async def batch(self) -> list[DuePage]:
        """Take the next pages for the engine, at most BATCH, and return them, most urgent first.

        Pages in closed traps need no request: they are settled here.
        """
        await self._respell()
        taken: list[DuePage] = []
        while not taken and (due := await self._take_due()):
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
        due = await self.crawl.writer.submit(lambda s: schedule.pages(s, now(), room, taken))
        return [page for page in due if frontier.take(page.url_key)]

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
        return Visit(fetch, FetchOutcome(FetchResult.REFUSED, visible(why)))

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
