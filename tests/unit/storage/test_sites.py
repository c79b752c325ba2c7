import datetime as dt

import pytest
from sqlalchemy import select, update

from sitecrawl.errors import UnknownSiteError
from sitecrawl.storage.content_change import Operation
from sitecrawl.storage.contents import ContentRepository
from sitecrawl.storage.crawls import CrawlRepository
from sitecrawl.storage.pages import PageRepository, PageStatus
from sitecrawl.storage.robots import RobotsRepository
from sitecrawl.storage.site_register import SiteRegister
from sitecrawl.storage.sites import SiteRepository, first_epoch
from sitecrawl.storage.tables.models import OUTBOX, SITE
from tests.fetched import fetched

NOW = dt.datetime(2026, 3, 1, 12, tzinfo=dt.UTC)
HOUR = dt.timedelta(hours=1)
SECOND = dt.timedelta(seconds=1)


@pytest.fixture
def sites(session):
    """Sites a, b and c, due one, two and three hours ago; d is due in an hour, e has no plan."""
    sites = SiteRepository(session)
    for name, due in (("a", -1), ("b", -2), ("c", -3), ("d", 1), ("e", None)):
        site = sites.get_or_add(f"{name}.example", f"https://{name}.example/", NOW)
        planned = None if due is None else NOW + due * HOUR
        session.execute(update(SITE).where(SITE.c.id == site.id).values(next_crawl_at=planned))
    return sites


def test_what_is_planned(sites):
    assert sites.next_due() == ("c.example", NOW - 3 * HOUR)
    assert [site.host for site in sites.planned_after(NOW)] == ["d.example"]
    assert [site.host for site in sites.planned_after(NOW + HOUR)] == []
    assert [site.host[0] for site in sites.refs()] == ["c", "b", "a", "d", "e"]


def test_options_of_one_site(sites, session):
    site = sites.get("a.example")
    assert sites.options(site.id) == {}
    SiteRegister(session).set_options(site.host, {"recrawl_max_interval": 86400})
    assert sites.options(site.id) == {"recrawl_max_interval": 86400}


def test_what_falls_due_next_of_some_hosts(sites):
    assert sites.next_due() == ("c.example", NOW - 3 * HOUR)
    assert sites.next_due(["d.example", "e.example"]) == ("d.example", NOW + HOUR)
    assert sites.next_due(["e.example"]) is None


def add_failed(session, site_id, status):
    url = "https://a.example/1"
    fetch = fetched(1, url=url, status=PageStatus.ERROR, reason="no", http_status=status, fetched_at=NOW, html=None)
    PageRepository(session).record(site_id, [fetch])


def test_only_a_site_that_never_answered_is_forgotten_by_itself(session, sites):
    silent, answered, robots, set_up = (sites.get(f"{name}.example").id for name in "abcd")
    add_failed(session, silent, None)
    add_failed(session, answered, 503)
    RobotsRepository(session).keep(robots, "c.example", b"", NOW)
    SiteRegister(session).set_options("d.example", {"recrawl_min_interval": 60})
    assert [sites.forget_unanswered(number) for number in (silent, answered, robots, set_up)] == [True] + [False] * 3
    assert [site.host for site in sites.refs()] == ["c.example", "b.example", "d.example", "e.example"]


def test_a_site_whose_options_were_all_taken_back_is_forgotten_like_one_without(session, sites):
    register = SiteRegister(session)
    register.set_options("a.example", {"max_pages": 7})
    assert register.set_options("a.example", {}, ["max_pages"])
    assert sites.forget_unanswered(sites.get("a.example").id)


def test_of_a_site_that_never_answered_it_is_kept_alone_that_its_name_was_public(session, sites):
    site = sites.get("a.example").id
    sites.set_reach(site, "public")
    add_failed(session, site, None)
    CrawlRepository(session).begin(site, NOW)
    assert "a.example" in [site.host for site in sites.refs()]
    assert sites.forget_unanswered(site, keep_reach=True)
    for listed in (sites.refs(), sites.all()):
        assert "a.example" not in [site.host for site in listed]
    assert "a.example" not in (sites.next_due(["a.example"]) or ())
    again = sites.get_or_add("a.example", "https://a.example/", NOW)
    assert sites.reach(again.id) == "public"
    CrawlRepository(session).begin(again.id, NOW)
    assert "a.example" in [site.host for site in sites.refs()]
    sites.forget("a.example", NOW)
    assert sites.get("a.example") is None


def test_a_deletion_that_waits_outlives_another_site_of_the_same_number(session, sites):
    """SQLite gives the number of the last site again."""
    last = sites.get("e.example").id
    add_failed(session, last, 200)
    ContentRepository(session).queue(last, 1, Operation.UPSERT, NOW)
    sites.forget("e.example", NOW)
    again = sites.get_or_add("f.example", "https://f.example/", NOW)
    session.execute(update(OUTBOX).values(site_id=again.id))
    sites.forget("f.example", NOW)
    assert session.scalar(select(OUTBOX.c.url)) == "https://a.example/1"


def test_sites_are_listed_with_those_that_are_paused_or_without(sites, session):
    session.execute(update(SITE).where(SITE.c.host == "b.example").values(paused_at=NOW))
    assert [one.host[0] for one in sites.refs()] == ["c", "b", "a", "d", "e"]
    assert [one.host[0] for one in sites.refs(paused=False)] == ["c", "a", "d", "e"]


def test_the_first_epoch_is_in_milliseconds():
    assert first_epoch(dt.datetime(1970, 1, 1, 0, 0, 2, 5000, tzinfo=dt.UTC)) == 2005


def test_due_sites_that_nobody_crawls_are_those_whose_crawl_died_and_then_the_most_overdue(sites, session):
    names = {sites.get(f"{name}.example").id: name for name in "abcde"}

    def due(moment, most=9):
        return [names[one] for one in sites.due(moment, most)]

    assert due(NOW) == ["c", "b", "a"]
    assert (due(NOW, 2), due(NOW - 2 * HOUR), due(NOW - 2 * HOUR - SECOND)) == (["c", "b"], ["c", "b"], ["c"])
    sites.lease(sites.get("e.example").id, "other", NOW, 60)
    sites.lease(sites.get("a.example").id, "other", NOW, 90)
    assert due(NOW + 59 * SECOND) == ["c", "b"]
    assert (due(NOW + 60 * SECOND), due(NOW + 60 * SECOND, 2)) == (["e", "c", "b"], ["e", "c"])
    assert due(NOW + 90 * SECOND) == ["e", "a", "c", "b"]
    session.execute(update(SITE).where(SITE.c.host.in_(("e.example", "b.example"))).values(paused_at=NOW))
    assert due(NOW + 90 * SECOND) == ["a", "c"]


def test_a_site_that_another_process_forgets_while_it_is_added_is_named(session, monkeypatch):
    monkeypatch.setattr("sitecrawl.storage.sites.insert_missing", lambda *_: None)
    with pytest.raises(UnknownSiteError, match=r"new\.example: the site could not be added"):
        SiteRepository(session).get_or_add("new.example", "https://new.example/", NOW)
