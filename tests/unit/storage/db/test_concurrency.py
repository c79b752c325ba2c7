"""Several processes on one database: leases, merged counts, deadlocks."""

import datetime as dt
import multiprocessing

import pytest
from sqlalchemy import update

from sitecrawl.errors import SiteLeasedError, UnknownSiteError
from sitecrawl.links.discovered import Discovered
from sitecrawl.storage.db.engine import open_database, session_scope
from sitecrawl.storage.db.writer import BatchWriter
from sitecrawl.storage.pages import PageRepository
from sitecrawl.storage.sites import SiteRepository
from sitecrawl.storage.tables.models import SITE
from sitecrawl.storage.templates import TemplateRepository
from sitecrawl.templates.changes import BlockChange, NodeChange, PathChange, StyleChange, TemplateChanges

NOW = dt.datetime(2026, 3, 1, tzinfo=dt.UTC)
processes = multiprocessing.get_context("forkserver")
processes.set_forkserver_preload(["sqlalchemy.dialects.sqlite", "psycopg", __name__])
pytestmark = pytest.mark.processes
SECONDS = 300
"""Seconds to wait for a process, enough for a busy machine."""


@pytest.fixture
def site_id(engine):
    with session_scope(engine) as session:
        return SiteRepository(session).get_or_add("example.org", "https://example.org/", NOW).id


def together(target, database_url, count, *arguments):
    """Run a function in several processes at once; return their answers."""
    start, answers = processes.Barrier(count), processes.Queue()
    children = [
        processes.Process(target=target, args=(database_url, start, answers, number, *arguments))
        for number in range(count)
    ]
    for child in children:
        child.start()
    found = [answers.get(timeout=SECONDS) for _ in children]
    for child in children:
        child.join(SECONDS)
        assert child.exitcode == 0
    return found


def _lease(database_url, start, answers, number, site_id, rounds):
    """Take the site repeatedly; record its holder at each time."""
    engine = open_database(database_url)
    writer = BatchWriter(engine)
    start.wait(SECONDS)
    taken = []
    for turn in range(rounds):
        try:
            writer.run(lambda s: SiteRepository(s).lease(site_id, f"process-{number}", NOW, 60))
        except SiteLeasedError:
            continue
        taken.append(turn)
    writer.shutdown()
    engine.dispose()
    answers.put((number, len(taken)))


def test_of_processes_that_race_for_a_lease_one_gets_it(database_url, engine, site_id):
    taken = dict(together(_lease, database_url, 4, site_id, 25))
    assert sorted(taken.values()) == [0, 0, 0, 25]


def _take_and_give_back(database_url, start, answers, number, site_id, rounds):
    """Count in a file-less critical section: only the holder of the lease reads, adds one and writes."""
    engine = open_database(database_url)
    start.wait(SECONDS)
    done = 0
    while done < rounds:
        try:
            with session_scope(engine) as session:
                SiteRepository(session).lease(site_id, f"process-{number}", NOW, 60)
        except SiteLeasedError:
            continue
        with session_scope(engine, write=False) as session:
            stored = TemplateRepository(session).load(site_id, 1)
        version = stored.version if stored else 0
        with session_scope(engine) as session:
            TemplateRepository(session).add(site_id, TemplateChanges(version + 1, 1, 0.5, None), NOW)
        with session_scope(engine) as session:
            SiteRepository(session).release(site_id, f"process-{number}")
        done += 1
    engine.dispose()
    answers.put(done)


def test_two_holders_never_overlap(database_url, engine, site_id):
    assert together(_take_and_give_back, database_url, 3, site_id, 10) == [10, 10, 10]
    with session_scope(engine, write=False) as session:
        stored = TemplateRepository(session).load(site_id, 1)
    assert (stored.version, stored.pages) == (30, 30)


