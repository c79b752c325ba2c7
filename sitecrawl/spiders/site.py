"""The site spider: fetches the pages of one website and hands each on, parsed once.

Longer than other modules: responses and failures are the callbacks of one spider.
"""

import asyncio
import contextlib
import ipaddress
from collections.abc import AsyncIterator
from typing import Any, Final
from urllib.parse import urlsplit

from scrapy import Request, Spider, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest
from scrapy.http import HtmlResponse, Response, TextResponse
from scrapy.spidermiddlewares.httperror import HttpError
from twisted.python.failure import Failure

from sitecrawl import stats
from sitecrawl.config import Config
from sitecrawl.crawl.discovery import Discovery
from sitecrawl.crawl.frontier import SAMPLE_PRIORITY
from sitecrawl.crawl.site import SiteCrawl, now
from sitecrawl.dom.page import Page, check_size
from sitecrawl.errors import ConfigError, EmptyPageError, PageError, PageTooLargeError
from sitecrawl.items import PageItem
from sitecrawl.links.directives import read_directives
from sitecrawl.links.urls import url_key
from sitecrawl.spiders.sources import SourceReader
from sitecrawl.storage.pages import DuePage, PageStatus

WAITING_AT_ONCE: Final = 16
"""Waiting pages given to the pipelines before their commits are awaited."""
GONE: Final = frozenset((404, 410))


