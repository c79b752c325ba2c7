"""The fence of a lease: a process that lost its site writes nothing, and harms no other."""

import asyncio
import datetime as dt
import threading
import time
from types import SimpleNamespace

import pytest
from sqlalchemy import select, text, update

from sitecrawl.errors import LeaseLostError, StorageError
from sitecrawl.storage.crawls import CrawlRepository
from sitecrawl.storage.db.engine import open_database, session_scope
from sitecrawl.storage.db.writer import BatchWriter
from sitecrawl.storage.leases import LeaseFence
from sitecrawl.storage.site_writer import SiteWriter
from sitecrawl.storage.sites import SiteRepository
from sitecrawl.storage.tables.models import CRAWL, SITE

NOW = dt.datetime(2026, 3, 1, 12, tzinfo=dt.UTC)
LATER = NOW + dt.timedelta(seconds=61)
SECONDS = 60


@pytest.fixture
def batch(engine):
    writer = BatchWriter(engine)
    yield writer
    writer.shutdown()


def leased(engine, batch, host, owner="first", now=NOW):
    """Return a writer that has leased a site."""
    with session_scope(engine) as session:
        sites = SiteRepository(session)
        site = sites.get_or_add(host, f"https://{host}/", NOW)
        epoch = sites.lease(site.id, owner, now, 60)
    writer = SiteWriter(batch, shared=True)
    writer.fence(LeaseFence(site.id, epoch, host))
    return writer


def begin(writer):
    """Return the operation that begins a crawl of a writer's site."""
    site_id = writer.lease.site_id
    return lambda session: CrawlRepository(session).begin(site_id, NOW)


def crawled(engine):
    with session_scope(engine, write=False) as session:
        return list(
            session.scalars(
                select(SITE.c.host).join_from(SITE, CRAWL, CRAWL.c.site_id == SITE.c.id).order_by(SITE.c.host)
            )
        )


def test_the_holder_of_a_lease_writes(engine, batch):
    writer = leased(engine, batch, "a.example")
    writer.run(begin(writer))
    assert crawled(engine) == ["a.example"]
    assert writer.lost is None


def test_a_crawl_whose_lease_ran_out_writes_until_another_takes_the_site(engine, batch):
    """Also after its release: the end of a crawl still removes a site of which nothing was fetched."""
    writer = leased(engine, batch, "a.example")
    writer.run(lambda s: SiteRepository(s).release(writer.lease.site_id, "first"))
    writer.run(begin(writer))
    assert crawled(engine) == ["a.example"]


def test_after_a_takeover_nothing_is_written(engine, batch):
    late = leased(engine, batch, "a.example")
    leased(engine, batch, "a.example", "second", LATER)
    for _ in range(2):
        with pytest.raises(LeaseLostError, match=r"a\.example: another process has taken the site over"):
            late.run(begin(late))
    assert crawled(engine) == []
    assert isinstance(late.lost, LeaseLostError)


def test_a_due_site_that_is_taken_is_fenced_too(engine, batch):
    late = leased(engine, batch, "a.example")
    with session_scope(engine) as session:
        assert SiteRepository(session).lease_due("second", LATER, 60, due=LATER, pause=7200) is not None
    with pytest.raises(LeaseLostError):
        late.run(begin(late))


def test_a_site_that_was_forgotten_and_added_again_has_another_epoch(engine, batch):
    """SQLite gives the new site the number of the old one."""
    late = leased(engine, batch, "a.example")
    with session_scope(engine) as session:
        SiteRepository(session).forget("a.example", LATER)
    with session_scope(engine) as session:
        sites = SiteRepository(session)
        site = sites.get_or_add("a.example", "https://a.example/", LATER)
        sites.lease(site.id, "second", LATER, 60)
    with pytest.raises(LeaseLostError):
        late.run(begin(late))
    assert crawled(engine) == []


def test_a_lost_lease_harms_no_other_crawl_of_the_same_writer(engine, batch):
    late, fine = leased(engine, batch, "a.example"), leased(engine, batch, "b.example")
    leased(engine, batch, "a.example", "second", LATER)
    begun, go_on = threading.Event(), threading.Event()

    def hold(_session):
        begun.set()
        go_on.wait(30)

    async def one_group():
        first = batch.submit(hold)
        await asyncio.to_thread(begun.wait, 30)
        both = late.submit(begin(late)), fine.submit(begin(fine))
        go_on.set()
        await first
        return await asyncio.gather(*both, return_exceptions=True)

    lost, kept = asyncio.run(one_group())
    assert isinstance(lost, LeaseLostError)
    assert kept.resumed is False
    assert crawled(engine) == ["b.example"]
    assert fine.lost is None


