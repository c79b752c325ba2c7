import asyncio
import datetime as dt
from types import SimpleNamespace

import pytest
from scrapy import Request, Spider
from scrapy.downloadermiddlewares.retry import RetryMiddleware
from scrapy.http import Response
from scrapy.utils.test import get_crawler

from sitecrawl.crawl.hosts import Hosts
from sitecrawl.middlewares import backoff
from sitecrawl.middlewares.backoff import BackOffMiddleware
from sitecrawl.shell.exceptions import NOT_BEFORE, PAGE, PROBE, PostponedRequest

NOW = dt.datetime(2026, 3, 1, 12, 0, tzinfo=dt.UTC)


class Server:
    """A middleware before a server, with a clock that only waits move on."""

    def __init__(self, monkeypatch, **settings):
        self.moment, self.waits = 0.0, []
        crawler = get_crawler(Spider, {"RETRY_TIMES": 2, **settings})
        crawler.spider = Spider.from_crawler(crawler, name="site")
        self.hosts = Hosts(10, 600.0, "e.org")
        crawler.spider.site_crawl = SimpleNamespace(hosts=self.hosts)
        self.stats = crawler.stats
        self.middleware = BackOffMiddleware.from_crawler(crawler)
        monkeypatch.setattr(backoff, "monotonic", lambda: self.moment)
        monkeypatch.setattr(backoff, "now", lambda: NOW)
        monkeypatch.setattr(backoff, "pause", self.sleep)

    async def sleep(self, crawler, seconds):
        self.waits.append(seconds)
        self.moment += seconds

    def ask(self, path, *answers, host="e.org", **meta):
        """Request a page, and again while the middleware retries it; return the last answer and its request."""
        request = Request(f"http://{host}{path}", meta={PAGE: 1, **meta})
        for status, value in answers:
            asyncio.run(self.middleware.process_request(request))
            headers = {} if value is None else {"Retry-After": value}
            response = Response(request.url, status=status, headers=headers)
            given = self.middleware.process_response(request, response)
            if isinstance(given, Response):
                return given, request
            request = given
        raise AssertionError("it would ask once more")


@pytest.fixture
def server(monkeypatch):
    return Server(monkeypatch)


@pytest.mark.parametrize(
    ("status", "failures", "waits"),
    [
        (429, 10, [1.0, 2.0, 8.0, 16.0, 60.0, 60.0]),
        (503, 10, [1.0, 2.0, 5.0, 5.0, 5.0, 5.0]),  # the circuit breaker is to notice an outage
        (503, 0, [1.0, 2.0, 8.0, 16.0, 60.0, 60.0]),  # there is no circuit breaker
    ],
)
def test_a_busy_host_that_names_no_time_is_held_twice_as_long_each_time(monkeypatch, status, failures, waits):
    server = Server(monkeypatch, SITECRAWL_OUTAGE_FAILURES=failures)
    for path in ("/1", "/2", "/3"):
        server.ask(path, *[(status, None)] * 3)
    # the third answer to a page is its last: the count goes on, and nothing is held for it
    assert server.waits == waits
    assert server.hosts.of("e.org").waits == {}


def test_the_last_answer_is_not_retried_and_reported_again_by_scrapy(server):
    given, request = server.ask("/1", *[(503, None)] * 3)
    crawler = server.middleware.crawler
    scrapys = RetryMiddleware.from_crawler(crawler)
    assert scrapys.process_response(request, given) is given
    assert server.stats.get_value("retry/max_reached") == 1


def test_without_retries_a_busy_host_is_asked_once(monkeypatch):
    server = Server(monkeypatch, RETRY_ENABLED=False)
    given, _ = server.ask("/1", (503, None))
    assert (given.status, server.waits) == (503, [])


def test_a_good_answer_begins_the_pauses_anew(server):
    server.ask("/1", (503, None), (503, None), (200, None))
    server.ask("/2", (429, None), (200, None))
    assert server.waits == [1.0, 2.0, 1.0]


def test_what_a_host_asks_for_is_waited_for(server):
    answer, _ = server.ask("/1", (429, "7"), (200, None))
    assert answer.status == 200
    assert server.waits == [7.0]
    assert server.stats.get_value("sitecrawl/backoff/held") == 1


def test_a_host_is_held_alone(server):
    server.ask("/1", (503, "100"), (200, None))
    server.moment = 0.0
    server.ask("/2", (200, None), host="www.e.org")
    server.ask("/2", (200, None), host="e.org:8080")
    assert server.waits == [100.0]


@pytest.mark.parametrize("status", [429, 503])
@pytest.mark.parametrize("value", ["121", "31536000", "Mon, 01 Mar 2027 12:00:00 GMT", "9" * 400])
def test_a_page_that_asks_for_more_is_passed_on_with_the_moment(server, status, value):
    answer, request = server.ask("/1", (status, value))
    assert (answer.status, server.waits) == (status, [])
    assert request.meta["dont_retry"]
    until = request.meta[NOT_BEFORE]
    assert NOW + dt.timedelta(seconds=121) <= until <= NOW + dt.timedelta(days=366)
    assert server.hosts.of("e.org").waits == {"http://e.org/1": until}


@pytest.mark.parametrize("value", ["\u00b2".encode("latin-1"), b"Sun, 01 Mar 20260 12:00:30 GMT", b"soon"])
def test_a_time_that_is_none_is_as_if_it_were_not_named(server, value):
    server.ask("/1", (503, value), (200, None))
    assert server.waits == [1.0]


def test_waits_that_help_nothing_come_to_an_end(server):
    """A folder whose pages always ask for two minutes may not cost a crawl hours."""
    for i in range(20):
        server.ask(f"/sick/{i}", *[(503, "120")] * 3)
        server.ask("/well", (200, None))
    assert sum(server.waits) <= 600.0
    assert server.hosts.of("e.org").waits


def test_waits_that_help_are_not_counted(server):
    for i in range(20):
        answer, _ = server.ask(f"/{i}", (429, "120"), (200, None))
        assert answer.status == 200
    assert sum(server.waits) == 2400.0


def test_what_is_no_page_asks_nothing_for_pages(server):
    request = Request("http://e.org/robots.txt")
    response = Response(request.url, status=429, headers={"Retry-After": "9999"})
    assert server.middleware.process_response(request, response) is response
    assert server.hosts.of("e.org").waits == {}
    probe = Request("http://e.org/1", meta={PROBE: True})
    assert server.middleware.process_response(probe, response) is response
    assert server.waits == []


def test_a_crawl_that_is_stopped_does_not_wait_for_a_busy_host(server):
    """A robots.txt may ask for a delay of two minutes, but a stop must end within 10 s."""
    request = Request("http://e.org/robots.txt")
    response = Response(request.url, status=429, headers={"Retry-After": "60"})
    retry = server.middleware.process_response(request, response)
    server.middleware.crawler._engine = SimpleNamespace(_slot=SimpleNamespace(closing=object()))
    with pytest.raises(PostponedRequest, match="the crawl was stopped"):
        asyncio.run(server.middleware.process_request(retry))
