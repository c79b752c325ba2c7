import datetime as dt

import pytest
from sqlalchemy import select, update

from sitecrawl.errors import SiteLeasedError, UnknownSiteError
from sitecrawl.storage.contents import ContentRepository, Operation
from sitecrawl.storage.crawls import CrawlRepository
from sitecrawl.storage.lease_owner import new_owner
from sitecrawl.storage.pages import Fetch, PageRepository, PageStatus
from sitecrawl.storage.robots import RobotsRepository
from sitecrawl.storage.sites import SiteRepository, first_epoch
from sitecrawl.storage.tables.models import OUTBOX, SITE

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


def take(sites, now=NOW, **more):
    site = sites.lease_due("me", now, 60, **{"due": now, "pause": 7200, **more})
    return site.host if site else None


def test_due_sites_are_taken_most_overdue_first(sites):
    assert [take(sites) for _ in range(4)] == ["c.example", "b.example", "a.example", None]


def test_a_site_that_was_taken_is_not_due_again_at_once(sites):
    host = take(sites)
    site = sites.get(host)
    sites.release(site.id, "me")
    later = NOW + HOUR
    assert [take(sites, later) for _ in range(4)] == ["b.example", "a.example", "d.example", None]
    for one in sites.refs():
        sites.release(one.id, "me")
    assert take(sites, NOW + 3 * HOUR) == host


def test_a_site_whose_lease_ran_out_is_taken_up_before_all_others(sites):
    """Its machine died. It is due when its lease ends, not at the time that was set when it was leased."""
    assert take(sites) == "c.example"
    after = NOW + dt.timedelta(seconds=61)
    assert take(sites, NOW + dt.timedelta(seconds=59)) == "b.example"
    assert take(sites, after) == "c.example"
    assert take(sites, after) == "a.example"
    assert take(sites, after) is None


def test_a_first_crawl_that_died_is_taken_up_though_nothing_was_planned(sites):
    sites.lease(sites.get("e.example").id, "other", NOW, 120)
    assert take(sites, hosts=["e.example"]) is None
    assert take(sites, NOW + dt.timedelta(seconds=120), hosts=["d.example"]) is None
    assert take(sites, NOW + dt.timedelta(seconds=120), hosts=["e.example"]) == "e.example"


def test_a_lease_that_was_given_back_is_not_taken_up(sites):
    site = sites.get("e.example")
    sites.lease(site.id, "other", NOW, 120)
    sites.release(site.id, "other")
    assert take(sites, NOW + HOUR, hosts=["e.example"]) is None


def test_sites_that_a_run_took_before_are_left_out(sites):
    assert take(sites) == "c.example"
    taken = [sites.get("c.example").id]
    assert take(sites, NOW + HOUR, due=NOW, excluded=taken) == "b.example"


def ended_owner():
    """Return the name of a process of this machine that had this one's number and has ended."""
    host, process, birth, token = new_owner().split(":")
    machine, _, start = birth.partition(".")
    return f"{host}:{process}:{machine}.{int(start) - 1}:{token}"


def test_a_process_of_this_machine_that_ended_is_not_waited_for(sites):
    dead, site = ended_owner(), sites.get("e.example")
    sites.lease(site.id, dead, NOW, 3600)
    sites.lease(sites.get("d.example").id, new_owner(), NOW, 3600)
    assert take(sites, hosts=["e.example", "d.example"], reclaim=False) is None
    assert take(sites, hosts=["e.example", "d.example"]) == "e.example"
    assert take(sites, hosts=["e.example", "d.example"]) is None
    sites.release(site.id, "me")
    sites.lease(site.id, dead, NOW, 3600)
    sites.release_ended(site.id)  # its parent saw it die: the site keeps its time
    assert take(sites, hosts=["e.example"]) is None


def test_leased_sites_are_passed_over_until_their_lease_ends(sites):
    sites.lease(sites.get("c.example").id, "other", NOW, 3600)
    assert take(sites) == "b.example"
    assert take(sites, NOW + HOUR) == "b.example"  # its lease ended earlier
    assert take(sites, NOW + HOUR) == "c.example"


