"""Requests robots.txt, sitemaps and feeds, and adds the URLs in them to the frontier."""

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import asdict
from typing import Final, NamedTuple

from scrapy import Request, Spider
from scrapy.http import Response, TextResponse
from scrapy.spidermiddlewares.httperror import HttpError
from twisted.python.failure import Failure

from sitecrawl import stats
from sitecrawl.clock import now
from sitecrawl.crawl.conditional_get import dated_validator
from sitecrawl.crawl.discovery import Discovery
from sitecrawl.crawl.frontier import SAMPLE_PRIORITY
from sitecrawl.crawl.sources import SourceRequest
from sitecrawl.errors import PageError
from sitecrawl.links import feeds, sitemaps
from sitecrawl.links.feeds import Feed, read_feed
from sitecrawl.links.sitemap_entries import Sitemap
from sitecrawl.links.sitemaps import read_sitemap
from sitecrawl.storage.sources import SourceKind

NOT_MODIFIED: Final = 304
MISSING: Final = (404, 410)
"""Statuses of files that do not exist."""
FIRST: Final = SAMPLE_PRIORITY + 1
"""Priority of these requests: before all pages."""
ELSEWHERE: Final = (
    "%s names a sitemap on another site, which is not read: %s (%d in all);"
    " SITECRAWL_SITE_SCOPE=domain reads those of the same domain"
)
"""Warning about sitemaps that may name pages which no link leads to."""


class _Keys(NamedTuple):
    read: str
    failed: str
    unchanged: str
    links: str
    skipped: str


_KEYS: Final = {
    SourceKind.SITEMAP: _Keys(
        stats.SITEMAPS_READ,
        stats.SITEMAPS_FAILED,
        stats.SITEMAPS_UNCHANGED,
        stats.SITEMAPS_LINKS,
        stats.SITEMAPS_SKIPPED,
    ),
    SourceKind.FEED: _Keys(
        stats.FEEDS_READ, stats.FEEDS_FAILED, stats.FEEDS_UNCHANGED, stats.FEEDS_LINKS, stats.FEEDS_SKIPPED
    ),
}
_MOST: Final = {SourceKind.SITEMAP: sitemaps.MAX_BYTES, SourceKind.FEED: feeds.MAX_BYTES}
"""Maximum bytes of a response, compressed or not."""


