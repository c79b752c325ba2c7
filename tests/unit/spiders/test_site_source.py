"""The sites that a process of a worker takes."""

import asyncio
import datetime as dt
from types import SimpleNamespace

from scrapy.settings import Settings

from sitecrawl import clock
from sitecrawl.config import Config
from sitecrawl.spiders import site_source
from sitecrawl.spiders.site_source import DueSites
from sitecrawl.storage.db.engine import open_database, session_scope
from sitecrawl.storage.lease_owner import new_owner
from sitecrawl.storage.site_register import SiteRegister
from sitecrawl.storage.sites import SiteRepository


def test_a_clock_that_jumps_takes_no_site_from_a_crawl_that_runs(sqlite_url, monkeypatch):
    """The lease appears ended until the crawl renews it. Meanwhile a due site is taken."""
    engine, begun, gone = open_database(sqlite_url), clock.now(), [0.0]
    monkeypatch.setattr(clock, "now", lambda: begun + dt.timedelta(seconds=gone[0]))
    monkeypatch.setattr(site_source, "now", clock.now)
    monkeypatch.setattr(clock, "monotonic", lambda: 0.0)

    async def submit(operation):
        with session_scope(engine) as session:
            return operation(session)

    with session_scope(engine) as session:
        sites = SiteRepository(session)
        running, due = (sites.get_or_add(host, f"https://{host}/", begun) for host in ("a.example", "b.example"))
        sites.lease(running.id, new_owner(), begun, 120)
        SiteRegister(session).due_now(due.host, begun)
    source = DueSites(Config(), Settings(), SimpleNamespace(writer=SimpleNamespace(submit=submit)))
    gone[0] = 3_600.0
    taken = [asyncio.run(source.take(suspects=True)) for _ in range(2)]
    assert [one and one.site for one in taken] == [due, None]
    monkeypatch.setattr(clock, "monotonic", lambda: 60.0)  # nobody has renewed it since
    gone[0] += 60.0
    again = asyncio.run(source.take(suspects=True))
    assert again is not None
    assert again.site == running
    engine.dispose()
