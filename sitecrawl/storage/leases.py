"""Leases: a site is crawled by one process at a time, and only the process that leased it last may write.

Each lease increases `site.lease_epoch`. A crawl remembers the epoch of its lease, and its writer checks in each
transaction that the site still has this epoch (`LeaseFence`). So a process that was suspended for longer than its lease
writes nothing once another process has taken the site over. Kleppmann, Designing Data-Intensive Applications (2017),
chapter 8, calls such numbers fencing tokens.
"""

import datetime as dt
import random
from collections.abc import Sequence
from typing import Final, NamedTuple

from sqlalchemy import ColumnElement, ScalarSelect, Text, bindparam, case, func, not_, or_, select, update
from sqlalchemy.sql.dml import ReturningUpdate

from sitecrawl.errors import LeaseLostError, SiteLeasedError, UnknownSiteError
from sitecrawl.scheduling import death_pause
from sitecrawl.storage.address_slots import FREE_ADDRESS
from sitecrawl.storage.db.prepared import PreparedSelect
from sitecrawl.storage.db.session import Session
from sitecrawl.storage.due_filter import ANY_DUE, DueFilter
from sitecrawl.storage.lease_owner import described, has_ended, machine_part
from sitecrawl.storage.tables.columns import UtcDateTime
from sitecrawl.storage.tables.models import SITE

LONGEST_LEASE: Final = dt.timedelta(days=2)
"""Maximum duration of a lease (`SITECRAWL_LEASE_SECONDS`); a longer one was taken by a fast clock."""
LEASED: Final = SITE.c.lease_owner.is_not(None)
"""Condition for sites with a lease, live or expired; the index `ix_site_leased` has these rows."""
PLANNED: Final = SITE.c.next_crawl_at.is_not(None) & SITE.c.lease_owner.is_(None) & SITE.c.paused_at.is_(None)
"""Condition for sites that wait for their next crawl; the index `ix_site_due` has these rows."""
_EPOCH: Final = PreparedSelect(
    select(SITE.c.lease_epoch)
    .where(SITE.c.id == bindparam("site_id"), SITE.c.lease_epoch == bindparam("epoch"))
    # locks the row until the commit: another process takes the site over before this transaction, or after it
    .with_for_update(read=True)  # SQLite has no such clause, and needs none: there is one writer at a time
)

