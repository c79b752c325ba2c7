import datetime as dt

import pytest

from sitecrawl.storage.hosts import NETLOC_LENGTH, Breaker, HostRepository, StoredFailure, StoredHost
from sitecrawl.storage.pages import Fetch, PageRepository, PageStatus
from sitecrawl.storage.sites import SiteRepository

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
        fetch = Fetch(key, url, status, None, 200, 1, 1, key, None, None, NOW + key * minute, None, (), key)
        pages.record(site, [fetch])
    repository = HostRepository(session)
    assert repository.good_urls(site, "a.example", NOW) == [urls[3], urls[1]]
    assert repository.good_urls(site, "b.example", NOW) == [urls[2]]
    assert repository.good_urls(site, "c.example", NOW) == []
    assert repository.home(site) == "a.example"
    other = SiteRepository(session).get_or_add("z.example", "http://z.example/", NOW).id
    assert repository.home(other) is None
