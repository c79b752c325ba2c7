"""Tests of the records of failing hosts, and of their use in the next run."""

import asyncio
import datetime as dt

import pytest
from sqlalchemy import text

from sitecrawl.config import Config
from sitecrawl.crawl.crawl_start import CrawlStart
from sitecrawl.crawl.host_health import BUSY, OUTAGE
from sitecrawl.crawl.hosts import Suspended
from sitecrawl.crawl.page_lifecycle import FetchOutcome, FetchResult
from sitecrawl.crawl.site import SiteCrawl
from sitecrawl.crawl.visits import LEFT
from sitecrawl.errors import DatabaseLostError, StorageError
from sitecrawl.links.urls import url_key
from sitecrawl.storage.db.engine import open_database, session_scope
from sitecrawl.storage.hosts import Breaker, HostRepository
from sitecrawl.storage.pages import PageRepository, PageStatus
from sitecrawl.storage.sites import SiteRepository

NOW = dt.datetime(2026, 3, 1, 12, 0, tzinfo=dt.UTC)
START = "http://a.example/"
HOME, VARIANT = "a.example", "www.a.example"


class Clock:
    """The time of the crawls of a test."""

    def __init__(self, monkeypatch):
        self.moment = NOW
        for module in ("crawl_state", "next_pages", "site", "visits"):
            monkeypatch.setattr(f"sitecrawl.crawl.{module}.now", lambda: self.moment)

    def later(self, **more):
        self.moment += dt.timedelta(**more)


@pytest.fixture
def clock(monkeypatch):
    return Clock(monkeypatch)


class Run:
    """One run of a crawl; without `finish` it ends as if it was killed."""

    def __init__(self, url, finish=False, **settings):
        self.config = Config(database_url=url, **settings)
        self.finish = finish

    async def __aenter__(self):
        self.crawl = SiteCrawl(self.config, CrawlStart(START))
        for path in ("", "1", "2", "3"):
            await self.find(f"{START}{path}")
        return self.crawl

    async def find(self, url):
        found = self.crawl.frontier.add(url_key(url), url, 1, 1)
        if found is not None:
            await self.crawl.visits.discover([found])

    async def __aexit__(self, *error):
        if self.finish and error[0] is None:
            await self.crawl.close(self.crawl.outcome("finished"), {})
        else:
            await self.crawl.abandon()


def suspended(crawl, url, netloc=HOME, not_before=None):
    host = crawl.hosts.of(netloc)
    streak = host.failed(1.0, NOW, "HTTP 500")
    crawl.frontier.taken.add(url_key(url))
    return Suspended(
        url_key(url), url, FetchOutcome(FetchResult.FAILED, "HTTP 500"), 500, 1, netloc, streak, not_before
    )


def page(crawl, url):
    def read(session):
        row = session.execute(
            text("SELECT status, reason, not_before, next_fetch_at FROM page WHERE url_key = :key"),
            {"key": url_key(url)},
        ).one()
        return PageStatus(row.status), row.reason, row.not_before is not None

    return crawl.writer.run(read)


def stored(crawl):
    return crawl.writer.run(
        lambda s: (HostRepository(s).all(crawl.site_id), HostRepository(s).suspended(crawl.site_id))
    )


def next_crawl(database_url):
    engine = open_database(database_url)
    with session_scope(engine, write=False) as session:
        (_, moment) = SiteRepository(session).next_due()
    engine.dispose()
    return moment


def test_failures_of_a_crawl_that_is_over_are_forgotten(database_url, clock):
    async def run():
        async with Run(database_url, finish=True) as crawl:
            one = suspended(crawl, f"{START}1")
            crawl.frontier.taken.clear()
            await crawl.visits.suspend(one)
        async with Run(database_url) as crawl:
            assert not crawl.crawl.resumed
            assert crawl.hosts.suspended == []
            assert stored(crawl)[1] == []
            assert len(await crawl.next_pages.batch()) == 4

    asyncio.run(run())


def test_a_failure_that_is_not_understood_is_known_to_the_next_run(database_url, clock):
    async def run():
        async with Run(database_url) as crawl:
            await crawl.visits.suspend(suspended(crawl, f"{START}1"))
        async with Run(database_url) as crawl:
            assert [one.url for one in crawl.hosts.suspended] == [f"{START}1"]
            assert crawl.hosts.of(HOME).failures == 1
            batch = await crawl.next_pages.batch()
            assert sorted(one.url for one in batch) == [START, f"{START}2", f"{START}3"]
            crawl.hosts.of(HOME).answered(START)
            assert await crawl.visits.settle_suspended() == 1
            assert page(crawl, f"{START}1")[:2] == (PageStatus.ERROR, "HTTP 500")
            assert stored(crawl) == ([], [])
        async with Run(database_url) as crawl:
            assert crawl.hosts.suspended == []

    asyncio.run(run())


