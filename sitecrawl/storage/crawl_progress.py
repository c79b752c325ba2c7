"""Reads the progress of crawls: whether they run, how many URLs are done and left; in bounded time for any site.

Keys of pages are hashes of their URLs, so the pages with the lowest keys are a random sample. A site that is not larger
than the sample is counted exactly. The size of a larger one is estimated from the highest key of the sample, with a
relative standard error of 1 / sqrt(sample): Bar-Yossef et al., Counting distinct elements in a data stream (RANDOM
2002), algorithm 2.
"""

import datetime as dt
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final, NamedTuple

from sqlalchemy import ColumnElement, and_, func, select

from sitecrawl.storage.db.session import Session
from sitecrawl.storage.page_state import PageStatus
from sitecrawl.storage.tables.models import CRAWL, PAGE, SITE, SUSPENDED

SAMPLED: Final = 5_000
"""Pages of a site that are read: 1.4 % standard error of the size of a larger site."""
COUNTED: Final = 20_000
"""Maximum entries of an index that are counted exactly; larger numbers are estimated from the sample [OWN]."""
KEYS: Final = 1 << 63
"""Number of different keys of pages."""
RECENT: Final = dt.timedelta(minutes=5)
"""Length of the recent period in which the speed of a crawl is measured [OWN]."""
SHORTEST: Final = dt.timedelta(seconds=10)
"""Time after the start of a crawl before which no speed is reported [OWN]."""


class CrawlState(NamedTuple):
    """The last crawl of a site, and the lease of the site."""

    site_id: int
    host: str
    owner: str | None
    """Holder of the lease, until `leased_until`."""
    leased_until: dt.datetime | None
    crawl_id: int | None
    """None if it was never crawled."""
    started_at: dt.datetime | None
    finished_at: dt.datetime | None
    reason: str | None
    """Finish reason, or why it stopped."""


@dataclass(frozen=True, slots=True)
class CrawlProgress:
    """The progress of a crawl, in URLs of its site. A URL is done when its outcome in a crawl is stored."""

    done: int
    """URLs done in this crawl: pages, redirects, failures, URLs that are left out."""
    new: int
    """URLs that no crawl has done yet."""
    due: int
    """URLs done in an earlier crawl, and due now."""
    later: int
    """URLs done in an earlier crawl, and not due: a crawl of due pages does not request them."""
    failed: int
    """URLs done in this crawl, without a usable response."""
    suspended: int
    """Failed URLs that are requested again before the crawl ends."""
    speed: float | None
    """URLs done per minute in the last RECENT; None in the first SHORTEST of a crawl."""
    exact: bool
    """False if the numbers are estimated from a sample."""

    @property
    def left(self) -> int:
        """Number of URLs that the crawl will still request in any case: new and due ones."""
        return self.new + self.due


class _Sample(NamedTuple):
    """Numbers of sampled pages."""

    pages: int
    highest: int
    """Their highest key."""
    done: int
    new: int
    due: int
    failed: int
    recent: int
    """URLs done in the last RECENT."""

    @property
    def later(self) -> int:
        """URLs done in an earlier crawl, and not due."""
        return self.pages - self.done - self.new - self.due


class CrawlProgressRepository:
    """Reads `site`, `crawl`, `page` and `suspended`."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def states(self, site_ids: Collection[int]) -> list[CrawlState]:
        """Return the last crawl and the lease of these sites, by host; unknown sites are left out."""
        last = select(func.max(CRAWL.c.id)).where(CRAWL.c.site_id == SITE.c.id).correlate(SITE).scalar_subquery()
        site = (SITE.c.id, SITE.c.host, SITE.c.lease_owner, SITE.c.leased_until)
        rows = self.session.execute(
            select(*site, CRAWL.c.id, CRAWL.c.started_at, CRAWL.c.finished_at, CRAWL.c.reason)
            .select_from(SITE)
            .outerjoin(CRAWL, CRAWL.c.id == last)
            .where(SITE.c.id.in_(site_ids))
            .order_by(SITE.c.host)
        )
        return [CrawlState(*row) for row in rows]

    def progress(
        self, site_id: int, crawl_id: int, started_at: dt.datetime, now: dt.datetime, sampled: int = SAMPLED
    ) -> CrawlProgress:
        """Return the progress of a crawl. Reads at most `sampled` pages, and 2 * COUNTED entries of an index."""
        since = max(started_at, now - RECENT)
        seen = self._sample(site_id, crawl_id, now, since, sampled)
        done, new, due, later, failed, recent = seen.done, seen.new, seen.due, seen.later, seen.failed, seen.recent
        exact = seen.pages < sampled
        if not exact:
            scale = (seen.pages - 1) * KEYS / seen.highest / seen.pages
            due, later, failed, recent = (round(part * scale) for part in (due, later, failed, recent))
            done = self._counted(done * scale, PAGE.c.site_id == site_id, PAGE.c.crawl_id == crawl_id)
            new = self._counted(new * scale, PAGE.c.site_id == site_id, PAGE.c.crawl_id.is_(None))
        taken = now - since
        speed = recent / (taken / dt.timedelta(minutes=1)) if taken >= SHORTEST else None
        return CrawlProgress(done, new, due, later, min(failed, done), self._suspended(site_id), speed, exact)

    def _sample(self, site_id: int, crawl_id: int, now: dt.datetime, since: dt.datetime, limit: int) -> _Sample:
        """Return the numbers of the pages with the lowest keys."""
        columns = (PAGE.c.url_key, PAGE.c.crawl_id, PAGE.c.status, PAGE.c.fetched_at, PAGE.c.next_fetch_at)
        few = select(*columns).where(PAGE.c.site_id == site_id).order_by(PAGE.c.url_key).limit(limit).subquery()
        here, earlier, due = few.c.crawl_id == crawl_id, few.c.crawl_id != crawl_id, few.c.next_fetch_at <= now
        chosen = (
            *(here, few.c.crawl_id.is_(None), and_(earlier, due)),
            *(and_(here, few.c.status == int(PageStatus.ERROR)), and_(here, few.c.fetched_at >= since)),
        )
        counts = [func.count().filter(one) for one in chosen]
        highest = func.max(few.c.url_key)
        return _Sample(*self.session.execute(select(func.count(), highest, *counts).select_from(few)).one())

    def _counted(self, estimated: float, *conditions: ColumnElement[bool]) -> int:
        """Return the number of pages of an index that satisfy conditions; the estimate above COUNTED."""
        few = select(PAGE.c.url_key).where(*conditions).limit(COUNTED).subquery()
        found = self.session.number(select(func.count()).select_from(few))
        return found if found < COUNTED else max(round(estimated), COUNTED)

    def _suspended(self, site_id: int) -> int:
        few = select(SUSPENDED.c.url_key).where(SUSPENDED.c.site_id == site_id).limit(COUNTED).subquery()
        return self.session.number(select(func.count()).select_from(few))
