import datetime as dt

import pytest

from sitecrawl.storage.hosts import NETLOC_LENGTH, Breaker, HostRepository, StoredFailure, StoredHost, netloc_of
from sitecrawl.storage.pages import PageRepository, PageStatus
from sitecrawl.storage.sites import SiteRepository
from tests.fetched import fetched

NOW = dt.datetime(2026, 3, 1, 12, tzinfo=dt.UTC)


@pytest.fixture
def site(session):
    return SiteRepository(session).get_or_add("a.example", "https://a.example/", NOW).id


def test_a_host_is_kept_as_it_is_stored_last(session, site):
    hosts = HostRepository(session)
    first = StoredHost("www.a.example", Breaker.CLOSED, 1, NOW, 0, None, None)
    hosts.put(site, first)
    hosts.put(site, StoredHost("a.example:8080", Breaker.OPEN, 12, NOW, 0, None, None))
    last = first._replace(breaker=Breaker.GIVEN_UP, failures=3, given_up=1, not_before=NOW, reason="no\x00 host")
    hosts.put(site, last)
    assert [host.netloc for host in hosts.all(site)] == ["a.example:8080", "www.a.example"]
    assert hosts.all(site)[1] == last._replace(reason="no host")
    hosts.forget(site, "a.example:8080")
    assert [host.netloc for host in hosts.all(site)] == ["www.a.example"]


def test_what_no_host_can_be_called_is_not_kept(session, site):
    hosts = HostRepository(session)
    hosts.put(site, StoredHost("a" * (NETLOC_LENGTH + 1), Breaker.OPEN, 12, NOW, 0, None, None))
    assert hosts.all(site) == []


def test_failures_are_kept_until_they_are_understood(session, site):
    hosts = HostRepository(session)
    one = StoredFailure(1, "http://a.example/1", "a.example", "HTTP 500", 500, 2, None)
    two = StoredFailure(2, "http://a.example/2", "a.example", "HTTP 503", 503, 2, NOW)
    for failure in (one, two, one._replace(reason="HTTP 502")):
        hosts.suspend(site, failure)
    assert hosts.suspended(site) == [one._replace(reason="HTTP 502"), two]
    hosts.understood(site, [1, 7])
    assert hosts.suspended(site) == [two]


def test_they_go_with_their_site(session, site):
    hosts = HostRepository(session)
    hosts.put(site, StoredHost("a.example", Breaker.OPEN, 12, NOW, 0, None, None))
    hosts.suspend(site, StoredFailure(1, "http://a.example/1", "a.example", "HTTP 500", 500, 2, None))
    SiteRepository(session).forget("a.example", NOW)
    assert (hosts.all(site), hosts.suspended(site)) == ([], [])


def test_a_status_that_no_column_holds_is_no_error(session, site):
    hosts = HostRepository(session)
    hosts.suspend(site, StoredFailure(1, "http://a.example/1", "a.example", "HTTP 70000", 70_000, 40_000, None))
    assert hosts.suspended(site)[0].reason == "HTTP 70000"


def test_good_urls_of_a_host_come_latest_first_then_by_key(session, site):
    minute = dt.timedelta(minutes=1)
    pages = PageRepository(session)
    urls = {1: "http://a.example/1", 2: "http://b.example/2", 3: "http://a.example/3", 4: "http://a.example/4"}
    for key, url in urls.items():
        status = PageStatus.ERROR if key == 4 else PageStatus.FETCHED
        fetch = fetched(key, url=url, status=status, fetched_at=NOW + key * minute, html=None)
        pages.record(site, [fetch])
    repository = HostRepository(session)
    assert repository.good_urls(site, "a.example", NOW) == [urls[3], urls[1]]
    assert repository.good_urls(site, "b.example", NOW) == [urls[2]]
    assert repository.good_urls(site, "c.example", NOW) == []
    assert repository.home(site) == "a.example"
    other = SiteRepository(session).get_or_add("z.example", "http://z.example/", NOW).id
    assert repository.home(other) is None


@pytest.mark.parametrize(
    ("url", "netloc"),
    [
        ("http://www.A.example/x", "www.a.example"),
        ("http://a.example.:80/", "a.example."),
        ("https://a.example:443/", "a.example"),
        ("https://a.example:80/", "a.example:80"),
        ("http://a.example:443/", "a.example:443"),
        ("http://[2001:DB8::1]:8080/", "[2001:db8::1]:8080"),
        ("http://[2001:db8::1]/", "[2001:db8::1]"),
        ("http://a.example:port/", ""),
        ("mailto:a@a.example", ""),
    ],
)
def test_the_host_and_port_of_a_request(url, netloc):
    assert netloc_of(url) == netloc


def test_the_numbers_of_breakers_are_those_of_the_database():
    assert [(one.name, one.value) for one in Breaker] == [("CLOSED", 0), ("OPEN", 1), ("GIVEN_UP", 2)]


def test_hosts_and_failures_are_those_of_one_site(session, site):
    hosts = HostRepository(session)
    other = SiteRepository(session).get_or_add("b.example", "https://b.example/", NOW).id
    host = StoredHost("c.example", Breaker.OPEN, 12, NOW, 0, None, "no")
    failures = [StoredFailure(key, f"http://c.example/{key}", "c.example", "no", None, 1, None) for key in (1, 2, 3)]
    for number in (site, other):
        hosts.put(number, host)
        for one in failures:
            hosts.suspend(number, one)
    hosts.forget(site, "c.example")
    assert (hosts.all(site), hosts.all(other)) == ([], [host])
    hosts.understood(site, [1, 2])
    assert (hosts.suspended(site), hosts.suspended(other)) == (failures[2:], failures)


def test_all_failures_that_are_understood_go_however_many(session, site, monkeypatch):
    monkeypatch.setattr("sitecrawl.storage.hosts.CHUNK", 2)
    hosts = HostRepository(session)
    for key in range(1, 7):
        hosts.suspend(site, StoredFailure(key, "http://c.example/", "c.example", "no", 500, 1, None))
    hosts.understood(site, [5, 1, 4, 2, 3])
    assert [one.url_key for one in hosts.suspended(site)] == [6]


def test_what_is_stored_of_a_failure_fits_its_columns(session, site):
    hosts = HostRepository(session)
    long = StoredFailure(1, "http://a.example/\x001", "a" * 301, "x" * 501, None, 40_000, None)
    hosts.suspend(site, long)
    cut = long._replace(url="http://a.example/1", netloc="a" * 300, reason="x" * 500, depth=32_767)
    assert hosts.suspended(site) == [cut]
    hosts.suspend(site, long._replace(http_status=70_000, depth=3))
    assert hosts.suspended(site) == [cut._replace(http_status=32_767, depth=3)]
    longest = StoredHost("a" * NETLOC_LENGTH, Breaker.OPEN, 12, NOW, 0, None, "x" * 501)
    hosts.put(site, longest)
    assert hosts.all(site) == [longest._replace(reason="x" * 500)]


def test_urls_that_may_not_be_asked_for_now_are_no_good_ones(session, site):
    pages = PageRepository(session)
    for key in (1, 2):
        url = f"http://a.example/{key}"
        pages.record(site, [fetched(key, url=url, fetched_at=NOW, html=None)])
    pages.amend(site, [{"url_key": 1, "not_before": NOW + dt.timedelta(seconds=1)}, {"url_key": 2, "not_before": NOW}])
    assert HostRepository(session).good_urls(site, "a.example", NOW) == ["http://a.example/2"]


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