def test_an_outage_of_the_site_changes_no_page_and_the_next_run_goes_on(database_url, clock):
    async def run():
        async with Run(database_url, finish=True) as crawl:
            await crawl.visits.suspend(suspended(crawl, f"{START}1"))
            await crawl.visits.give_up(HOME, OUTAGE, "a.example has not answered")
            assert await crawl.visits.settle_suspended() == 0
            status, reason, _ = page(crawl, f"{START}1")
            assert (status, reason) == (PageStatus.DISCOVERED, f"{LEFT}: a.example has not answered")
            assert crawl.report.postponed == ["a.example has not answered"]
            assert crawl.outcome("finished") == OUTAGE
            (host,), failures = stored(crawl)
            assert (host.breaker, host.not_before, host.given_up, failures) == (Breaker.GIVEN_UP, None, 1, [])
        async with Run(database_url) as crawl:
            assert crawl.crawl.resumed
            assert not crawl.frontier.stopped
            assert len(await crawl.next_pages.batch()) == 4

    asyncio.run(run())


def test_a_variant_is_given_up_alone_and_tried_again_more_and_more_rarely(database_url, clock):
    url = f"http://{VARIANT}/x"

    async def fail(waits):
        run = Run(database_url, finish=True, recrawl_error_interval=3600, recrawl_max_interval=8 * 3600)
        async with run as crawl:
            await run.find(url)
            assert not crawl.hosts.of(VARIANT).given_up
            assert url in [one.url for one in await crawl.next_pages.batch()]
            await crawl.visits.suspend(suspended(crawl, url, VARIANT))
            await crawl.visits.give_up(VARIANT, OUTAGE, "no such host")
            assert await crawl.visits.settle_suspended() == 1
            assert not crawl.frontier.stopped
            until = clock.moment + dt.timedelta(hours=waits)
            assert stored(crawl)[0][0].not_before == until
            assert page(crawl, url) == (
                PageStatus.ERROR,
                f"no such host; not asked again before {until:%Y-%m-%d %H:%M} UTC",
                True,
            )
            assert crawl.outcome("finished") == "finished"

    async def too_early():
        async with Run(database_url, finish=True, recrawl_max_interval=8 * 3600) as crawl:
            assert crawl.hosts.of(VARIANT).given_up == "no such host"
            assert url not in [one.url for one in await crawl.next_pages.batch()]

    async def run():
        for waits in (1, 2, 4, 8, 8):
            await fail(waits)
            clock.later(minutes=30)
            await too_early()
            clock.later(hours=waits)
        async with Run(database_url) as crawl:
            crawl.hosts.of(VARIANT).answered(url)
            await crawl.visits.settle_suspended()
            assert stored(crawl) == ([], [])

    asyncio.run(run())


def test_a_page_that_asks_for_a_year_is_left_alone_for_the_longest_interval(database_url, clock):
    async def run():
        async with Run(database_url, finish=True) as crawl:
            until = crawl.visits.not_before(clock.moment + dt.timedelta(days=365))
            assert until == clock.moment + dt.timedelta(days=14)
            await crawl.visits.suspend(suspended(crawl, f"{START}1", not_before=until))
            crawl.hosts.of(HOME).answered(START)
            assert await crawl.visits.settle_suspended() == 1
            assert page(crawl, f"{START}1")[2]
        for days, asked in ((13, False), (2, True)):
            clock.later(days=days)
            async with Run(database_url, finish=True) as crawl:
                assert (f"{START}1" in [one.url for one in await crawl.next_pages.batch()]) is asked
        async with Run(database_url, finish=True) as crawl:
            await crawl.visits.settle(
                url_key(f"{START}1"), f"{START}1", FetchOutcome(FetchResult.FAILED, "HTTP 500"), 500, 1
            )
            assert not page(crawl, f"{START}1")[2]  # of the last visit alone

    asyncio.run(run())


def test_a_site_that_asks_to_be_left_alone_is_not_asked_before_its_moment(database_url, clock):
    async def run():
        async with Run(database_url, finish=True) as crawl:
            host = crawl.hosts.of(HOME)
            for i in range(3):
                await crawl.visits.suspend(suspended(crawl, f"{START}{i + 1}"))
                host.asked_to_wait(f"{START}{i + 1}", clock.moment + dt.timedelta(days=i + 1))
            assert host.suspect
            await crawl.visits.give_up(HOME, BUSY, "left alone")
            assert await crawl.visits.settle_suspended() == 0
            assert crawl.outcome("finished") == BUSY
        assert next_crawl(database_url) == NOW + dt.timedelta(days=1)
        clock.later(hours=23)
        async with Run(database_url, finish=True) as crawl:
            assert crawl.outcome("finished") == BUSY
            assert crawl.report.given_up == "left alone"
            assert await crawl.next_pages.batch() == []
        clock.later(hours=1)
        async with Run(database_url) as crawl:
            assert not crawl.frontier.stopped
            assert len(await crawl.next_pages.batch()) == 4

    asyncio.run(run())


