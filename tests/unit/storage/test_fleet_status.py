import datetime as dt
from dataclasses import replace

import pytest
from sqlalchemy import insert, update

from sitecrawl.storage import fleet_status
from sitecrawl.storage.contents import ContentRepository
from sitecrawl.storage.crawls import CrawlRepository
from sitecrawl.storage.db.engine import session_scope
from sitecrawl.storage.fleet_status import LATE, FleetStatusRepository, SiteWithoutPage
from sitecrawl.storage.pages import PageRepository, PageStatus
from sitecrawl.storage.site_register import NewSite, SiteRegister
from sitecrawl.storage.sites import SiteRepository
from sitecrawl.storage.tables.models import HOST, PAGE, REJECTION, SINK, SITE, TEMPLATE
from tests.fetched import fetched
from tests.integration.feeding import content

NOW = dt.datetime(2026, 3, 1, 12, tzinfo=dt.UTC)
HOUR = dt.timedelta(hours=1)


@pytest.fixture
def session(engine):
    with session_scope(engine) as session:
        SiteRegister(session).add([NewSite(f"{name}.example", "https://x/", {}) for name in "abcdefgh"], NOW)
        yield session


def change(session, name, **values):
    session.execute(update(SITE).where(SITE.c.host == f"{name}.example").values(**values))


def number(session, name):
    return SiteRepository(session).get(f"{name}.example").id


def status(session):
    return FleetStatusRepository(session).read(NOW)


def crawl(session, name, began, reason="finished", pages=0, took=HOUR / 4):
    crawls = CrawlRepository(session)
    found = crawls.begin(number(session, name), began)
    if reason:
        crawls.finish(found.id, began + took, reason, {"pages": pages})
    return found.id


def test_each_site_is_in_one_state(session):
    change(session, "b", next_crawl_at=NOW - 25 * HOUR)
    change(session, "c", next_crawl_at=NOW + HOUR)
    change(session, "d", lease_owner="x", leased_until=NOW + HOUR)
    change(session, "e", lease_owner="x", leased_until=NOW - HOUR)
    change(session, "f", paused_at=NOW, next_crawl_at=NOW - 50 * HOUR)
    change(session, "g", next_crawl_at=None)
    change(session, "h", paused_at=NOW, lease_owner="x", leased_until=NOW - HOUR)
    found = status(session)
    assert (found.sites, found.due, found.late, found.died) == (8, 3, 1, 1)
    assert (found.running, found.waiting, found.paused, found.new) == (1, 1, 2, 1)
    assert found.oldest_due_seconds == 25 * 3600
    change(session, "e", leased_until=NOW - 30 * HOUR)
    found = status(session)
    assert (found.late, found.oldest_due_seconds) == (2, 30 * 3600)


def test_sites_whose_crawls_die_one_after_the_other(session):
    change(session, "a", deaths=1)
    assert status(session).dying == 0
    change(session, "a", deaths=2)
    change(session, "b", deaths=5)
    assert status(session).dying == 2


def test_a_database_without_sites(engine):
    with session_scope(engine, write=False) as session:
        found = status(session)
    assert set(map(float, (getattr(found, name) for name in found.__slots__))) == {0.0}


def test_rates_are_of_the_last_hour(session):
    crawl(session, "a", NOW - 3 * HOUR, pages=1000)
    crawl(session, "b", NOW - HOUR / 2, pages=30)
    crawl(session, "c", NOW - HOUR / 2, reason="", pages=7)
    crawl(session, "d", NOW - 3 * HOUR, pages=12, took=2.5 * HOUR)
    found = status(session)
    assert (found.pages_an_hour, found.crawls_an_hour) == (42, 2)


def test_rates_of_more_crawls_than_are_looked_at_are_of_their_time(session, monkeypatch):
    monkeypatch.setattr(fleet_status, "RECENT", 2)
    for name, began in (("a", NOW - HOUR / 2), ("b", NOW - HOUR / 4), ("c", NOW - HOUR / 4)):
        crawl(session, name, began, pages=10, took=HOUR / 8)
    assert status(session).pages_an_hour == pytest.approx(80)


