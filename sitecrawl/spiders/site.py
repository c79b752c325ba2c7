"""The site spider: fetches the pages of one website, parses each once and passes it on."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, Final

from scrapy import Request, Spider, signals
from scrapy.crawler import Crawler

from sitecrawl import stats
from sitecrawl.config import Config
from sitecrawl.crawl.deep_lists import DeepLists
from sitecrawl.crawl.discovery import Discovery
from sitecrawl.crawl.page_lifecycle import FetchOutcome, FetchResult
from sitecrawl.crawl.sandbox import Sandbox
from sitecrawl.crawl.site import FEED, LEASE_LOST, SiteCrawl, end_of_writing
from sitecrawl.crawl.spellings import origin_of
from sitecrawl.crawl.work_turns import work_turns
from sitecrawl.errors import StorageError, WritingEndedError
from sitecrawl.items import ContentItem, PageItem
from sitecrawl.metadata.fields import RowStatus
from sitecrawl.page_kind import Kind
from sitecrawl.shell.addresses import PUBLIC, parse_allowances
from sitecrawl.shell.site_spider import ProcessShare
from sitecrawl.spiders.arguments import apply_access, read_arguments
from sitecrawl.spiders.closing_stats import closing_stats
from sitecrawl.spiders.engine import Engine
from sitecrawl.spiders.host_probes import HostProbes
from sitecrawl.spiders.lease import keep_lease
from sitecrawl.spiders.login import log_in
from sitecrawl.spiders.machine_warnings import warn_of_machine
from sitecrawl.spiders.pages import PageReader
from sitecrawl.spiders.second_fetches import SecondFetchReader
from sitecrawl.spiders.sources import SourceReader
from sitecrawl.spiders.trap_probes import TrapProbes

WAITING_AT_ONCE: Final = 16
"""Waiting pages that are passed to the pipelines before their commits are awaited."""


class SiteSpider(Spider):
    """Crawls one website: `scrapy crawl site -a url=https://example.org/ [-a max_pages=500] [-a due=1]`.

    Further arguments restrict the scope and configure the requests (`crawl.site_options`). `recrawl` passes `lease`,
    the holder of a lease that it took for this crawl. `worker` passes `opened`, the open crawl, and `process`, the
    resources shared with the other crawls of the process.
    """

    name = "site"
    of_sitecrawl = True
    """Marks the spider for the add-on, in other Scrapy projects too."""
    engine: Engine

    def __init__(self, site_crawl: SiteCrawl, process: ProcessShare | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.site_crawl = site_crawl
        self.start_url = site_crawl.start_url
        self.scope = site_crawl.scope
        self.outcome = "failed"
        self.counts: tuple[dict[tuple[Kind, RowStatus], int], dict[str, int]] | None = None
        """Pages of the crawl by (kind, status) and URLs of the site by status, once it has ended."""
        self.feed_failure = ""
        """Why rows could not be written to the feed."""
        self.broken: list[str] = []
        """URLs of fetched pages that could not be stored, by an error of ours or of the database."""
        self.before_end: list[Callable[[Spider], Awaitable[None]]] = []
        """Calls made before the crawl is finished: they store its feeds."""
        self._wake = asyncio.Event()
        self.discovery = Discovery(site_crawl)
        self.deep_lists = DeepLists(site_crawl, self.discovery.out_of_scope)
        self.sources = SourceReader(self, self.discovery, self._wake.set)
        self.probes = HostProbes(self, site_crawl, self._wake.set)
        self.share = process or ProcessShare(Sandbox(site_crawl.config))
        self._is_alone = process is None
        self.pages = PageReader(self, site_crawl, self.probes, self.share.sandbox)
        self.second_fetches = SecondFetchReader(self, site_crawl, self.pages)
        self.trap_probes = TrapProbes(self, site_crawl, self.pages.page)
        self._tasks: list[asyncio.Task[None]] = []

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> "SiteSpider":
        """Check the arguments, open the database and lease the site.

        Raises ConfigError for arguments and settings, StorageError for the database.
        """
        settings = crawler.settings
        opened: SiteCrawl | None = kwargs.pop("opened", None)
        process: ProcessShare | None = kwargs.pop("process", None)
        start = read_arguments(settings, kwargs)
        config = Config.from_mapping(settings)
        parse_allowances(config.allowed_addresses)  # before the crawl begins in the database
        site_crawl = opened or SiteCrawl(config, start)
        apply_access(settings, site_crawl.options.access, start.url, polite=config.loopback_politeness)
        spider: SiteSpider = super().from_crawler(crawler, site_crawl=site_crawl, process=process)
        spider.engine = Engine(crawler)
        crawler.signals.connect(spider._on_scheduler_empty, signals.scheduler_empty)
        crawler.signals.connect(spider._on_item_error, signals.item_error)
        crawler.signals.connect(spider._on_closed, signals.spider_closed)
        crawler.signals.connect(spider.engine.closed, signals.engine_stopped)
        return spider

    async def start(self) -> AsyncIterator[Any]:
        """Yield the first requests, then everything that is due, until the crawl ends or nothing can be written."""
        hurry = self.engine.when_stopped(self.site_crawl.writer.hurry)
        duties = (self._keep_lease(), self._end_with_writer(), self.engine.let_close(), self.engine.let_stop(), hurry)
        self._tasks = [asyncio.create_task(duty) for duty in duties]
        try:
            async for one in self._due():
                yield one
                if self.engine.is_closing():
                    return
        except WritingEndedError:
            return  # `_end_with_writer` ends the crawl
        except StorageError:
            if not self.engine.is_closing():
                raise

    async def _due(self) -> AsyncIterator[Any]:
        """Yield the first requests, waiting pages once the template is ready, then the frontier."""
        crawl = self.site_crawl
        warn_of_machine(self, crawl)
        if not await log_in(self, crawl):
            return
        async for request in self._first_requests():
            yield request
        repeated = False
        while True:
            await self._wake.wait()
            self._wake.clear()
            extracted = False
            async for one in self._due_now():
                extracted |= isinstance(one, PageItem)
                yield one
            self.engine.go_on()
            if extracted:
                await self.engine.passed()
            if not self.engine.is_idle():
                continue
            requests = await self._next_requests()
            for request in requests:
                yield request
            if not repeated:  # rows of an interrupted run are emitted while the first pages are fetched
                repeated = True
                async for row in crawl.emitted_rows():
                    self.crawler.stats.inc_value(stats.CONTENT_REPEATED)
                    yield row
                await self.engine.passed()
            if requests:
                continue
            if crawl.hosts.suspended:
                for request in await self.probes.requests():
                    yield request
                continue
            if crawl.frontier.stopped:
                return
            await self._settle_dropped()
            if not crawl.frontier.exhausted:
                for request in await self._last_requests():
                    yield request
            elif not crawl.waiting.pages and self.engine.is_idle():
                if await self.deep_lists.follow():
                    self._wake.set()
                    continue
                for row in await self._conclude():
                    yield row
                return

    async def _first_requests(self) -> AsyncIterator[Request]:
        """Yield the first requests: robots.txt, trap probes and pages. A revisit reads its sitemaps before any page."""
        crawl = self.site_crawl
        await self.discovery.begin()
        if crawl.config.sitemaps:
            yield self.sources.robots_request(origin_of(self.start_url))
        for request in self.trap_probes.due():
            yield request
        if self.discovery.revisit:
            self._wake.set()  # sitemaps and feeds decide first which pages are due
            return
        for page in await crawl.next_pages.batch():
            yield self.pages.request(page)

    async def _due_now(self) -> AsyncIterator[Request | PageItem]:
        """Yield the requests for sources and for second fetches, and the waiting pages that can be extracted."""
        for request in self.sources.requests():
            yield request
        for request in await self.second_fetches.requests():
            yield request
        async for item in self._waiting_items():
            yield item

    async def _next_requests(self) -> list[Request]:
        """Return the requests for the next pages of the frontier."""
        await self.site_crawl.writer.flush()
        await self.discovery.spare()
        return [self.pages.request(page) for page in await self.site_crawl.next_pages.batch()]

    async def _settle_dropped(self) -> None:
        """Store as failed the pages that the engine dropped silently: they are still taken although it is idle."""
        for key in list(self.site_crawl.frontier.taken):
            dropped = FetchOutcome(FetchResult.FAILED, "dropped before it was fetched")
            await self.site_crawl.visits.settle(key, "", dropped, None, 0, requested=False)

    async def _last_requests(self) -> list[Request]:
        """Return the last second fetches, once no page is left to fetch; if there are none, publish all counts."""
        requests = await self.second_fetches.requests(last=True)
        if not requests:
            await self.site_crawl.publishing.exhaust()
            self._wake.set()
        return requests

    async def _conclude(self) -> list[ContentItem]:
        """Conclude the crawl and set its stats; return the rows of the deleted pages."""
        crawl = self.site_crawl
        rows = await crawl.conclude()
        for row in rows:
            self.crawler.stats.inc_value(f"{stats.CONTENT_STATUS}/{row.status}")
        self.crawler.stats.set_value(stats.PAGES_DELETED, crawl.report.conclusion.deleted)
        self.crawler.stats.set_value(stats.PAGES_HELD, crawl.report.conclusion.held)
        return rows

    async def _waiting_items(self) -> AsyncIterator[PageItem]:
        crawl = self.site_crawl
        if crawl.publishing.ready and crawl.page_store.storing:
            await crawl.writer.flush()
        while crawl.publishing.ready and crawl.waiting.pages:
            await crawl.page_store.read_ahead(WAITING_AT_ONCE)
            crawl.page_store.together = self._is_alone  # in a worker, pages of other crawls would wait for the commit
            for _ in range(min(WAITING_AT_ONCE, len(crawl.waiting.pages))):
                await work_turns().of_page(crawl.site_id)
                if (item := await crawl.page_store.next_waiting()) is not None:
                    yield item
            crawl.page_store.together = False
            await crawl.writer.flush()

    def emit_waiting(self) -> None:
        """Make `start` emit the waiting pages. A process with one crawl pauses requests, to keep the feed's order."""
        if self._is_alone:  # not in a worker: many sites may decide at once, and each would wait for the pages of all
            self.engine.hold()
        self._wake.set()

    async def _on_item_error(self, item: object) -> None:
        self.broken.append(str(getattr(item, "url", "")))
        if isinstance(item, PageItem) and not item.stored:
            await self.site_crawl.page_store.lost(item)
        self._wake.set()

    def _on_scheduler_empty(self) -> None:
        if self.engine.is_idle():
            self._wake.set()

    def wake(self) -> None:
        """Make `start` look for due requests now."""
        self._wake.set()

    async def _keep_lease(self) -> None:
        crawl = self.site_crawl
        if not await keep_lease(crawl.renew, crawl.config.lease_seconds, self.scope.key):
            self.engine.end(LEASE_LOST)

    async def _end_with_writer(self) -> None:
        await self.site_crawl.writer.until_lost()
        self.engine.end(end_of_writing(self.site_crawl.writer.lost))

    def end_without_feed(self, why: str) -> None:
        """End the crawl because its rows cannot be written; the next run emits them again."""
        self.feed_failure = why
        self.engine.end(FEED)

    async def _on_closed(self, reason: str) -> None:
        for task in self._tasks:
            task.cancel()
        self.sources.closed()
        if self._is_alone:
            self.share.sandbox.close()
        for do in self.before_end:
            await do(self)
        try:
            await self._close(reason)
        except WritingEndedError as error:
            self.outcome = end_of_writing(error)
            await self.site_crawl.abandon()
        for name, value in closing_stats(self.site_crawl).items():
            self.crawler.stats.set_value(name, value)

    async def _close(self, reason: str) -> None:
        crawl = self.site_crawl
        broken = dict.fromkeys([*self.broken, *crawl.report.unsettled])
        self.broken = [url for url in broken if not crawl.is_stored(url)]
        self.outcome = FEED if self.feed_failure else crawl.outcome(reason)
        self.counts = await crawl.counts()
        self.discovery.count_refused(self.crawler.stats.set_value)
        answered = bool(self.crawler.stats.get_value("downloader/response_count"))
        refused = crawl.report.moved is not None  # the site must stay, so that `pages HOST` shows the refusal
        public = crawl.reach == PUBLIC  # the host, added again, must not then resolve to a private address
        figures = await crawl.figures(*self.counts)
        # a site that was due had been added or crawled before: it stays, and is tried again
        forget = not answered and not refused and not crawl.start.due
        await crawl.close(self.outcome, figures, forget=forget, keep_reach=public, broken=bool(self.broken))
        for name in (stats.TRAPS_REFUSED, stats.PAGES_EXCLUDED):  # the requested ones among them are counted already
            self.crawler.stats.inc_value(name, crawl.next_pages.trapped)
