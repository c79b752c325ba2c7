"""Tests of the guard, which sees each request last. No connections are made, and names are resolved by a table."""

import asyncio
import ipaddress
import logging
from types import SimpleNamespace
from urllib.parse import urlsplit
from weakref import WeakSet

import pytest
from scrapy import Request, Spider
from scrapy.exceptions import CannotResolveHostError
from scrapy.utils.test import get_crawler
from twisted.internet.error import DNSLookupError

from sitecrawl import stats
from sitecrawl.errors import ConfigError
from sitecrawl.links.crawl_rules import REASONS
from sitecrawl.links.infinite_spaces import invented
from sitecrawl.middlewares import guard
from sitecrawl.middlewares.guard import GuardMiddleware
from sitecrawl.shell.addresses import PUBLIC
from sitecrawl.shell.exceptions import INVENTION, PAGE, PROBE, SCOPE, PostponedRequest, RefusedName, RefusedRequest
from sitecrawl.shell.headers import TooManyHeadersError
from sitecrawl.shell.resolver import GuardedResolver
from tests.unit.crawl.crawling import ROOT, during

PUBLIC_ADDRESS, PRIVATE_ADDRESS = ipaddress.ip_address("93.184.216.34"), ipaddress.ip_address("10.0.0.5")


class Engine:
    """An engine that records why a crawl was ended."""

    def __init__(self):
        self.reasons = []

    def end(self, reason: str) -> None:
        self.reasons.append(reason)


class Names:
    """A resolver with a table of addresses in place of the DNS."""

    def __init__(self):
        self.addresses = {"example.org": [PUBLIC_ADDRESS]}
        self.looked = []

    ask = GuardedResolver.ask

    async def look_up(self, name: str):
        self.looked.append(name)
        if name not in self.addresses:
            raise DNSLookupError(f"{name} could not be looked up")
        return self.addresses[name]


@pytest.fixture
def names(monkeypatch):
    async def awaited(deferred):
        return await deferred

    found = Names()
    monkeypatch.setattr(GuardedResolver, "asked", {})
    monkeypatch.setattr(GuardedResolver, "running", WeakSet())
    monkeypatch.setattr(GuardedResolver, "installed", lambda settings: found)
    monkeypatch.setattr(guard, "maybe_deferred_to_future", awaited)
    return found


class Guarded:
    """A guard before the crawl of a site, or before a spider of another project."""

    def __init__(self, crawl=None, **settings):
        self.engine = Engine()
        self.crawler = get_crawler(Spider, settings)
        self.crawler.spider = Spider.from_crawler(self.crawler, name="site")
        if crawl is not None:
            self.crawler.spider.site_crawl, self.crawler.spider.engine = crawl, self.engine
        self.middleware = GuardMiddleware.from_crawler(self.crawler)

    async def ask(self, url, **meta):
        """Return why a request is not sent; None when it is."""
        try:
            await self.middleware.process_request(Request(url, meta=meta))
        except (RefusedRequest, PostponedRequest) as error:
            return error
        return None

    def failed(self, url, error):
        """Return what the failure of a request becomes; None when it stays as it is."""
        try:
            self.middleware.process_exception(Request(url), error)
        except Exception as raised:
            return raised
        return None

    def counted(self, name):
        return self.crawler.stats.get_value(name, 0)


def guarded(database_url, check, **settings):
    """Return what `check` returns for a guarded crawl."""

    async def run(crawling):
        return await check(Guarded(crawling.crawl), crawling.crawl)

    return during(database_url, run, **settings)


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("ftp://example.org/1", "scheme"),
        ("http://example.org:22/1", "port"),
        ("http://10.0.0.5/", "address"),
        ("https://other.example/1", "offsite"),
        ("https://www.example.org/1", None),
        ("https://example.org/1", None),
    ],
)
def test_what_leads_out_of_the_site_is_refused_and_counted(sqlite_url, names, url, reason):
    async def check(guard, crawl):
        error = await guard.ask(url)
        return error, guard.counted(stats.GUARD_REFUSED), guard.counted(f"{stats.GUARD_REFUSED}/{reason}")

    error, refused, by_reason = guarded(sqlite_url, check)
    if reason is None:
        assert (error, refused) == (None, 0)
    else:
        assert isinstance(error, RefusedRequest)
        assert error.netloc == urlsplit(url).netloc
        assert (error.reason, refused, by_reason) == (reason, 1, 1)
        assert str(error) == f"refused ({reason}): {url}"