def test_the_loss_of_a_lease_is_told(engine, batch):
    late = leased(engine, batch, "a.example")
    leased(engine, batch, "a.example", "second", LATER)

    async def loses():
        waiting = asyncio.create_task(late.until_lost())
        await asyncio.sleep(0)
        assert not waiting.done()
        with pytest.raises(LeaseLostError):
            await late.submit(begin(late))
        await waiting
        await late.until_lost()  # who asks later is told at once

    asyncio.run(loses())


def test_a_takeover_waits_for_a_transaction_that_has_checked(postgres_url):
    """Otherwise the late commit could come after the takeover."""
    engine = open_database(postgres_url)
    batch = BatchWriter(engine)
    writer = leased(engine, batch, "a.example")
    checked, go_on, order = threading.Event(), threading.Event(), []

    def write(session):
        checked.set()
        assert go_on.wait(2 * SECONDS)
        order.append("written")
        return begin(writer)(session)

    def take_over():
        with session_scope(engine) as session:
            SiteRepository(session).lease(writer.lease.site_id, "second", LATER, 60)
            order.append("taken")

    writing = threading.Thread(target=lambda: writer.run(write))
    writing.start()
    assert checked.wait(SECONDS)
    taking = threading.Thread(target=take_over)
    taking.start()
    deadline = time.monotonic() + SECONDS
    while not a_session_waits_for_a_lock(engine):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    go_on.set()
    writing.join(SECONDS)
    taking.join(SECONDS)
    assert order == ["written", "taken"]
    batch.shutdown()
    engine.dispose()


def a_session_waits_for_a_lock(engine):
    """Ask in a transaction of its own: a transaction knows only the sessions that there were at its first look."""
    activity = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
    with session_scope(engine, write=False) as session:
        return session.scalar(text(activity)) > 0


def test_the_epoch_rises_with_each_taking(engine, batch):
    first = leased(engine, batch, "a.example")
    second = leased(engine, batch, "a.example", "second", LATER)
    assert second.lease.epoch == first.lease.epoch + 1
    with session_scope(engine) as session:
        sites = SiteRepository(session)
        assert sites.renew(first.lease.site_id, "second", LATER, 60)
        sites.release(first.lease.site_id, "second")
        assert session.scalar(select(SITE.c.lease_epoch)) == second.lease.epoch


def test_a_paused_site_whose_crawl_died_is_not_taken(engine):
    with session_scope(engine) as session:
        sites = SiteRepository(session)
        site = sites.get_or_add("a.example", "https://a.example/", NOW)
        sites.lease(site.id, "first", NOW, 60)
        session.execute(update(SITE).values(paused_at=NOW))
        assert sites.lease_due("second", LATER, 60, due=LATER, pause=60) is None
        session.execute(update(SITE).values(paused_at=None))
        assert sites.lease_due("second", LATER, 60, due=LATER, pause=60) == site


@pytest.mark.parametrize("shared", [True, False])
def test_closing_commits_what_is_queued_and_stops_a_writer_of_its_own(engine, batch, shared):
    writer = SiteWriter(batch, shared=shared)
    site = writer.run(lambda s: SiteRepository(s).get_or_add("a.example", "https://a.example/", NOW))

    async def closes():
        late = writer.submit(lambda s: CrawlRepository(s).begin(site.id, NOW), later=True)
        await writer.close()
        assert late.done()

    asyncio.run(closes())
    assert crawled(engine) == ["a.example"]
    if shared:
        batch.run(lambda s: SiteRepository(s).get_or_add("b.example", "https://b.example/", NOW))
    else:
        with pytest.raises(StorageError):
            batch.run(lambda s: None)


@pytest.mark.parametrize("shared", [True, False])
def test_a_crawl_that_is_stopped_hurries_only_a_writer_of_its_own(batch, shared, monkeypatch):
    hurried = []
    monkeypatch.setattr(batch, "hurry", lambda: hurried.append(True))
    SiteWriter(batch, shared=shared).hurry()
    assert hurried == ([] if shared else [True])


@pytest.mark.parametrize("shared", [True, False])
def test_a_shutdown_stops_only_a_writer_of_its_own(batch, shared):
    writer = SiteWriter(batch, shared=shared)
    writer.shutdown()
    writer.shutdown()
    if shared:
        assert writer.run(lambda s: 7) == 7
    else:
        with pytest.raises(StorageError):
            writer.run(lambda s: 7)


def test_a_flush_waits_for_what_may_be_late(engine, batch):
    writer = leased(engine, batch, "a.example")

    async def flushes():
        late = writer.submit(begin(writer), later=True)
        await writer.flush()
        return late.done()

    assert asyncio.run(flushes())
    assert crawled(engine) == ["a.example"]


def test_a_shared_writer_that_is_lost_is_not_waited_for(batch):
    writer = SiteWriter(SimpleNamespace(lost=StorageError("the disk is full"), flush=None), shared=True)
    asyncio.run(writer.close())
    assert str(writer.lost) == "the disk is full"
