"""A crawl that is stopped for longer than its lease, while another process takes its site over."""

import datetime as dt
import os
import signal
import time

import pytest
from sqlalchemy import func, select, text

from sitecrawl.clock import now
from sitecrawl.storage.db.engine import open_database, session_scope
from sitecrawl.storage.sites import SiteRepository
from sitecrawl.storage.tables.models import METADATA, PAGE, SITE
from tests import fork
from tests.integration.server import SiteServer, small_site
from tests.integration.test_crawl import command, environment

SEEN = 12
"""Requests that are answered before the crawl is stopped."""


@pytest.fixture
def engine(database_url):
    engine = open_database(database_url)
    yield engine
    engine.dispose()


def rows(engine):
    """Return all rows of all tables but those of the search index, which only content has."""
    with session_scope(engine, write=False) as session:
        names = sorted(name for name in METADATA.tables if name != "search")
        return {name: sorted(map(repr, session.execute(text(f"SELECT * FROM {name}")).all())) for name in names}


def stored(engine):
    with session_scope(engine, write=False) as session:
        return session.scalar(select(func.count()).where(PAGE.c.http_status == 200))


def test_it_writes_nothing_after_it_wakes(tmp_path, database_url, engine):
    with SiteServer(small_site()) as site:
        site.hold(SEEN)
        log = (tmp_path / "log").open("w+")
        crawling = fork.Popen(
            command(site.url("/index.html"), tmp_path / "feed.jsonl", database_url),
            stderr=log,
            env=environment(),
            cwd=tmp_path,
        )
        site.wait(SEEN + 1, crawling)
        deadline = time.monotonic() + 120
        while stored(engine) < sum(path.endswith(".html") for path, *_ in site.answers):
            assert time.monotonic() < deadline, "the answered pages are not stored"
            time.sleep(0.02)
        os.kill(crawling.pid, signal.SIGSTOP)
        with session_scope(engine) as session:
            sites = SiteRepository(session)
            (number,) = session.scalars(select(SITE.c.id))
            sites.lease(number, "another machine", now() + dt.timedelta(hours=1), 3600)
        before = rows(engine)
        site.hold(None)  # its answers arrive while it is stopped
        os.kill(crawling.pid, signal.SIGCONT)
        status = crawling.wait(120)
        log.seek(0)
        said = log.read()
    assert rows(engine) == before
    assert status == 3, said
    assert "stopped (lease_lost); the same command resumes it" in said
    assert "Traceback" not in said
