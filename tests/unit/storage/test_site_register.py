import datetime as dt
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import select, update

from sitecrawl.storage import site_register
from sitecrawl.storage.contents import ContentRepository
from sitecrawl.storage.crawls import CrawlRepository
from sitecrawl.storage.db.engine import open_database, session_scope
from sitecrawl.storage.pages import PageRepository
from sitecrawl.storage.site_register import DueSite, NewSite, SiteRegister
from sitecrawl.storage.sites import SiteRepository
from sitecrawl.storage.tables.models import PAGE, SITE
from tests.fetched import fetched
from tests.unit.storage.test_contents import record
from tests.unit.storage.test_site_writer import a_session_waits_for_a_lock

NOW = dt.datetime(2026, 3, 1, 12, tzinfo=dt.UTC)
HOUR = dt.timedelta(hours=1)


@pytest.fixture
def register(session):
    return SiteRegister(session)


def site(host, **options):
    return NewSite(host, f"https://{host}/", options)


def hosts(register, *given, **more):
    return [one.host for one in register.lines(*given, **more)]


def test_sites_that_are_added_are_due_at_once_and_known_ones_stay(register, session):
    known = SiteRepository(session).get_or_add("a.example", "https://a.example/old", NOW)
    odd = site("c.example", include=["\u00e4'\"\\d{2}"], max_pages=5)
    assert register.add([site("a.example"), site("b.example"), odd], NOW) == {"b.example", "c.example"}
    assert register.add([site("b.example", max_pages=1)], NOW) == set()
    assert register.add([], NOW) == set()
    sites = SiteRepository(session)
    assert sites.get("a.example") == known
    assert [one.host for one in register.due(NOW, 10)] == ["b.example", "c.example"]
    assert sites.options(sites.get("c.example").id) == {"include": ["\u00e4'\"\\d{2}"], "max_pages": 5}
    assert sites.options(sites.get("b.example").id) == {}


def test_a_site_that_was_added_is_not_forgotten_because_it_never_answered(register, session):
    register.add([site("a.example")], NOW)
    sites = SiteRepository(session)
    assert not sites.forget_unanswered(sites.get("a.example").id)
    assert hosts(register) == ["a.example"]


def test_a_site_of_which_an_address_is_known_alone_is_added(register, session):
    sites = SiteRepository(session)
    lone = sites.get_or_add("a.example", "https://a.example/old", NOW)
    sites.set_reach(lone.id, "public")
    assert hosts(register) == []
    assert register.add([site("a.example")], NOW) == {"a.example"}
    assert sites.get("a.example").start_url == "https://a.example/"
    assert sites.reach(lone.id) == "public"
    assert hosts(register) == ["a.example"]


def test_a_paused_site_is_never_due_until_it_is_resumed(register, session):
    register.add([site("a.example")], NOW)
    assert register.pause("a.example", NOW)
    assert register.pause("a.example", NOW + HOUR)
    assert next(register.lines()).paused_at == NOW
    assert register.due(NOW, 10) == []
    sites = SiteRepository(session)
    assert sites.lease_due("me", NOW, 60, due=NOW, pause=60) is None
    assert sites.next_due() is None
    assert sites.next_due(["a.example"]) is None
    assert register.resume("a.example", NOW)
    assert sites.lease_due("me", NOW, 60, due=NOW, pause=60) is not None
    assert not register.pause("b.example", NOW)
    assert not register.resume("b.example", NOW)


def test_a_site_that_was_never_planned_is_due_when_it_is_resumed(register, session):
    SiteRepository(session).get_or_add("a.example", "https://a.example/", NOW)
    register.resume("a.example", NOW)
    assert register.due(NOW, 10) == [DueSite("a.example", "https://a.example/", NOW, died=False)]


def test_options_are_added_to_those_there_are(register, session):
    register.add([site("a.example", max_pages=5)], NOW)
    assert register.set_options("a.example", {"include": ["x"]})
    assert register.set_options("a.example", {"max_pages": 7})
    assert next(register.lines()).options == {"max_pages": 7, "include": ["x"]}
    assert not register.set_options("b.example", {"max_pages": 7})
    assert register.set_options("a.example", {"exclude": ["y"]}, ["include", "proxy"])
    assert next(register.lines()).options == {"max_pages": 7, "exclude": ["y"]}


def test_options_that_two_people_set_at_once_are_both_kept(postgres_url):
    engine = open_database(postgres_url)  # SQLite has one writer at a time
    with session_scope(engine) as session:
        SiteRegister(session).add([site("a.example")], NOW)

    def other():
        with session_scope(engine) as session:
            SiteRegister(session).set_options("a.example", {"include": ["x"]})

    with ThreadPoolExecutor(1) as threads:
        with session_scope(engine) as session:
            SiteRegister(session).set_options("a.example", {"max_pages": 7})
            waiting = threads.submit(other)
            deadline = time.monotonic() + 60
            while not a_session_waits_for_a_lock(engine):
                assert time.monotonic() < deadline
        waiting.result()
    with session_scope(engine, write=False) as session:
        assert next(SiteRegister(session).lines()).options == {"max_pages": 7, "include": ["x"]}
    engine.dispose()


def test_the_list_is_read_in_parts(register, monkeypatch):
    register.add([site(f"{number}.example") for number in range(7)], NOW)
    for at_once in (1, 3, 7, 8):
        monkeypatch.setattr(site_register, "AT_ONCE", at_once)
        every = [f"{number}.example" for number in range(7)]
        assert hosts(register) == every
        assert hosts(register, "2.example") == every[3:]
        assert hosts(register, "2.example", 2) == every[3:5]
        assert hosts(register, limit=7) == every
        assert hosts(register, hosts=["3.example", "x.example"]) == ["3.example"]


