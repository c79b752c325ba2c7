import datetime as dt

import pytest

from sitecrawl.crawl.host_health import (
    GOOD_URLS,
    LONGEST_PAUSE,
    LONGEST_STREAK,
    SEVERAL,
    HostHealth,
    Hosts,
    Suspended,
    is_bad,
    netloc_of,
)
from sitecrawl.crawl.page_lifecycle import FetchOutcome, FetchResult
from sitecrawl.storage.hosts import Breaker, StoredFailure, StoredHost

NOW = dt.datetime(2026, 3, 1, 14, 3, 10, tzinfo=dt.UTC)


def fail(host, times, moment=0.0):
    for _ in range(times):
        streak = host.failed(moment, NOW, "HTTP 503")
    return streak


def suspend(hosts, key, host, streak):
    hosts.suspended.append(
        Suspended(
            key, f"http://{host.name}/{key}", FetchOutcome(FetchResult.FAILED, "HTTP 503"), 503, 1, host.name, streak
        )
    )


@pytest.mark.parametrize(
    ("status", "bad"),
    [
        (200, False),
        (301, False),
        (401, False),
        (404, False),
        (410, False),
        (403, True),
        (429, True),
        (500, True),
        (599, True),
    ],
)
def test_which_answers_may_speak_of_the_server(status, bad):
    assert is_bad(status) is bad


def test_hosts_are_counted_apart():
    hosts = Hosts(3, 60.0)
    fail(hosts.of("a.org"), 3)
    assert hosts.of("a.org").suspect
    assert not hosts.of("b.org").suspect


def test_none_is_ever_suspect_when_the_setting_is_0():
    host = Hosts(0, 60.0).of("a.org")
    fail(host, 100)
    assert not host.suspect


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


def test_pauses_double_up_to_a_bound_and_never_outlast_the_patience():
    host = Hosts(1, 10_000.0).of("a.org")
    fail(host, 1)
    pauses = [host.down(1.0) for _ in range(9)]
    assert pauses == [5.0, 10.0, 20.0, 40.0, 80.0, 160.0, LONGEST_PAUSE, LONGEST_PAUSE, LONGEST_PAUSE]
    assert Hosts(1, 2.0).of("a.org").down(1.0) == 2.0


def test_an_outage_does_not_make_it_less_careful():
    host = Hosts(2, 60.0).of("a.org")
    fail(host, 2)
    host.down(1.0)
    host.answered()
    fail(host, 2)
    assert host.suspect


@pytest.mark.parametrize(
    ("url", "netloc"),
    [
        ("http://a.org/x", "a.org"),
        ("http://WWW.a.org:80/x", "www.a.org"),
        ("https://a.org:443/", "a.org"),
        ("https://a.org:80/", "a.org:80"),
        ("http://a.org.:8080/?q=1", "a.org.:8080"),
        ("http://[2001:DB8::1]:8080/", "[2001:db8::1]:8080"),
        ("http://a.org:99999/", ""),
        ("http://[/", ""),
        ("mailto:a@b.org", ""),
    ],
)
def test_a_netloc_is_host_and_port_as_they_are_asked(url, netloc):
    assert netloc_of(url) == netloc


# URLs that ask to be left alone -------------------------------------------------------------------------------

TOMORROW = NOW + dt.timedelta(days=1)


def wait(host, *urls):
    for url in urls:
        fail(host, 1)
        host.asked_to_wait(url, TOMORROW)


def test_several_urls_in_a_row_that_ask_to_be_left_alone_make_a_host_suspect():
    host = Hosts(10, 60.0).of("a.org")
    wait(host, "http://a.org/1", "http://a.org/1", "http://a.org/2")
    assert not host.suspect
    wait(host, "http://a.org/3")
    assert host.suspect
    assert len(host.waits) == SEVERAL
    assert host.down(0.0) is None  # it said how long: there is nothing to wait for


def test_a_good_page_between_them_makes_them_the_pages_own():
    host = Hosts(10, 60.0).of("a.org")
    for i in range(20):
        wait(host, f"http://a.org/{i}")
        host.answered("http://a.org/good")
        assert not host.suspect


def test_what_asked_to_be_left_alone_before_a_good_page_does_not_count_after_it():
    host = Hosts(10, 60.0).of("a.org")
    wait(host, "http://a.org/1", "http://a.org/2")
    host.answered("http://a.org/good")
    wait(host, "http://a.org/3")
    assert not host.suspect
    assert list(host.waits) == ["http://a.org/3"]


def test_a_url_that_asks_to_be_left_alone_is_no_test_of_its_host():
    host = Hosts(10, 60.0).of("a.org")
    host.answered("http://a.org/1")
    wait(host, "http://a.org/1")
    assert host.candidates(["http://a.org/1", "http://a.org/0"]) == ["http://a.org/0"]
    host.answered("http://a.org/1")
    assert host.good_urls == []


def test_no_setting_means_no_test_whatever_is_asked():
    host = Hosts(0, 60.0).of("a.org")
    wait(host, *(f"http://a.org/{i}" for i in range(9)))
    assert not host.suspect


# What a host is tested with -----------------------------------------------------------------------------------


def test_the_last_good_pages_come_first_then_stored_ones():
    host = Hosts(2, 60.0).of("a.org")
    for i in range(GOOD_URLS + 2):
        host.answered(f"http://a.org/{i}")
    host.answered("http://a.org/4")
    assert host.candidates(["http://a.org/0", "http://a.org/5"]) == [
        "http://a.org/4",
        "http://a.org/5",
        "http://a.org/3",
        "http://a.org/2",
        "http://a.org/0",
    ]
    host.may_not_be_asked("http://a.org/5")
    host.may_not_be_asked("http://a.org/0")
    assert host.candidates(["http://a.org/0"]) == ["http://a.org/4", "http://a.org/3", "http://a.org/2"]


