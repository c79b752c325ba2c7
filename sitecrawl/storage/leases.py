"""Leases: a site is crawled by one process at a time, and only the last one that took it may write.

Each taking raises `site.lease_epoch`. A crawl remembers the epoch of its taking, and its writer checks in each
transaction that it is still the site's (`LeaseFence`). So a process that was stopped for longer than its lease writes
nothing once another has taken the site over. Kleppmann, Designing Data-Intensive Applications (2017), chapter 8, calls
such numbers fencing tokens.
"""

import datetime as dt
from collections.abc import Collection, Sequence
from typing import Final, NamedTuple

from sqlalchemy import ColumnElement, bindparam, or_, select, update

from sitecrawl.errors import LeaseLostError, SiteLeasedError, UnknownSiteError
from sitecrawl.storage.address_slots import free_address
from sitecrawl.storage.db.prepared import PreparedSelect
from sitecrawl.storage.db.session import Session
from sitecrawl.storage.lease_owner import has_ended, machine_part
from sitecrawl.storage.tables.models import SITE

LONGEST_LEASE: Final = dt.timedelta(days=2)
"""Maximum duration of a lease (`SITECRAWL_LEASE_SECONDS`); a longer one was taken by a fast clock."""
LEASED: Final = SITE.c.lease_owner.is_not(None)
"""Sites that are leased, or whose lease has expired and was not taken over; `ix_site_leased` holds them."""
PLANNED: Final = SITE.c.next_crawl_at.is_not(None) & SITE.c.lease_owner.is_(None) & SITE.c.paused_at.is_(None)
"""Sites that wait for their next crawl; `ix_site_due` holds them."""
_EPOCH: Final = PreparedSelect(
    select(SITE.c.lease_epoch)
    .where(SITE.c.id == bindparam("site_id"), SITE.c.lease_epoch == bindparam("epoch"))
    # held until the commit: another process takes the site over before this transaction or after it
    .with_for_update(read=True)  # SQLite has no such clause, and needs none: there is one writer at a time
)


class SiteRef(NamedTuple):
    """A website in the database."""

    id: int
    host: str
    start_url: str


class LeaseFence(NamedTuple):
    """The lease of a site as one process took it."""

    site_id: int
    epoch: int
    host: str

    def check(self, session: Session) -> None:
        """Raise LeaseLostError if another process has taken the site since; else none can before the commit."""
        if _EPOCH.first(session, {"site_id": self.site_id, "epoch": self.epoch}) is None:
            raise LeaseLostError(f"{self.host}: another process has taken the site over; nothing is written any more")


class Leases:
    """Takes, renews and releases sites: the lease columns of `site`."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def lease(
        self, site_id: int, owner: str, now: dt.datetime, seconds: int, *, handed_over_from: str | None = None
    ) -> int:
        """Take the site for one crawl; return the lease's epoch. A lease that expired or whose process ended is free.

        `handed_over_from` is a holder that took the lease for this one. Raises SiteLeasedError if another owner holds
        it, and UnknownSiteError if there is no such site.
        """
        holder = self.session.scalar(select(SITE.c.lease_owner).where(SITE.c.id == site_id))
        if holder and has_ended(holder):
            self._expire([(site_id, holder)], now)
        own = SITE.c.lease_owner.in_((owner, handed_over_from or owner))
        epoch = self.session.scalar(
            update(SITE)
            .where(SITE.c.id == site_id, or_(_free(now), own))
            .values(
                lease_owner=owner,
                leased_until=now + dt.timedelta(seconds=seconds),
                lease_epoch=SITE.c.lease_epoch + 1,
            )
            .returning(SITE.c.lease_epoch)
        )
        if epoch is not None:
            return epoch
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
        reclaim: bool = True,
        holder: str | None = None,
    ) -> SiteRef | None:
        """Take the site to be crawled next that nobody crawls; None if there is none. Paused sites are never taken.

        Sites whose crawl died come first: its lease expired, or its process has ended (with `reclaim`; without it the
        caller calls `expire_ended` now and then). Then come those whose `next_crawl_at` is not after `due`, the most
        overdue first. It is set to `pause` seconds after `now`, so that a crawl that fails at once is not repeated
        immediately; the end of a crawl sets it again. Concurrent processes get different sites: SQLite serialises
        writers, and PostgreSQL skips the rows that others are taking. With `holder`, the name of a worker's process,
        sites are left out whose address another process holds (`AddressSlots`).
        """
        if reclaim:
            self.expire_ended(now)
        wanted: list[ColumnElement[bool]] = [SITE.c.id.not_in(excluded)] if excluded else []
        if hosts is not None:
            wanted.append(SITE.c.host.in_(hosts))
        if holder is not None:
            wanted.append(free_address(holder, now))
        died = [LEASED, SITE.c.leased_until <= now, SITE.c.paused_at.is_(None), *wanted]
        planned = [PLANNED, SITE.c.next_crawl_at <= due, *wanted]
        return self._take(owner, now, seconds, pause, died, SITE.c.leased_until) or self._take(
            owner, now, seconds, pause, planned, SITE.c.next_crawl_at
        )

    def _take(
        self,
        owner: str,
        now: dt.datetime,
        seconds: int,
        pause: int,
        wanted: Sequence[ColumnElement[bool]],
        order: ColumnElement[dt.datetime | None],
    ) -> SiteRef | None:
        """Take the first of the sites that satisfy all conditions, in one statement."""
        chosen = (
            select(SITE.c.id)
            .where(*wanted)
            .order_by(order)
            .limit(1)
            .with_for_update(skip_locked=True)  # SQLite has no such clause, and SQLAlchemy omits it there
        )
        row = self.session.execute(
            update(SITE)
            .where(SITE.c.id == chosen.scalar_subquery())
            .values(
                lease_owner=owner,
                leased_until=now + dt.timedelta(seconds=seconds),
                lease_epoch=SITE.c.lease_epoch + 1,
                next_crawl_at=now + dt.timedelta(seconds=pause),
            )
            .returning(SITE.c.id, SITE.c.host, SITE.c.start_url)
            .execution_options(synchronize_session=False)
        ).first()
        return SiteRef(row.id, row.host, row.start_url) if row else None

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
        """Expire the leases of ended processes of this machine, and impossibly long ones; the sites become available.

        Reads the leases of this machine only.
        """
        running = select(SITE.c.id, SITE.c.lease_owner).where(LEASED, SITE.c.leased_until > now).order_by(SITE.c.id)
        ended = []
        if machine := machine_part():
            known: dict[str, bool] = {}
            for site_id, owner in self.session.execute(running.where(SITE.c.lease_owner.contains(machine))).all():
                process = (owner or "").rpartition(":")[0]
                if process not in known:
                    known[process] = has_ended(owner or "")
                if known[process]:
                    ended.append((site_id, owner or ""))
        impossible = self.session.execute(running.where(SITE.c.leased_until > now + LONGEST_LEASE)).all()
        self._expire([*ended, *((site_id, owner or "") for site_id, owner in impossible)], now)

    def _expire(self, leases: Sequence[tuple[int, str]], now: dt.datetime) -> None:
        """Expire these leases, each a site and its holder, unless the site has another holder by now."""
        for site_id, owner in leases:
            mine = (SITE.c.id == site_id) & (SITE.c.lease_owner == owner)
            self.session.execute(update(SITE).where(mine).values(leased_until=now))


def _free(now: dt.datetime) -> ColumnElement[bool]:
    """Return the condition that a site is not leased: no lease, an expired one, or one that is impossibly long."""
    until = SITE.c.leased_until
    return or_(until.is_(None), until <= now, until > now + LONGEST_LEASE)
