"""Simulates a day of 1,000 sites on a real database: whether sites are crawled within their intervals, or drift.

`python benchmarks/day.py URL [--sites 1000] [--hours 24] [--seed 1]` on an EMPTY database: a SQLite file that does not
exist, or a PostgreSQL database after `sitecrawl database upgrade`.

Two machines with 100 places each, either of which would be enough, take due sites, renew their leases and end crawls
with the code of a worker (`storage/leases.py`, `storage/visits.py`, `scheduling.py`); clock and pages are made up. A
crawl takes one to ten minutes. A site has five pages and a longest interval of 2, 4, 8 or 12 hours; its pages change at
random, or fail on one site of fifty. One machine is dead from hour 8 to hour 9. A free place looks for a site as often
as a worker does.
"""

import argparse
import datetime as dt
import heapq
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from random import Random
from time import process_time

from sqlalchemy import Engine, insert, select

from sitecrawl.fleet.places import LOOK
from sitecrawl.scheduling import Bounds, History, Outcome, Visit, plan
from sitecrawl.storage.db.engine import open_database, session_scope
from sitecrawl.storage.db.session import Session
from sitecrawl.storage.page_state import HISTORY, HISTORY_NAMES
from sitecrawl.storage.pages import PageRepository, PageStatus
from sitecrawl.storage.sites import SiteRepository
from sitecrawl.storage.tables.models import PAGE, SITE
from sitecrawl.storage.visits import VisitRepository

START = dt.datetime(2026, 3, 1, tzinfo=dt.UTC)
HOUR = 3600.0
LONGEST = (2, 4, 8, 12)
"""Longest intervals of the sites in turn, in hours; the shortest is a quarter."""
PAGES = 5
PLACES = 100
LEASE = 120
RENEWED = 40.0
"""Seconds between two renewals of a lease."""
DEAD = (8 * HOUR, 9 * HOUR)
"""The seconds between which the second machine is dead."""
FAILING = 50
"""One site in this number fails."""


def at(seconds: float) -> dt.datetime:
    """Return a moment of the day."""
    return START + dt.timedelta(seconds=seconds)


