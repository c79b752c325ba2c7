"""The spider and the crawl of a Scrapy crawler, typed: Scrapy itself says only that a crawler has a spider.

Middlewares, pipelines and extensions know no spider class, since the spiders import what stands below them.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from logging import LoggerAdapter
from typing import Any, Protocol, cast

from scrapy import Request, Spider
from scrapy.crawler import Crawler

from sitecrawl.crawl.discovery import Discovery
from sitecrawl.crawl.site import SiteCrawl
from sitecrawl.links.scope import SiteScope
from sitecrawl.storage.pages import DuePage


class PageRequests(Protocol):
    """Makes the requests for pages (`spiders.pages.PageReader`)."""

    def request(self, page: DuePage) -> Request:
        """Return the request of a page that the frontier has taken."""


class TrapRequests(Protocol):
    """Makes the requests for invented URLs (`spiders.trap_probes.Inventions`)."""

    def requests(self, url: str, new: Iterable[str]) -> Iterable[Request]:
        """Count a page and the URLs that it was the first to name; return what is to be asked for."""


class Ending(Protocol):
    """Ends a crawl (`spiders.engine.Engine`)."""

    def end(self, reason: str) -> None:
        """End the crawl."""


class SiteSpider(Protocol):
    """What the shell asks of the spider of a crawl (`spiders.site.SiteSpider`)."""

    before_end: list[Callable[[Spider], Awaitable[None]]]
    """What is done before the crawl is finished."""

    @property
    def site_crawl(self) -> SiteCrawl:
        """The crawl that the spider makes."""

    @property
    def scope(self) -> SiteScope:
        """The URLs of the site."""

    @property
    def engine(self) -> Ending:
        """Scrapy's engine, as far as the spider needs it."""

    @property
    def discovery(self) -> Discovery:
        """The sitemaps, feeds and translations of the crawl."""

    @property
    def pages(self) -> PageRequests:
        """The requests for pages."""

    @property
    def inventions(self) -> TrapRequests:
        """The requests for invented URLs."""

    @property
    def outcome(self) -> str:
        """How the crawl ended; `failed` before it did."""

    @property
    def counts(self) -> tuple[Mapping[tuple[str, str], int], Mapping[str, int]] | None:
        """Pages by (kind, status) and URLs by status, once the crawl has ended; None before."""

    @property
    def logger(self) -> "LoggerAdapter[Any]":
        """The log of the spider."""

    def wake(self) -> None:
        """Have `start` look for what is to be asked for now."""

    def emit_waiting(self) -> None:
        """Have `start` emit what waited for the template, before any other page is fetched."""

    def end_without_feed(self, why: str) -> None:
        """End the crawl, since its rows cannot be written."""


def site_crawl_of(crawler: Crawler) -> SiteCrawl | None:
    """Return the crawl of a crawler's spider, None for a spider of another project, which has none."""
    crawl: SiteCrawl | None = getattr(crawler.spider, "site_crawl", None)
    return crawl


def site_spider_of(crawler: Crawler) -> SiteSpider | None:
    """Return a crawler's spider where it is sitecrawl's, None for a spider of another project."""
    return None if site_crawl_of(crawler) is None else cast("SiteSpider", crawler.spider)


def own_spider_of(crawler: Crawler) -> SiteSpider:
    """Return the spider that gave a PageItem. Raises TypeError for one of another project, which gives none."""
    spider = site_spider_of(crawler)
    if spider is None:
        raise TypeError(f"{crawler.spider!r} gave a PageItem, which the spider of sitecrawl alone may do")
    return spider
