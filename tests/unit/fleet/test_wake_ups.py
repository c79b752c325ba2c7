"""Wake-ups by a real queue: jobs that are lost, repeated or stuck have no effect on the sites."""

import asyncio
import contextlib
import datetime as dt
from pathlib import Path

import psycopg
import pytest

from sitecrawl.errors import ConfigError
from sitecrawl.fleet.wake_ups import QUEUE, WAKE, WakeUps, make_queue, queue_schema
from sitecrawl.storage.db.engine import open_database, session_scope
from sitecrawl.storage.sites import SiteRepository
from sitecrawl.storage.tables.models import SITE

NOW = dt.datetime(2026, 3, 1, tzinfo=dt.UTC)
SECONDS = 120
DOCS = Path(__file__).parents[3] / "docs"


class Process:
    """Imitates a worker's process: a wake-up makes it take the most overdue site."""

    def __init__(self, url, engine):
        self.engine, self.taken, self.woken, self.connected = engine, [], 0, []
        self.wake_ups = WakeUps(url, self.due, self.wake, self.connect, clock=False)

    async def due(self, most):
        with session_scope(self.engine) as session:
            return SiteRepository(session).due(NOW, most)

    async def wake(self):
        with session_scope(self.engine) as session:
            site = SiteRepository(session).lease_due(f"x:{self.woken}", NOW, 120, due=NOW, pause=60)
        if site is not None:
            self.taken.append(site.host)
        self.woken += 1

    def connect(self, up):
        self.connected.append(up)

    async def until(self, satisfied):
        async with asyncio.timeout(SECONDS):
            while not satisfied():  # noqa: ASYNC110  (what is waited for is in the database)
                await asyncio.sleep(0.01)

    @contextlib.asynccontextmanager
    async def running(self):
        task = asyncio.create_task(self.wake_ups.run())
        try:
            await self.until(lambda: True in self.connected)
            yield
        finally:
            task.cancel()
            await asyncio.wait([task], timeout=SECONDS)


@pytest.fixture
def queue_url(postgres_url):
    make_queue(postgres_url)
    yield postgres_url
    with psycopg.connect(postgres_url) as connection:  # so that the database serves again
        connection.execute(f"DROP SCHEMA {queue_schema()} CASCADE")


@pytest.fixture
def engine(queue_url):
    engine = open_database(queue_url)
    yield engine
    engine.dispose()


def sites(engine, number):
    """Add sites that are due, one after the other."""
    with session_scope(engine) as session:
        for i in range(number):
            SiteRepository(session).get_or_add(f"{i}.test", f"https://{i}.test/", NOW)
            session.execute(
                SITE.update().where(SITE.c.host == f"{i}.test").values(next_crawl_at=NOW - dt.timedelta(9 - i))
            )


def sql(url, statement, *values):
    with psycopg.connect(url, options=f"-csearch_path={queue_schema()}") as connection:
        cursor = connection.execute(statement, values)
        return cursor.fetchall() if cursor.description else []


def jobs(url):
    return sql(url, "SELECT queueing_lock, status::text FROM procrastinate_jobs ORDER BY id")


def play(url, engine, *steps):
    """Run steps, each a function of a process; then run the process until all deferred wake-ups are done."""

    async def run():
        process = Process(url, engine)
        async with process.wake_ups.app.open_async():
            for step in steps:
                await step(process)
        async with process.running():
            await process.until(lambda: not jobs(url))
        return process

    return asyncio.run(run())


def test_each_due_site_has_one_wake_up_and_is_taken_once(queue_url, engine):
    sites(engine, 3)

    async def dispatched(process):
        assert [await process.wake_ups.dispatch() for _ in range(3)] == [3, 0, 0]
        assert [lock.partition(":")[0] for lock, _ in jobs(queue_url)] == ["site"] * 3

    process = play(queue_url, engine, dispatched)
    assert process.taken == ["0.test", "1.test", "2.test"]
    assert (process.woken, process.connected) == (3, [True, False])


def test_a_process_is_told_that_wake_ups_come_once_it_is_notified_of_jobs(queue_url, engine):
    """It checks for due sites then, so it finds those whose jobs arrived before."""
    listening = []

    async def run():
        process = Process(queue_url, engine)

        def connect(up):
            statement = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND query ~ '^LISTEN'"
            listening.append((up, sql(queue_url, statement)[0][0]))
            process.connected.append(up)

        process.wake_ups = WakeUps(queue_url, process.due, process.wake, connect, clock=False)
        async with process.running():
            pass

    asyncio.run(run())
    assert listening[0] == (True, 1)