def test_a_lease_that_no_clock_can_have_meant_is_void(sites):
    site = sites.get("c.example")
    sites.lease(site.id, "other", NOW + 1000 * HOUR, 3600)
    assert take(sites) == "c.example"
    sites.lease(sites.get("d.example").id, "other", NOW + 1000 * HOUR, 3600)
    sites.lease(sites.get("d.example").id, "another", NOW, 3600)
    with pytest.raises(SiteLeasedError):
        sites.lease(site.id, "other", NOW, 60)


def test_only_named_sites(sites):
    assert take(sites, hosts=["a.example", "d.example"]) == "a.example"
    assert take(sites, hosts=["a.example", "d.example"]) is None
    assert take(sites, hosts=[]) is None


def test_due_can_be_an_earlier_time_than_now(sites):
    assert take(sites, due=NOW - 2.5 * HOUR) == "c.example"
    assert take(sites, due=NOW - 2.5 * HOUR) is None


def test_what_is_planned(sites):
    assert sites.next_due() == ("c.example", NOW - 3 * HOUR)
    assert [site.host for site in sites.planned_after(NOW)] == ["d.example"]
    assert [site.host for site in sites.planned_after(NOW + HOUR)] == []
    assert [site.host[0] for site in sites.refs()] == ["c", "b", "a", "d", "e"]


def test_options_of_one_site(sites):
    site = sites.get("a.example")
    assert sites.options(site.id) == {}
    sites.set_options(site.id, {"recrawl_max_interval": 86400})
    assert sites.options(site.id) == {"recrawl_max_interval": 86400}
    sites.set_options(site.id, {})
    assert sites.options(site.id) == {}


def test_what_falls_due_next_of_some_hosts(sites):
    assert sites.next_due() == ("c.example", NOW - 3 * HOUR)
    assert sites.next_due(["d.example", "e.example"]) == ("d.example", NOW + HOUR)
    assert sites.next_due(["e.example"]) is None


def fetched(session, site_id, status):
    url = "https://a.example/1"
    fetch = Fetch(1, url, PageStatus.ERROR, "no", status, 1, 1, 1, None, None, NOW, None, (), 1)
    PageRepository(session).record(site_id, [fetch])


def test_only_a_site_that_never_answered_is_forgotten_by_itself(session, sites):
    silent, answered, robots, set_up = (sites.get(f"{name}.example").id for name in "abcd")
    fetched(session, silent, None)
    fetched(session, answered, 503)
    RobotsRepository(session).keep(robots, "c.example", b"", NOW)
    sites.set_options(set_up, {"recrawl_min_interval": 60})
    assert [sites.forget_unanswered(number) for number in (silent, answered, robots, set_up)] == [True] + [False] * 3
    assert [site.host for site in sites.refs()] == ["c.example", "b.example", "d.example", "e.example"]


def test_of_a_site_that_never_answered_it_is_kept_alone_that_its_name_was_public(session, sites):
    site = sites.get("a.example").id
    sites.set_reach(site, "public")
    fetched(session, site, None)
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
    fetched(session, last, 200)
    ContentRepository(session).queue(last, 1, Operation.UPSERT, NOW)
    sites.forget("e.example", NOW)
    again = sites.get_or_add("f.example", "https://f.example/", NOW)
    session.execute(update(OUTBOX).values(site_id=again.id))
    sites.forget("f.example", NOW)
    assert session.scalar(select(OUTBOX.c.url)) == "https://a.example/1"


def die(sites, moment, **more):
    """Take a site, and let its lease run out; return the moment after that."""
    assert take(sites, moment, hosts=["c.example"], **more) == "c.example"
    return moment + 61 * SECOND


