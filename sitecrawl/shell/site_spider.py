"""Typed access to the spider and crawl of a Scrapy crawler, which are untyped in Scrapy.

Middlewares, pipelines and extensions use these protocols instead of the spider's class, since they are in layers below
the spiders.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from logging import LoggerAdapter
from typing import Any, NamedTuple, Protocol, cast

from scrapy import Request, Spider
from scrapy.crawler import Crawler

from sitecrawl.crawl.discovery import Discovery
from sitecrawl.crawl.sandbox import Sandbox
from sitecrawl.crawl.site import SiteCrawl
from sitecrawl.links.scope import SiteScope
from sitecrawl.shell.address_pace import AddressPace
from sitecrawl.storage.pages import DuePage


class ProcessShare(NamedTuple):
    """The objects that the crawls of one process share, apart from the database."""

    sandbox: Sandbox
    pace: AddressPace | None = None
    """The request rates of addresses; None if there is only one crawl, or sites do not share a rate."""


class PageRequests(Protocol):
    """Makes the requests for pages (`spiders.pages.PageReader`)."""

    def request(self, page: DuePage) -> Request:
        """Return the request for a page taken from the frontier."""


class TrapRequests(Protocol):
    """Makes the requests of trap probes (`spiders.trap_probes`)."""

    def requests(self, url: str, new: Iterable[str]) -> Iterable[Request]:
        """Count a page and the URLs to which it was the first to link; return the probes that are due."""


class Ending(Protocol):
    """Ends a crawl (`spiders.engine.Engine`)."""

    def end(self, reason: str) -> None:
        """End the crawl."""

    async def closed(self) -> None:
        """Wait until the crawl is finished."""


class SiteSpider(Protocol):
    """The part of `spiders.site.SiteSpider` that the shell uses."""

    share: ProcessShare
    """The objects that it shares with the other crawls of its process."""
    before_end: list[Callable[[Spider], Awaitable[None]]]
    """Functions that are called before the crawl is finished."""

    @property
    def site_crawl(self) -> SiteCrawl:
        """The crawl of the spider."""

    @property
    def scope(self) -> SiteScope:
        """The URLs of the site."""

    @property
    def engine(self) -> Ending:
        """The part of Scrapy's engine that the shell uses."""

    @property
    def discovery(self) -> Discovery:
        """The sitemaps, feeds and translations of the crawl."""

    @property
    def pages(self) -> PageRequests:
        """The requests for pages."""

    @property
    def trap_probes(self) -> TrapRequests:
        """The requests for invented URLs."""

    @property
    def outcome(self) -> str:
        """The outcome of the crawl; `failed` while it runs."""

    @property
    def counts(self) -> tuple[Mapping[tuple[str, str], int], Mapping[str, int]] | None:
        """Numbers of pages by (kind, status) and of URLs by status after the crawl has ended; None before."""

    @property
    def logger(self) -> "LoggerAdapter[Any]":
        """The log of the spider."""

    def wake(self) -> None:
        """Make `start` check for due requests now."""

    def emit_waiting(self) -> None:
        """Make `start` emit the waiting pages. Meanwhile a crawl that is alone in its process fetches nothing."""

    def end_without_feed(self, why: str) -> None:
        """End the crawl because its rows cannot be written."""


def site_crawl_of(crawler: Crawler) -> SiteCrawl | None:
    """Return the crawl of a crawler's spider; None for a spider of another project."""
    crawl: SiteCrawl | None = getattr(crawler.spider, "site_crawl", None)
    return crawl


def site_spider_of(crawler: Crawler) -> SiteSpider | None:
    """Return a crawler's spider if it is sitecrawl's; None for a spider of another project."""
    return None if site_crawl_of(crawler) is None else cast("SiteSpider", crawler.spider)


def own_spider_of(crawler: Crawler) -> SiteSpider:
    """Return the spider that yielded a PageItem. Raises TypeError for a spider of another project."""
    spider = site_spider_of(crawler)
    if spider is None:
        raise TypeError(f"{crawler.spider!r} yielded a PageItem, which only sitecrawl's spider may do")
    return spider
