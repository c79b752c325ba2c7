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
from scrapy.http import HtmlResponse, Response, TextResponse
from twisted.python.failure import Failure

from sitecrawl import stats
from sitecrawl.config import Config
from sitecrawl.crawl.discovery import Discovery
from sitecrawl.crawl.frontier import SAMPLE_PRIORITY
from sitecrawl.crawl.life import Answer, Finding
from sitecrawl.crawl.outage import OUTAGE, Suspended, is_bad
from sitecrawl.crawl.pretence import pretended
from sitecrawl.crawl.site import SiteCrawl, now
from sitecrawl.dom import twin
from sitecrawl.dom.page import Page, check_size
from sitecrawl.errors import ConfigError, EmptyPageError, PageError, PageTooLargeError
from sitecrawl.items import PageItem
from sitecrawl.links.directives import read_directives
from sitecrawl.links.urls import host_of, url_key
from sitecrawl.refusals import FAILED_STREAK, PROBE, QUIET
from sitecrawl.spiders.answers import asked_url, recognised, redirect, unusable
from sitecrawl.spiders.answers import failure as meaning
from sitecrawl.spiders.sources import SourceReader
from sitecrawl.storage.pages import DuePage, PageStatus

WAITING_AT_ONCE: Final = 16
"""Waiting pages given to the pipelines before their commits are awaited."""
NOT_MODIFIED: Final = 304
CLOCK_TOLERANCE: Final = 60.0
"""Seconds that two machines' clocks may differ."""


