import asyncio
import datetime as dt
from types import SimpleNamespace

import pytest
from scrapy import Request, Spider
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response
from scrapy.utils.test import get_crawler

from sitecrawl.crawl.host_health import BUSY, OUTAGE
from sitecrawl.crawl.hosts import Hosts
from sitecrawl.links.urls import url_key
from sitecrawl.middlewares import circuit_breaker
from sitecrawl.middlewares.circuit_breaker import CircuitBreakerMiddleware
from sitecrawl.shell.exceptions import INVENTION, PAGE, PROBE, PostponedRequest, RefusedRequest, UnreachableRequest
from sitecrawl.storage.hosts import netloc_of

NOW = dt.datetime(2026, 3, 1, 12, 0, tzinfo=dt.UTC)
START = "http://e.org/"
PATIENCE = 60.0
LATEST = NOW + dt.timedelta(days=14)
"""No host is left alone for longer."""


class Web:
    """A middleware before servers; `answers` has each URL's status or error, and only waits advance `moment`."""

    def __init__(self, monkeypatch, stored=()):
        self.moment, self.waits, self.asked, self.probed = 0.0, [], [], []
        self.answers, self.stored, self.given_up, self.noted = {}, list(stored), [], 0
        self.crawler = get_crawler(Spider, {"SITECRAWL_OUTAGE_FAILURES": 3, "SITECRAWL_OUTAGE_PATIENCE": PATIENCE})
        self.crawler.spider = Spider.from_crawler(self.crawler, name="site")
        self.hosts = Hosts(3, PATIENCE, "e.org")
        visits = SimpleNamespace(
            give_up=self.give_up, note=self.note, good_urls=self.good_urls, not_before=lambda asked: min(asked, LATEST)
        )
        self.crawler.spider.site_crawl = SimpleNamespace(hosts=self.hosts, visits=visits, start_url=START)
        self.crawler._engine = self.crawler.engine = SimpleNamespace(download_async=self.download, _slot=None)
        self.middleware = CircuitBreakerMiddleware(self.crawler)
        monkeypatch.setattr(circuit_breaker, "monotonic", lambda: self.moment)
        monkeypatch.setattr(circuit_breaker, "now", lambda: NOW)
        monkeypatch.setattr(circuit_breaker, "pause", self.sleep)

    async def sleep(self, crawler, seconds):
        self.waits.append(seconds)
        self.moment += seconds

    async def give_up(self, netloc, reason, why):
        self.given_up.append((netloc, reason))
        self.hosts.of(netloc).give_up(why, NOW)

    async def note(self, host):
        self.noted += 1

    async def good_urls(self, netloc):
        return [url for url in self.stored if netloc_of(url) == netloc]

    async def download(self, request):
        assert request.meta[PROBE]
        assert request.dont_filter
        self.probed.append(request.url)
        return self._answer(request)

    def _answer(self, request):
        answer = self.answers.get(request.url, 200)
        if callable(answer):
            answer = answer()
        if isinstance(answer, Exception):
            raise answer
        return Response(request.url, status=answer)

    def ask(self, url, **meta):
        """Request a page, with `meta` if given, through the middleware; return its status or error."""
        return asyncio.run(self._ask(Request(url, meta={PAGE: url_key(url), **meta})))

    async def _ask(self, request):
        await self.middleware.process_request(request)
        self.asked.append(request.url)
        try:
            response = self._answer(request)
        except Exception as error:
            self.middleware.process_exception(request, error)
            return error
        return self.middleware.process_response(request, response).status

    def fail(self, count, start=0, host="e.org"):
        urls = [f"http://{host}/bad{start + i}" for i in range(count)]
        self.answers |= dict.fromkeys(urls, 500)
        for url in urls:
            self.ask(url)

    @property
    def host(self):
        return self.hosts.of("e.org")


@pytest.fixture
def web(monkeypatch):
    return Web(monkeypatch)


def test_failures_in_a_row_are_tested_with_the_last_good_page(web):
    web.ask(START)
    web.ask(f"{START}good")
    web.fail(3)
    web.ask(f"{START}next")
    assert web.probed == [f"{START}good"]
    assert web.waits == []
    assert web.host.failures == 0


def test_an_outage_is_waited_out_and_tested_with_one_page_after_another(web, caplog):
    pages = [f"{START}{i}" for i in range(3)]
    for url in pages:
        web.ask(url)
    left = iter([503, 503, 503, 200])
    web.answers |= dict.fromkeys(pages, lambda: next(left))
    web.fail(3)
    web.ask(f"{START}next")
    assert web.waits == [5.0, 10.0, 20.0]
    assert web.probed == [pages[2], pages[1], pages[0], pages[2]]
    assert web.noted == 3
    said = [line for line in caplog.messages if "waiting" in line]
    assert [line.rpartition("; ")[2] for line in said] == ["waiting 5 s", "waiting 10 s", "waiting 20 s"]
    assert web.hosts.of("e.org").outages == {0}


