"""Measures a database of a million sites: adding sites, taking a due one, reading their state, numbering documents.

`python benchmarks/sites.py URL [--sites 1000000] [--leases 2000] [--crawls 1000000]` on an EMPTY database: a SQLite
file that does not exist, or a PostgreSQL database after `sitecrawl database upgrade`. It prints wall times, and
processor times of this process, which depend less on other work of the machine.
"""

import argparse
import datetime as dt
import statistics
from collections.abc import Callable, Iterator
from itertools import islice
from time import perf_counter, process_time

from sqlalchemy import Engine, insert, text, update

from sitecrawl.clock import now
from sitecrawl.commands.sites import BATCH
from sitecrawl.crawl.site_lists import ListedSite, read_sites
from sitecrawl.storage.db.engine import open_database, session_scope
from sitecrawl.storage.db.session import Session
from sitecrawl.storage.fleet_status import FleetStatusRepository
from sitecrawl.storage.lease_owner import new_owner
from sitecrawl.storage.leases import LeaseFence
from sitecrawl.storage.outbox import NUMBERED_AT_ONCE, Outbox
from sitecrawl.storage.site_register import NewSite, SiteRegister
from sitecrawl.storage.sites import SiteRepository
from sitecrawl.storage.tables.models import CRAWL, OUTBOX, SITE, TEMPLATE

TURNS = 100
ELSEWHERE = "other:1:0badc0de.77:abcd1234"
"""Holder of a lease on another machine."""


def add(engine: Engine, count: int) -> None:
    """Read and add lines as `sites add` does."""
    found = read_sites((f"https://www.site{number}.example/start" for number in range(count)), "host", {})
    lines: Iterator[ListedSite] = (one for one in found if isinstance(one, ListedSite))
    while batch := list(islice(lines, BATCH)):
        with session_scope(engine) as session:
            SiteRegister(session).add([NewSite(one.host, one.start_url, one.options) for one in batch], now())


def fill(engine: Engine, leases: int, crawls: int, sites: int) -> None:
    """Lease the most overdue sites elsewhere, spread the others over a week, and add crawls and templates."""
    moment = now()
    with session_scope(engine) as session:
        shift = "id % 600000 - 300000"
        planned = {
            "postgresql": f"now() + ({shift}) * interval '1 second'",
            "sqlite": f"datetime('now', ({shift}) || ' seconds') || '.000000'",
        }
        session.execute(text(f"UPDATE site SET next_crawl_at = {planned[engine.dialect.name]}"))
        held = {"lease_owner": ELSEWHERE, "leased_until": moment + dt.timedelta(hours=1)}
        session.execute(update(SITE).where(SITE.c.id <= leases).values(**held))
    began = dt.timedelta(seconds=0.1)
    for start in range(0, crawls, 10_000):
        numbers = range(start, min(start + 10_000, crawls))
        rows = [
            {
                "site_id": 1 + number * 7919 % sites,
                "started_at": moment - (crawls - number) * began,
                "finished_at": moment - (crawls - number) * began,
                "reason": "finished",
                "stats": {"pages": number % 40},
            }
            for number in numbers
        ]
        with session_scope(engine) as session:
            session.execute(insert(CRAWL), rows)
    with session_scope(engine) as session:
        session.execute(
            text(
                f"INSERT INTO {TEMPLATE.name} (site_id, layout, version, label_rule, pages_seen, novelty, crawl_id,"
                " updated_at) SELECT site_id, 1, 1, 1, 10, 0, max(id), max(started_at) FROM crawl GROUP BY site_id"
            )
        )
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text("VACUUM ANALYZE" if engine.dialect.name == "postgresql" else "ANALYZE"))


def queue(session: Session) -> None:
    """Queue as many changed documents as are numbered at once."""
    rows = [
        {"site_id": 1, "url_key": key, "operation": 1, "revision": 2, "numbered": 1, "queued_at": now()}
        for key in range(NUMBERED_AT_ONCE)
    ]
    session.execute(OUTBOX.delete())
    session.execute(insert(OUTBOX), rows)


def timed(
    name: str, turn: Callable[[], object], turns: int = TURNS, before: Callable[[], object] = lambda: None
) -> None:
    """Print the median and the minimum of the times of a turn."""
    walls, works = [], []
    for _ in range(turns):
        if before is not None:
            before()
        began, worked = perf_counter(), process_time()
        turn()
        walls.append((perf_counter() - began) * 1000)
        works.append((process_time() - worked) * 1000)
    print(
        f"{name:44} wall {statistics.median(walls):10.2f} ms (least {min(walls):.2f}),"
        f" processor {statistics.median(works):10.2f} ms (least {min(works):.2f})",
        flush=True,
    )


def main() -> None:
    """Add the sites, and print the time of each operation."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("url")
    parser.add_argument("--sites", type=int, default=1_000_000)
    parser.add_argument("--leases", type=int, default=2_000)
    parser.add_argument("--crawls", type=int, default=1_000_000)
    given = parser.parse_args()
    engine = open_database(given.url)

    def inside(work: Callable[[Session], object]) -> Callable[[], object]:
        def run() -> None:
            with session_scope(engine) as session:
                work(session)

        return run

    def take(session: Session, *, reclaim: bool) -> None:
        moment = now()
        site = SiteRepository(session).lease_due(new_owner(), moment, 3600, due=moment, pause=7200, reclaim=reclaim)
        assert site is not None

    timed(f"add {given.sites} sites", lambda: add(engine, given.sites), 1)
    fill(engine, given.leases, given.crawls, given.sites)
    timed("take a due site", inside(lambda s: take(s, reclaim=False)))
    timed("the same, with the leases of this machine", inside(lambda s: take(s, reclaim=True)))
    site = SITE.c.id == given.sites
    with session_scope(engine) as session:
        session.execute(update(SITE).where(site).values(lease_epoch=7))
    timed("check a lease, alone in its transaction", inside(LeaseFence(given.sites, 7, "x").check))
    timed("read the state of all", inside(lambda s: FleetStatusRepository(s).read(now())), 10)
    timed(f"number {NUMBERED_AT_ONCE} documents", inside(lambda s: Outbox(s).number(now())), 5, inside(queue))
    engine.dispose()


if __name__ == "__main__":
    main()
