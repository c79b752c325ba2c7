"""Websites: one row each, and the lease that keeps two crawls of one apart."""

import datetime as dt
from collections.abc import Collection, Sequence
from typing import Any, Final, NamedTuple

from sqlalchemy import ColumnElement, delete, exists, func, not_, or_, select, update

from sitecrawl.errors import SiteLeasedError, UnknownSiteError
from sitecrawl.storage.contents import Operation
from sitecrawl.storage.db.session import Session
from sitecrawl.storage.db.upsert import insert_missing
from sitecrawl.storage.lease_owner import has_ended
from sitecrawl.storage.tables.models import ContentRow, CrawlRow, OutboxRow, PageRow, RobotsRow, SiteRow, TemplateRow

LONGEST_LEASE: Final = dt.timedelta(days=2)
"""No lease is longer (`SITECRAWL_LEASE_SECONDS`): one that seems so was taken by a clock that was ahead."""


class SiteRef(NamedTuple):
    """A website in the database."""

    id: int
    host: str
    start_url: str


class SiteSummary(NamedTuple):
    """What `template list` shows of a website."""

    host: str
    start_url: str
    pages: int
    contents: int
    version: int | None
    """Version of its templates that was published last."""
    pages_seen: int | None
    """Pages that they count."""
    last_crawl: dt.datetime | None
    """When the last crawl began."""