def test_a_host_that_stays_away_is_given_up_and_nothing_is_asked_of_it(web):
    web.ask(START)
    web.answers[START] = TimeoutError()
    web.fail(3)
    for path in ("next", "another"):
        with pytest.raises(PostponedRequest, match=r"e\.org has not answered since 2026-03-01 12:00:00 UTC"):
            web.ask(f"{START}{path}")
    assert web.given_up == [("e.org", OUTAGE)]
    assert sum(web.waits) > PATIENCE
    assert len(web.asked) == 4
    assert web.crawler.stats.get_value("sitecrawl/outage/given_up") == 1


def test_the_log_says_why_a_host_was_given_up_and_how_to_go_on(web, caplog):
    web.ask(START)
    web.answers[START] = TimeoutError()
    web.fail(3)
    with pytest.raises(PostponedRequest):
        web.ask(f"{START}next")
    (said,) = [one.getMessage() for one in caplog.records if one.levelname == "ERROR"]
    assert said == f"{web.host.given_up}; run the same command later to continue"
    assert said.startswith("e.org has not answered since 2026-03-01 12:00:00 UTC")


def test_a_host_that_never_gave_a_page_is_tested_by_its_requests(web):
    web.fail(3)
    for i in range(20):
        try:
            web.fail(1, start=3 + i)
        except PostponedRequest:
            break
    assert web.probed == []
    assert web.waits == [5.0, 10.0, 20.0, 40.0]
    assert len(web.asked) == 3 + len(web.waits)


def test_pages_of_earlier_runs_are_asked_for_when_this_one_saw_none(web):
    web.stored = [f"{START}old", "http://www.e.org/old"]
    web.fail(3)
    web.ask(f"{START}next")
    assert web.probed == [f"{START}old"]
    assert web.host.failures == 0


# F4: a test that may not be sent ------------------------------------------------------------------------------


@pytest.mark.parametrize("refusal", [RefusedRequest("a trap", "trap"), IgnoreRequest("forbidden by robots.txt")])
def test_a_test_that_is_refused_says_nothing_and_another_page_is_asked_for(web, refusal):
    web.ask(f"{START}good")
    web.ask(f"{START}trap/1")
    web.answers[f"{START}trap/1"] = refusal
    web.fail(3)
    web.ask(f"{START}next")
    assert web.probed == [f"{START}trap/1", f"{START}good"]
    assert (web.waits, web.given_up) == ([], [])
    web.fail(6, start=3)
    web.ask(f"{START}next")
    assert web.probed[2:] == [f"{START}next"]  # never the trap again


def test_tests_that_are_all_refused_are_neither_an_answer_nor_a_failure(web):
    web.ask(f"{START}trap/1")
    web.answers[f"{START}trap/1"] = RefusedRequest("a trap", "trap")
    web.fail(3)
    web.ask(f"{START}next")  # the request tests, after a pause
    assert web.probed == [f"{START}trap/1"]
    assert web.waits == [5.0]
    assert web.asked[-1] == f"{START}next"
    assert web.host.failures == 0  # since it was answered well


# F14: what is no proof that pages answer ----------------------------------------------------------------------


def test_only_pages_end_a_row_of_failures(web):
    for i in range(3):
        web.fail(1, start=i)
        for url, meta in (("robots.txt", {}), ("sitemap.xml", {}), ("folder/invented", {INVENTION: True})):
            request = Request(f"{START}{url}", meta=meta)
            web.middleware.process_response(request, Response(request.url))
    assert web.host.suspect
    assert web.host.good_urls == []


def test_what_fails_counts_whatever_it_is(web):
    for url in ("robots.txt", "sitemap.xml"):
        web.middleware.process_exception(Request(f"{START}{url}"), ConnectionRefusedError())
    web.fail(1)
    assert web.host.suspect


def test_a_request_that_was_never_sent_counts_for_nothing(web):
    web.ask(START)
    for _ in range(9):
        web.middleware.process_exception(Request(f"{START}x"), RefusedRequest("offsite", "offsite"))
    assert web.host.failures == 0


# F2: netlocs --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("variant", ["www.e.org", "e.org.", "e.org:8080"])
def test_a_variant_is_given_up_alone_and_at_once(web, variant):
    web.ask(START)
    web.fail(3, host=variant)
    with pytest.raises(UnreachableRequest) as raised:
        web.ask(f"http://{variant}/next")
    assert raised.value.not_before == NOW
    assert web.waits == []
    assert web.given_up == [(variant, OUTAGE)]
    assert web.ask(f"{START}next") == 200


def test_where_the_start_page_leads_the_pages_are(web):
    web.ask("http://www.e.org/", url_key=url_key(START))
    assert web.hosts.home == "www.e.org"
    web.ask("http://e.org/other")
    assert web.hosts.home == "www.e.org"


# F3: several URLs that ask to be left alone -------------------------------------------------------------------


