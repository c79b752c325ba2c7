"""Reads the state of a fleet: due sites, running crawls and problems, in one pass over the sites.

The states of sites are counted in one pass over `site` (200 bytes a row). Everything else is read from the indexes of
problems, or from the last crawls, at most RECENT of them.
"""

import datetime as dt
from dataclasses import dataclass
from typing import Final, NamedTuple

from sqlalchemy import CTE, ColumnElement, Subquery, and_, func, not_, or_, select

from sitecrawl.storage.crawls import WITHOUT_REQUESTS
from sitecrawl.storage.db.session import Session
from sitecrawl.storage.leases import DEATHS, LEASED, PLANNED
from sitecrawl.storage.page_report import LifeRepository
from sitecrawl.storage.sites import FORGOTTEN
from sitecrawl.storage.tables.models import CONTENT, CRAWL, HOST, PAGE, REJECTION, SINK, SITE, TEMPLATE

LATE: Final = dt.timedelta(days=1)
"""A site that is due for longer is late: no worker runs, or too few [OWN]."""
RECENT: Final = 10_000
"""Number of last crawls that are examined [OWN]."""
HOUR: Final = dt.timedelta(hours=1)
DAY: Final = dt.timedelta(days=1)
NAMED: Final = 4
"""Maximum sites with a problem that are named [OWN]."""
SAMPLED: Final = 100
"""Maximum URLs of a site that are read to find out why it has no page [OWN]."""
ENDED_WELL: Final = ("finished", "max_pages", "reextract", "release", "held")
"""Finish reasons of crawls that are complete."""


@dataclass(frozen=True, slots=True)
class FleetStatus:
    """The state of a database of sites. The states due, running, waiting, paused and new exclude each other."""

    sites: int
    due: int
    """Sites that a worker would take now, including `late` and `died`."""
    late: int
    """Sites that are due for longer than LATE."""
    died: int
    """Sites whose last crawl died."""
    dying: int
    """Sites whose last two crawls died; they are crawled less and less often."""
    running: int
    waiting: int
    """Sites whose next crawl is not due yet."""
    paused: int
    new: int
    """Sites without a planned crawl, since their first crawl has not ended."""
    failing: int
    """Sites with a failing host."""
    drifted: int
    """Sites where a crawl of the last day found a new layout: all or a part of the site was redesigned."""
    without_page: int
    """Sites without a page that one of the last RECENT crawls visited; paused and running ones do not count."""
    ended_early: int
    """Crawls of the last day that ended early without being stopped."""
    held_pages: int
    """Pages whose deletion is held, or decided by a crawl that has not ended."""
    held_sites: int
    refused_documents: int
    """Documents that a sink refused, including those that will be sent again."""
    failing_sinks: int
    oldest_due_seconds: float
    """Seconds for which the most overdue site has waited; 0 if none is due."""
    pages_an_hour: float
    """Pages of the crawls that ended within the last hour, or a shorter time if RECENT crawls began in it."""
    crawls_an_hour: float


@dataclass(frozen=True, slots=True)
class SiteWithoutPage:
    """A site of which crawls stored no page."""

    host: str
    crawls: int
    """Number of these crawls among the last RECENT."""
    reason: str
    """Why most of its URLs have no page."""


class _Recent(NamedTuple):
    """Figures of the last crawls."""

    pages_an_hour: float
    crawls_an_hour: float
    ended_early: int
    """Crawls of the last day."""