class SiteSpider(Spider):
    """Crawls one website: `scrapy crawl site -a url=https://example.org/ [-a max_pages=500]`."""

    name = "site"

    def __init__(self, site_crawl: SiteCrawl, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.site_crawl = site_crawl
        self.start_url = site_crawl.start_url
        self.scope = site_crawl.scope
        self.outcome = "failed"
        self._wake = asyncio.Event()
        self.discovery = Discovery(site_crawl)
        self.reader = SourceReader(self, self.discovery)
        self._lease: asyncio.Task[None] | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> "SiteSpider":
        """Check the arguments, open the database and lease the site.

        Raises ConfigError for arguments and settings, StorageError for the database.
        """
        settings = crawler.settings
        url = kwargs.pop("url", None)
        if not url:
            raise ConfigError("which website? give it as -a url=https://example.org/")
        max_pages = kwargs.pop("max_pages", None)
        if max_pages is not None:
            settings.set("SITECRAWL_MAX_PAGES", max_pages, priority="cmdline")
        if kwargs:
            raise ConfigError(f"the site spider takes url and max_pages, not {', '.join(sorted(kwargs))}")
        config = Config.from_mapping(settings)
        if is_loopback(url):
            settings.set("DOWNLOAD_DELAY", 0, priority="spider")
            settings.set("AUTOTHROTTLE_ENABLED", False, priority="spider")
        site_crawl = SiteCrawl(config, url, max_depth=settings.getint("DEPTH_LIMIT"))
        spider: SiteSpider = super().from_crawler(crawler, site_crawl=site_crawl)
        crawler.signals.connect(spider._on_scheduler_empty, signals.scheduler_empty)
        crawler.signals.connect(spider._on_closed, signals.spider_closed)
        return spider

    async def start(self) -> AsyncIterator[Any]:
        """Yield the first requests, then whatever is due: waiting pages once the template is ready, the frontier."""
        crawl = self.site_crawl
        self._lease = asyncio.create_task(self._keep_lease())
        for row in await crawl.emitted_rows():
            self.crawler.stats.inc_value(stats.CONTENT_REPEATED)
            yield row
        if not crawl.crawl.resumed:
            first = crawl.frontier.add(url_key(self.start_url), self.start_url, 0, SAMPLE_PRIORITY)
            if first is not None:
                await crawl.discover([first])
        if crawl.config.sitemaps:
            yield self.reader.robots_request(self._origin())
        for page in await crawl.frontier_batch():
            yield self.page_request(page)
        while True:
            await self._wake.wait()
            self._wake.clear()
            for request in self.reader.requests():
                yield request
            async for item in self._waiting_items():
                yield item
            self._hold(False)
            if not self._idle():
                continue
            await crawl.writer.flush()
            batch = await crawl.frontier_batch()
            for page in batch:
                yield self.page_request(page)
            if batch:
                continue
            for key in list(crawl.frontier.taken):  # the engine dropped them without a word
                await crawl.settle(key, "", PageStatus.ERROR, "dropped before it was fetched", None, 0)
            if not crawl.exhausted:
                await crawl.exhaust()
                self._wake.set()
                continue
            if not crawl.waiting and self._idle():
                return

    async def _waiting_items(self) -> AsyncIterator[PageItem]:
        crawl = self.site_crawl
        while crawl.ready and crawl.waiting:
            for _ in range(min(WAITING_AT_ONCE, len(crawl.waiting))):
                item = await crawl.waiting_item(crawl.waiting.popleft())
                if item is not None:
                    yield item
            await crawl.writer.flush()

    def emit_waiting(self) -> None:
        """Have `start` emit what waited for the template, before any other page is fetched: the order is kept."""
        self._hold(True)
        self._wake.set()

    def _hold(self, hold: bool) -> None:
        engine = self.crawler.engine
        if engine is not None:
            (engine.pause if hold else engine.unpause)()

    def _on_scheduler_empty(self) -> None:
        if self._idle():
            self._wake.set()

    def _idle(self) -> bool:
        engine = self.crawler.engine
        slot = engine.scraper.slot if engine is not None else None
        scheduler = engine.scheduler if engine is not None else None
        return bool(
            engine is not None
            and not engine.downloader.active
            and slot is not None
            and slot.is_idle()
            and scheduler is not None
            and not scheduler.has_pending_requests()
        )

    def page_request(self, page: DuePage, *, priority: int | None = None) -> Request:
        """Return the request of a page that the frontier has taken."""
        return Request(
            page.url,
            callback=self.parse,
            errback=self.failed,
            priority=page.priority if priority is None else priority,
            dont_filter=True,  # the frontier knows what was asked for
            meta={"url_key": page.url_key, "depth": page.depth},
        )

    # Responses ------------------------------------------------------------------------------------------------

    async def parse(self, response: Response, **kwargs: Any) -> AsyncIterator[Any]:
        """Turn a response into a PageItem; anything that is no page is recorded with its reason."""
        crawl, depth = self.site_crawl, int(response.meta.get("depth", 0))
        key, asked = int(response.meta["url_key"]), response.meta.get("redirect_urls", [response.url])[0]
        if response.url != asked:
            target = url_key(response.url)
            if target != key:
                self.crawler.stats.inc_value(stats.PAGES_REDIRECTED)
                await crawl.settle(key, asked, PageStatus.REDIRECTED, f"to {response.url}", None, depth)
                if target in crawl.frontier.settled or target in crawl.frontier.taken:
                    self.crawler.stats.inc_value(stats.PAGES_DUPLICATE)
                    return
                key = target
        try:
            page = self._page(response)
        except PageError as error:
            self._count_page_error(error)
            await crawl.settle(key, response.url, PageStatus.EXCLUDED, error.reason, response.status, depth)
            return
        crawl.frontier.settle(key, page=True)
        self.crawler.stats.inc_value(stats.PAGES_PARSED)
        headers = [value.decode("latin-1") for value in response.headers.getlist("X-Robots-Tag")]
        directives = read_directives(page.metas, headers, now(), self._agent)
        yield PageItem(
            page=page,
            url_key=key,
            html=response.text if isinstance(response, TextResponse) else "",
            http_status=response.status,
            depth=depth,
            fetched_at=now(),
            etag=_header(response, "ETag"),
            last_modified=_header(response, "Last-Modified"),
            noindex=directives.noindex,
            nofollow=directives.nofollow,
        )

    def _page(self, response: Response) -> Page:
        if not isinstance(response, HtmlResponse):
            kind = _header(response, "Content-Type") or "no content type"
            raise PageError(response.url, f"not HTML ({kind})")
        if not response.body.strip():
            raise EmptyPageError(response.url, "the page is empty")
        check_size(response.url, response.text)
        root = response.selector.root
        page = Page.from_root(root, response.url, max_nodes=self.site_crawl.config.max_nodes)
        if not len(page.flat):
            raise EmptyPageError(response.url, "the page is empty")
        return page

    def _count_page_error(self, error: PageError) -> None:
        key = stats.PAGES_NOT_HTML
        if isinstance(error, PageTooLargeError):
            key = stats.PAGES_TOO_LARGE
        elif isinstance(error, EmptyPageError):
            key = stats.PAGES_EMPTY
        self.crawler.stats.inc_value(key)
        self.logger.info("passed over %s", error)

    async def failed(self, failure: Failure) -> None:
        """Record why a page could not be fetched."""
        request: Request = failure.request  # type: ignore[attr-defined]
        key, depth = int(request.meta["url_key"]), int(request.meta.get("depth", 0))
        error, http_status, status = failure.value, None, PageStatus.ERROR
        if isinstance(error, HttpError):
            http_status = error.response.status
            status = PageStatus.GONE if http_status in GONE else PageStatus.ERROR
            reason = f"HTTP {http_status}"
        elif isinstance(error, IgnoreRequest):
            status, reason = PageStatus.EXCLUDED, str(error) or type(error).__name__
        else:
            reason = f"{type(error).__name__}: {error}".strip(": ")
        self.crawler.stats.inc_value(stats.PAGES_EXCLUDED if status is PageStatus.EXCLUDED else stats.PAGES_FAILED)
        url = request.meta.get("redirect_urls", [request.url])[0]
        self.logger.info("could not fetch %s: %s", url, reason)
        await self.site_crawl.settle(key, url, status, reason.splitlines()[0][:300], http_status, depth)

    # Sitemaps and feeds ---------------------------------------------------------------------------------------

    def wake(self) -> None:
        """Have `start` look for what is to be asked for now."""
        self._wake.set()

    @property
    def _agent(self) -> str:
        """What robots directives call this crawler: the product token of its user agent."""
        agent = self.settings.get("ROBOTSTXT_USER_AGENT") or self.settings.get("USER_AGENT") or self.name
        return str(agent).partition("/")[0].strip()

    def _origin(self) -> str:
        parts = urlsplit(self.start_url)
        return f"{parts.scheme}://{parts.netloc}"

    # Lease and end --------------------------------------------------------------------------------------------

    async def _keep_lease(self) -> None:
        while True:
            await asyncio.sleep(self.site_crawl.config.lease_seconds / 3)
            if not await self.site_crawl.renew():
                self.logger.error("%s: the lease was taken over; this crawl ends", self.scope.key)
                engine = self.crawler.engine
                if engine is not None:
                    await engine.close_spider_async(reason="lease_lost")
                return

    async def _on_closed(self, reason: str) -> None:
        if self._lease is not None:
            self._lease.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._lease
        crawl = self.site_crawl
        self.reader.closed()
        self.outcome = "max_pages" if reason == "finished" and crawl.frontier.full else reason
        self.counts = await crawl.counts()
        for stage, seconds in crawl.seconds.items():
            self.crawler.stats.set_value(f"{stats.SECONDS}/{stage}", round(seconds, 3))
        await crawl.close(self.outcome, {"pages": crawl.frontier.pages})
        self.crawler.stats.set_value(stats.STORAGE_BATCHES, crawl.writer.batches)
        self.crawler.stats.set_value(stats.STORAGE_OPERATIONS, crawl.writer.operations)
        self.crawler.stats.set_value(stats.STORAGE_RETRIES, crawl.writer.retries)


def is_loopback(url: str) -> bool:
    """Say whether a URL is on this very machine: no politeness is needed there (DECISIONS 6)."""
    try:
        host = urlsplit(url).hostname or ""
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _header(response: Response, name: str) -> str | None:
    value = response.headers.get(name)
    return value.decode("latin-1") if value else None