class SiteSpider(Spider):
    """Crawls one website: `scrapy crawl site -a url=https://example.org/ [-a max_pages=500] [-a due=1]`.

    `recrawl` gives `lease`, the holder of a lease that it took for this crawl.
    """

    name = "site"

    def __init__(self, site_crawl: SiteCrawl, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.site_crawl = site_crawl
        self.start_url = site_crawl.start_url
        self.scope = site_crawl.scope
        self.outcome = "failed"
        self.broken: list[str] = []
        """URLs of pages that were fetched and could not be stored: an error of ours, or of the database."""
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
        owner, due = kwargs.pop("lease", None), kwargs.pop("due", "0")
        if due not in ("0", "1"):
            raise ConfigError(f"due={due} cannot be used: 1 for only the pages that are due, 0 for all")
        if kwargs:
            raise ConfigError(f"the site spider takes url, max_pages and due, not {', '.join(sorted(kwargs))}")
        config = Config.from_mapping(settings)
        if is_loopback(url):
            settings.set("DOWNLOAD_DELAY", 0, priority="spider")
            settings.set("AUTOTHROTTLE_ENABLED", False, priority="spider")
        depth = settings.getint("DEPTH_LIMIT")
        site_crawl = SiteCrawl(config, url, max_depth=depth, owner=owner, due=due == "1")
        spider: SiteSpider = super().from_crawler(crawler, site_crawl=site_crawl)
        crawler.signals.connect(spider._on_scheduler_empty, signals.scheduler_empty)
        crawler.signals.connect(spider._on_item_error, signals.item_error)
        crawler.signals.connect(spider._on_closed, signals.spider_closed)
        return spider

    async def start(self) -> AsyncIterator[Any]:
        """Yield the first requests, then whatever is due: waiting pages once the template is ready, the frontier."""
        crawl = self.site_crawl
        if crawl.clock_back > CLOCK_TOLERANCE:
            self.crawler.stats.set_value(stats.CLOCK_SET_BACK, round(crawl.clock_back))
            self.logger.warning(
                "%s: the clock of this machine is %.0f s behind the start of the last crawl; check it",
                self.scope.key,
                crawl.clock_back,
            )
        self._lease = asyncio.create_task(self._keep_lease())
        if not crawl.compiled:
            self.crawler.stats.set_value(stats.FLATTEN_REFERENCE, 1)
            if twin.PROBLEM and crawl.config.extension == "auto":
                self.logger.warning("pages are flattened in Python, much slower: the compiled twin: %s", twin.PROBLEM)
        for row in await crawl.emitted_rows():
            self.crawler.stats.inc_value(stats.CONTENT_REPEATED)
            yield row
        if not crawl.crawl.resumed:
            first = crawl.frontier.add(url_key(self.start_url), self.start_url, 0, SAMPLE_PRIORITY)
            if first is not None:
                await crawl.discover([first])
        if crawl.config.sitemaps:
            yield self.reader.robots_request(self._origin())
        if self.discovery.revisit:
            self._wake.set()  # pages come after what sitemaps and feeds say of them
        else:
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
            await self.discovery.spare()
            batch = await crawl.frontier_batch()
            for page in batch:
                yield self.page_request(page)
            if batch:
                continue
            if crawl.hosts.suspended:
                for request in self._probes():
                    yield request
                await self._settle_suspended()
                continue
            if crawl.frontier.stopped:
                return
            for key in list(crawl.frontier.taken):  # the engine dropped them without a word
                await crawl.settle(key, "", Finding(Answer.FAILED, "dropped before it was fetched"), None, 0)
            if not crawl.exhausted:
                await crawl.exhaust()
                self._wake.set()
                continue
            if not crawl.waiting and self._idle():
                for row in await crawl.conclude():
                    self.crawler.stats.inc_value(f"{stats.CONTENT_STATUS}/{row.status}")
                    yield row
                self.crawler.stats.set_value(stats.PAGES_DELETED, crawl.conclusion.deleted)
                self.crawler.stats.set_value(stats.PAGES_HELD, crawl.conclusion.held)
                return

    async def _waiting_items(self) -> AsyncIterator[PageItem]:
        crawl = self.site_crawl
        while crawl.ready and crawl.waiting:
            for _ in range(min(WAITING_AT_ONCE, len(crawl.waiting))):
                item = await crawl.waiting_item(crawl.waiting.popleft())
                if item is not None and crawl.is_alias(item):
                    crawl.aliases.append(item.url_key)
                elif item is not None:
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

    def _on_item_error(self, item: object) -> None:
        self.broken.append(str(getattr(item, "url", "")))

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
        meta: dict[str, Any] = {"url_key": page.url_key, "depth": page.depth}
        if page.etag or page.last_modified:
            meta |= {"etag": page.etag, "last_modified": page.last_modified, "handle_httpstatus_list": [304]}
        return Request(
            page.url,
            callback=self.parse,
            errback=self.failed,
            priority=page.priority if priority is None else priority,
            dont_filter=True,  # the frontier knows what was asked for
            meta=meta,
        )

    # Responses ------------------------------------------------------------------------------------------------

    async def parse(self, response: Response, **kwargs: Any) -> AsyncIterator[Any]:
        """Turn a response into a PageItem; anything that is no page is recorded with its reason."""
        await self._settle_suspended()
        crawl, depth = self.site_crawl, int(response.meta.get("depth", 0))
        key, asked = int(response.meta["url_key"]), asked_url(response.request or Request(response.url))
        if response.status == NOT_MODIFIED:
            if response.url == asked:
                self.crawler.stats.inc_value(stats.PAGES_NOT_MODIFIED)
                row = await crawl.not_modified(key, asked, depth)
                if row is not None:
                    yield row
                return
            await crawl.settle(key, asked, Finding(Answer.FAILED, "HTTP 304 after a redirect"), 304, depth)
            return
        if response.url != asked:
            target = url_key(response.url)
            if target != key:
                self.crawler.stats.inc_value(stats.PAGES_REDIRECTED)
                await crawl.settle(key, asked, redirect(response.meta, response.url), None, depth)
                if target in crawl.frontier.settled or target in crawl.frontier.taken:
                    self.crawler.stats.inc_value(stats.PAGES_DUPLICATE)
                    return
                key = target
        finding = unusable(response)
        if finding is not None:
            await crawl.settle(key, response.url, finding, response.status, depth)
            return
        try:
            page = self._page(response)
        except PageError as error:
            self._count_page_error(error)
            finding = Finding(Answer.UNUSABLE, error.reason)
            await crawl.settle(key, response.url, finding, response.status, depth)
            return
        finding = pretended(page)
        if finding is not None:
            self.crawler.stats.inc_value(stats.PAGES_PRETENDED)
            await crawl.settle(key, response.url, finding, response.status, depth)
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
        response = recognised(response)
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
        key, depth, url = int(request.meta["url_key"]), int(request.meta.get("depth", 0)), asked_url(request)
        finding, http_status = meaning(failure.value, request)
        if finding is None:
            self.postpone(key, str(failure.value))
            return
        streak = request.meta.get(FAILED_STREAK)
        if streak is not None and finding.answer is Answer.FAILED:
            host = host_of(request.url)
            one = Suspended(key, url, finding, http_status, depth, host, streak)
            self.site_crawl.hosts.suspended.append(one)
            await self._settle_suspended()
            self._wake.set()
            return
        self.logger.info("could not fetch %s: %s", url, finding.why)
        decision = await self.site_crawl.settle(key, url, finding, http_status, depth)
        if decision is not None:
            excluded = decision.status is PageStatus.EXCLUDED
            self.crawler.stats.inc_value(stats.PAGES_EXCLUDED if excluded else stats.PAGES_FAILED)

    def _probes(self) -> list[Request]:
        """Nothing is left but pages that failed: ask their hosts once more, to know whose fault it was."""
        hosts = self.site_crawl.hosts
        urls = {one.host: hosts.of(one.host).good_url for one in hosts.suspended}
        for host, url in urls.items():
            if url is None:  # it never answered: there is no outage to wait for
                hosts.of(host).answered()
        self._wake.set()
        return [
            Request(url, callback=self.probed, errback=self.probe_failed, dont_filter=True, meta={PROBE: True, **QUIET})
            for url in urls.values()
            if url is not None
        ]

    async def _settle_suspended(self) -> None:
        if self.site_crawl.hosts.suspended:
            failed = await self.site_crawl.settle_suspended()
            self.crawler.stats.inc_value(stats.PAGES_FAILED, failed)

    async def probed(self, response: Response) -> None:
        """Settle what failed last: the host answers, or it is down."""
        host = self.site_crawl.hosts.of(host_of(response.url))
        if is_bad(response.status):
            self.site_crawl.give_up(host.name, OUTAGE, host.describe())
        else:
            host.answered()
        await self._settle_suspended()
        self._wake.set()

    async def probe_failed(self, failure: Failure) -> None:
        """Leave what failed last to the next run: the host is down."""
        request: Request = failure.request  # type: ignore[attr-defined]
        host = self.site_crawl.hosts.of(host_of(request.url))
        self.site_crawl.give_up(host.name, OUTAGE, host.describe())
        await self._settle_suspended()
        self._wake.set()

    def postpone(self, key: int, why: str) -> None:
        """Leave a page as it is: it stays due."""
        self.site_crawl.postpone(key, why)
        self.crawler.stats.inc_value(stats.PAGES_POSTPONED)

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
        self.outcome = crawl.outcome(reason)
        self.counts = await crawl.counts()
        for stage, seconds in crawl.seconds.items():
            self.crawler.stats.set_value(f"{stats.SECONDS}/{stage}", round(seconds, 3))
        await crawl.close(self.outcome, await crawl.figures())
        self.crawler.stats.set_value(stats.TEMPLATE_LAYOUTS, len(crawl.learning.layouts.published))
        self.crawler.stats.set_value(stats.TEMPLATE_RETIRED, len(crawl.retired))
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