_RUNNING: Final = PreparedSelect(
    select(SITE.c.id, SITE.c.lease_owner, SITE.c.leased_until).where(
        LEASED,
        SITE.c.leased_until > bindparam("moment", type_=UtcDateTime),
        or_(
            SITE.c.lease_owner.contains(bindparam("machine", type_=Text)),
            SITE.c.leased_until > bindparam("most", type_=UtcDateTime),
        ),
    )
)
"""The live leases of a machine, and all that are impossibly long."""
DEATHS: Final = 2
"""Number of consecutive dead crawls from which a site is no longer resumed at once [OWN].

After so many deaths the site is a suspect: it may be the cause. A process crawls at most one suspect at a time.
"""
_DEAD: Final = LEASED & (SITE.c.leased_until <= bindparam("moment", type_=UtcDateTime)) & SITE.c.paused_at.is_(None)
"""Condition for sites whose crawl died: their lease has expired."""
_DYING: Final = PreparedSelect(
    select(SITE.c.id, SITE.c.lease_owner, SITE.c.deaths).where(_DEAD, SITE.c.deaths >= DEATHS)
)
NOWHERE: Final = ": "
"""A text that no owner's name contains, in place of an unknown machine."""


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
        """Raise LeaseLostError if another process has taken the site; otherwise none can do so before the commit."""
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

        `handed_over_from` is an owner that took the lease for this one. Raises SiteLeasedError if yet another owner
        holds the lease, and UnknownSiteError if there is no such site.
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
            raise UnknownSiteError(f"the database has no site number {site_id}; it was forgotten, start again")
        end = row.leased_until or now  # the lease was released after the update failed
        raise SiteLeasedError(
            f"{row.host} is being crawled by {described(row.lease_owner or 'another process')}; wait for it to end"
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
        wanted: DueFilter = ANY_DUE,
        reclaim: bool = True,
    ) -> SiteRef | None:
        """Lease the next site that no process crawls and return it; None if there is none. Paused sites are skipped.

        Order: first sites whose crawl died (its lease expired, or its process has ended), then sites whose
        `next_crawl_at` is not after `due`, the most overdue first. `next_crawl_at` is set to `pause` seconds after
        `now`, so that a crawl that fails at once is not repeated immediately; the end of a crawl sets it again.
        `reclaim` first expires the leases of ended processes, and postpones sites whose crawls died more than DEATHS
        times in a row (`expire_ended`, `rest_dying`).
        Concurrent processes get different sites: SQLite serialises writers, PostgreSQL skips rows that others take.
        """
        if reclaim:
            self.expire_ended(now)
            self.rest_dying(now)
        values: dict[str, object] = {
            **{"owner": owner, "until": now + dt.timedelta(seconds=seconds)},
            **{"again": now + dt.timedelta(seconds=pause), "moment": now, "due_by": due},
            **({"holder": wanted.holder} if wanted.holder is not None else {}),
        }
        if wanted.is_plain:
            taken = (_TAKE if wanted.holder is None else _TAKE_FREE).first(self.session, values)
            return SiteRef(*taken) if taken else None
        conditions: list[ColumnElement[bool]] = [SITE.c.id.not_in(wanted.excluded)] if wanted.excluded else []
        if wanted.hosts is not None:
            conditions.append(SITE.c.host.in_(wanted.hosts))
        if wanted.holder is not None:
            conditions.append(FREE_ADDRESS)
        row = self.session.execute(_taking(*conditions, suspects=wanted.suspects, died=wanted.died), values).first()
        return SiteRef(*row) if row else None

    def is_suspect(self, site_id: int) -> bool:
        """Return whether the last DEATHS crawls of a site died, each with its process."""
        return self.session.number(select(SITE.c.deaths).where(SITE.c.id == site_id)) >= DEATHS

    def renew(self, site_id: int, owner: str, now: dt.datetime, seconds: int) -> bool:
        """Renew the lease of `owner`; return False if it was lost."""
        kept = self.session.execute(
            update(SITE)
            .where(SITE.c.id == site_id, SITE.c.lease_owner == owner)
            .values(leased_until=now + dt.timedelta(seconds=seconds))
        )
        return bool(kept.rowcount)

    def release(self, site_id: int, owner: str) -> None:
        """Release the lease of `owner` after a proper end of its crawl, and reset the count of dead crawls."""
        self._release(site_id, owner, 0)

    def _release(self, site_id: int, owner: str, deaths: ColumnElement[int] | int) -> None:
        self.session.execute(
            update(SITE)
            .where(SITE.c.id == site_id, SITE.c.lease_owner == owner)
            .values(lease_owner=None, leased_until=None, deaths=deaths)
        )

    def hand_back(self, site_id: int, owner: str, now: dt.datetime) -> None:
        """Release a site that was leased but not crawled, and make it due at once."""
        self._release(site_id, owner, SITE.c.deaths)
        self.session.execute(update(SITE).where(SITE.c.id == site_id, not_(LEASED)).values(next_crawl_at=now))

    def postpone(self, site_id: int, until: dt.datetime) -> None:
        """Postpone the next crawl of a site that no process crawls to at least `until`."""
        earlier = SITE.c.next_crawl_at < until
        self.session.execute(
            update(SITE).where(SITE.c.id == site_id, not_(LEASED), earlier).values(next_crawl_at=until)
        )

    def release_ended(self, site_id: int) -> None:
        """Release the lease of a site if its holder has ended; the site keeps the time of its next crawl."""
        owner = self.session.scalar(select(SITE.c.lease_owner).where(SITE.c.id == site_id))
        if owner and has_ended(owner):
            self._release(site_id, owner, SITE.c.deaths + 1)

    def rest_dying(self, now: dt.datetime) -> None:
        """Postpone sites whose crawls died more than DEATHS times in a row, longer each time.

        All crawls of a process die with it, so the site that caused it is unknown. A process crawls one suspect at a
        time (`lease_due`), and the waits are random. So suspects are separated, and harmless ones complete a crawl.
        """
        for site_id, owner, deaths in _DYING.all(self.session, {"moment": now}):
            pause = death_pause(deaths + 1, random.random())  # noqa: S311  (no secret)
            self.session.execute(
                update(SITE)
                .where(SITE.c.id == site_id, SITE.c.lease_owner == owner)
                .values(
                    lease_owner=None,
                    leased_until=None,
                    lease_epoch=SITE.c.lease_epoch + 1,  # the process may only have been suspended
                    deaths=deaths + 1,
                    next_crawl_at=now + pause,
                )
            )

    def expire_ended(self, now: dt.datetime) -> None:
        """Expire the leases of ended processes of this machine, and impossibly long ones, so that the sites are free.

        Reads the leases of this machine only.
        """
        known: dict[str, bool] = {}
        ended = []
        most, machine = now + LONGEST_LEASE, machine_part() or NOWHERE
        for site_id, owner, until in _RUNNING.all(self.session, {"moment": now, "most": most, "machine": machine}):
            if owner is None or until is None:
                continue
            process = owner.rpartition(":")[0]
            if process not in known:
                known[process] = has_ended(owner)
            if known[process] or until > most:
                ended.append((site_id, owner))
        self._expire(sorted(ended), now)

    def _expire(self, leases: Sequence[tuple[int, str]], now: dt.datetime) -> None:
        """Expire leases, given as (site number, holder), unless the site has another holder by now."""
        for site_id, owner in leases:
            mine = (SITE.c.id == site_id) & (SITE.c.lease_owner == owner)
            self.session.execute(update(SITE).where(mine).values(leased_until=now))


