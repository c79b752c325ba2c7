"""Tests of what a worker does before its processes begin."""

import datetime as dt
from types import SimpleNamespace

import pytest

from sitecrawl.clock import now
from sitecrawl.commands import worker
from sitecrawl.config import Config
from sitecrawl.scheduling import Bounds
from sitecrawl.storage.db.engine import open_database, session_scope
from sitecrawl.storage.sites import SiteRepository
from sitecrawl.storage.visits import VisitRepository


class Supervisor:
    """Processes that have nothing to do."""

    interruptions = killed = died = 0
    left = False

    def __init__(self, *arguments):
        pass

    def run(self):
        pass


def test_sites_that_a_fast_clock_planned_are_brought_back(sqlite_url, monkeypatch):
    monkeypatch.setattr(worker, "Supervisor", Supervisor)
    engine, year = open_database(sqlite_url), dt.timedelta(days=365)
    with session_scope(engine) as session:
        site = SiteRepository(session).get_or_add("example.org", "https://example.org/", now())
        VisitRepository(session).close(site.id, now() + year, Bounds())
    opts = SimpleNamespace(sites=1, processes=1, queue=False, until_done=True, set=[])
    assert worker._supervise(Config(database_url=sqlite_url), opts) == 0
    with session_scope(engine, write=False) as session:
        _, due = SiteRepository(session).next_due()
    engine.dispose()
    assert due <= now() + dt.timedelta(seconds=Config().recrawl_max_interval)


@pytest.mark.parametrize(
    ("left", "killed", "status", "told"),
    [
        (False, 0, 0, "its sites are released"),
        (True, 0, 3, "sites could not be released, and are free once their leases have ended"),
        (True, 1, 3, "crawls were cut off, and are resumed once their leases have ended"),
    ],
)
def test_the_last_line_of_a_worker_says_what_is_with_its_sites(
    sqlite_url, monkeypatch, capsys, left, killed, status, told
):
    monkeypatch.setattr(worker, "Supervisor", type("Stopped", (Supervisor,), {"left": left, "killed": killed}))
    opts = SimpleNamespace(sites=1, processes=1, queue=False, until_done=False, set=[])
    assert worker._supervise(Config(database_url=sqlite_url), opts) == status
    assert capsys.readouterr().err.endswith(f"sitecrawl: worker ended; {told}\n")
