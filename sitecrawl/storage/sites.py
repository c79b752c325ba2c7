"""Websites: one row each."""

import datetime as dt
from collections.abc import Collection, Sequence
from typing import Any, Final, NamedTuple

from sqlalchemy import delete, exists, func, not_, select, update

from sitecrawl.errors import UnknownSiteError
from sitecrawl.storage.content_change import Operation
from sitecrawl.storage.crawls import requested
from sitecrawl.storage.db.upsert import insert_missing
from sitecrawl.storage.leases import LEASED, PLANNED, Leases, SiteRef
from sitecrawl.storage.tables.models import CONTENT, CRAWL, OUTBOX, PAGE, ROBOTS, SITE, TEMPLATE

__all__ = ["FORGOTTEN", "SiteRef", "SiteRepository", "SiteSummary", "first_epoch"]

FORGOTTEN: Final = (
    SITE.c.reach.is_not(None)
    & SITE.c.options.is_(None)
    & SITE.c.next_crawl_at.is_(None)
    & ~select(CRAWL.c.id).where(CRAWL.c.site_id == SITE.c.id).correlate(SITE).exists()
)
"""Condition for sites of which only the addresses are recorded (`reach`): no crawl, no options, no plan."""


class SiteSummary(NamedTuple):
    """The facts about a site that `template list` shows."""

    host: str
    start_url: str
    pages: int
    contents: int
    version: int | None
    """Last published version of its templates."""
    pages_seen: int | None
    """Number of pages that the templates count."""
    last_crawl: dt.datetime | None
    """Start of the last crawl that requested pages."""