def _free(now: dt.datetime) -> ColumnElement[bool]:
    """Return the condition that a site is not leased: no lease, an expired one, or one that is impossibly long."""
    until = SITE.c.leased_until
    return or_(until.is_(None), until <= now, until > now + LONGEST_LEASE)


def _first(order: ColumnElement[dt.datetime | None], *conditions: ColumnElement[bool]) -> ScalarSelect[int]:
    """Return a subquery for the first site that satisfies all conditions and that no other process is leasing."""
    chosen = select(SITE.c.id).where(*conditions).order_by(order).limit(1)
    return chosen.with_for_update(skip_locked=True).scalar_subquery()  # SQLAlchemy omits it for SQLite


def _taking(*wanted: ColumnElement[bool], suspects: bool = True, died: bool = True) -> ReturningUpdate[int, str, str]:
    """Return the statement that leases the first site with a dead crawl if `died`, else the most overdue site."""
    dead: tuple[ColumnElement[bool], ...] = (_DEAD, SITE.c.deaths < DEATHS)
    planned: tuple[ColumnElement[bool], ...] = (
        PLANNED,
        SITE.c.next_crawl_at <= bindparam("due_by", type_=UtcDateTime),
    )
    if not suspects:
        dead = (*dead, SITE.c.deaths < DEATHS - 1)  # the last death is counted only by this lease
        planned = (*planned, SITE.c.deaths < DEATHS)
    overdue = _first(SITE.c.next_crawl_at, *planned, *wanted)
    chosen = func.coalesce(_first(SITE.c.leased_until, *dead, *wanted), overdue) if died else overdue
    return (
        update(SITE)
        .where(SITE.c.id == chosen)
        .values(
            lease_owner=bindparam("owner"),
            leased_until=bindparam("until"),
            lease_epoch=SITE.c.lease_epoch + 1,
            deaths=case((LEASED, SITE.c.deaths + 1), else_=SITE.c.deaths),
            next_crawl_at=bindparam("again"),
        )
        .returning(SITE.c.id, SITE.c.host, SITE.c.start_url)
    )


_TAKE: Final = PreparedSelect(_taking())
_TAKE_FREE: Final = PreparedSelect(_taking(FREE_ADDRESS))
