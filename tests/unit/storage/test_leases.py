"""Tests of leases: which site is crawled next, by whom, and what becomes of sites whose crawls die."""

import datetime as dt

import pytest
from sqlalchemy import select, update

from sitecrawl.errors import LeaseLostError, SiteLeasedError, UnknownSiteError
from sitecrawl.storage.due_filter import DueFilter
from sitecrawl.storage.lease_owner import new_owner
from sitecrawl.storage.leases import LONGEST_LEASE, LeaseFence
from sitecrawl.storage.tables.models import SITE
from tests.unit.storage.test_sites import HOUR, NOW, SECOND
from tests.unit.storage.test_sites import sites as sites


def take(sites, now=NOW, due=None, reclaim=True, **wanted):
    site = sites.lease_due("me", now, 60, due=due or now, pause=7200, wanted=DueFilter(**wanted), reclaim=reclaim)
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


def test_sites_whose_crawl_died_may_be_left_out(sites):
    assert take(sites) == "c.example"
    after = NOW + dt.timedelta(seconds=61)
    assert [take(sites, after, died=False) for _ in range(2)] == ["b.example", "a.example"]
    assert take(sites, after, died=False) is None
    assert take(sites, after) == "c.example"


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


def test_a_site_that_another_process_took_over_meanwhile_keeps_its_lease(sites, session, monkeypatch):
    dead, site = ended_owner(), sites.get("e.example")
    sites.lease(site.id, dead, NOW, 3600)

    def take_over(owner):
        taken = {"lease_owner": "another", "leased_until": NOW + 2 * HOUR}
        session.execute(update(SITE).where(SITE.c.id == site.id).values(taken))
        return owner == dead

    monkeypatch.setattr("sitecrawl.storage.leases.has_ended", take_over)
    sites.expire_ended(NOW)
    assert session.scalar(select(SITE.c.leased_until).where(SITE.c.id == site.id)) == NOW + 2 * HOUR


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
    with pytest.raises(UnknownSiteError, match=f"the database has no site number {number}; it was forgotten"):
        sites.lease(number, "me", NOW, 60)


def test_a_running_crawl_has_its_site_for_as_long_as_a_lease_can_be(sites):
    site, owner = sites.get("c.example"), new_owner()
    for seconds, taken in ((0, None), (1, "c.example")):
        sites.lease(site.id, owner, NOW, int(LONGEST_LEASE.total_seconds()) + seconds)
        assert take(sites, hosts=["c.example"]) == taken


def test_a_suspect_that_is_handed_back_is_still_one(sites):
    moment = die(sites, die(sites, NOW))
    assert take(sites, moment, hosts=["c.example"]) == "c.example"
    site = sites.get("c.example")
    sites.hand_back(site.id, "me", moment)
    assert sites.is_suspect(site.id)
    assert take(sites, moment, hosts=["c.example"], suspects=False) is None
    assert take(sites, moment, hosts=["c.example"]) == "c.example"


def test_a_process_that_lost_its_site_writes_nothing_however_often_it_is_taken_since(sites, session):
    site = sites.get("c.example")
    fence = LeaseFence(site.id, sites.lease(site.id, "first", NOW, 60), site.host)
    fence.check(session)
    moment = die(sites, NOW + 60 * SECOND)
    for owner in ("second", "third"):
        with pytest.raises(LeaseLostError, match=r"c\.example: another process has taken the site over"):
            fence.check(session)
        sites.lease(site.id, owner, moment, 60)
        moment += 60 * SECOND


@pytest.mark.parametrize(
    ("owner", "told"), [("the first", "the first"), ("vm2:23591:elsewhere.1:58beb705", "process 23591 on vm2")]
)
def test_who_cannot_have_a_site_is_told_who_has_it_and_until_when(sites, owner, told):
    site = sites.get("c.example")
    sites.lease(site.id, owner, NOW, 3600)
    said = rf"^c\.example is being crawled by {told}; .* its lease ends at 2026-03-01 13:00:00 UTC\)$"
    with pytest.raises(SiteLeasedError, match=said):
        sites.lease(site.id, "the second", NOW, 60)


def test_a_lease_is_renewed_by_its_holder_and_for_its_site_only(sites, session):
    ends = select(SITE.c.leased_until).where(SITE.c.leased_until.is_not(None)).order_by(SITE.c.host)
    kept, other = (sites.get(f"{name}.example").id for name in "ab")
    for site_id in (kept, other):
        sites.lease(site_id, "me", NOW, 60)
    assert sites.renew(kept, "me", NOW + HOUR, 60)
    assert not sites.renew(other, "another", NOW + HOUR, 60)
    assert session.scalars(ends).all() == [NOW + HOUR + 60 * SECOND, NOW + 60 * SECOND]