def test_a_streak_that_ends_without_an_answer_is_no_answer():
    hosts = Hosts(2, 60.0)
    host = hosts.of("a.org")
    suspend(hosts, 1, host, fail(host, 1))
    host.end_streak()
    assert host.good_urls == []
    assert len(hosts.understood().own) == 1


# The site's own host and its variants -------------------------------------------------------------------------


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


def test_without_patience_nothing_is_waited_for():
    host = HostHealth("a.org", 2, 0.0)
    fail(host, 2)
    assert host.down(0.0) is None


# What is stored -----------------------------------------------------------------------------------------------


def restored(row, *failures, most=10, now=NOW, home="a.org"):
    hosts = Hosts(most, 60.0, home)
    hosts.restore([row], failures, now, now + dt.timedelta(days=14))
    return hosts


def test_a_host_that_was_down_is_tested_after_its_next_failure():
    before = Hosts(3, 60.0).of("a.org")
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
    before = Hosts(3, 60.0).of("www.a.org")
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


@pytest.mark.parametrize(("seconds", "waits"), [(59.0, True), (60.0, True), (60.5, False)])
def test_a_host_is_given_up_after_its_patience(seconds, waits):
    host = HostHealth("e.org", 3, 60.0)
    fail(host, 3, moment=100.0)
    assert (host.down(100.0 + seconds) is not None) is waits
    assert host.outages == {0}


def test_a_pause_doubles_up_to_the_longest_and_never_exceeds_the_patience():
    host = HostHealth("e.org", 3, 10_000.0)
    fail(host, 3)
    assert [host.down(0.0) for _ in range(9)] == [5.0, 10.0, 20.0, 40.0, 80.0, 160.0, *[LONGEST_PAUSE] * 3]
    host = HostHealth("e.org", 3, 7.0)
    fail(host, 3)
    assert [host.down(0.0) for _ in range(3)] == [5.0, 7.0, 7.0]
    assert HostHealth("e.org", 3, 0.0).down(0.0) is None


@pytest.mark.parametrize(("most", "failures", "suspect"), [(3, 2, False), (3, 3, True), (0, 9, False)])
def test_so_many_failures_make_a_host_suspect(most, failures, suspect):
    host = HostHealth("e.org", most, 60.0)
    fail(host, failures)
    assert (host.suspect, host.breaker) == (suspect, Breaker.OPEN if suspect else Breaker.CLOSED)
    host.give_up("left alone")
    assert (host.suspect, host.breaker) == (False, Breaker.GIVEN_UP)


@pytest.mark.parametrize(("waits", "suspect"), [(SEVERAL - 1, False), (SEVERAL, True)])
def test_so_many_urls_that_ask_to_wait_make_a_host_suspect(waits, suspect):
    host = HostHealth("e.org", 100, 60.0)
    for key in range(waits):
        host.asked_to_wait(f"http://e.org/{key}", NOW)
    assert host.suspect is suspect


@pytest.mark.parametrize(
    ("seconds", "furthest", "left_alone"), [(0, 60, False), (1, 60, True), (60, 60, True), (61, 60, False)]
)
def test_a_host_is_left_alone_until_its_time_has_come(seconds, furthest, left_alone):
    host, until = HostHealth("e.org", 3, 60.0), NOW + dt.timedelta(seconds=seconds)
    row = StoredHost("e.org", Breaker.GIVEN_UP, 9, NOW, 2, until, None)
    host.restore(row, NOW, NOW + dt.timedelta(seconds=furthest))
    assert bool(host.given_up) is left_alone
    assert (host.not_before, host.row().given_up) == ((until, 2) if left_alone else (None, 2))
    assert (host.failures, host.outages, host.stored) == (2, {0}, True)
    if left_alone:
        assert host.given_up.startswith("e.org is left alone until 2026-03-01 14:0")


@pytest.mark.parametrize(("stored", "failures"), [(0, 1), (1, 1), (2, 2), (3, 2)])
def test_a_host_of_an_earlier_run_is_probed_after_its_next_failure_at_the_latest(stored, failures):
    host = HostHealth("e.org", 3, 60.0)
    host.restore(StoredHost("e.org", Breaker.CLOSED, stored, NOW, 0, None, None), NOW, NOW)
    assert (host.failures, host.outages, host.given_up) == (failures, set(), "")
    assert "since 2026-03-01 14:03:10 UTC" in host.describe()
    assert "in an earlier run" in host.describe()


def test_the_latest_good_pages_are_kept_each_once():
    host = HostHealth("e.org", 3, 60.0)
    for key in (*range(GOOD_URLS + 1), 2):
        host.answered(str(key))
    assert host.good_urls == ["2", "4", "3", "1"]
    host.may_not_be_asked("3")
    host.answered("3")
    assert host.candidates(["9", "4", "3"]) == ["2", "4", "1", "9"]


def test_a_host_that_was_up_all_the_time_is_probed_less_often_up_to_a_limit():
    host, streaks = HostHealth("e.org", 2, 60.0), []
    for _ in range(6):
        count = 0
        while not host.suspect:
            fail(host, 1)
            count += 1
        streaks.append(count)
        host.answered()
    assert streaks == [2, 4, 8, 16, 2 * LONGEST_STREAK, 2 * LONGEST_STREAK]
    assert host.streak == 6


def test_a_host_that_was_down_is_probed_as_often_as_before():
    host = HostHealth("e.org", 2, 60.0)
    fail(host, 2)
    host.down(0.0)
    host.answered()
    fail(host, 2)
    assert host.suspect


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
