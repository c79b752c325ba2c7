import datetime as dt

import pytest

from sitecrawl.crawl.life import Answer, Finding
from sitecrawl.crawl.outage import LONGEST_PAUSE, LONGEST_STREAK, Hosts, Suspended, is_bad

NOW = dt.datetime(2026, 3, 1, 14, 3, 10, tzinfo=dt.UTC)


def fail(host, times, moment=0.0):
    for _ in range(times):
        streak = host.failed(moment, NOW, "HTTP 503")
    return streak


def suspend(hosts, key, host, streak):
    hosts.suspended.append(
        Suspended(key, f"http://{host.name}/{key}", Finding(Answer.FAILED, "HTTP 503"), 503, 1, host.name, streak)
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
    own, again, left = hosts.understood()
    assert ([one.url_key for one in own], again, left) == ([1], [], [])
    assert hosts.suspended == []
    assert host.good_url == "http://a.org/"


def test_what_failed_in_an_outage_is_fetched_again_once():
    hosts = Hosts(2, 60.0)
    host = hosts.of("a.org")
    for expected in ("again", "own"):
        suspend(hosts, 1, host, fail(host, 2))
        assert host.down(1.0) is not None
        host.answered("http://a.org/")
        own, again, left = hosts.understood()
        assert bool(own) == (expected == "own")
        assert bool(again) == (expected == "again")
        assert not left


def test_what_failed_before_a_host_was_given_up_is_left():
    hosts = Hosts(2, 60.0)
    host = hosts.of("a.org")
    suspend(hosts, 1, host, fail(host, 2))
    assert host.down(61.0) is None
    assert host.given_up == (
        "a.org has not answered since 2026-03-01 14:03:10 UTC (2 failures in a row, the last: HTTP 503);"
        " given up after 61 s"
    )
    assert not host.suspect
    assert [one.url_key for one in hosts.understood()[2]] == [1]


def test_pauses_double_up_to_a_bound_and_never_outlast_the_patience():
    host = Hosts(1, 10_000.0).of("a.org")
    fail(host, 1)
    pauses = [host.down(1.0) for _ in range(9)]
    assert pauses == [5.0, 10.0, 20.0, 40.0, 80.0, 160.0, LONGEST_PAUSE, LONGEST_PAUSE, LONGEST_PAUSE]
    assert Hosts(1, 2.0).of("a.org").down(1.0) == 2.0


def test_a_host_that_is_up_is_tested_less_and_less_often():
    host = Hosts(2, 60.0).of("a.org")
    needed = []
    for _ in range(6):
        count = 0
        while not host.suspect:
            fail(host, 1)
            count += 1
        needed.append(count)
        host.answered()
    assert needed == [2, 4, 8, 16, 2 * LONGEST_STREAK, 2 * LONGEST_STREAK]


def test_an_outage_does_not_make_it_less_careful():
    host = Hosts(2, 60.0).of("a.org")
    fail(host, 2)
    host.down(1.0)
    host.answered()
    fail(host, 2)
    assert host.suspect
