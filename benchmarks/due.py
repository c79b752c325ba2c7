"""Measures the choice of a due site and its due pages, and checks that two processes never get the same site.

`python benchmarks/due.py URL [--sites 2000] [--pages 50] [--runs 1000] [--processes 8]` on an EMPTY database: a SQLite
file that does not exist, or a PostgreSQL database after `sitecrawl database upgrade`.
"""

import argparse
import datetime as dt
import multiprocessing
import statistics
from collections.abc import Callable
from multiprocessing.queues import Queue
from multiprocessing.synchronize import Barrier
from time import perf_counter, process_time

from sqlalchemy import Engine, event, insert, text, update

from sitecrawl.storage.db.engine import open_database, session_scope
from sitecrawl.storage.db.session import Session
from sitecrawl.storage.sites import SiteRepository
from sitecrawl.storage.tables.models import PAGE, SITE
from sitecrawl.storage.visits import VisitRepository

NOW = dt.datetime(2026, 3, 1, tzinfo=dt.UTC)
TURNS = 200


def fill(engine: Engine, sites: int, pages: int) -> None:
    """Add due sites; half of each site's pages are due."""
    with session_scope(engine) as session:
        for number in range(sites):
            SiteRepository(session).get_or_add(f"site{number}.example", f"https://site{number}.example/", NOW)
        session.execute(update(SITE).values(next_crawl_at=NOW - dt.timedelta(hours=1)))
        ids = [site.id for site in SiteRepository(session).refs()]
        for site_id in ids:
            session.execute(
                insert(PAGE),
                [
                    {
                        "site_id": site_id,
                        "url_key": 10_000 * site_id + page,
                        "url": f"https://site{site_id}.example/{page}",
                        "status": 1,
                        "depth": 1,
                        "priority": page,
                        "discovery": page,
                        "crawl_id": site_id,
                        "discovered_at": NOW,
                        "next_fetch_at": NOW + dt.timedelta(minutes=page - pages),
                    }
                    for page in range(2 * pages)
                ],
            )
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text("ANALYZE"))


def timed(name: str, turn: Callable[[int], object]) -> None:
    """Print the wall time of a turn, and its processor time, which a busy machine does not change."""
    walls, works = [], []
    for number in range(TURNS):
        wall, work = perf_counter(), process_time()
        turn(number)
        walls.append(1000 * (perf_counter() - wall))
        works.append(1000 * (process_time() - work))
    print(
        f"{name:28} wall: least {min(walls):5.2f} median {statistics.median(walls):5.2f}"
        f" 95 % {sorted(walls)[int(TURNS * 0.95)]:6.2f} ms, processor: median {statistics.median(works):5.2f} ms"
    )


def choose(engine: Engine, pages: int) -> None:
    """Time the choice of the next site and its pages, first alone, then with transactions, which write to the disk."""
    taken = []

    def site(session: Session) -> None:
        owner = f"owner{len(taken)}"
        found = SiteRepository(session).lease_due(owner, NOW, 60, due=NOW, pause=7200)
        assert found is not None
        taken.append(found.id)

    def due(session: Session) -> None:
        found = VisitRepository(session).due(taken[-1], 10**6, NOW, 2 * pages)
        assert len(found) == pages + 1

    def committed(number: int) -> None:
        with session_scope(engine) as session:
            site(session)
        with session_scope(engine, write=False) as session:
            due(session)

    with session_scope(engine) as session:
        timed("next due site, leased", lambda number: site(session))
        timed("its due pages", lambda number: due(session))
        timed("both", lambda number: (site(session), due(session)))
    timed("both, with two transactions", committed)
    assert len(set(taken)) == 3 * TURNS


def plans(engine: Engine) -> None:
    """Print the query plans of the database."""
    asked: list[tuple[str, object]] = []

    @event.listens_for(engine, "before_cursor_execute")
    def note(connection: object, cursor: object, statement: str, parameters: object, *rest: object) -> None:
        asked.append((statement, parameters))

    with session_scope(engine) as session:
        SiteRepository(session).lease_due("owner", NOW, 60, due=NOW, pause=7200)
        VisitRepository(session).due(1, 10**6, NOW, 100)
        VisitRepository(session).first(1, 20)
    event.remove(engine, "before_cursor_execute", note)
    explain = "EXPLAIN QUERY PLAN " if engine.dialect.name == "sqlite" else "EXPLAIN "
    with engine.connect() as connection:
        for statement, parameters in asked:
            if statement.startswith(("SELECT", "UPDATE")):
                print("\n" + " ".join(statement.split()))
                for row in connection.exec_driver_sql(explain + statement, parameters):
                    print("   ", row[-1])
        connection.rollback()


def race(url: str, barrier: Barrier, answers: "Queue[tuple[int, int, int | None]]", me: int, runs: int) -> None:
    """Take a due site in each run, at the same time as other processes; put (run, number of this process, site)."""
    engine = open_database(url)
    for run in range(runs):
        barrier.wait(60)
        with session_scope(engine) as session:
            due = NOW + dt.timedelta(days=run)
            found = SiteRepository(session).lease_due(f"process{me}", due, 3600, due=due, pause=7200)
        answers.put((run, me, found.id if found else None))
        barrier.wait(60)
        if found:
            with session_scope(engine) as session:
                SiteRepository(session).release(found.id, f"process{me}")
    engine.dispose()


def races(url: str, runs: int, processes: int) -> int:
    """Return how often two processes got the same site, or a due site was left, in runs with five due sites."""
    engine = open_database(url)
    with session_scope(engine) as session:
        session.execute(update(SITE).values(next_crawl_at=None, lease_owner=None, leased_until=None))
        first = [site.id for site in SiteRepository(session).refs()][:5]
        yesterday = NOW - dt.timedelta(days=1)
        session.execute(update(SITE).where(SITE.c.id.in_(first)).values(next_crawl_at=yesterday))
    spawn = multiprocessing.get_context("spawn")
    barrier, answers = spawn.Barrier(processes), spawn.Queue()
    children = [spawn.Process(target=race, args=(url, barrier, answers, me, runs)) for me in range(processes)]
    for child in children:
        child.start()
    rounds: dict[int, list[int]] = {}
    for _ in range(runs * processes):
        run, _me, site = answers.get(timeout=120)
        rounds.setdefault(run, []).extend([site] if site is not None else [])
    for child in children:
        child.join(60)
    engine.dispose()
    overlaps = sum(len(sites) != len(set(sites)) for sites in rounds.values())
    missed = sum(len(set(sites)) < min(5, processes) for sites in rounds.values())
    print(f"{processes} processes, {len(rounds)} runs: {overlaps} overlaps, {missed} runs in which a due site was left")
    return overlaps + missed


def main() -> None:
    """Measure the choice of a site on an empty database, then race; exit with 1 if a race went wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("url")
    parser.add_argument("--sites", type=int, default=2000)
    parser.add_argument("--pages", type=int, default=50)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--processes", type=int, default=8)
    options = parser.parse_args()
    engine = open_database(options.url)
    fill(engine, options.sites, options.pages)
    choose(engine, options.pages)
    plans(engine)
    engine.dispose()
    raise SystemExit(races(options.url, options.runs, options.processes) > 0)


if __name__ == "__main__":
    main()
