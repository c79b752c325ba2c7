"""Crawls of a site: at most one is unfinished, and that one is resumed."""

import datetime as dt
import math
from collections.abc import Collection, Mapping
from typing import Any, Final, NamedTuple

from sqlalchemy import ColumnElement, delete, insert, or_, select, update

from sitecrawl.dom.text import printable
from sitecrawl.storage.db.session import Session
from sitecrawl.storage.tables.models import CRAWL

KEPT: Final = 200
"""Crawls of a site whose rows are kept. A site that is due every hour would otherwise have thousands in a year."""
AT_ONCE: Final = 1_000
"""Maximum older crawls that the end of a crawl deletes; an older version of sitecrawl kept them all."""
REASON_LENGTH: Final = 500
"""Maximum characters stored of the reason for which a crawl stopped [OWN]."""
REEXTRACT: Final = "reextract"
"""Finish reason of a row for an extraction of stored pages."""
RELEASE: Final = "release"
"""Finish reason of a row for a release of held deletions."""
WITHOUT_REQUESTS: Final = (REEXTRACT, RELEASE)
"""Finish reasons of rows for runs that requested nothing."""


def requested() -> ColumnElement[bool]:
    """Return the condition for rows of real crawls, which requested pages."""
    return or_(CRAWL.c.reason.is_(None), CRAWL.c.reason.not_in(WITHOUT_REQUESTS))


class CrawlRef(NamedTuple):
    """One crawl; `resumed` if an earlier process began it."""

    id: int
    resumed: bool
    started_at: dt.datetime


class CrawlSummary(NamedTuple):
    """One crawl, for lists and reports."""

    id: int
    started_at: dt.datetime
    finished_at: dt.datetime | None
    """None if it was interrupted or is running."""
    reason: str | None
    """Finish reason. For an unfinished crawl: why it stopped; None if it was killed."""
    stats: dict[str, Any] | None


class CrawlRepository:
    """Reads and writes `crawl`."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def begin(self, site_id: int, now: dt.datetime) -> CrawlRef:
        """Return the unfinished crawl of the site, or a new one."""
        row = self.session.execute(
            select(CRAWL.c.id, CRAWL.c.started_at)
            .where(CRAWL.c.site_id == site_id, CRAWL.c.finished_at.is_(None))
            .order_by(CRAWL.c.id.desc())
        ).first()
        if row is not None:
            return CrawlRef(row.id, True, row.started_at)
        return CrawlRef(self._add(site_id=site_id, started_at=now), False, now)

    def _add(self, **values: Any) -> int:
        """Store a crawl; return its number."""
        number: int = self.session.execute(insert(CRAWL).values(**values).returning(CRAWL.c.id)).scalar_one()
        return number

    def unfinished(self, site_id: int) -> bool:
        """Return whether the site has an unfinished crawl to resume."""
        crawl = select(CRAWL.c.id).where(CRAWL.c.site_id == site_id, CRAWL.c.finished_at.is_(None)).limit(1)
        return self.session.scalar(crawl) is not None

    def begin_finished(self, site_id: int, now: dt.datetime, reason: str) -> int:
        """Return the number of a run that requests nothing: a new one, or the last if it was never finished."""
        row = self.session.execute(
            select(CRAWL.c.id, CRAWL.c.reason, CRAWL.c.stats)
            .where(CRAWL.c.site_id == site_id)
            .order_by(CRAWL.c.id.desc())
            .limit(1)
        ).first()
        if row is not None and row.reason == reason and row.stats is None:
            return int(row.id)
        return self._add(site_id=site_id, started_at=now, finished_at=now, reason=reason)

    def latest(self, site_id: int) -> CrawlSummary | None:
        """Return the last crawl of a site, or its last run without requests."""
        return next(iter(self.history(site_id, 1)), None)

    def latest_requested(self, site_id: int) -> CrawlSummary | None:
        """Return the last crawl of a site that requested pages; None if there is none."""
        return next(iter(self._summaries(site_id, 1, [requested()])), None)

    def last_figures(self, site_id: int) -> dict[str, Any]:
        """Return the figures of the last run that extracted pages: a complete crawl, or an extraction of stored pages.

        {} if there is none.
        """
        conditions = (CRAWL.c.stats.is_not(None), CRAWL.c.reason != RELEASE)
        last = next(iter(self._summaries(site_id, 1, conditions)), None)
        return (last.stats if last is not None else None) or {}

    def history(self, site_id: int, limit: int) -> list[CrawlSummary]:
        """Return the last crawls of a site, newest first, including runs without requests."""
        return self._summaries(site_id, limit, [])

    def _summaries(self, site_id: int, limit: int, conditions: Collection[ColumnElement[bool]]) -> list[CrawlSummary]:
        rows = self.session.execute(
            select(CRAWL.c.id, CRAWL.c.started_at, CRAWL.c.finished_at, CRAWL.c.reason, CRAWL.c.stats)
            .where(CRAWL.c.site_id == site_id, *conditions)
            .order_by(CRAWL.c.id.desc())
            .limit(limit)
        )
        return [CrawlSummary(*row) for row in rows]

    def finish(self, crawl_id: int, now: dt.datetime, reason: str, stats: Mapping[str, Any]) -> None:
        """Finish a crawl, and delete all but the last `KEPT` crawls of its site.

        Values of `stats` that are not numbers are stored as text.
        """
        self.session.execute(
            update(CRAWL)
            .where(CRAWL.c.id == crawl_id)
            .values(finished_at=now, reason=printable(reason), stats=_plain(stats))
        )
        self._forget_old(self.session.number(select(CRAWL.c.site_id).where(CRAWL.c.id == crawl_id)))

    def _forget_old(self, site_id: int) -> None:
        # no LIMIT: with one, PostgreSQL would scan the crawls of all sites
        numbers = sorted(self.session.scalars(select(CRAWL.c.id).where(CRAWL.c.site_id == site_id)))
        old = numbers[:-KEPT][:AT_ONCE]
        if old:
            self.session.execute(delete(CRAWL).where(CRAWL.c.id.in_(old)))

    def leave(self, crawl_id: int, why: str) -> None:
        """Record why a crawl stopped, and leave it to be resumed."""
        self.session.execute(
            update(CRAWL)
            .where(CRAWL.c.id == crawl_id, CRAWL.c.finished_at.is_(None))
            .values(reason=printable(why)[:REASON_LENGTH])
        )


def _plain(stats: Mapping[str, Any]) -> dict[str, Any]:
    """Return statistics as JSON for both databases: PostgreSQL accepts neither infinity nor NUL."""
    return {printable(str(name)): _value(value) for name, value in stats.items()}


def _value(value: object) -> object:
    if isinstance(value, Mapping):
        return _plain(value)
    if value is None or isinstance(value, int) or (isinstance(value, float) and math.isfinite(value)):
        return value
    return printable(str(value))