def test_the_home_of_a_site_is_where_its_pages_are(engine, database_url, clock):
    async def run():
        async with Run(database_url) as crawl:
            assert crawl.hosts.home == HOME
            site, number = crawl.site_id, crawl.crawl_id
            fetch = crawl.visits.fetch(0, "", 200, 1)

        def record(url):
            with session_scope(engine) as session:
                PageRepository(session).record(site, [fetch._replace(url_key=url_key(url), url=url, crawl_id=number)])

        for i in range(3):
            record(f"http://{VARIANT}/page{i}")
        record(f"{START}1")
        async with Run(database_url) as crawl:
            assert crawl.hosts.home == VARIANT
            assert set(await crawl.visits.good_urls(VARIANT)) == {f"http://{VARIANT}/page{i}" for i in range(3)}
            assert await crawl.visits.good_urls(HOME) == [f"{START}1"]
            await crawl.visits.give_up(HOME, OUTAGE, "the name is gone")
            assert not crawl.frontier.stopped

    asyncio.run(run())


def test_a_host_is_tested_with_pages_outside_the_trap_that_gave_the_last_ones(engine, database_url, clock):
    async def run():
        async with Run(database_url) as crawl:
            site, number = crawl.site_id, crawl.crawl_id
            fetch = crawl.visits.fetch(0, "", 200, 1)
            urls = [f"{START}{i}" for i in range(3)] + [f"{START}trap/{i}" for i in range(30)]
            for age, url in enumerate(reversed(urls)):
                moment = clock.moment - dt.timedelta(minutes=age)
                one = fetch._replace(url_key=url_key(url), url=url, crawl_id=number, fetched_at=moment)
                with session_scope(engine) as session:
                    PageRepository(session).record(site, [one])
            assert all("/trap/" in url for url in await crawl.visits.good_urls(HOME))
            await crawl.closed_traps.store([crawl.infinite_spaces.close(f"{START}trap/")])
            assert await crawl.visits.good_urls(HOME) == [f"{START}{i}" for i in (2, 1, 0)]
            crawl.hosts.of(HOME).may_not_be_asked(f"{START}1")
            assert await crawl.visits.good_urls(HOME) == [f"{START}2", f"{START}0"]

    asyncio.run(run())


def test_a_failure_that_cannot_be_stored_keeps_no_other_from_it(database_url, clock, monkeypatch):
    record = PageRepository.write

    def fail_one(self, site_id, change):
        if change.url_key == url_key(f"{START}2") and change.fetch is not None:
            raise StorageError("refused")
        record(self, site_id, change)

    async def run():
        async with Run(database_url) as crawl:
            for i in (1, 2, 3):
                await crawl.visits.suspend(suspended(crawl, f"{START}{i}"))
            crawl.hosts.of(HOME).answered(START)
            monkeypatch.setattr(PageRepository, "write", fail_one)
            assert await crawl.visits.settle_suspended() == 2
            assert crawl.report.unsettled == [f"{START}2"]
            assert [page(crawl, f"{START}{i}")[0] for i in (1, 2, 3)] == [
                PageStatus.ERROR,
                PageStatus.DISCOVERED,
                PageStatus.ERROR,
            ]
            assert (crawl.hosts.suspended, stored(crawl)[1]) == ([], [])
            assert f"{START}2" in [one.url for one in await crawl.next_pages.batch()]  # once more in this run

    asyncio.run(run())


def test_failures_that_are_understood_stay_in_memory_until_they_are_stored(database_url, clock, monkeypatch):
    async def run():
        async with Run(database_url) as crawl:
            for i in (1, 2, 3):
                await crawl.visits.suspend(suspended(crawl, f"{START}{i}"))
            crawl.hosts.of(HOME).answered(START)
            settle, calls = crawl.visits.settle, []

            async def lose_the_second(*visit, **more):
                calls.append(visit)
                if len(calls) == 2:
                    raise DatabaseLostError("gone")
                return await settle(*visit, **more)

            monkeypatch.setattr(crawl.visits, "settle", lose_the_second)
            with pytest.raises(DatabaseLostError):
                await crawl.visits.settle_suspended()
            assert len(crawl.hosts.suspended) == len(stored(crawl)[1]) == 3

    asyncio.run(run())


@pytest.mark.parametrize(("http_status", "told"), [(None, {url_key(f"{START}1"): "no answer"}), (500, {})])
def test_a_page_whose_host_did_not_answer_may_be_asked_for_in_another_spelling(
    database_url, clock, monkeypatch, http_status, told
):
    async def run():
        async with Run(database_url) as crawl:
            failed: dict[int, str] = {}
            monkeypatch.setattr(
                type(crawl.frontier.spellings), "failed", lambda self, key, why: failed.update({key: why})
            )
            one = suspended(crawl, f"{START}1")._replace(
                http_status=http_status, fetch_outcome=FetchOutcome(FetchResult.FAILED, "no answer")
            )
            await crawl.visits.suspend(one)
            crawl.hosts.of(HOME).answered(START)
            assert await crawl.visits.settle_suspended() == 1
            assert failed == told

    asyncio.run(run())


def test_a_host_that_answers_again_begins_anew(database_url, clock):
    async def run():
        async with Run(database_url) as crawl:
            host = crawl.hosts.of(HOME)
            await crawl.visits.suspend(suspended(crawl, f"{START}1"))
            host.given_up_before = 3
            host.answered(START)
            await crawl.visits.settle_suspended()
            assert (host.stored, host.given_up_before) == (False, 0)

    asyncio.run(run())
