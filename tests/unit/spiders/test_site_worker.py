"""A process of a worker: which crawls it counts."""

import asyncio
from types import SimpleNamespace

import pytest
from scrapy.settings import Settings

from sitecrawl.clock import now
from sitecrawl.config import Config
from sitecrawl.fleet.places import NOTHING_DUE, Limits
from sitecrawl.spiders.site_source import TakenSite
from sitecrawl.spiders.site_worker import SiteWorker, memory_in_use
from sitecrawl.storage.db.engine import open_database, session_scope
from sitecrawl.storage.site_register import SiteRegister
from sitecrawl.storage.sites import SiteRef, SiteRepository

SITE = SiteRef(1, "example.org", "https://example.org/")


class OneSite:
    """A source whose site is due again as soon as its crawl is over, before the process has noted the end; twice in all."""

    def __init__(self):
        self.left, self.is_free, self.free = 2, asyncio.Event(), True
        self.is_free.set()
        self.taken_twice = asyncio.Event()

    async def take(self, *, suspects):
        if not self.left or not self.is_free.is_set():
            return None
        self.left -= 1
        self.is_free.clear()
        if not self.left:
            self.taken_twice.set()
        return TakenSite(SITE, "owner")

    def next_due(self):
        return None

    async def claim(self, site):
        return True

    async def ended(self, taken, line):
        await asyncio.sleep(0)  # as a transaction, it ends in a later round of the loop
        return self.free

    async def keep(self):
        await asyncio.Event().wait()


def test_a_site_that_is_due_again_before_its_crawl_has_ended_keeps_its_place(monkeypatch):
    came = []

    async def play():
        source = OneSite()

        async def crawled(worker, taken, begun):
            came.append("begins")
            worker.places.opened(taken.site.id)
            source.is_free.set()  # as after the last transaction of a crawl, which releases the site
            worker._woken.set()
            worker.places.wake()
            await source.taken_twice.wait()
            for _ in range(20):  # rounds of the loop, in which the second crawl would begin
                await asyncio.sleep(0)
            came.append("ends")

        async def never():
            await asyncio.Event().wait()

        monkeypatch.setattr(SiteWorker, "_crawled", crawled)
        database = SimpleNamespace(writer=SimpleNamespace(until_lost=never))
        limits = Limits(places=5, sites=0, memory=0, turn=3600.0, until_done=True)
        return await SiteWorker(None, Config(), database, limits, source, came.append).run()

    assert asyncio.run(asyncio.wait_for(play(), 30)) == NOTHING_DUE
    assert came == ["begins", "ends"] * 2


@pytest.mark.parametrize(("free", "drains", "left"), [(False, True, 1), (False, False, 0), (True, True, 0)])
def test_sites_that_a_stop_could_not_release_are_counted(monkeypatch, free, drains, left):
    async def play():
        source = OneSite()
        source.free, source.left = free, 1

        async def crawled(worker, taken, begun):
            worker.places.opened(taken.site.id)
            if drains:
                worker.drain("stopped by a signal")

        async def never():
            await asyncio.Event().wait()

        monkeypatch.setattr(SiteWorker, "_crawled", crawled)
        database = SimpleNamespace(writer=SimpleNamespace(until_lost=never))
        limits = Limits(places=5, sites=0, memory=0, turn=3600.0, until_done=True)
        worker = SiteWorker(None, Config(), database, limits, source, lambda line: None)
        await worker.run()
        return worker.left

    assert asyncio.run(asyncio.wait_for(play(), 30)) == left


def test_the_site_of_a_crawl_that_does_not_stop_in_time_is_released_and_due(sqlite_url):
    engine = open_database(sqlite_url)
    with session_scope(engine) as session:
        sites, moment = SiteRepository(session), now()
        site = sites.get_or_add("example.org", "https://example.org/", moment)
        SiteRegister(session).due_now(site.host, moment)
        assert sites.lease_due("owner", moment, 120, due=moment, pause=7_200) == site
    limits = Limits(places=5, sites=0, memory=0, turn=3600.0)
    worker = SiteWorker(None, Config(), SimpleNamespace(engine=engine), limits, OneSite(), print)
    worker._owners[site.id] = "owner"
    worker.release_all()
    with session_scope(engine) as session:
        assert SiteRepository(session).lease_due("other", now(), 120, due=now(), pause=7_200) == site
    engine.dispose()


@pytest.mark.parametrize(
    ("host", "set_to", "scope"),
    [
        ("blog.example.org", "domain", "host"),
        ("blog.example.org", "host", "host"),
        ("example.org", "host", "domain"),
        ("example.org", "domain", "domain"),
    ],
)
def test_a_site_keeps_the_scope_with_which_it_was_begun(monkeypatch, host, set_to, scope):
    """The setting of the command line, which goes before all others, is for new sites."""
    settings, opened = Settings(), []
    settings.set("SITECRAWL_SITE_SCOPE", set_to, priority="cmdline")
    settings.set("FEEDS", {"other.jsonl": {"format": "jsonlines"}}, priority="cmdline")

    class Opened(Exception):
        """The crawl would begin."""

    def open_(worker, config, taken, depth):
        opened.append(config.site_scope)
        raise Opened

    monkeypatch.setattr(SiteWorker, "_open", open_)
    runner = SimpleNamespace(create_crawler=lambda name: SimpleNamespace(settings=settings))
    limits = Limits(places=5, sites=0, memory=0, turn=3600.0)
    worker = SiteWorker(runner, Config.from_mapping(settings), None, limits, OneSite(), print)
    taken = TakenSite(SiteRef(1, host, "https://blog.example.org/"), "owner", feed="part.jsonl")
    with pytest.raises(Opened):
        asyncio.run(worker._crawled(taken, 0.0))
    assert (opened, list(settings.getdict("FEEDS"))) == ([scope], ["part.jsonl"])


def test_a_process_uses_memory():
    assert 10 * 2**20 < memory_in_use() < 10 * 2**30
