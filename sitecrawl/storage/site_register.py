"""The list of websites: adds many at once, pauses them, and reads the list in parts."""

import datetime as dt
import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from sqlalchemy import JSON, ColumnElement, Text, and_, cast, column, func, literal, not_, select, true, update

from sitecrawl.storage.crawls import requested
from sitecrawl.storage.db.session import Session
from sitecrawl.storage.db.upsert import insert_into
from sitecrawl.storage.leases import DEATHS, LEASED, PLANNED
from sitecrawl.storage.pages import PageRepository
from sitecrawl.storage.sites import FORGOTTEN, first_epoch
from sitecrawl.storage.tables.models import CONTENT, CRAWL, PAGE, SITE

AT_ONCE: Final = 1000
"""Sites that are read or added by one statement."""


class NewSite(NamedTuple):
    """A website to be added."""

    host: str
    start_url: str
    options: Mapping[str, Any]


class SiteLine(NamedTuple):
    """A site in the list of all."""

    host: str
    start_url: str
    next_crawl_at: dt.datetime | None
    lease_owner: str | None
    leased_until: dt.datetime | None
    paused_at: dt.datetime | None
    options: Mapping[str, Any] | None
    deaths: int
    """Number of consecutive dead crawls since the last one that ended properly."""
    last_crawl: dt.datetime | None
    """Start of the last crawl that requested pages."""
    pages: int
    """Number of known URLs."""
    contents: int

    def state(self, now: dt.datetime) -> str:
        """Return the state of the site: crawling, stopped, paused, due, waits, or new."""
        if self.lease_owner is not None and self.leased_until is not None and self.leased_until > now:
            return "crawling"
        if self.paused_at is not None:
            return "paused"
        if self.lease_owner is not None:
            return "stopped"
        if self.next_crawl_at is None:
            return "new"
        return "due" if self.next_crawl_at <= now else "waits"


class DueSite(NamedTuple):
    """A site that is due."""

    host: str
    start_url: str
    since: dt.datetime
    died: bool
    """Whether its crawl died, so that it is taken before the others."""