def bounds(site: int) -> Bounds:
    """Return the intervals of a site."""
    longest = LONGEST[site % len(LONGEST)] * 3600
    return Bounds(minimum=longest // 4, maximum=longest, initial=longest, error=longest // 4)


@dataclass(slots=True)
class Day:
    """The events of the day."""

    engine: Engine
    random: Random
    late: list[float] = field(default_factory=list)
    """Seconds from `next_crawl_at` to each start that was planned."""
    gaps: dict[int, list[tuple[float, float]]] = field(default_factory=lambda: defaultdict(list))
    """(moment, time since the visit before as a share of the longest interval) of each visit, by longest interval."""
    taken_over: list[float] = field(default_factory=list)
    """Seconds from the end of a dead lease to the next crawl of the site."""
    planned: dict[int, dt.datetime] = field(default_factory=dict)
    """When each site is due."""
    leases: dict[int, tuple[str, float]] = field(default_factory=dict)
    """Holder of each site that is being crawled, and the end of its lease."""
    overlaps: int = 0
    crawls: Counter[int] = field(default_factory=Counter)


def fill(day: Day, sites: int) -> list[int]:
    """Add sites whose first crawls are spread over the longest interval before the day; return their numbers."""
    with session_scope(day.engine) as session:
        for number in range(sites):
            SiteRepository(session).get_or_add(f"site{number}.example", f"https://site{number}.example/", START)
        ids = [site.id for site in SiteRepository(session).refs()]
        for site in ids:
            longest = bounds(site).maximum
            seen = START - dt.timedelta(seconds=longest * (site * 0.618 % 1))
            rows = [
                {
                    **{"site_id": site, "url_key": 1000 * site + page, "url": f"https://site.example/{site}/{page}"},
                    **{"status": int(PageStatus.FETCHED), "depth": 1, "discovery": page, "crawl_id": 0},
                    **{"discovered_at": seen, "visited_at": seen, "fetch_interval": longest},
                    "next_fetch_at": seen + dt.timedelta(seconds=longest),
                }
                for page in range(PAGES)
            ]
            session.execute(insert(PAGE), rows)
            day.planned[site] = VisitRepository(session).close(site, START, bounds(site))
    return ids


def take(day: Day, owner: str, now: float) -> int | None:
    """Take a site that is due, as a worker does; return its number."""
    with session_scope(day.engine) as session:
        found = SiteRepository(session).lease_due(owner, at(now), LEASE, due=at(now), pause=60)
    if found is None:
        return None
    site = found.id
    if site in day.leases:
        _, until = day.leases[site]
        day.overlaps += until > now
        day.taken_over.append(now - until)
    else:
        day.late.append((at(now) - day.planned[site]).total_seconds())
    day.leases[site] = owner, now + LEASE
    day.crawls[site] += 1
    return site


def finish(day: Day, site: int, owner: str, began: float, now: float) -> None:
    """Visit the due pages of a site, and end the crawl."""
    own = bounds(site)
    with session_scope(day.engine) as session:
        due = VisitRepository(session).due(site, int(now), at(began), PAGES)
        for number, page in enumerate(due):
            _visit(day, session, site, page.url_key, began + (now - began) * (number + 1) / len(due), own)
        day.planned[site] = VisitRepository(session).close(site, at(now), own)
        SiteRepository(session).release(site, owner)
    del day.leases[site]


def _visit(day: Day, session: Session, site: int, key: int, moment: float, own: Bounds) -> None:
    [row] = session.execute(select(*HISTORY).where(PAGE.c.site_id == site, PAGE.c.url_key == key)).all()
    history = History(*row)
    if history.visited_at is not None:
        since = (at(moment) - history.visited_at).total_seconds()
        if site % FAILING:
            day.gaps[own.maximum].append((moment, since / own.maximum))
    fails = not site % FAILING
    outcome = Outcome.ERROR if fails else Outcome.CHANGED if day.random.random() < 0.2 else Outcome.UNCHANGED
    made = plan("poisson", own, history, Visit(outcome, at(moment), key))
    values = (getattr(made.history, "interval" if name == "fetch_interval" else name) for name in HISTORY_NAMES)
    told = dict(zip(HISTORY_NAMES, values, strict=True))
    PageRepository(session).amend(site, [{"url_key": key, "next_fetch_at": made.next_fetch_at, **told}])


def live(day: Day, hours: float) -> None:
    """Simulate the day: checks, renewals and ends of crawls, in chronological order."""
    queue: list[tuple[float, int, str, str, int, float]] = []
    count, free = 0, {"machine1": PLACES, "machine2": PLACES}

    def add(moment: float, what: str, machine: str, site: int = 0, began: float = 0.0) -> None:
        nonlocal count
        count += 1
        heapq.heappush(queue, (moment, count, what, machine, site, began))

    for machine in free:
        add(0.0, "look", machine)
    while queue and queue[0][0] < hours * HOUR:
        now, _, what, machine, site, began = heapq.heappop(queue)
        dead = machine == "machine2" and DEAD[0] <= now < DEAD[1]
        if what == "look":
            found = take(day, machine, now) if free[machine] and not dead else None
            if found is not None:
                free[machine] -= 1
                add(now + RENEWED, "renew", machine, found, now)
                add(now + day.random.uniform(60, 600), "end", machine, found, now)
            add(now if found is not None else now + LOOK, "look", machine)
            continue
        crossed = machine == "machine2" and began < DEAD[0] <= now
        held = day.leases.get(site, ("", 0.0))[0] == machine and not crossed
        if what == "end":
            free[machine] += 1
            if held:
                finish(day, site, machine, began, now)
        elif held:
            with session_scope(day.engine) as session:
                assert SiteRepository(session).renew(site, machine, at(now), LEASE)
            day.leases[site] = machine, now + LEASE
            add(now + RENEWED, "renew", machine, site, began)


def main() -> None:
    """Print the figures of the day; exit with 1 if a limit is exceeded."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("url")
    parser.add_argument("--sites", type=int, default=1000)
    parser.add_argument("--hours", type=float, default=24)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    engine = open_database(given.url)
    day = Day(engine, Random(given.seed))
    ids, began = fill(day, given.sites), process_time()
    live(day, given.hours)
    with session_scope(engine) as session:
        overdue = session.execute(
            select(SITE.c.id).where(SITE.c.lease_owner.is_(None), SITE.c.next_crawl_at < at(given.hours * HOUR - 60))
        ).all()
    late = day.late
    print(
        f"{sum(day.crawls.values())} crawls of {len(day.crawls)} of {len(ids)} sites,"
        f" {process_time() - began:.0f} CPU s"
    )
    print(f"starts after they were due: mean {sum(late) / len(late):.1f} s, most {max(late):.1f} s")
    print(f"taken over after the end of the lease: {len(day.taken_over)}, most {max(day.taken_over, default=0):.1f} s")
    print(f"overlaps {day.overlaps}, overdue at the end {len(overdue)}")
    missed = bool(day.overlaps or overdue or max(late) > 2 * LOOK or max(day.taken_over, default=0) > 2 * LOOK)
    for longest, gaps in sorted(day.gaps.items()):
        parts = [
            [share for moment, share in gaps if part <= moment / HOUR / given.hours * 4 < part + 1] for part in range(4)
        ]
        told = ", ".join(f"{sum(part) / len(part):.3f}" if part else "-" for part in parts)
        most = max(share for _, share in gaps)
        print(f"every {longest / HOUR:.0f} h at most: mean gap of a page by quarter of the day {told}; most {most:.3f}")
        missed |= most > 1 + (2 * 600 + 2 * LOOK + LEASE) / longest  # two crawls, if the first one died
    raise SystemExit(int(missed))


if __name__ == "__main__":
    main()