def test_a_trap_and_an_invented_url_are_refused_but_for_the_test_of_a_folder(sqlite_url, names):
    async def check(guard, crawl):
        folder = "https://example.org/calendar/"
        crawl.infinite_spaces.close(folder)
        trap, own = await guard.ask(f"{folder}2099"), await guard.ask(invented("https://example.org/news/"))
        return trap, own, await guard.ask(invented(folder), **{INVENTION: True}), guard.counted(stats.TRAPS_REFUSED)

    trap, own, test, refused = guarded(sqlite_url, check)
    assert (trap.reason, own.reason, test, refused) == ("trap", "trap", None, 2)
    assert "calendar" in str(trap)
    assert str(own) == guard.INVENTED_HERE


def test_the_first_request_decides_what_the_start_host_may_resolve_to(sqlite_url, names):
    async def check(guard, crawl):
        before = crawl.reach
        results = [await guard.ask(ROOT) for _ in range(2)]
        stored = Guarded(crawl).middleware.rules.reach
        return before, results, crawl.reach, names.looked, str(stored)

    assert guarded(sqlite_url, check) == (None, [None, None], PUBLIC, ["example.org"], PUBLIC)


def test_a_name_that_is_not_known_is_no_decision(sqlite_url, names):
    async def check(guard, crawl):
        names.addresses.clear()
        with pytest.raises(CannotResolveHostError, match=r"example\.org could not be looked up"):
            await guard.ask(ROOT)
        return crawl.reach, guard.middleware.rules.reach

    assert guarded(sqlite_url, check) == (None, None)


def test_a_proxy_and_other_hosts_decide_nothing(sqlite_url, names):
    async def check(guard, crawl):
        results = await guard.ask(ROOT, proxy="http://proxy.example:3128"), await guard.ask("https://www.example.org/")
        return results, crawl.reach, names.looked, guard.middleware.rules.proxies

    assert guarded(sqlite_url, check) == ((None, None), None, [], {("proxy.example", 3128)})


def refuse_host(guard, host):
    """Make the rules refuse a host as if its name resolved to a private address."""
    guard.middleware.rules.admitted(host, 443, [PRIVATE_ADDRESS])


def test_a_start_host_that_moved_to_a_private_address_ends_the_crawl_once(sqlite_url, names):
    async def check(guard, crawl):
        await guard.ask(ROOT)
        refuse_host(guard, "example.org")
        errors = [guard.failed(f"{ROOT}{n}", CannotResolveHostError("no address")) for n in (1, 2)]
        asked = await guard.ask(ROOT)
        return errors, asked, crawl.report.moved, guard.engine.reasons, guard.counted(f"{stats.GUARD_REFUSED}/address")

    errors, asked, moved, reasons, refused = guarded(sqlite_url, check)
    assert all(isinstance(one, PostponedRequest) and "10.0.0.5" in str(one) for one in [*errors, asked])
    assert "10.0.0.5" in moved[0]
    assert "example.org" in moved[1]
    assert (reasons, refused) == ([guard.MOVED], 2)


def test_another_host_at_a_private_address_fails_its_pages_alone(sqlite_url, names):
    async def check(guard, crawl):
        refuse_host(guard, "www.example.org")
        return (
            guard.failed("https://www.example.org/1", OSError("no address")),
            crawl.report.moved,
            guard.engine.reasons,
        )

    error, moved, reasons = guarded(sqlite_url, check)
    assert isinstance(error, RefusedName)
    assert error.reason == "address"
    assert "refused (address): https://www.example.org/1: " in str(error)
    assert (moved, reasons) == (None, [])


