"""A process of a worker: which crawls it counts."""

import asyncio
from types import SimpleNamespace

from sitecrawl.config import Config
from sitecrawl.fleet.places import NOTHING_DUE, Limits
from sitecrawl.spiders.site_source import TakenSite
from sitecrawl.spiders.site_worker import SiteWorker, memory_in_use
from sitecrawl.storage.sites import SiteRef

SITE = SiteRef(1, "example.org", "https://example.org/")


class OneSite:
    """A source whose site is due again as soon as its crawl is over, before the process has noted the end; twice in all."""

    def __init__(self):
        self.left, self.is_free = 2, asyncio.Event()
        self.is_free.set()

    async def take(self, *, suspects):
        if not self.left or not self.is_free.is_set():
            return None
        self.left -= 1
        self.is_free.clear()
        return TakenSite(SITE, "owner")

    def next_due(self):
        return None

    async def claim(self, site):
        return True

    async def ended(self, taken, line):
        await asyncio.sleep(0.2)

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
            await asyncio.sleep(0.3)
            came.append("ends")

        async def never():
            await asyncio.Event().wait()

        monkeypatch.setattr(SiteWorker, "_crawled", crawled)
        database = SimpleNamespace(writer=SimpleNamespace(until_lost=never))
        limits = Limits(places=5, sites=0, memory=0, turn=3600.0, until_done=True)
        return await SiteWorker(None, Config(), database, limits, source, came.append).run()

    assert asyncio.run(asyncio.wait_for(play(), 30)) == NOTHING_DUE
    assert came == ["begins", "ends"] * 2


def test_a_process_uses_memory():
    assert 10 * 2**20 < memory_in_use() < 10 * 2**30
