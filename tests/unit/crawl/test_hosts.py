"""Tests of the hosts of a crawl, and of the pages that wait for what their host does next."""

import datetime as dt

from sitecrawl.crawl.host_health import HostHealth
from sitecrawl.crawl.hosts import Hosts, Suspended
from sitecrawl.crawl.page_lifecycle import FetchOutcome, FetchResult
from sitecrawl.storage.hosts import Breaker, StoredFailure, StoredHost
from tests.unit.crawl.test_host_health import NOW, TOMORROW, fail


def suspend(hosts, key, host, streak):
    hosts.suspended.append(
        Suspended(
            key, f"http://{host.name}/{key}", FetchOutcome(FetchResult.FAILED, "HTTP 503"), 503, 1, host.name, streak
        )
    )


def test_hosts_are_counted_apart():
    hosts = Hosts(3, 60.0)
    fail(hosts.of("a.org"), 3)
    assert hosts.of("a.org").suspect
    assert not hosts.of("b.org").suspect


def test_a_failure_is_understood_only_after_the_next_good_answer():
    hosts = Hosts(3, 60.0)
    host = hosts.of("a.org")
    suspend(hosts, 1, host, fail(host, 1))
    assert hosts.understood() == ([], [], [])
    host.answered("http://a.org/")
    found = own, again, left = hosts.understood()
    assert ([one.url_key for one in own], again, left) == ([1], [], [])
    assert hosts.understood() == found  # until it is stored
    hosts.let_go(found)
    assert hosts.suspended == []
    assert host.good_urls == ["http://a.org/"]


def test_what_failed_in_an_outage_is_fetched_again_once():
    hosts = Hosts(2, 60.0)
    host = hosts.of("a.org")
    for expected in ("again", "own"):
        suspend(hosts, 1, host, fail(host, 2))
        assert host.down(1.0) is not None
        host.answered("http://a.org/")
        found = own, again, left = hosts.understood()
        hosts.let_go(found)
        assert bool(own) == (expected == "own")
        assert bool(again) == (expected == "again")
        assert not left


def test_what_failed_before_a_host_was_given_up_is_left():
    hosts = Hosts(2, 60.0)
    host = hosts.of("a.org")
    suspend(hosts, 1, host, fail(host, 2))
    assert host.down(61.0) is None
    host.give_up(host.describe())
    assert host.given_up == (
        "a.org has not answered since 2026-03-01 14:03:10 UTC (2 failures in a row, the last: HTTP 503)"
    )
    assert not host.suspect
    assert [one.url_key for one in hosts.understood()[2]] == [1]


def test_a_streak_that_ends_without_an_answer_is_no_answer():
    hosts = Hosts(2, 60.0)
    host = hosts.of("a.org")
    suspend(hosts, 1, host, fail(host, 1))
    host.end_streak()
    assert host.good_urls == []
    assert len(hosts.understood().own) == 1


def test_only_the_host_with_the_pages_is_an_outage_of_the_site():
    hosts = Hosts(2, 60.0, "a.org")
    assert hosts.is_home("a.org")
    assert not hosts.is_home("www.a.org")
    hosts.of("www.a.org").answered("http://www.a.org/")
    assert not hosts.is_home("www.a.org")
    assert Hosts(2, 60.0).is_home("whatever.org")  # nothing is known of the site


def test_of_a_whole_domain_each_host_that_gave_a_page_is():
    hosts = Hosts(2, 60.0, "a.org", spread=True)
    assert not hosts.is_home("blog.a.org")
    hosts.of("blog.a.org").answered("http://blog.a.org/")
    assert hosts.is_home("blog.a.org")


def test_a_variant_that_never_gave_a_page_is_not_waited_for():
    hosts = Hosts(2, 60.0, "a.org")
    for name, expected in (("a.org", 5.0), ("www.a.org", None), ("blog.a.org", 5.0)):
        host = hosts.of(name)
        if name == "blog.a.org":
            host.answered("http://blog.a.org/")
        fail(host, 2)
        assert hosts.down(name, 1.0) == expected


def restored(row, *failures, most=10, now=NOW, home="a.org"):
    hosts = Hosts(most, 60.0, home)
    hosts.restore([row], failures, now, now + dt.timedelta(days=14))
    return hosts