def test_a_wake_up_that_was_lost_is_deferred_again(queue_url, engine):
    sites(engine, 1)

    async def lost(process):
        await process.wake_ups.dispatch()
        sql(queue_url, "DELETE FROM procrastinate_jobs")
        assert await process.wake_ups.dispatch() == 1

    assert play(queue_url, engine, lost).taken == ["0.test"]


def test_a_doubled_wake_up_and_one_of_a_leased_site_take_nothing(queue_url, engine):
    sites(engine, 1)

    async def doubled(process):
        await process.wake_ups.dispatch()
        for site in (1, 1, 4711):
            await process.wake_ups.app.configure_task(WAKE, queue=QUEUE).defer_async(site_id=site)

    process = play(queue_url, engine, doubled)
    assert (process.taken, process.woken) == (["0.test"], 4)
    with session_scope(engine) as session:
        assert session.execute(SITE.select()).one().lease_owner == "x:0"


def test_the_job_of_a_dead_process_keeps_no_site_waiting(queue_url, engine):
    sites(engine, 1)

    async def stuck(process):
        manager = process.wake_ups.app.job_manager
        await process.wake_ups.dispatch()
        worker = await manager.register_worker()
        job = await manager.fetch_job(queues=[QUEUE], worker_id=worker)
        assert await process.wake_ups.dispatch() == 1  # beside the one that is being done
        sql(queue_url, "UPDATE procrastinate_workers SET last_heartbeat = now() - interval '1 hour'")
        assert await process.wake_ups.dispatch() == 0
        assert job.id not in [row[0] for row in sql(queue_url, "SELECT id FROM procrastinate_jobs")]
        assert [status for _, status in jobs(queue_url)] == ["todo"]

    assert play(queue_url, engine, stuck).taken == ["0.test"]


def test_the_queue_is_reached_again_when_its_connections_were_ended(queue_url, engine, monkeypatch):
    monkeypatch.setattr("sitecrawl.fleet.wake_ups.HEARTBEAT", 0.05)  # how it finds out
    monkeypatch.setattr("sitecrawl.fleet.wake_ups.FIRST_PAUSE", 0.01)
    # procrastinate misses a job that comes while it fetches; the next tick of a clock, which is not here, would do
    monkeypatch.setattr("sitecrawl.fleet.wake_ups.LOOK", 0.2)

    async def run():
        process = Process(queue_url, engine)
        async with process.running():
            name = f"{queue_schema()}_away"
            sql(queue_url, f"ALTER SCHEMA {queue_schema()} RENAME TO {name}")
            await process.until(lambda: False in process.connected)
            sql(queue_url, f"ALTER SCHEMA {name} RENAME TO {queue_schema()}")
            await process.until(lambda: process.connected[-1] and len(process.connected) > 2)
            sites(engine, 1)
            await process.wake_ups.app.configure_task(WAKE, queue=QUEUE).defer_async(site_id=1)
            await process.until(lambda: process.woken)
        assert process.taken == ["0.test"]

    asyncio.run(run())


def test_the_query_by_which_workers_are_scaled_counts_sites_that_are_due_or_crawled(queue_url, engine):
    query = (DOCS / "scale.md").read_text().split("query: >-\n")[1].split("```")[0]
    sites(engine, 5)
    with session_scope(engine) as session:
        taken = SiteRepository(session).lease_due("x:0", NOW, 120, due=NOW, pause=10**9)
        for host, change in {
            "1.test": {"paused_at": NOW},
            "2.test": {"next_crawl_at": dt.datetime.now(dt.UTC) + dt.timedelta(1)},
        }.items():
            session.execute(SITE.update().where(SITE.c.host == host).values(**change))
    with psycopg.connect(queue_url) as connection:
        assert (taken.host, connection.execute(query).fetchone()) == ("0.test", (3,))


def test_the_tables_are_made_once(queue_url):
    sql(queue_url, "INSERT INTO procrastinate_workers DEFAULT VALUES")
    make_queue(queue_url)
    assert len(sql(queue_url, "SELECT id FROM procrastinate_workers")) == 1


def test_a_sqlite_file_has_no_queue(sqlite_url):
    with pytest.raises(ConfigError, match=r"worker --queue needs PostgreSQL.*leave --queue out"):
        make_queue(sqlite_url)