class SiteRegister:
    """Reads and writes `site` as a list."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def add(self, sites: Sequence[NewSite], now: dt.datetime) -> set[str]:
        """Add sites, which are due at once; return the hosts of the added ones. Known sites do not change."""
        if not sites:
            return set()
        dialect = self.session.get_bind().dialect.name
        columns = ("host", "start_url", "options", "created_at", "next_crawl_at", "lease_epoch")
        moment = literal(now, SITE.c.created_at.type)
        given = _given(dialect, [one._asdict() for one in sites])
        insert = insert_into(dialect, SITE).from_select(
            columns, select(*given, moment, moment, literal(first_epoch(now))).where(true())
        )
        new = insert.excluded
        statement = insert.on_conflict_do_update(
            index_elements=["host"],
            set_={"start_url": new.start_url, "next_crawl_at": new.next_crawl_at, "options": new.options},
            where=and_(FORGOTTEN, SITE.c.lease_owner.is_(None)),  # sites of which only the addresses are recorded
        )
        return set(self.session.scalars(statement.returning(SITE.c.host)))

    def set_options(self, host: str, options: Mapping[str, Any], taken_back: Collection[str] = ()) -> bool:
        """Set options of a site, and remove those in `taken_back`; return whether the site is known."""
        known = select(SITE.c.id, SITE.c.options).where(SITE.c.host == host)
        row = self.session.execute(known.with_for_update()).first()  # without a lock, a concurrent change would be lost
        if row is None:
            return False
        kept = {name: value for name, value in (row.options or {}).items() if name not in taken_back}
        self.session.execute(update(SITE).where(SITE.c.id == row.id).values(options={**kept, **options} or None))
        return True

    def pause(self, host: str, now: dt.datetime) -> bool:
        """Pause a site: it is never due until it is resumed. Return whether it is known."""
        paused = self.session.execute(
            update(SITE).where(SITE.c.host == host).values(paused_at=func.coalesce(SITE.c.paused_at, now))
        )
        return bool(paused.rowcount)

    def resume(self, host: str, now: dt.datetime) -> bool:
        """Resume a paused site: it is due when its pages are. Return whether it is known."""
        resumed = self.session.execute(
            update(SITE)
            .where(SITE.c.host == host)
            .values(paused_at=None, next_crawl_at=func.coalesce(SITE.c.next_crawl_at, now))
        )
        return bool(resumed.rowcount)

    def due_now(self, host: str, now: dt.datetime) -> bool:
        """Make a site due at once, paused or not, with all its pages; return whether it is known."""
        site_id = self.session.scalar(select(SITE.c.id).where(SITE.c.host == host))
        if site_id is None:
            return False
        PageRepository(self.session).all_due(site_id, now)
        self.session.execute(update(SITE).where(SITE.c.id == site_id).values(paused_at=None, next_crawl_at=now))
        return True

    def lines(
        self, after: str = "", limit: int = 0, hosts: Collection[str] | None = None, *, dying: bool = False
    ) -> Iterator[SiteLine]:
        """Yield at most `limit` sites (0 for all) after a host, in the order of hosts; they are read in batches.

        With `dying`, only sites whose last two crawls died.
        """
        left = limit
        while True:
            part = self._part(after, min(left, AT_ONCE) if limit else AT_ONCE, hosts, dying=dying)
            yield from part
            left -= len(part)
            if len(part) < AT_ONCE or (limit and left <= 0):
                return
            after = part[-1].host

    def _part(self, after: str, count: int, hosts: Collection[str] | None, *, dying: bool) -> list[SiteLine]:
        some: list[ColumnElement[bool]] = [SITE.c.host.in_(hosts)] if hosts is not None else []
        if dying:
            some.append(SITE.c.deaths >= DEATHS)
        chosen = (
            select(SITE)
            .where(SITE.c.host > after, not_(FORGOTTEN), *some)
            .order_by(SITE.c.host)
            .limit(count)
            .subquery("site")
        )
        pages = select(func.count()).where(PAGE.c.site_id == chosen.c.id).scalar_subquery()
        contents = select(func.count()).where(CONTENT.c.site_id == chosen.c.id).scalar_subquery()
        own = CRAWL.c.site_id == chosen.c.id
        last = select(func.max(CRAWL.c.started_at)).where(own, requested()).scalar_subquery()
        state = (chosen.c.next_crawl_at, chosen.c.lease_owner, chosen.c.leased_until, chosen.c.paused_at)
        rows = self.session.execute(
            select(
                chosen.c.host, chosen.c.start_url, *state, chosen.c.options, chosen.c.deaths, last, pages, contents
            ).order_by(chosen.c.host)
        )
        return [SiteLine._make(row) for row in rows]

    def due(self, now: dt.datetime, limit: int) -> list[DueSite]:
        """Return the sites that a worker would take next, at most `limit`: dead crawls first, then the most overdue."""
        columns = (SITE.c.host, SITE.c.start_url)
        died = self.session.execute(
            select(*columns, SITE.c.leased_until)
            .where(LEASED, SITE.c.leased_until <= now, SITE.c.paused_at.is_(None))
            .order_by(SITE.c.leased_until)
            .limit(limit)
        ).all()
        planned = self.session.execute(
            select(*columns, SITE.c.next_crawl_at)
            .where(PLANNED, SITE.c.next_crawl_at <= now)
            .order_by(SITE.c.next_crawl_at)
            .limit(limit - len(died))
        ).all()
        found = [(*row, True) for row in died] + [(*row, False) for row in planned]
        return [DueSite(host, url, since or now, gone) for host, url, since, gone in found]


def _given(dialect: str, rows: Sequence[Mapping[str, Any]]) -> tuple[ColumnElement[Any], ...]:
    """Return the columns host, start URL and options of rows passed as one JSON text, faster than many parameters.

    Empty options are not null, so that a site that the user added is never deleted automatically.
    """
    text = literal(json.dumps(rows), Text)
    if dialect == "sqlite":
        each = func.json_each(text).table_valued("value")
        return tuple(func.json_extract(each.c.value, f"$.{name}") for name in NewSite._fields)
    names = column("host", Text), column("start_url", Text), column("options", SITE.c.options.type)
    each = func.json_to_recordset(cast(text, JSON)).table_valued(*names).render_derived(with_types=True)
    return tuple(each.c[name] for name in NewSite._fields)