def test_a_host_that_was_down_is_tested_after_its_next_failure():
    before = HostHealth("a.org", 3, 60.0)
    fail(before, 5)
    before.down(1.0)
    assert before.row() == StoredHost("a.org", Breaker.OPEN, 5, NOW, 0, None, None)
    host = restored(before.row(), most=3).of("a.org")
    assert not host.suspect
    fail(host, 1, moment=5000.0)
    assert host.suspect
    assert host.down(5001.0) is not None  # the patience begins with this run's first failure
    assert "since 2026-03-01 14:03:10 UTC (3 failures in a row, the last: HTTP 503)" in host.describe()


def test_a_host_that_was_given_up_until_a_moment_is_not_asked_before():
    before = HostHealth("www.a.org", 3, 60.0)
    fail(before, 1)
    before.give_up("no such host", TOMORROW)
    row = before.row()
    assert row == StoredHost("www.a.org", Breaker.GIVEN_UP, 1, NOW, 1, TOMORROW, "no such host")
    early = restored(row).of("www.a.org")
    assert early.given_up == "no such host"
    assert early.row() == row  # a run that asked nothing is not counted
    late = restored(row, now=TOMORROW).of("www.a.org")
    assert not late.given_up
    late.give_up("no such host", TOMORROW)
    assert late.row().given_up == 2
    late.answered("http://www.a.org/")
    assert late.failures == 0


def test_a_moment_that_a_clock_ahead_has_stored_does_not_count():
    row = StoredHost("a.org", Breaker.GIVEN_UP, 1, NOW, 1, NOW + dt.timedelta(days=15), "busy")
    assert not restored(row).of("a.org").given_up


def test_failures_that_were_stored_wait_for_the_next_answer():
    row = StoredHost("a.org", Breaker.CLOSED, 1, NOW, 0, None, None)
    failure = StoredFailure(7, "http://a.org/7", "a.org", "HTTP 500", 500, 2, TOMORROW)
    hosts = restored(row, failure)
    assert hosts.understood() == ([], [], [])
    assert [one.row() for one in hosts.suspended] == [failure]
    assert hosts.recovered() == []
    hosts.of("a.org").answered("http://a.org/")
    assert [one.url_key for one in hosts.understood().own] == [7]
    assert [host.name for host in hosts.recovered()] == ["a.org"]


def test_failures_of_an_outage_that_a_kill_ended_are_fetched_again():
    row = StoredHost("a.org", Breaker.OPEN, 12, NOW, 0, None, None)
    hosts = restored(row, StoredFailure(7, "http://a.org/7", "a.org", "HTTP 503", 503, 2, None))
    hosts.of("a.org").answered("http://a.org/")
    assert [one.url_key for one in hosts.understood().again] == [7]


def test_only_a_host_with_a_row_that_is_well_has_recovered():
    hosts = Hosts(3, 60.0, "a")
    for name, stored, failures, given_up in (
        ("a", True, 0, ""),
        ("b", False, 0, ""),
        ("c", True, 1, ""),
        ("d", True, 0, "x"),
    ):
        host = hosts.of(name)
        host.stored, host.failures, host.given_up = stored, failures, given_up
    assert [one.name for one in hosts.recovered()] == ["a"]


def test_a_variant_is_a_home_if_pages_may_be_on_it_and_it_gave_some():
    for spread in (True, False):
        hosts = Hosts(3, 60.0, "a", spread=spread)
        assert (hosts.is_home("a"), hosts.is_home("b")) == (True, False)
        hosts.of("b").answered("http://b/1")
        assert hosts.is_home("b") is spread
        assert (hosts.down("c", 0.0), hosts.down("b", 0.0)) == (None, 5.0)
    assert Hosts(3, 60.0).is_home("any")


def test_suspended_pages_of_an_earlier_run_are_suspended_again():
    hosts = Hosts(3, 60.0, "a")
    failure = StoredFailure(7, "http://b/7", "b", "HTTP 503", 503, 2, NOW)
    hosts.restore([], [failure, failure._replace(url_key=8, netloc="a")], NOW, NOW)
    assert [hosts.of(name).failures for name in "ab"] == [1, 1]
    first, second = hosts.suspended
    assert first.row() == failure
    assert (first.fetch_outcome, first.streak) == (FetchOutcome(FetchResult.FAILED, "HTTP 503"), 0)
    assert (second.url_key, second.host) == (8, "a")
    hosts.of("b").answered()
    assert hosts.understood().own == [first]