def test_what_happens_with_a_site(register, session):
    register.add([site("a.example")], NOW)

    def state(**values):
        session.execute(update(SITE).values(**values))
        return next(register.lines()).state(NOW)

    assert next(register.lines()).state(NOW) == "due"
    assert state(next_crawl_at=NOW + HOUR) == "waits"
    assert state(paused_at=NOW) == "paused"
    assert state(lease_owner="x", leased_until=NOW + HOUR) == "crawling"
    assert state(leased_until=NOW) == "paused"
    assert state(paused_at=None) == "stopped"
    assert state(lease_owner=None, leased_until=None, next_crawl_at=None) == "new"


def test_what_is_due_next_and_why(register, session):
    register.add([site("a.example"), site("b.example"), site("c.example")], NOW)
    session.execute(update(SITE).where(SITE.c.host == "b.example").values(next_crawl_at=NOW - HOUR))
    died = {"lease_owner": "x", "leased_until": NOW - HOUR / 2, "next_crawl_at": NOW + HOUR}
    session.execute(update(SITE).where(SITE.c.host == "c.example").values(**died))
    found = register.due(NOW, 10)
    assert [(one.host, one.since, one.died) for one in found] == [
        ("c.example", NOW - HOUR / 2, True),
        ("b.example", NOW - HOUR, False),
        ("a.example", NOW, False),
    ]
    assert register.due(NOW, 2) == found[:2]
    assert [one.host for one in register.due(NOW - HOUR / 2, 10)] == ["c.example", "b.example"]
    assert [one.host for one in register.due(NOW - HOUR, 10)] == ["b.example"]
    assert register.due(NOW - 2 * HOUR, 10) == []
    assert session.scalar(select(SITE.c.lease_owner).where(SITE.c.host == "c.example")) == "x"


def test_a_site_is_made_due_with_all_its_pages(register, session):
    register.add([site("a.example"), site("b.example")], NOW)
    sites, pages = SiteRepository(session), PageRepository(session)
    for host in ("a.example", "b.example"):
        site_id = sites.get(host).id
        pages.record(site_id, [fetched(key) for key in (1, 2, 3)])
        for key, due in ((1, NOW + HOUR), (2, NOW - HOUR)):
            pages.amend(site_id, [{"url_key": key, "next_fetch_at": due}])
        session.execute(update(SITE).where(SITE.c.id == site_id).values(paused_at=NOW, next_crawl_at=NOW + 9 * HOUR))
    assert register.due_now("a.example", NOW) is True
    assert register.due_now("c.example", NOW) is False

    def state(host):
        row = session.execute(
            select(SITE.c.id, SITE.c.paused_at, SITE.c.next_crawl_at).where(SITE.c.host == host)
        ).one()
        due = session.execute(
            select(PAGE.c.url_key, PAGE.c.next_fetch_at).where(PAGE.c.site_id == row.id).order_by(PAGE.c.url_key)
        )
        return row.paused_at, row.next_crawl_at, [one.next_fetch_at for one in due]

    assert state("a.example") == (None, NOW, [NOW, NOW - HOUR, None])
    assert state("b.example") == (NOW, NOW + 9 * HOUR, [NOW + HOUR, NOW - HOUR, None])


@pytest.mark.parametrize("limit", range(6))
@pytest.mark.parametrize("at_once", [1, 2, 3, 9])
def test_sites_are_read_in_parts_up_to_a_limit(register, monkeypatch, limit, at_once):
    monkeypatch.setattr(site_register, "AT_ONCE", at_once)
    names = [f"{name}.example" for name in "abcd"]
    register.add([site(name) for name in names], NOW)
    assert hosts(register, limit=limit) == (names[:limit] if limit else names)
    assert hosts(register, "b.example", limit=limit) == (names[2:][:limit] if limit else names[2:])
    assert (
        hosts(register, hosts={"d.example", "a.example", "x.example"}, limit=limit)
        == [names[0], names[3]][: limit or None]
    )


def test_the_sites_of_which_two_crawls_in_a_row_died(register, session):
    register.add([site(f"{name}.example") for name in "abc"], NOW)
    for deaths, name in enumerate("abc"):
        session.execute(update(SITE).where(SITE.c.host == f"{name}.example").values(deaths=deaths))
    assert hosts(register, dying=True) == ["c.example"]
    session.execute(update(SITE).values(deaths=3))
    assert hosts(register, dying=True, limit=2) == ["a.example", "b.example"]


def test_a_site_is_listed_with_what_is_known_of_it_and_of_no_other(register, session):
    register.add([site(f"{name}.example") for name in "abc"], NOW)
    crawls, pages = CrawlRepository(session), PageRepository(session)
    a, b = (SiteRepository(session).get(f"{name}.example").id for name in "ab")
    for hours, site_id in enumerate((a, a, b)):
        begun = crawls.begin(site_id, NOW + hours * HOUR)
        crawls.finish(begun.id, NOW + 9 * HOUR, "finished", {})
    pages.record(a, [fetched(key) for key in (1, 2, 3)])
    pages.record(b, [fetched(1)])
    ContentRepository(session).put(b, record(key=1))
    assert [(one.host, one.last_crawl, one.pages, one.contents) for one in register.lines()] == [
        ("a.example", NOW + HOUR, 3, 0),
        ("b.example", NOW + 2 * HOUR, 1, 1),
        ("c.example", None, 0, 0),
    ]
