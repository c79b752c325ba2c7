"""Tests of the sites and jobs of `recrawl`, without processes."""

import datetime as dt
from pathlib import Path
from types import SimpleNamespace

import pytest
from sqlalchemy import text

from sitecrawl.clock import now
from sitecrawl.commands import recrawl as command
from sitecrawl.commands.recrawl import Recrawl
from sitecrawl.config import Config
from sitecrawl.errors import FeedFileError
from sitecrawl.items import feed_fields
from sitecrawl.spiders.site_source import NOT_BEGUN
from sitecrawl.storage.db.engine import open_database, session_scope, upgrade_database
from sitecrawl.storage.site_register import NewSite, SiteRegister
from sitecrawl.storage.sites import SiteRef, SiteRepository

PAUSED = "all sites are paused; sitecrawl sites resume HOST, or name one"


@pytest.fixture
def recrawl(sqlite_url):
    upgrade_database(sqlite_url)
    engine = open_database(sqlite_url)
    with session_scope(engine) as session:
        SiteRegister(session).add([NewSite("new.example", "http://new.example/", {})], now())
    run = Recrawl(engine, Config(database_url=sqlite_url), None, [])
    run.processes(1, 1)
    yield run
    engine.dispose()


@pytest.mark.parametrize(
    ("status", "interruptions", "again"),
    [(NOT_BEGUN, 1, True), (-2, 2, True), (NOT_BEGUN, 0, False), (-9, 0, False), (0, 1, False)],
)
def test_a_new_site_whose_crawl_was_interrupted_before_it_began_is_still_due(recrawl, status, interruptions, again):
    (job,) = recrawl.due(None)
    recrawl._processes.interruptions = interruptions
    job.ended(status)
    with session_scope(recrawl.engine, write=False) as session:
        _, moment = SiteRepository(session).next_due()
    pause = dt.timedelta(seconds=0 if again else recrawl.config.recrawl_error_interval)
    assert abs(moment - pause - now()) < dt.timedelta(minutes=1)


@pytest.mark.parametrize("due", [True, False])
def test_sites_that_are_all_paused_are_not_told_as_none(recrawl, due):
    assert recrawl._nothing(due=due, hosts=[]) != PAUSED
    with session_scope(recrawl.engine) as session:
        session.execute(text("UPDATE site SET paused_at = CURRENT_TIMESTAMP"))
    assert recrawl._nothing(due=due, hosts=[]) == PAUSED
    with session_scope(recrawl.engine) as session:
        session.execute(text("DELETE FROM site"))
    assert recrawl._nothing(due=due, hosts=[]).startswith("no site is known yet; start with")


def test_a_site_that_was_forgotten_meanwhile_does_not_end_the_others(recrawl, capsys):
    with session_scope(recrawl.engine) as session:
        SiteRegister(session).add([NewSite("other.example", "http://other.example/", {})], now())
        sites = SiteRepository(session).refs()
    with session_scope(recrawl.engine) as session:
        SiteRepository(session).forget("new.example", now())
    (job,) = recrawl.listed(sites)
    assert job.message.host == "other.example" and recrawl.leased == []
    assert capsys.readouterr().err == "sitecrawl: new.example was forgotten meanwhile; it is left out\n"
    with session_scope(recrawl.engine) as session:
        session.execute(text("DELETE FROM site"))
    assert not job.again()


def test_a_site_that_has_the_number_of_a_forgotten_one_is_not_crawled_in_its_place(recrawl, capsys):
    with session_scope(recrawl.engine) as session:
        listed = SiteRepository(session).refs()
        SiteRepository(session).forget("new.example", now())
        SiteRegister(session).add([NewSite("other.example", "http://other.example/", {})], now())
        assert SiteRepository(session).get("other.example").id == listed[0].id
    assert list(recrawl.listed(listed)) == []
    assert "new.example was forgotten meanwhile" in capsys.readouterr().err
    with session_scope(recrawl.engine, write=False) as session:
        assert session.scalar(text("SELECT lease_owner FROM site")) is None


def test_rows_of_released_pages_that_cannot_be_written_are_named(recrawl, monkeypatch):
    row = SimpleNamespace(**dict.fromkeys(feed_fields(html=False, markdown=False, differences=False)))
    monkeypatch.setattr(command, "release", lambda *_: ([row], None))
    feed = SimpleNamespace(part=lambda name: Path("/dev/full"))
    site = SiteRef(1, "new.example", "http://new.example/")
    with pytest.raises(FeedFileError, match=r"the rows of new\.example cannot be written \(No space left on device\)"):
        command._release(recrawl.config, [site], feed)