def test_a_site_whose_crawls_die_one_after_the_other_waits(sites, session, monkeypatch):
    monkeypatch.setattr("sitecrawl.storage.leases.random.random", lambda: 0.5)
    row = select(SITE.c.deaths, SITE.c.next_crawl_at, SITE.c.lease_owner).where(SITE.c.host == "c.example")
    moment = die(sites, die(sites, die(sites, NOW)))
    epoch = session.scalar(select(SITE.c.lease_epoch).where(SITE.c.host == "c.example"))
    assert take(sites, moment, hosts=["c.example"], reclaim=False) is None
    assert take(sites, moment, hosts=["c.example"]) is None
    assert session.execute(row).one() == (3, moment + 120 * SECOND, None)
    assert session.scalar(select(SITE.c.lease_epoch).where(SITE.c.host == "c.example")) == epoch + 1
    moment = die(sites, moment + 120 * SECOND)
    assert take(sites, moment, hosts=["c.example"]) is None
    assert session.execute(row).one() == (4, moment + 240 * SECOND, None)
    assert take(sites, moment + 240 * SECOND, hosts=["c.example"]) == "c.example"
    sites.release(sites.get("c.example").id, "me")
    assert session.execute(row).one().deaths == 0


def test_a_process_that_tries_a_suspect_takes_no_other(sites):
    moment = die(sites, NOW)
    assert not sites.is_suspect(sites.get("c.example").id)
    assert take(sites, moment, hosts=["c.example"], suspects=False) == "c.example"
    moment += 61 * SECOND
    assert take(sites, moment, hosts=["c.example"], suspects=False) is None
    moment = die(sites, moment)
    assert sites.is_suspect(sites.get("c.example").id)
    assert take(sites, moment, hosts=["c.example"]) is None  # it waits now
    moment += HOUR
    assert take(sites, moment, hosts=["c.example"], suspects=False) is None
    assert take(sites, moment, hosts=["c.example"]) == "c.example"


def test_a_site_that_was_taken_and_not_crawled_has_not_proved_itself(sites, session):
    moment = die(sites, NOW)
    assert take(sites, moment, hosts=["c.example"]) == "c.example"
    site = sites.get("c.example")
    sites.hand_back(site.id, "me", moment)
    assert session.scalar(select(SITE.c.deaths).where(SITE.c.id == site.id)) == 1


def test_a_paused_site_whose_crawls_died_is_left_alone(sites, session):
    moment = die(sites, die(sites, die(sites, NOW)))
    session.execute(update(SITE).values(paused_at=NOW))
    sites.rest_dying(moment)
    assert session.scalar(select(SITE.c.deaths).where(SITE.c.host == "c.example")) == 2


def next_crawl(sites, name):
    return sites.session.scalar(select(SITE.c.next_crawl_at).where(SITE.c.host == f"{name}.example"))


def test_a_site_is_postponed_unless_it_is_crawled_or_due_later(sites):
    until = NOW + HOUR / 2
    for name in "abde":
        sites.postpone(sites.get(f"{name}.example").id, until)
    assert [next_crawl(sites, name) for name in "abcde"] == [until, until, NOW - 3 * HOUR, NOW + HOUR, None]
    assert take(sites) == "c.example"
    sites.postpone(sites.get("c.example").id, NOW + 9 * HOUR)
    assert next_crawl(sites, "c") == NOW + dt.timedelta(seconds=7200)


def test_a_site_that_is_handed_back_is_due_at_once(sites):
    assert take(sites) == "c.example"
    site_id = sites.get("c.example").id
    sites.hand_back(site_id, "another", NOW)  # which does not hold it
    assert next_crawl(sites, "c") == NOW + dt.timedelta(seconds=7200)
    sites.hand_back(site_id, "me", NOW)
    assert next_crawl(sites, "c") == NOW
    assert [next_crawl(sites, name) for name in "ab"] == [NOW - HOUR, NOW - 2 * HOUR]


def test_a_site_that_is_unknown_cannot_be_leased_and_says_so(sites):
    number = max(one.id for one in sites.refs()) + 1
    with pytest.raises(UnknownSiteError, match=f"the database holds no site number {number}; it was forgotten"):
        sites.lease(number, "me", NOW, 60)


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
