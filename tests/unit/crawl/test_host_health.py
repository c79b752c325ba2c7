"""Tests of the health of one host."""

import datetime as dt

import pytest

from sitecrawl.crawl.host_health import (
    GOOD_URLS,
    LONGEST_PAUSE,
    LONGEST_STREAK,
    SEVERAL,
    HostHealth,
    is_bad,
)
from sitecrawl.storage.hosts import Breaker, StoredHost

NOW = dt.datetime(2026, 3, 1, 14, 3, 10, tzinfo=dt.UTC)


def fail(host, times, moment=0.0):
    for _ in range(times):
        streak = host.failed(moment, NOW, "HTTP 503")
    return streak


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


def test_none_is_ever_suspect_when_the_setting_is_0():
    host = HostHealth("a.org", 0, 60.0)
    fail(host, 100)
    assert not host.suspect


def test_pauses_double_up_to_a_bound_and_never_outlast_the_patience():
    host = HostHealth("a.org", 1, 10_000.0)
    fail(host, 1)
    pauses = [host.down(1.0) for _ in range(9)]
    assert pauses == [5.0, 10.0, 20.0, 40.0, 80.0, 160.0, LONGEST_PAUSE, LONGEST_PAUSE, LONGEST_PAUSE]
    assert HostHealth("a.org", 1, 2.0).down(1.0) == 2.0


def test_an_outage_does_not_make_it_less_careful():
    host = HostHealth("a.org", 2, 60.0)
    fail(host, 2)
    host.down(1.0)
    host.answered()
    fail(host, 2)
    assert host.suspect


# URLs that ask to be left alone -------------------------------------------------------------------------------

TOMORROW = NOW + dt.timedelta(days=1)


def wait(host, *urls):
    for url in urls:
        fail(host, 1)
        host.asked_to_wait(url, TOMORROW)


def test_several_urls_in_a_row_that_ask_to_be_left_alone_make_a_host_suspect():
    host = HostHealth("a.org", 10, 60.0)
    wait(host, "http://a.org/1", "http://a.org/1", "http://a.org/2")
    assert not host.suspect
    wait(host, "http://a.org/3")
    assert host.suspect
    assert len(host.waits) == SEVERAL
    assert host.down(0.0) is None  # it said how long: there is nothing to wait for


def test_a_good_page_between_them_makes_them_the_pages_own():
    host = HostHealth("a.org", 10, 60.0)
    for i in range(20):
        wait(host, f"http://a.org/{i}")
        host.answered("http://a.org/good")
        assert not host.suspect


def test_what_asked_to_be_left_alone_before_a_good_page_does_not_count_after_it():
    host = HostHealth("a.org", 10, 60.0)
    wait(host, "http://a.org/1", "http://a.org/2")
    host.answered("http://a.org/good")
    wait(host, "http://a.org/3")
    assert not host.suspect
    assert list(host.waits) == ["http://a.org/3"]


def test_a_url_that_asks_to_be_left_alone_is_no_test_of_its_host():
    host = HostHealth("a.org", 10, 60.0)
    host.answered("http://a.org/1")
    wait(host, "http://a.org/1")
    assert host.candidates(["http://a.org/1", "http://a.org/0"]) == ["http://a.org/0"]
    host.answered("http://a.org/1")
    assert host.good_urls == []


def test_no_setting_means_no_test_whatever_is_asked():
    host = HostHealth("a.org", 0, 60.0)
    wait(host, *(f"http://a.org/{i}" for i in range(9)))
    assert not host.suspect


# What a host is tested with -----------------------------------------------------------------------------------


def test_the_last_good_pages_come_first_then_stored_ones():
    host = HostHealth("a.org", 2, 60.0)
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


def test_without_patience_nothing_is_waited_for():
    host = HostHealth("a.org", 2, 0.0)
    fail(host, 2)
    assert host.down(0.0) is None


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