class SiteRepository(Leases):
    """Reads and writes `site`, including the leases."""

    def get(self, host: str) -> SiteRef | None:
        """Return the site of a host; None if it is unknown."""
        row = self.session.execute(select(SITE.c.id, SITE.c.host, SITE.c.start_url).where(SITE.c.host == host)).first()
        return SiteRef(row.id, row.host, row.start_url) if row else None

    def get_or_add(self, host: str, start_url: str, now: dt.datetime) -> SiteRef:
        """Return the site of a host; a new one is added."""
        known = self.get(host)
        if known is not None:
            return known
        row = {"host": host, "start_url": start_url, "created_at": now, "lease_epoch": first_epoch(now)}
        insert_missing(self.session, SITE, [row], ["host"])
        added = self.get(host)
        if added is None:
            raise UnknownSiteError(f"{host}: the site could not be added")
        return added

    def all(self) -> list[SiteSummary]:
        """Return all sites by host."""
        pages = select(func.count()).where(PAGE.c.site_id == SITE.c.id).scalar_subquery()
        contents = select(func.count()).where(CONTENT.c.site_id == SITE.c.id).scalar_subquery()
        own = CRAWL.c.site_id == SITE.c.id
        last_crawl = select(func.max(CRAWL.c.started_at)).where(own, requested()).scalar_subquery()
        live = (TEMPLATE.c.site_id == SITE.c.id) & TEMPLATE.c.retired_at.is_(None)
        template = (
            select(func.max(TEMPLATE.c.version)).where(live).scalar_subquery(),
            select(func.sum(TEMPLATE.c.pages_seen)).where(live).scalar_subquery(),
        )
        rows = self.session.execute(
            select(SITE.c.host, SITE.c.start_url, pages, contents, *template, last_crawl)
            .where(not_(FORGOTTEN))
            .order_by(SITE.c.host)
        )
        return [SiteSummary(*row) for row in rows]

    def next_due(self, hosts: Collection[str] = ()) -> tuple[str, dt.datetime] | None:
        """Return (host, time) of the site that is due next, of these hosts or of all; paused sites never are."""
        some = [SITE.c.host.in_(hosts)] if hosts else []
        crawled = [LEASED, SITE.c.next_crawl_at.is_not(None), SITE.c.paused_at.is_(None)]
        found = []
        for conditions in ([PLANNED], crawled):  # each has an index
            row = self.session.execute(
                select(SITE.c.next_crawl_at, SITE.c.host)
                .where(*conditions, *some)
                .order_by(SITE.c.next_crawl_at)
                .limit(1)
            ).first()
            if row is not None and row.next_crawl_at is not None:
                found.append((row.next_crawl_at, row.host))
        when, host = min(found, default=(None, ""))
        return None if when is None else (host, when)

    def due(self, now: dt.datetime, most: int) -> list[int]:
        """Return at most `most` due sites that no process crawls: those whose crawl died, then the most overdue."""
        died = select(SITE.c.id).where(LEASED, SITE.c.leased_until <= now, SITE.c.paused_at.is_(None))
        planned = select(SITE.c.id).where(PLANNED, SITE.c.next_crawl_at <= now)
        found = list(self.session.scalars(died.order_by(SITE.c.leased_until).limit(most)))
        return found + list(self.session.scalars(planned.order_by(SITE.c.next_crawl_at).limit(most - len(found))))

    def planned_after(self, moment: dt.datetime) -> list[SiteRef]:
        """Return the sites whose next crawl is planned after a time."""
        rows = self.session.execute(
            select(SITE.c.id, SITE.c.host, SITE.c.start_url).where(PLANNED, SITE.c.next_crawl_at > moment)
        )
        return [SiteRef(*row) for row in rows]

    def refs(self, *, paused: bool = True) -> list[SiteRef]:
        """Return all sites, without paused ones if `paused` is off, most overdue first."""
        rows = self.session.execute(
            select(SITE.c.id, SITE.c.host, SITE.c.start_url)
            .where(not_(FORGOTTEN), *(() if paused else (SITE.c.paused_at.is_(None),)))
            .order_by(SITE.c.next_crawl_at.is_(None), SITE.c.next_crawl_at, SITE.c.host)
        )
        return [SiteRef(*row) for row in rows]

    def first(self, hosts: Sequence[str]) -> SiteRef | None:
        """Return the site of the first of these hosts that is known; None if none is. Forgotten sites are unknown."""
        rows = self.session.execute(
            select(SITE.c.id, SITE.c.host, SITE.c.start_url).where(SITE.c.host.in_(hosts), not_(FORGOTTEN))
        )
        found = {row.host: SiteRef(row.id, row.host, row.start_url) for row in rows}
        return next((found[host] for host in hosts if host in found), None)

    def hosts(self, most: int, *, like: str = "") -> list[str]:
        """Return at most `most` hosts that contain the text `like`, in alphabetical order."""
        rows = select(SITE.c.host).where(not_(FORGOTTEN), SITE.c.host.contains(like, autoescape=True))
        return list(self.session.scalars(rows.order_by(SITE.c.host).limit(most)))

    def options(self, site_id: int) -> dict[str, Any]:
        """Return the settings of one site."""
        return dict(self.session.scalar(select(SITE.c.options).where(SITE.c.id == site_id)) or {})

    def reach(self, site_id: int) -> str | None:
        """Return the addresses that the start host may resolve to (`addresses.Reach`); None until that is decided."""
        row = self.session.execute(select(SITE.c.reach).where(SITE.c.id == site_id)).first()
        return row.reach if row else None

    def set_reach(self, site_id: int, reach: str) -> None:
        """Record the addresses that the start host may resolve to."""
        self.session.execute(update(SITE).where(SITE.c.id == site_id).values(reach=reach))

    def lease_listed(
        self, site: SiteRef, owner: str, now: dt.datetime, seconds: int, *, handed_over_from: str | None = None
    ) -> int:
        """Take a site that was listed in an earlier transaction (`lease`); return the lease's epoch.

        Raises UnknownSiteError if it was forgotten meanwhile, since SQLite may reuse its number for another site.
        """
        found = self.get(site.host)
        if found is None or found.id != site.id:
            raise UnknownSiteError(f"{site.host} was forgotten meanwhile; it is left out")
        return self.lease(site.id, owner, now, seconds, handed_over_from=handed_over_from)

    def forget_unanswered(self, site_id: int, *, keep_reach: bool = False) -> bool:
        """Delete a site without options from which nothing was ever fetched; return whether it was deleted.

        With `keep_reach`, a row with its recorded addresses stays, which is never listed and never due.
        """
        answered = exists().where(PAGE.c.site_id == site_id, PAGE.c.http_status.is_not(None))
        stored = exists().where(CONTENT.c.site_id == site_id)
        allowed = exists().where(ROBOTS.c.site_id == site_id)
        site = self.session.execute(
            select(SITE.c.host, SITE.c.start_url, SITE.c.created_at, SITE.c.lease_epoch, SITE.c.reach).where(
                SITE.c.id == site_id
            )
        ).first()
        gone = self.session.execute(
            delete(SITE).where(
                SITE.c.id == site_id, SITE.c.options.is_(None), not_(answered), not_(stored), not_(allowed)
            )
        )
        if site is not None and gone.rowcount and keep_reach:
            insert_missing(self.session, SITE, [site._asdict()], ["host"])
        return bool(gone.rowcount)

    def forget(self, host: str, now: dt.datetime | None = None) -> None:
        """Delete everything about a site, and queue the deletion of its pages from indexes. Raises UnknownSiteError."""
        site = select(SITE.c.id).where(SITE.c.host == host).scalar_subquery()
        url = (
            select(PAGE.c.url)
            .where(PAGE.c.site_id == OUTBOX.c.site_id, PAGE.c.url_key == OUTBOX.c.url_key)
            .scalar_subquery()
        )
        self.session.execute(
            update(OUTBOX)
            .where(OUTBOX.c.site_id == site)
            .values(
                operation=int(Operation.DELETE),
                revision=OUTBOX.c.revision + 1,
                # SQLite may reuse the number of a forgotten site, so a row of the earlier site keeps its own URL
                url=func.coalesce(url, OUTBOX.c.url),
                queued_at=now or dt.datetime.now(dt.UTC),
            )
        )
        gone = self.session.execute(delete(SITE).where(SITE.c.host == host))
        if not gone.rowcount:
            raise UnknownSiteError(f"{host}: the database holds nothing about this site")


def first_epoch(now: dt.datetime) -> int:
    """Return the epoch of a site that is added now: the milliseconds of the clock.

    SQLite may reuse the number of a forgotten site. A late writer of that site must not have the epoch of the new one.
    """
    return int(now.timestamp() * 1000)
