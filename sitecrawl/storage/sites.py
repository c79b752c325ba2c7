"""Websites: one row each, with the lease that prevents two crawls of one site."""

import datetime as dt
from collections.abc import Collection, Sequence
from typing import Any, Final, NamedTuple

from sqlalchemy import ColumnElement, delete, exists, func, not_, or_, select, update

from sitecrawl.errors import SiteLeasedError, UnknownSiteError
from sitecrawl.storage.contents import Operation
from sitecrawl.storage.db.session import Session
from sitecrawl.storage.db.upsert import insert_missing
from sitecrawl.storage.lease_owner import has_ended
from sitecrawl.storage.tables.models import CONTENT, CRAWL, OUTBOX, PAGE, ROBOTS, SITE, TEMPLATE

LONGEST_LEASE: Final = dt.timedelta(days=2)
"""Maximum duration of a lease (`SITECRAWL_LEASE_SECONDS`); a longer one was taken by a fast clock."""
_FORGOTTEN: Final = SITE.c.reach.is_not(None) & SITE.c.options.is_(None) & ~exists().where(CRAWL.c.site_id == SITE.c.id)
"""Sites of which it is left alone where their names may lead: no crawl of theirs is known."""


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
    """Start of the last crawl."""


class SiteRepository:
    """Reads and writes `site`."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def get(self, host: str) -> SiteRef | None:
        """Return the site of a host, if it is known."""
        row = self.session.execute(select(SITE.c.id, SITE.c.host, SITE.c.start_url).where(SITE.c.host == host)).first()
        return SiteRef(row.id, row.host, row.start_url) if row else None

    def get_or_add(self, host: str, start_url: str, now: dt.datetime) -> SiteRef:
        """Return the site of a host; a new one is added."""
        known = self.get(host)
        if known is not None:
            return known
        row = {"host": host, "start_url": start_url, "created_at": now}
        insert_missing(self.session, SITE, [row], ["host"])
        added = self.get(host)
        if added is None:
            raise UnknownSiteError(f"{host}: the site could not be added")
        return added

    def all(self) -> list[SiteSummary]:
        """Return all sites by host."""
        pages = select(func.count()).where(PAGE.c.site_id == SITE.c.id).scalar_subquery()
        contents = select(func.count()).where(CONTENT.c.site_id == SITE.c.id).scalar_subquery()
        last_crawl = select(func.max(CRAWL.c.started_at)).where(CRAWL.c.site_id == SITE.c.id).scalar_subquery()
        live = (TEMPLATE.c.site_id == SITE.c.id) & TEMPLATE.c.retired_at.is_(None)
        template = (
            select(func.max(TEMPLATE.c.version)).where(live).scalar_subquery(),
            select(func.sum(TEMPLATE.c.pages_seen)).where(live).scalar_subquery(),
        )
        rows = self.session.execute(
            select(SITE.c.host, SITE.c.start_url, pages, contents, *template, last_crawl)
            .where(not_(_FORGOTTEN))
            .order_by(SITE.c.host)
        )
        return [SiteSummary(*row) for row in rows]

    def lease(
        self, site_id: int, owner: str, now: dt.datetime, seconds: int, *, handed_over_from: str | None = None
    ) -> None:
        """Take the site for one crawl; take over a lease that expired or whose process has ended.

        `handed_over_from` is a holder that took the lease for this one. Raises SiteLeasedError if another owner holds
        it, and UnknownSiteError if there is no such site.
        """
        self.expire_ended(now)
        own = SITE.c.lease_owner.in_((owner, handed_over_from or owner))
        taken = self.session.execute(
            update(SITE)
            .where(SITE.c.id == site_id, or_(_free(now), own))
            .values(lease_owner=owner, leased_until=now + dt.timedelta(seconds=seconds))
        )
        if taken.rowcount:
            return
        row = self.session.execute(
            select(SITE.c.host, SITE.c.lease_owner, SITE.c.leased_until).where(SITE.c.id == site_id)
        ).first()
        if row is None:
            raise UnknownSiteError(f"the database holds no site number {site_id}; it was forgotten, start again")
        end = row.leased_until or now  # released since the update
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
        """Take the site to be crawled next that nobody crawls; None if there is none.

        Sites whose crawl died come first: its lease expired, or its process has ended. Then come those whose
        `next_crawl_at` is not after `due`, the most overdue first. It is set to `pause` seconds after `now`, so that a
        crawl that fails at once is not repeated immediately; the end of a crawl sets it again. Concurrent processes get
        different sites: SQLite serialises writers, and PostgreSQL skips the rows that others are taking.
        """
        self.expire_ended(now)
        wanted = [SITE.c.id.not_in(excluded)] if excluded else []
        if hosts is not None:
            wanted.append(SITE.c.host.in_(hosts))
        died = self._take(owner, now, seconds, pause, [SITE.c.lease_owner.is_not(None), _free(now), *wanted])
        return died or self._take(owner, now, seconds, pause, [SITE.c.next_crawl_at <= due, _free(now), *wanted])

    def _take(
        self, owner: str, now: dt.datetime, seconds: int, pause: int, wanted: Sequence[ColumnElement[bool]]
    ) -> SiteRef | None:
        """Take the most overdue of the sites that satisfy all conditions, in one statement."""
        chosen = (
            select(SITE.c.id)
            .where(*wanted)
            .order_by(SITE.c.next_crawl_at)
            .limit(1)
            .with_for_update(skip_locked=True)  # SQLite has no such clause, and SQLAlchemy omits it there
        )
        row = self.session.execute(
            update(SITE)
            .where(SITE.c.id == chosen.scalar_subquery())
            .values(
                lease_owner=owner,
                leased_until=now + dt.timedelta(seconds=seconds),
                next_crawl_at=now + dt.timedelta(seconds=pause),
            )
            .returning(SITE.c.id, SITE.c.host, SITE.c.start_url)
            .execution_options(synchronize_session=False)
        ).first()
        return SiteRef(row.id, row.host, row.start_url) if row else None

    def next_due(self, hosts: Collection[str] = ()) -> tuple[str, dt.datetime] | None:
        """Return the site that falls due first, of these hosts or of all, and when."""
        chosen = [SITE.c.next_crawl_at.is_not(None), *([SITE.c.host.in_(hosts)] if hosts else [])]
        row = self.session.execute(
            select(SITE.c.host, SITE.c.next_crawl_at).where(*chosen).order_by(SITE.c.next_crawl_at).limit(1)
        ).first()
        return None if row is None or row.next_crawl_at is None else (row.host, row.next_crawl_at)

    def planned_after(self, moment: dt.datetime) -> list[SiteRef]:
        """Return the sites whose next crawl is planned after a time."""
        rows = self.session.execute(
            select(SITE.c.id, SITE.c.host, SITE.c.start_url).where(SITE.c.next_crawl_at > moment)
        )
        return [SiteRef(*row) for row in rows]

    def refs(self) -> list[SiteRef]:
        """Return all sites, most overdue first."""
        rows = self.session.execute(
            select(SITE.c.id, SITE.c.host, SITE.c.start_url)
            .where(not_(_FORGOTTEN))
            .order_by(SITE.c.next_crawl_at.is_(None), SITE.c.next_crawl_at, SITE.c.host)
        )
        return [SiteRef(*row) for row in rows]

    def options(self, site_id: int) -> dict[str, Any]:
        """Return the settings of one site."""
        return dict(self.session.scalar(select(SITE.c.options).where(SITE.c.id == site_id)) or {})

    def set_options(self, site_id: int, options: dict[str, Any]) -> None:
        """Replace the settings of one site."""
        self.session.execute(update(SITE).where(SITE.c.id == site_id).values(options=options or None))

    def reach(self, site_id: int) -> str | None:
        """Return the addresses that the start host may resolve to (`addresses.Reach`); None until that is decided."""
        row = self.session.execute(select(SITE.c.reach).where(SITE.c.id == site_id)).first()
        return row.reach if row else None

    def set_reach(self, site_id: int, reach: str) -> None:
        """Record the addresses that the start host may resolve to."""
        self.session.execute(update(SITE).where(SITE.c.id == site_id).values(reach=reach))

    def renew(self, site_id: int, owner: str, now: dt.datetime, seconds: int) -> bool:
        """Renew an own lease; return False if it was lost."""
        kept = self.session.execute(
            update(SITE)
            .where(SITE.c.id == site_id, SITE.c.lease_owner == owner)
            .values(leased_until=now + dt.timedelta(seconds=seconds))
        )
        return bool(kept.rowcount)

    def release(self, site_id: int, owner: str) -> None:
        """Release an own lease."""
        self.session.execute(
            update(SITE)
            .where(SITE.c.id == site_id, SITE.c.lease_owner == owner)
            .values(lease_owner=None, leased_until=None)
        )

    def release_ended(self, site_id: int) -> None:
        """Release the lease of a site if its holder has ended; the site keeps the time of its next crawl."""
        owner = self.session.scalar(select(SITE.c.lease_owner).where(SITE.c.id == site_id))
        if owner and has_ended(owner):
            self.release(site_id, owner)

    def expire_ended(self, now: dt.datetime) -> None:
        """Expire the leases of ended processes of this machine; the sites become available."""
        running = SITE.c.lease_owner.is_not(None) & (SITE.c.leased_until > now)
        held = self.session.execute(select(SITE.c.id, SITE.c.lease_owner).where(running).order_by(SITE.c.id))
        for site_id, owner in held.all():
            if owner and has_ended(owner):
                mine = (SITE.c.id == site_id) & (SITE.c.lease_owner == owner)
                self.session.execute(update(SITE).where(mine).values(leased_until=now))

    def forget_unanswered(self, site_id: int, *, keep_reach: bool = False) -> bool:
        """Delete a site of which nothing was ever fetched and that has no settings; return whether it was deleted.

        With `keep_reach` only its recorded addresses are kept; such a site is in no list, and never due.
        """
        answered = exists().where(PAGE.c.site_id == site_id, PAGE.c.http_status.is_not(None))
        stored = exists().where(CONTENT.c.site_id == site_id)
        allowed = exists().where(ROBOTS.c.site_id == site_id)
        site = self.session.execute(
            select(SITE.c.host, SITE.c.start_url, SITE.c.created_at, SITE.c.reach).where(SITE.c.id == site_id)
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
                # SQLite may reuse the number of a forgotten site: a row of the earlier site keeps its own URL
                url=func.coalesce(url, OUTBOX.c.url),
                queued_at=now or dt.datetime.now(dt.UTC),
            )
        )
        gone = self.session.execute(delete(SITE).where(SITE.c.host == host))
        if not gone.rowcount:
            raise UnknownSiteError(f"{host}: the database holds nothing about this site")


def _free(now: dt.datetime) -> ColumnElement[bool]:
    """Return the condition that a site is not leased: no lease, an expired one, or one that is impossibly long."""
    until = SITE.c.leased_until
    return or_(until.is_(None), until <= now, until > now + LONGEST_LEASE)