def leave_alone(web, folder):
    for i in range(3):
        web.fail(1, start=i)
        web.host.asked_to_wait(f"{START}{folder}/{i}", NOW + dt.timedelta(days=1 + i))


def test_a_folder_that_asks_to_be_left_alone_is_no_trouble_of_the_host(web):
    web.ask(START)
    web.host.most = 100
    leave_alone(web, "api")
    assert web.ask(f"{START}next") == 200
    assert web.probed == [START]
    assert (web.waits, web.given_up) == ([], [])


def test_a_host_that_asks_to_be_left_alone_everywhere_is_left_alone_without_a_wait(web):
    web.ask(START)
    web.answers[START] = 429
    leave_alone(web, "api")
    with pytest.raises(PostponedRequest, match=r"e\.org asks to be left alone until 2026-03-02 12:00 UTC"):
        web.ask(f"{START}next")
    assert web.given_up == [("e.org", BUSY)]
    assert (web.waits, web.probed) == ([], [START])


def test_a_host_is_said_to_be_left_alone_no_longer_than_it_is(web):
    web.fail(3)
    web.answers[START] = 429
    for i in range(3):
        web.host.asked_to_wait(f"{START}api/{i}", NOW + dt.timedelta(days=40))
    with pytest.raises(PostponedRequest, match=r"asks to be left alone until 2026-03-15 12:00 UTC"):
        web.ask(f"{START}next")


def test_a_stopped_crawl_asks_for_nothing(web):
    web.crawler.engine._slot = SimpleNamespace(closing=object())
    with pytest.raises(PostponedRequest, match="the crawl was stopped"):
        web.ask(START)


def test_a_spider_of_another_project_has_hosts_of_its_own(web):
    del web.crawler.spider.site_crawl
    web.middleware = CircuitBreakerMiddleware(web.crawler)
    web.hosts = web.middleware.hosts
    assert (web.middleware.crawl, web.ask(START), web.ask(f"{START}2")) == (None, 200, 200)
    web.fail(2)
    assert web.host.failures == 2


@pytest.mark.parametrize(("status", "probed"), [(399, ["http://e.org/page"]), (400, [])])
def test_a_host_is_probed_with_pages_that_were_no_error(web, status, probed):
    web.answers["http://e.org/page"] = status
    web.ask("http://e.org/page")
    web.fail(3)
    web.ask("http://e.org/next")
    assert web.probed == probed


def test_the_host_of_another_project_s_spider_is_given_up_too(web):
    del web.crawler.spider.site_crawl
    web.middleware = CircuitBreakerMiddleware(web.crawler)
    web.hosts = web.middleware.hosts
    web.ask(START)
    web.answers[START] = TimeoutError()
    web.fail(3)
    with pytest.raises(PostponedRequest, match=r"e\.org has not answered"):
        web.ask(f"{START}next")
    assert web.host.given_up.endswith("; given up")
    assert web.crawler.stats.get_value("sitecrawl/outage/given_up") == 1
    assert web.crawler.stats.get_value("sitecrawl/outage/pauses") == len(web.waits)
    assert web.crawler.stats.get_value("sitecrawl/outage/probes") == len(web.probed)


def test_the_answer_to_a_probe_is_passed_on_and_not_counted(web):
    request = Request(f"{START}probe", meta={PROBE: True, PAGE: 1})
    for status in (200, 500):
        response = Response(request.url, status=status)
        assert web.middleware.process_response(request, response) is response
    web.middleware.process_exception(request, TimeoutError())
    asyncio.run(web.middleware.process_request(request))
    assert (web.host.failures, web.host.good_urls) == (0, [])


def test_a_stopped_crawl_probes_nothing(web):
    web.ask(START)
    web.fail(3)
    web.crawler.engine._slot = SimpleNamespace(closing=object())
    with pytest.raises(PostponedRequest, match="the crawl was stopped"):
        web.ask(f"{START}next")
    assert (web.probed, web.waits, web.given_up) == ([], [], [])


@pytest.mark.parametrize("redirects", [{}, {"redirect_urls": [f"{START}robots.txt"]}])
def test_a_probe_may_wait_for_robots_txt(web, redirects):
    """A suspect host is probed, and the probe needs robots.txt first, which may have failed before."""
    web.ask(START)
    web.fail(3)
    robots = Request(f"{START}rules.txt" if redirects else f"{START}robots.txt", meta=redirects)
    robots.meta["dont_obey_robotstxt"] = True
    download = web.crawler.engine.download_async

    async def after_robots(request):
        await asyncio.wait_for(web._ask(robots), 60)
        return await download(request)

    web.crawler.engine.download_async = after_robots
    assert web.ask(f"{START}next") == 200
    assert web.asked[-2:] == [robots.url, f"{START}next"]
    assert web.probed == [START]


def test_a_login_waits_until_a_suspect_host_was_probed(web):
    web.ask(START)
    web.fail(3)
    web.ask(f"{START}login", dont_obey_robotstxt=True)
    assert web.probed == [START]
