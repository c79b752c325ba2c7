import asyncio
import datetime as dt
from types import SimpleNamespace

import pytest
from scrapy import Request, Spider
from scrapy.http import Response
from scrapy.utils.test import get_crawler
from twisted.python.failure import Failure

from sitecrawl.crawl.host_health import OUTAGE
from sitecrawl.crawl.hosts import Hosts, Suspended
from sitecrawl.crawl.page_lifecycle import FetchOutcome, FetchResult
from sitecrawl.shell.exceptions import RefusedRequest
from sitecrawl.spiders.host_probes import HostProbes

NOW = dt.datetime(2026, 3, 1, 12, 0, tzinfo=dt.UTC)
START = "http://e.org/"


class End:
    """The end of a crawl with remaining failed pages; `answers` has each URL's status or error."""

    def __init__(self, *good):
        self.hosts, self.own, self.given_up, self.asked, self.answers = Hosts(10, 60.0, "e.org"), [], [], [], {}
        crawler = get_crawler(Spider)
        spider = Spider.from_crawler(crawler, name="site")
        visits = SimpleNamespace(good_urls=self.good_urls, give_up=self.give_up, settle_suspended=self.settle)
        self.probes = HostProbes(spider, SimpleNamespace(hosts=self.hosts, visits=visits), lambda: None)
        self.left, self.stored = [], list(good)
        host = self.hosts.of("e.org")
        streak = host.failed(1.0, NOW, "HTTP 500")
        self.hosts.suspended.append(
            Suspended(1, f"{START}bad", FetchOutcome(FetchResult.FAILED, "HTTP 500"), 500, 1, "e.org", streak)
        )

    async def good_urls(self, netloc):
        return self.stored

    async def give_up(self, netloc, reason, why):
        self.given_up.append((netloc, reason))
        self.hosts.of(netloc).give_up(why)

    async def settle(self):
        found = self.hosts.understood()
        self.own += [one.url for one in found.own]
        self.left += [one.url for one in found.left]
        self.hosts.let_go(found)
        return len(found.own)

    def run(self):
        """Send probes, as the spider does, until no page is suspended."""
        return asyncio.run(self._run())

    async def _run(self):
        for _ in range(20):
            if not self.hosts.suspended:
                return
            for request in await self.probes.requests():
                self.asked.append(request.url)
                answer = self.answers[request.url]
                if isinstance(answer, Exception):
                    failure = Failure(answer)
                    failure.request = request
                    await self.probes.probe_failed(failure)
                else:
                    await self.probes.probed(Response(request.url, status=answer, request=request))
        raise AssertionError("it does not end")


def test_pages_fail_by_themselves_when_another_page_of_the_host_answers():
    end = End(f"{START}1")
    end.answers = {f"{START}1": 200}
    end.run()
    assert (end.own, end.left, end.given_up) == ([f"{START}bad"], [], [])


def test_a_page_that_was_good_and_is_broken_now_is_no_outage():
    end = End(f"{START}1", f"{START}2")
    end.answers = {f"{START}1": 500, f"{START}2": 200}
    end.run()
    assert (end.own, end.given_up) == ([f"{START}bad"], [])


@pytest.mark.parametrize("answer", [503, ConnectionRefusedError()])
def test_two_pages_that_do_not_answer_are_an_outage(answer):
    urls = [f"{START}{i}" for i in range(4)]
    end = End(*urls)
    end.answers = dict.fromkeys(urls, answer)
    end.run()
    assert (end.own, end.left, end.given_up) == ([], [f"{START}bad"], [("e.org", OUTAGE)])
    assert end.asked == urls[:2]


def test_a_refused_test_says_nothing():
    end = End(f"{START}trap", f"{START}1")
    end.answers = {f"{START}trap": RefusedRequest("a trap", "trap"), f"{START}1": 200}
    end.run()
    assert end.asked == [f"{START}trap", f"{START}1"]
    assert (end.own, end.given_up) == ([f"{START}bad"], [])
    assert end.hosts.of("e.org").good_urls == []


@pytest.mark.parametrize("good", [(), (f"{START}trap",)])
def test_without_a_page_to_test_with_no_outage_is_known(good):
    end = End(*good)
    end.answers = {f"{START}trap": RefusedRequest("a trap", "trap")}
    end.run()
    assert (end.own, end.given_up) == ([f"{START}bad"], [])


def test_a_host_that_was_given_up_is_not_asked():
    end = End(f"{START}1")
    end.hosts.of("e.org").give_up("left alone")
    end.run()
    assert (end.asked, end.left) == ([], [f"{START}bad"])


def test_requests_obey_robots_txt():
    (request,) = asyncio.run(End(f"{START}1").probes.requests())
    assert isinstance(request, Request)
    assert "dont_obey_robotstxt" not in request.meta
