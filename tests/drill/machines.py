"""OP-50 and OP-53: machines with workers that are killed. Machines are pid namespaces on one PostgreSQL."""

import os
import signal
import time
from dataclasses import dataclass, field

from sqlalchemy import create_engine, text

from sitecrawl.storage.leases import DEATHS
from tests.drill.cases import NotPossible, case, check
from tests.drill.postgres import PostgreSQL
from tests.drill.workers import DELAY, LEASE, Asked, add, first_processes, overlaps, starts, worker

MACHINES = 4
TAKEOVER = LEASE + 5.0
"""Seconds within which the crawl of a site continues after its machine died."""
AT_ONCE = 8
"""Requests that a crawl may have in flight."""


@dataclass
class Plan:
    """The plan of a drill: the number of kills, their interval, and the sites and pages to crawl."""

    kills: int
    every: float
    sites: int
    pages: int
    longest: float
    options: tuple = ()


@dataclass
class Kill:
    """A machine that was killed: when, its name, and of each site that it crawled the deaths before and the epoch."""

    at: float
    machine: str
    sites: dict
    taken: dict = field(default_factory=dict)
    """When each site was seen to be leased again."""

    def look(self, leases):
        """Note which sites are leased again, from {host: epoch} of all leases."""
        for host, (_, epoch) in self.sites.items():
            if host not in self.taken and leases.get(host, 0) > epoch:
                self.taken[host] = time.monotonic()


def kill(machine):
    for process in first_processes(machine):
        os.kill(process, signal.SIGKILL)
    machine.wait()


def held_by(engine, asked, name):
    """The leased sites whose last request came from a machine, with the deaths and the epoch of each."""
    last = {host: rows[-1][1] for host, rows in list(asked.of.items())}
    statement = "SELECT host, deaths, lease_epoch FROM site WHERE lease_owner IS NOT NULL"
    with engine.connect() as connection:
        return {host: tuple(rest) for host, *rest in connection.execute(text(statement)) if last.get(host) == name}


def leases(engine):
    with engine.connect() as connection:
        return dict(connection.execute(text("SELECT host, lease_epoch FROM site WHERE lease_owner IS NOT NULL")).all())


def finished(engine):
    with engine.connect() as connection:
        return connection.execute(text("SELECT count(*) FROM crawl WHERE finished_at IS NOT NULL")).scalar()


def killed_machines(room, plan):
    """Kill machines one after the other until all sites are done; return the figures."""
    if os.geteuid() != 0:
        raise NotPossible("pid namespaces need root")
    asked, kills = Asked(), []
    with PostgreSQL(room.folder) as server, asked.sites(plan.sites, plan.pages) as sites:
        url = server.database()
        add(url, starts(sites))
        engine = create_engine(url.replace("postgresql://", "postgresql+psycopg://"))
        names = [f"m{number}.0" for number in range(MACHINES)]
        machines = [worker(room.folder, url, name, plan.sites, *plan.options) for name in names]
        begun = time.monotonic()
        try:
            while (done := finished(engine)) < plan.sites or len(kills) < plan.kills:
                time.sleep(0.25)
                leased = leases(engine)
                for killed in kills:
                    killed.look(leased)
                check(time.monotonic() - begun < plan.longest, f"{done} of {plan.sites} sites are done in the time")
                if len(kills) < plan.kills and time.monotonic() - begun > plan.every * (len(kills) + 1):
                    number = len(kills) % MACHINES
                    killed = Kill(time.monotonic(), names[number], held_by(engine, asked, names[number]))
                    kill(machines[number])
                    kills.append(killed)
                    names[number] = f"m{number}.{len(kills)}"
                    machines[number] = worker(room.folder, url, names[number], plan.sites, *plan.options)
            took = time.monotonic() - begun
            with engine.connect() as connection:
                rows = connection.execute(text("SELECT site_id, count(*) n FROM content GROUP BY site_id")).all()
        finally:
            for machine in machines:
                for process in first_processes(machine):
                    os.kill(process, signal.SIGTERM)
            statuses = [machine.wait(30) for machine in machines]
            engine.dispose()
    check([row.n for row in rows] == [plan.pages + 3] * plan.sites, f"pages stored: {[row.n for row in rows]}")
    check(set(statuses) == {0}, f"statuses of stopped workers: {statuses}")
    figures = f"{len(kills)} kills, {plan.sites * (plan.pages + 3)} pages stored in {took:.0f} s"
    return f"{figures}, {requests(asked)}, {takeovers(asked, kills)}, {repeats(asked, kills)}"


def requests(asked):
    """Check that no two crawls of a site overlapped, and that the rate was kept."""
    crossed = sum(map(overlaps, asked.of.values()))
    check(crossed == 0, f"{crossed} overlaps of two crawls of one site")
    gaps = asked.gaps()
    short = sum(gap < 0.8 * DELAY for gap in gaps)
    check(short <= len(gaps) * 0.02, f"{short} of {len(gaps)} gaps are under 0.8 s; least {gaps[0]:.2f} s")
    fastest = max((len(rows) - 1) / (rows[-1][0] - rows[0][0]) for rows in asked.of.values() if len(rows) > 1)
    check(fastest <= 1 / DELAY, f"a site was asked {fastest:.2f} times a second")
    return f"0 overlaps, {fastest:.2f} requests a second at the fastest site, {short} of {len(gaps)} gaps under 0.8 s"


def takeovers(asked, kills):
    """Check how long the sites of killed machines waited; those that died too often are to wait longer."""
    leased, went_on, rested = [], [], []
    for killed in kills:
        for host, at in killed.taken.items():
            if killed.sites[host][0] + 1 >= DEATHS:
                rested.append(at - killed.at)
                continue
            leased.append(at - killed.at)
            went_on += [then - killed.at for then, name, _ in asked.of[host] if then > at and name != killed.machine][
                :1
            ]
    figures = f"{len(leased)} sites leased again after {max(leased, default=0):.1f} s at most and asked after"
    figures += (
        f" {max(went_on, default=0):.1f} s; {len(rested)} that had died before after {max(rested, default=0):.0f} s"
    )
    check(max(leased, default=0) <= TAKEOVER, figures)
    return figures


def repeats(asked, kills):
    """Check that a kill repeats no more requests than were in flight."""
    again = 0
    for rows in asked.of.values():
        paths = [path for *_, path in rows if path.endswith(".html")]
        again += len(paths) - len(set(paths))
    died = sum(len(killed.sites) for killed in kills)
    check(again <= AT_ONCE * died, f"{again} repeats, at most {AT_ONCE * died} were in flight")
    return f"{again} repeats of pages after {died} deaths of crawls"


@case("OP-50", "of 4 machines with workers one is killed every 15 s", "every page stored, no overlap, rate kept")
def four_kills(room):
    return killed_machines(room, Plan(kills=4, every=15.0, sites=12, pages=60, longest=600))


@case(
    "OP-53",
    "of 4 machines with 20 sites one is killed every 20 s, ten times",
    "the same; sites go on within the lease and 5 s",
    long=True,
)
def ten_kills(room):
    return killed_machines(room, Plan(kills=10, every=20.0, sites=20, pages=250, longest=2400))


@case("OP-53-queue", "the same with worker --queue", "the same", long=True)
def ten_kills_with_a_queue(room):
    return killed_machines(room, Plan(kills=10, every=20.0, sites=20, pages=250, longest=2400, options=("--queue",)))