class FleetStatusRepository:
    """Reads `site`, `crawl`, `host`, `page`, `template`, `sink` and `rejection`."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def read(self, now: dt.datetime) -> FleetStatus:
        """Return the state of the fleet."""
        free = SITE.c.paused_at.is_(None)
        running = and_(LEASED, SITE.c.leased_until > now)
        died = and_(LEASED, SITE.c.leased_until <= now, free)
        planned = and_(PLANNED, SITE.c.next_crawl_at <= now)
        late = or_(and_(planned, SITE.c.next_crawl_at <= now - LATE), and_(died, SITE.c.leased_until <= now - LATE))
        states = (
            *(or_(planned, died), late, died, SITE.c.deaths >= DEATHS, running),
            *(and_(PLANNED, SITE.c.next_crawl_at > now), and_(not_(free), not_(running))),
        )
        counts = [func.count().filter(one) for one in states]
        numbers: list[int] = list(self.session.execute(select(func.count(), *counts).select_from(SITE)).one())
        sites, due, behind, dead, dying, busy, waiting, paused = numbers
        recent = self._recent(now)
        held = self.session.execute(
            select(func.count(), func.count(PAGE.c.site_id.distinct())).where(PAGE.c.deletion.is_not(None))
        ).one()
        return FleetStatus(
            **{"sites": sites, "due": due, "late": behind, "died": dead, "dying": dying},
            **{"running": busy, "waiting": waiting, "paused": paused, "new": sites - due - busy - waiting - paused},
            failing=self.session.number(select(func.count(HOST.c.site_id.distinct())).where(HOST.c.failures > 0)),
            drifted=self._drifted(now),
            without_page=self.session.number(select(func.count()).select_from(_without_page(now))),
            ended_early=recent.ended_early,
            held_pages=held[0],
            held_sites=held[1],
            refused_documents=self.session.number(select(func.count()).select_from(REJECTION)),
            failing_sinks=self.session.number(select(func.count()).where(SINK.c.failing_since.is_not(None))),
            oldest_due_seconds=self._oldest(now, planned, died),
            pages_an_hour=recent.pages_an_hour,
            crawls_an_hour=recent.crawls_an_hour,
        )

    def worst_without_page(self, now: dt.datetime) -> SiteWithoutPage | None:
        """Return the site without a page that was crawled most often; None if all sites have pages."""
        sites = _without_page(now)
        worst = self.session.execute(
            select(sites.c.id, SITE.c.host, sites.c.crawls, CRAWL.c.reason)
            .join(SITE, SITE.c.id == sites.c.id)
            .join(CRAWL, CRAWL.c.id == sites.c.last)
            .order_by(sites.c.crawls.desc(), SITE.c.host)
            .limit(1)
        ).first()
        if worst is None:
            return None
        site_id, host, crawls, ended = worst
        troubles = LifeRepository(self.session).troubles(site_id, SAMPLED)
        return SiteWithoutPage(host, crawls, troubles[0].reason if troubles else f"the crawl ended: {ended}")

    def named(self, now: dt.datetime) -> dict[str, list[str]]:
        """Return hosts of sites with a problem, at most NAMED, by the field of FleetStatus that counts it."""
        last = _last_crawls()
        problems = {
            "failing": select(HOST.c.site_id).where(HOST.c.failures > 0),
            "ended_early": select(last.c.site_id).where(_early(last, now)),
            "held_pages": select(PAGE.c.site_id).where(PAGE.c.deletion.is_not(None)),
        }
        hosts = select(SITE.c.host).order_by(SITE.c.host).limit(NAMED)
        found = {name: hosts.where(SITE.c.id.in_(sites)) for name, sites in problems.items()}
        return {name: list(self.session.scalars(query)) for name, query in found.items()}

    def _oldest(self, now: dt.datetime, planned: ColumnElement[bool], died: ColumnElement[bool]) -> float:
        """Return the seconds for which the most overdue site has waited."""
        first = (
            self.session.scalar(select(func.min(SITE.c.next_crawl_at)).where(planned)),
            self.session.scalar(select(func.min(SITE.c.leased_until)).where(died)),
        )
        return max(((now - since).total_seconds() for since in first if since is not None), default=0.0)

    def _recent(self, now: dt.datetime) -> _Recent:
        """Return the figures of the last crawls."""
        last = _last_crawls()
        count, oldest = self.session.execute(select(func.count(), func.min(last.c.started_at)).select_from(last)).one()
        since = now - HOUR
        if count >= RECENT and oldest is not None:
            since = max(since, oldest)
        ended = last.c.finished_at >= since
        pages, crawls, failed = self.session.execute(
            select(
                func.sum(last.c.pages).filter(ended), func.count().filter(ended), func.count().filter(_early(last, now))
            ).select_from(last)
        ).one()
        hours = max((now - since) / HOUR, 1 / 3600)
        return _Recent(float(pages or 0) / hours, crawls / hours, failed)

    def _drifted(self, now: dt.datetime) -> int:
        """Return the number of sites where a crawl of the last day found a layout that earlier crawls did not have."""
        last, other = _last_crawls(), TEMPLATE.alias("other")
        earlier = select(other.c.layout).where(
            other.c.site_id == TEMPLATE.c.site_id, other.c.crawl_id < TEMPLATE.c.crawl_id
        )
        # the database runs a scalar subquery as a look-up by key for each crawl; for a join it would read all templates
        found = (
            select(TEMPLATE.c.layout)
            .where(
                TEMPLATE.c.site_id == last.c.site_id,
                TEMPLATE.c.crawl_id == last.c.id,
                TEMPLATE.c.retired_at.is_(None),
                earlier.correlate(TEMPLATE).exists(),
            )
            .limit(1)
            .correlate(last)
            .scalar_subquery()
        )
        return self.session.number(
            select(func.count(last.c.site_id.distinct())).where(last.c.started_at >= now - DAY, found.is_not(None))
        )


def _early(last: CTE, now: dt.datetime) -> ColumnElement[bool]:
    """Return whether a crawl of the last day ended early."""
    return and_(last.c.started_at >= now - DAY, last.c.finished_at.is_not(None), last.c.reason.not_in(ENDED_WELL))


def _without_page(now: dt.datetime) -> Subquery:
    """Return the query for sites without a page: number, number of crawls that ended, and the last of these."""
    last = _last_crawls()
    ended = or_(last.c.finished_at.is_not(None), last.c.reason.is_not(None))
    real = or_(last.c.reason.is_(None), last.c.reason.not_in(WITHOUT_REQUESTS))
    idle = and_(SITE.c.paused_at.is_(None), not_(and_(LEASED, SITE.c.leased_until > now)))
    page = select(CONTENT.c.url_key).where(CONTENT.c.site_id == SITE.c.id)
    return (
        select(SITE.c.id, func.count().label("crawls"), func.max(last.c.id).label("last"))
        .join(last, last.c.site_id == SITE.c.id)
        .where(ended, real, idle, not_(FORGOTTEN), ~page.exists())
        .group_by(SITE.c.id)
        .subquery()
    )


def _last_crawls() -> CTE:
    pages = CRAWL.c.stats["pages"].as_integer().label("pages")
    columns = (CRAWL.c.id, CRAWL.c.site_id, CRAWL.c.started_at, CRAWL.c.finished_at, CRAWL.c.reason, pages)
    return select(*columns).order_by(CRAWL.c.id.desc()).limit(RECENT).cte("last_crawls")