class SourceReader:
    """Fetches the sitemaps and feeds of one crawl. Errors in them never end the crawl."""

    def __init__(self, spider: Spider, discovery: Discovery, wake: Callable[[], None]) -> None:
        """`wake` makes the spider look for due requests."""
        self.spider = spider
        self.discovery = discovery
        self.wake = wake
        self.sources = discovery.sources

    def robots_request(self, origin: str) -> Request:
        """Return the request for robots.txt, which names sitemaps."""
        return Request(
            f"{origin}/robots.txt",
            callback=self.parse_robots,
            errback=self.robots_failed,
            priority=FIRST,
            dont_filter=True,
        )

    def requests(self) -> Iterator[Request]:
        """Yield the requests for the sources to be read now."""
        for ask in self.sources.take():
            conditions = {"If-None-Match": ask.etag, "If-Modified-Since": ask.last_modified}
            yield Request(
                ask.url,
                callback=self.parse,
                errback=self.failed,
                priority=FIRST,
                dont_filter=True,
                headers={name: value.encode("latin-1", "ignore") for name, value in conditions.items() if value},
                meta={"handle_httpstatus_list": [NOT_MODIFIED], "download_maxsize": _MOST[ask.kind]},
                cb_kwargs={"ask": ask},
            )

    def parse_robots(self, response: Response) -> None:
        """Queue the sitemaps that robots.txt lists."""
        if isinstance(response, TextResponse):
            elsewhere = self.sources.robots(response.text, response.url)
            self._count(stats.SOURCES_REFUSED, {"offsite": len(elsewhere)})
            if elsewhere:
                self.spider.logger.warning(ELSEWHERE, response.url, elsewhere[0], len(elsewhere))
        self.wake()

    def robots_failed(self, failure: Failure) -> None:
        """Continue without sitemaps, or with the usual one if there is no robots.txt.

        The pages record why robots.txt cannot be read.
        """
        error = failure.value
        if isinstance(error, HttpError) and error.response.status in MISSING:
            self.sources.guess(error.response.url)
        else:
            self.spider.logger.info("could not fetch robots.txt for its sitemaps: %s", error)
        self.wake()

    async def parse(self, response: Response, ask: SourceRequest) -> None:
        """Read a sitemap or feed; any other response is logged and counted."""
        keys, count, missing = _KEYS[ask.kind], self.spider.crawler.stats.inc_value, False
        try:
            if response.status == NOT_MODIFIED:
                count(keys.unchanged)
                await self.discovery.unchanged(ask)
            else:
                await self._parse(response, ask)
        except PageError as error:
            missing = ask.guessed
            if not missing:
                count(keys.failed)
                self.spider.logger.warning("cannot read %s", error)
            await self.discovery.read(ask, 0, error.reason, good=False)
        finally:
            self.sources.done(ask, missing=missing)
            self.wake()

    async def _parse(self, response: Response, ask: SourceRequest) -> None:
        found, keys, count = await self._read(response, ask), _KEYS[ask.kind], self.spider.crawler.stats.inc_value
        count(keys.read)
        if found.problem is not None:
            self.spider.logger.warning("%s: %s", response.url, found.problem)
        self._count(keys.skipped, asdict(found.skipped))
        if isinstance(found, Sitemap) and found.kind == "index":
            count(keys.unchanged, self.sources.index(ask, found.entries))
        else:
            new, hastened = await self.discovery.take(
                ask.url_key, [(url, key, dated) for url, key, dated in found.entries]
            )
            count(keys.links, new)
            count(stats.VISITS_HASTENED, hastened)
        etag, modified, date = (_header(response, name) for name in ("ETag", "Last-Modified", "Date"))
        last_modified = dated_validator(modified, date, now())
        await self.discovery.read(ask, len(found.entries), found.problem, etag=etag, last_modified=last_modified)

    async def _read(self, response: Response, ask: SourceRequest) -> Sitemap | Feed:
        """Parse in a thread: large files take a second, and the lease must be renewed meanwhile."""
        crawl, moment = self.discovery.crawl, now()
        kind = _header(response, "Content-Type") or ""
        if ask.kind is SourceKind.SITEMAP:
            sitemap = await asyncio.to_thread(
                read_sitemap, response.body, response.url, crawl.scope, moment, limits=crawl.guard.limits
            )
            if sitemap.kind != "feed":
                return sitemap
        return await asyncio.to_thread(read_feed, response.body, response.url, crawl.scope, moment, content_type=kind)

    async def failed(self, failure: Failure) -> None:
        """Record that a source could not be fetched, which is no error of the crawl."""
        request: Request = failure.request  # type: ignore[attr-defined]
        ask: SourceRequest = request.cb_kwargs["ask"]
        error = failure.value
        if isinstance(error, HttpError):
            reason = f"HTTP {error.response.status}"
        else:
            reason = f"{type(error).__name__}: {error}".splitlines()[0]
        if not ask.guessed:
            self.spider.crawler.stats.inc_value(_KEYS[ask.kind].failed)
            self.spider.logger.info("could not fetch %s: %s", ask.url, reason)
        if not ask.guessed or (isinstance(error, HttpError) and error.response.status in MISSING):
            await self.discovery.read(ask, 0, reason, good=False)
        self.sources.done(ask, missing=ask.guessed)
        self.wake()

    def closed(self) -> None:
        """Set the stats of the sources and URLs that the limits left out, and of the skipped visits."""
        if self.discovery.spared:
            self.spider.crawler.stats.inc_value(stats.VISITS_SKIPPED, self.discovery.spared)
        self._count(stats.SOURCES_REFUSED, {"limit": self.sources.refused})

    def _count(self, prefix: str, counts: dict[str, int]) -> None:
        for reason, number in counts.items():
            if number:
                self.spider.crawler.stats.inc_value(f"{prefix}/{reason}", number)


def _header(response: Response, name: str) -> str | None:
    value = response.headers.get(name)
    return value.decode("latin-1") if value else None