def _count(database_url, start, answers, number, site_id, rounds):
    engine = open_database(database_url)
    writer = BatchWriter(engine)
    start.wait(SECONDS)
    keys = list(range(1, 201))
    if number % 2:
        keys.reverse()
    for turn in range(rounds):
        changes = TemplateChanges(
            version=1,
            pages=1,
            novelty=0.5,
            stable_since=None,
            nodes=tuple(NodeChange(key, 0, 1, "div", 1, 2, 3, 2**40, 5, number * rounds + turn) for key in keys),
            styles=tuple(StyleChange(key, 9, 1) for key in keys),
            paths=tuple(PathChange(key, "HTML.BODY", 1, 2) for key in keys),
            blocks=tuple(BlockChange(key, 9, 1, b"features") for key in keys),
        )
        writer.run(lambda s, changes=changes: TemplateRepository(s).add(site_id, changes, NOW))
    writer.shutdown()
    engine.dispose()
    answers.put(writer.retries)


def test_counts_of_two_writers_add_up(database_url, engine, site_id):
    retries = together(_count, database_url, 2, site_id, 20)
    with session_scope(engine, write=False) as session:
        stored = TemplateRepository(session).load(site_id, 1)
    assert stored.pages == 40
    assert {node[4:] for node in stored.nodes} == {(40, 80, 120, 40 * 2**40, 200, 39)}
    assert {style.pages for style in stored.styles} == {40}
    assert {path[2:] for path in stored.paths} == {(40, 80)}
    assert {block[2:] for block in stored.blocks} == {(40, b"features")}
    assert [len(part) for part in (stored.nodes, stored.styles, stored.paths, stored.blocks)] == [200] * 4
    assert retries == [0, 0]


def _discover(database_url, start, answers, number, site_id, rounds):
    engine = open_database(database_url)
    writer = BatchWriter(engine)
    for turn in range(rounds):
        keys = range(turn * 2000, (turn + 1) * 2000)
        found = [
            Discovered(key, f"https://example.org/{key}", 1, 0, 0, key if number % 2 else -key, key) for key in keys
        ]
        start.wait(SECONDS)
        writer.run(lambda s, found=found: PageRepository(s).discover(site_id, found, NOW))
    writer.shutdown()
    engine.dispose()
    answers.put(writer.retries)


def test_two_processes_that_find_the_same_pages_do_not_deadlock(database_url, engine, site_id):
    assert together(_discover, database_url, 2, site_id, 5) == [0, 0]
    with session_scope(engine, write=False) as session:
        assert PageRepository(session).counts(site_id) == {"discovered": 10_000}


def test_a_lease_names_its_owner_and_its_end(engine, site_id):
    with session_scope(engine) as session:
        SiteRepository(session).lease(site_id, "machine:42", NOW, 90)
    with (
        pytest.raises(SiteLeasedError, match=r"example\.org .*machine:42.*2026-03-01 00:01:30 UTC"),
        session_scope(engine) as session,
    ):
        SiteRepository(session).lease(site_id, "other:1", NOW, 90)


def test_a_site_that_was_forgotten_cannot_be_leased(engine):
    with pytest.raises(UnknownSiteError, match="no site number 99"), session_scope(engine) as session:
        SiteRepository(session).lease(99, "a", NOW, 60)


def _lease_due(database_url, start, answers, number, rounds):
    """In each round, take the next due site, keep it until all processes have tried, and release it."""
    engine = open_database(database_url)
    taken = []
    for turn in range(rounds):
        now = NOW + dt.timedelta(days=turn)
        start.wait(60)
        with session_scope(engine) as session:
            site = SiteRepository(session).lease_due(f"process-{number}", now, 3600, due=now, pause=600)
        start.wait(60)
        taken.append(None if site is None else site.host)
        if site is not None:
            with session_scope(engine) as session:
                SiteRepository(session).release(site.id, f"process-{number}")
    engine.dispose()
    answers.put(taken)


def test_processes_that_race_for_due_sites_get_different_ones(database_url, engine):
    """`benchmarks/due.py` runs 1,000 rounds."""
    with session_scope(engine) as session:
        for number in range(3):
            site = SiteRepository(session).get_or_add(f"{number}.example", f"https://{number}.example/", NOW)
            session.execute(update(SITE).where(SITE.c.id == site.id).values(next_crawl_at=NOW))
    for turn in zip(*together(_lease_due, database_url, 4, 20), strict=True):
        assert sorted(filter(None, turn)) == ["0.example", "1.example", "2.example"]