def test_too_many_headers_are_named_as_the_reason(sqlite_url, names):
    async def check(guard, crawl):
        wrapped = OSError("the connection was lost")
        wrapped.__cause__ = TooManyHeadersError("too many headers", b"X-Line")
        found = guard.failed(ROOT, wrapped), guard.failed(ROOT, OSError("the connection was lost"))
        return found, guard.counted(stats.GUARD_HEADERS), guard.counted(stats.GUARD_REFUSED)

    (excess, other), headers, refused = guarded(sqlite_url, check)
    assert isinstance(excess, TooManyHeadersError)
    assert (other, headers, refused) == (None, 1, 0)


def test_an_address_that_is_left_out_is_told_once(names, caplog):
    guard = Guarded()
    with caplog.at_level(logging.WARNING):
        for address in (PRIVATE_ADDRESS, PRIVATE_ADDRESS, ipaddress.ip_address("10.0.0.6")):
            guard.middleware.left_out("www.example.org", address)
    assert guard.counted(stats.GUARD_LEFT_OUT) == 2
    assert len(caplog.records) == 2


def test_the_spider_of_another_project_is_kept_from_private_addresses_only(names, caplog):
    other = Guarded()

    async def ask():
        return await other.ask("http://127.0.0.1:8000/"), await other.ask("https://any.example/deep")

    refused, passed = asyncio.run(ask())
    assert (refused.reason, passed) == ("address", None)
    assert "SITECRAWL_ALLOWED_ADDRESSES" in caplog.text
    assert names.looked == []


def test_the_log_of_another_project_names_a_name_that_leads_to_a_private_address(names, caplog):
    other = Guarded()
    refuse_host(other, "any.example")
    error = other.failed("https://any.example/1", OSError("no address"))
    assert isinstance(error, RefusedName)
    (record,) = caplog.records
    assert record.getMessage() == f"{error}; see SITECRAWL_ALLOWED_ADDRESSES"


def test_addresses_that_the_operator_opened(names):
    opened = Guarded(SITECRAWL_ALLOWED_ADDRESSES="10.0.0.0/8:8080")
    refused = [asyncio.run(opened.ask(url)) for url in ("http://10.0.0.5:8080/", "http://10.0.0.5:8081/")]
    assert refused[0] is None
    assert refused[1].reason in ("address", "port")
    with pytest.raises(ConfigError):
        Guarded(SITECRAWL_ALLOWED_ADDRESSES="anywhere")


class Scope:
    """A scope that excludes the folder `private`."""

    @staticmethod
    def refusal(url):
        return "exclude" if "/private" in url else None


@pytest.mark.parametrize("kind", [PAGE, PROBE])
def test_a_page_out_of_scope_to_which_a_redirect_led_is_refused_and_other_files_are_not(sqlite_url, names, kind):
    async def check(guard, crawl):
        guard.crawler.spider.discovery = SimpleNamespace(out_of_scope=Scope)
        return [
            await guard.ask(f"{ROOT}private/1", **{kind: 1}),
            await guard.ask(f"{ROOT}private/sitemap.xml"),
            await guard.ask(f"{ROOT}1", **{kind: 1}),
        ]

    refused, *others = guarded(sqlite_url, check)
    assert (refused.reason, str(refused)) == (SCOPE, REASONS["exclude"])
    assert others == [None, None]


def test_a_long_url_is_cut_in_messages(names):
    async def ask():
        one = Guarded()
        url = "ftp://example.org/" + "x" * 300
        error = await one.ask(url)
        names.addresses["private.example"] = [PRIVATE_ADDRESS]
        one.middleware.rules.refused["private.example"] = SimpleNamespace(why="it is private")
        long = "http://private.example/" + "y" * 300
        return str(error), url, str(one.failed(long, OSError("refused"))), long

    refused, url, failed, long = asyncio.run(ask())
    assert refused == f"refused (scheme): {url[:200]}"
    assert failed == f"refused (address): {long[:200]}: it is private"