class SiteRepository:
    """Reads and writes `site`."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def get(self, host: str) -> SiteRef | None:
        """Return the site of a host, if it is known."""
        row = self.session.execute(
            select(SiteRow.id, SiteRow.host, SiteRow.start_url).where(SiteRow.host == host)
        ).first()
        return SiteRef(row.id, row.host, row.start_url) if row else None

    def get_or_add(self, host: str, start_url: str, now: dt.datetime) -> SiteRef:
        """Return the site of a host, made if it is new."""
        known = self.get(host)
        if known is not None:
            return known
        row = {"host": host, "start_url": start_url, "created_at": now}
        insert_missing(self.session, SiteRow, [row], ["host"])
        added = self.get(host)
        if added is None:
            raise UnknownSiteError(f"{host}: the site could not be added")
        return added

    def all(self) -> list[SiteSummary]:
        """Return all sites by host."""
        pages = select(func.count()).where(PageRow.site_id == SiteRow.id).scalar_subquery()
        contents = select(func.count()).where(ContentRow.site_id == SiteRow.id).scalar_subquery()
        last_crawl = select(func.max(CrawlRow.started_at)).where(CrawlRow.site_id == SiteRow.id).scalar_subquery()
        live = (TemplateRow.site_id == SiteRow.id) & TemplateRow.retired_at.is_(None)
        template = (
            select(func.max(TemplateRow.version)).where(live).scalar_subquery(),
            select(func.sum(TemplateRow.pages_seen)).where(live).scalar_subquery(),
        )
        rows = self.session.execute(
            select(SiteRow.host, SiteRow.start_url, pages, contents, *template, last_crawl).order_by(SiteRow.host)
        )
        return [SiteSummary(*row) for row in rows]

    def lease(self, site_id: int, owner: str, now: dt.datetime, seconds: int, *, lent: str | None = None) -> None:
        """Take the site for one crawl; a lease that expired, or whose process is no more, is taken over.

        `lent` is a holder who took the lease to hand it to this one. Raises SiteLeasedError when another owner holds
        it, UnknownSiteError when there is no such site.
        """
        self.expire_ended(now)
        own = SiteRow.lease_owner.in_((owner, lent or owner))
        taken = self.session.execute(
            update(SiteRow)
            .where(SiteRow.id == site_id, or_(_free(now), own))
            .values(lease_owner=owner, leased_until=now + dt.timedelta(seconds=seconds))
        )
        if taken.rowcount:
            return
        row = self.session.execute(
            select(SiteRow.host, SiteRow.lease_owner, SiteRow.leased_until).where(SiteRow.id == site_id)
        ).first()
        if row is None:
            raise UnknownSiteError(f"the database holds no site number {site_id}; it was forgotten, start again")
        end = row.leased_until or now  # given back since the update
        raise SiteLeasedError(
            f"{row.host} is being crawled by {row.lease_owner or 'another process'}; wait for it to end"
            f" (if that process was killed, its lease ends at {end:%Y-%m-%d %H:%M:%S} UTC)"
        )

    def lease_due(
        self,
        owner: str,
        now: dt.datetime,
        seconds: int,
        *,
        due: dt.datetime,
        pause: int,
        hosts: Collection[str] | None = None,
        excluded: Collection[int] = (),
    ) -> SiteRef | None:
        """Take the site that is to be crawled next and that nobody crawls; None when there is none.

        First come sites whose crawl died: its lease ran out, or its process is no more. Then come those whose
        `next_crawl_at` is not after `due`, the most overdue first. It is set `pause` seconds after `now`, so that a
        crawl which fails at once is not tried over and over; a crawl that ends sets it anew. Of many processes that
        ask at once each gets another site: SQLite lets one write at a time, PostgreSQL skips the rows that others
        are taking.
        """
        self.expire_ended(now)
        wanted = [SiteRow.id.not_in(excluded)] if excluded else []
        if hosts is not None:
            wanted.append(SiteRow.host.in_(hosts))
        died = self._take(owner, now, seconds, pause, [SiteRow.lease_owner.is_not(None), _free(now), *wanted])
        return died or self._take(owner, now, seconds, pause, [SiteRow.next_crawl_at <= due, _free(now), *wanted])

    def _take(
        self, owner: str, now: dt.datetime, seconds: int, pause: int, wanted: Sequence[ColumnElement[bool]]
    ) -> SiteRef | None:
        """Take the most overdue of the sites that fulfil all conditions, in one statement."""
        chosen = (
            select(SiteRow.id)
            .where(*wanted)
            .order_by(SiteRow.next_crawl_at)
            .limit(1)
            .with_for_update(skip_locked=True)  # SQLite has no such clause, and SQLAlchemy leaves it out there
        )
        row = self.session.execute(
            update(SiteRow)
            .where(SiteRow.id == chosen.scalar_subquery())
            .values(
                lease_owner=owner,
                leased_until=now + dt.timedelta(seconds=seconds),
                next_crawl_at=now + dt.timedelta(seconds=pause),
            )
            .returning(SiteRow.id, SiteRow.host, SiteRow.start_url)
            .execution_options(synchronize_session=False)
        ).first()
        return SiteRef(row.id, row.host, row.start_url) if row else None

    def next_due(self, hosts: Collection[str] = ()) -> tuple[str, dt.datetime] | None:
        """Return the site that falls due first, of these hosts or of all, and when."""
        chosen = [SiteRow.next_crawl_at.is_not(None), *([SiteRow.host.in_(hosts)] if hosts else [])]
        row = self.session.execute(
            select(SiteRow.host, SiteRow.next_crawl_at).where(*chosen).order_by(SiteRow.next_crawl_at).limit(1)
        ).first()
        return None if row is None or row.next_crawl_at is None else (row.host, row.next_crawl_at)

    def planned_after(self, moment: dt.datetime) -> list[SiteRef]:
        """Return the sites whose next crawl is planned later than `moment`."""
        rows = self.session.execute(
            select(SiteRow.id, SiteRow.host, SiteRow.start_url).where(SiteRow.next_crawl_at > moment)
        )
        return [SiteRef(*row) for row in rows]

    def refs(self) -> list[SiteRef]:
        """Return all sites, those that are due first, first."""
        rows = self.session.execute(
            select(SiteRow.id, SiteRow.host, SiteRow.start_url).order_by(
                SiteRow.next_crawl_at.is_(None), SiteRow.next_crawl_at, SiteRow.host
            )
        )
        return [SiteRef(*row) for row in rows]

    def options(self, site_id: int) -> dict[str, Any]:
        """Return the settings of one site."""
        return dict(self.session.scalar(select(SiteRow.options).where(SiteRow.id == site_id)) or {})

    def set_options(self, site_id: int, options: dict[str, Any]) -> None:
        """Replace the settings of one site."""
        self.session.execute(update(SiteRow).where(SiteRow.id == site_id).values(options=options or None))

    def reach(self, site_id: int) -> str | None:
        """Return what the start host may resolve to (`addresses.Reach`), None while that is not decided."""
        row = self.session.execute(select(SiteRow.reach).where(SiteRow.id == site_id)).first()
        return row.reach if row else None

    def set_reach(self, site_id: int, reach: str) -> None:
        """Record what the start host may resolve to."""
        self.session.execute(update(SiteRow).where(SiteRow.id == site_id).values(reach=reach))

    def renew(self, site_id: int, owner: str, now: dt.datetime, seconds: int) -> bool:
        """Prolong an own lease; False when it was lost."""
        kept = self.session.execute(
            update(SiteRow)
            .where(SiteRow.id == site_id, SiteRow.lease_owner == owner)
            .values(leased_until=now + dt.timedelta(seconds=seconds))
        )
        return bool(kept.rowcount)

    def release(self, site_id: int, owner: str) -> None:
        """Give an own lease back."""
        self.session.execute(
            update(SiteRow)
            .where(SiteRow.id == site_id, SiteRow.lease_owner == owner)
            .values(lease_owner=None, leased_until=None)
        )

    def release_ended(self, site_id: int) -> None:
        """Give the lease of a site back if its holder is no more; the site keeps the time of its next crawl."""
        owner = self.session.scalar(select(SiteRow.lease_owner).where(SiteRow.id == site_id))
        if owner and has_ended(owner):
            self.release(site_id, owner)

    def expire_ended(self, now: dt.datetime) -> None:
        """End the leases of processes of this machine that are no more; the sites wait for who takes them up."""
        running = SiteRow.lease_owner.is_not(None) & (SiteRow.leased_until > now)
        held = self.session.execute(select(SiteRow.id, SiteRow.lease_owner).where(running).order_by(SiteRow.id))
        for site_id, owner in held.all():
            if owner and has_ended(owner):
                mine = (SiteRow.id == site_id) & (SiteRow.lease_owner == owner)
                self.session.execute(update(SiteRow).where(mine).values(leased_until=now))

    def forget_unanswered(self, site_id: int) -> bool:
        """Delete a site of which nothing was ever fetched, and that nobody has settings for; say whether it was one."""
        answered = exists().where(PageRow.site_id == site_id, PageRow.http_status.is_not(None))
        stored = exists().where(ContentRow.site_id == site_id)
        allowed = exists().where(RobotsRow.site_id == site_id)
        gone = self.session.execute(
            delete(SiteRow).where(
                SiteRow.id == site_id, SiteRow.options.is_(None), not_(answered), not_(stored), not_(allowed)
            )
        )
        return bool(gone.rowcount)

    def forget(self, host: str, now: dt.datetime | None = None) -> None:
        """Delete everything about a site, and queue the deletion of its pages from indexes. Raises UnknownSiteError."""
        site = select(SiteRow.id).where(SiteRow.host == host).scalar_subquery()
        url = (
            select(PageRow.url)
            .where(PageRow.site_id == OutboxRow.site_id, PageRow.url_key == OutboxRow.url_key)
            .scalar_subquery()
        )
        self.session.execute(
            update(OutboxRow)
            .where(OutboxRow.site_id == site)
            .values(
                operation=int(Operation.DELETE),
                revision=OutboxRow.revision + 1,
                # SQLite gives the number of a forgotten site to the next one: a row of the earlier site has its URL
                url=func.coalesce(url, OutboxRow.url),
                queued_at=now or dt.datetime.now(dt.UTC),
            )
        )
        gone = self.session.execute(delete(SiteRow).where(SiteRow.host == host))
        if not gone.rowcount:
            raise UnknownSiteError(f"{host}: the database holds nothing about this site")


def _free(now: dt.datetime) -> ColumnElement[bool]:
    """Say that nobody holds a site: no lease, one that ended, or one that no clock can have meant."""
    until = SiteRow.leased_until
    return or_(until.is_(None), until <= now, until > now + LONGEST_LEASE)