def test_what_is_wrong(session):
    crawl(session, "a", NOW - 2 * HOUR, reason="outage")
    crawl(session, "b", NOW - 48 * HOUR, reason="outage")
    crawl(session, "c", NOW - 2 * HOUR, reason="held")
    for name, failures in (("a", 3), ("b", 0)):
        values = {"netloc": f"{name}.example", "breaker": 0, "failures": failures, "given_up": 0}
        session.execute(insert(HOST).values(site_id=number(session, name), **values))
    pages = PageRepository(session)
    for key in (1, 2):
        fetch = fetched(
            key,
            url=f"https://a.example/{key}",
            status=PageStatus.GONE,
            reason="",
            http_status=404,
            fetch_order=1,
            fetched_at=NOW,
            html=None,
            discovery=1,
        )
        pages.record(number(session, "a"), [fetch])
    session.execute(update(PAGE).values(deletion=7))
    session.execute(insert(SINK).values(name="index", sequence=0, failing_since=NOW))
    refused = {"sink": "index", "site_id": 1, "url_key": 1, "attempts": 1, "reason": "", "rejected_at": NOW}
    session.execute(insert(REJECTION).values(**refused))
    found = status(session)
    assert (found.failing, found.ended_early, found.held_pages, found.held_sites) == (1, 1, 2, 1)
    assert (found.refused_documents, found.failing_sinks) == (1, 1)


def failed(session, name, *reasons):
    """Store URLs of a site that failed."""
    for key, reason in enumerate(reasons, 1):
        url = f"https://{name}.example/{key}"
        fetch = fetched(
            key,
            url=url,
            status=PageStatus.ERROR,
            reason=reason,
            http_status=403,
            fetch_order=1,
            fetched_at=NOW,
            html=None,
            discovery=1,
        )
        PageRepository(session).record(number(session, name), [fetch])


def worst(session):
    return FleetStatusRepository(session).worst_without_page(NOW)


def test_sites_without_a_page_are_counted_and_the_one_crawled_most_often_is_the_worst(session):
    assert (status(session).without_page, worst(session)) == (0, None)  # none was crawled
    for name in "aabbbcdefg":
        crawl(session, name, NOW - 2 * HOUR, reason="" if name == "g" else "finished")
    crawl(session, "h", NOW - 2 * HOUR, reason="reextract")  # it requested nothing
    failed(session, "b", "HTTP 500", "HTTP 403", "HTTP 403")
    failed(session, "c", "HTTP 500")  # at its last visit; its content stays
    ContentRepository(session).put(number(session, "c"), content(1, "words"))
    change(session, "d", paused_at=NOW)
    change(session, "e", lease_owner="x", leased_until=NOW + HOUR)
    assert status(session).without_page == 3  # a, b, f
    assert worst(session) == SiteWithoutPage("b.example", 3, "HTTP 403")


def test_a_site_without_a_page_and_without_a_failed_url_has_the_end_of_its_crawl_as_reason(session):
    for name in "ba":
        crawl(session, name, NOW - 2 * HOUR, reason="outage")
    assert worst(session) == SiteWithoutPage("a.example", 1, "the crawl ended: outage")


def test_sites_without_a_page_are_those_of_the_last_crawls(session, monkeypatch):
    monkeypatch.setattr(fleet_status, "RECENT", 2)
    for name in "abc":
        crawl(session, name, NOW - 2 * HOUR)
    assert (status(session).without_page, worst(session).host) == (2, "b.example")


def template(session, name, layout, crawl_id):
    values = {"version": 1, "label_rule": 1, "pages_seen": 9, "novelty": 0.0, "updated_at": NOW}
    session.execute(insert(TEMPLATE).values(site_id=number(session, name), layout=layout, crawl_id=crawl_id, **values))


def test_a_site_drifts_if_a_crawl_of_the_last_day_found_a_new_layout_beside_others(session):
    for name in "abc":
        template(session, name, 1, crawl(session, name, NOW - 72 * HOUR))
    template(session, "a", 2, crawl(session, "a", NOW - 2 * HOUR))
    template(session, "b", 2, crawl(session, "b", NOW - 30 * HOUR))
    first = crawl(session, "d", NOW - HOUR)  # the first crawl of a site finds all its layouts
    template(session, "d", 1, first)
    template(session, "d", 2, first)
    assert status(session).drifted == 1
    session.execute(update(TEMPLATE).where(TEMPLATE.c.layout == 2).values(retired_at=NOW))
    assert status(session).drifted == 0


def test_a_crawl_of_a_day_ago_counts_for_the_last_day(session):
    assert fleet_status.DAY == 24 * HOUR
    crawl(session, "a", NOW - 24 * HOUR)
    now = status(session)
    crawl(session, "b", NOW - 24 * HOUR - HOUR / 3600)
    assert replace(status(session), without_page=1) == now


def test_a_site_is_late_a_day_after_it_was_due_or_its_crawl_died(session):
    second = HOUR / 3600
    change(session, "b", next_crawl_at=NOW - LATE)
    change(session, "c", next_crawl_at=NOW - LATE + second)
    change(session, "d", lease_owner="x", leased_until=NOW - LATE)
    change(session, "e", lease_owner="x", leased_until=NOW - LATE + second)
    change(session, "f", next_crawl_at=NOW)
    change(session, "g", lease_owner="x", leased_until=NOW)
    found = status(session)
    assert (found.late, found.died, found.running) == (2, 3, 0)


SECOND = HOUR / 3600


@pytest.mark.parametrize(("before", "counted"), [(0 * SECOND, 1), (SECOND, 0)])
def test_an_hour_and_a_day_count_to_their_last_second(session, before, counted):
    crawl(session, "a", NOW - 2 * HOUR - before, took=HOUR, pages=6)
    crawl(session, "b", NOW - 24 * HOUR - before, reason="outage")
    template(session, "c", 1, crawl(session, "c", NOW - 72 * HOUR))
    template(session, "c", 2, crawl(session, "c", NOW - 24 * HOUR - before))
    found = status(session)
    assert (found.crawls_an_hour, found.pages_an_hour) == (counted, 6 * counted)
    assert (found.ended_early, found.drifted) == (counted, counted)


def test_crawls_that_all_began_just_now_are_those_of_a_second(session, monkeypatch):
    monkeypatch.setattr(fleet_status, "RECENT", 1)
    crawl(session, "a", NOW, took=0 * HOUR, pages=2)
    assert (status(session).pages_an_hour, status(session).crawls_an_hour) == (7200, 3600)


def test_few_crawls_are_those_of_an_hour_however_young(session):
    crawl(session, "a", NOW - HOUR / 4, took=HOUR / 8, pages=10)
    assert status(session).pages_an_hour == 10


def test_the_sites_with_a_problem_are_named(session):
    assert FleetStatusRepository(session).named(NOW) == {"failing": [], "ended_early": [], "held_pages": []}
    for name in "ec":
        failing = {
            "site_id": number(session, name),
            "netloc": f"{name}.example",
            "breaker": 0,
            "failures": 3,
            "given_up": 0,
        }
        session.execute(insert(HOST).values(**failing))
    crawl(session, "b", NOW - HOUR, "outage")
    crawl(session, "a", NOW - HOUR)
    for name in "abcdefgh":
        PageRepository(session).record(number(session, name), [fetched(1), fetched(2)])
    session.execute(update(PAGE).where(PAGE.c.site_id != number(session, "a")).values(deletion=7))
    assert FleetStatusRepository(session).named(NOW) == {
        "failing": ["c.example", "e.example"],
        "ended_early": ["b.example"],
        "held_pages": ["b.example", "c.example", "d.example", "e.example"],
    }
