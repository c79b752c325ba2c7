"""A process of a worker: crawls several due sites at once on one event loop, until its worker ends it.

All state is in the database: a site is taken by its lease, and released when its crawl has ended. The crawls share the
database engine, the writer, the resolver, the sandbox and the language model of the process, and nothing else.
"""

import asyncio
import logging
import os
from collections.abc import Callable
from pathlib import Path
from time import monotonic
from typing import Final

from scrapy.crawler import AsyncCrawlerRunner, Crawler

from sitecrawl.clock import now
from sitecrawl.config import Config
from sitecrawl.crawl.crawl_start import CrawlStart
from sitecrawl.crawl.sandbox import Sandbox
from sitecrawl.crawl.site import SiteCrawl
from sitecrawl.crawl.stored_pages import HeldRows
from sitecrawl.errors import SitecrawlError, StorageError
from sitecrawl.fleet.crawl_line import CrawlLine
from sitecrawl.fleet.places import End, Limits, Look, Places, Stop, Take, Wait
from sitecrawl.fleet.wake_ups import LOOK as QUIET
from sitecrawl.links.scope import SiteScope
from sitecrawl.shell.address_pace import AddressPace
from sitecrawl.shell.logs import site_of_crawl
from sitecrawl.shell.site_spider import ProcessShare
from sitecrawl.spiders.ended_crawl import line_of, unopened
from sitecrawl.spiders.site import SiteSpider
from sitecrawl.spiders.site_source import SiteSource, TakenSite
from sitecrawl.storage.db.engine import session_scope
from sitecrawl.storage.db.writer import ProcessDatabase
from sitecrawl.storage.sites import SiteRepository

logger = logging.getLogger(__name__)

STOPPING_LOOKS: Final = 0.1
"""Seconds between attempts to stop a crawl whose engine is not running yet."""
ENDING_LOOKS: Final = 0.5
"""Seconds between checks whether the process must end, while the previous crawl of a taken site is ending."""
LOST: Final = "the database is lost"


class SiteWorker:
    """The crawls of one process."""

    def __init__(
        self,
        runner: AsyncCrawlerRunner,
        config: Config,
        database: ProcessDatabase,
        limits: Limits,
        source: SiteSource,
        ended: Callable[[CrawlLine], None],
    ) -> None:
        """`ended` is called with the log line of each crawl that has ended."""
        self.runner, self.config, self.database = runner, config, database
        self.places = Places(limits)
        self.crawlers: dict[int, Crawler] = {}
        """Crawls whose spider is open, by site."""
        self.left = 0
        """Number of sites that could not be released when all crawls were stopped."""
        self._source, self._ended = source, ended
        self._owners: dict[int, str] = {}
        self._share = ProcessShare(Sandbox(config), AddressPace() if config.address_politeness else None)
        self._held = HeldRows()
        self._crawls: dict[int, asyncio.Task[None]] = {}
        """Tasks by site id. A task is there until its site is released and its place is free."""
        self._stops: set[asyncio.Task[None]] = set()
        self._woken = asyncio.Event()
        self._awaited: list[asyncio.Future[None]] = []
        """Wake-ups that wait for the next look for a due site."""

    async def run(self) -> str:
        """Crawl until the process must end; return the reason."""
        renewing = asyncio.create_task(self._source.keep())
        lost = asyncio.create_task(self._end_with_database())
        try:
            while True:
                step = self.places.step(monotonic(), memory_in_use())
                if isinstance(step, End):
                    return step.why
                await self._do(step)
        finally:
            renewing.cancel()
            lost.cancel()
            self._answer()
            self._share.sandbox.close()

    def drain(self, why: str) -> None:
        """Take no more sites, and stop all crawls properly."""
        self.places.drain(why)
        self._answer()
        self._woken.set()

    async def wake(self) -> None:
        """Look for a due site once a place is free; return after that look, or at once if the process is ending."""
        if self.places.ending:
            return
        looked: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._awaited.append(looked)
        self.places.wake()
        self._woken.set()
        await looked

    def wake_ups(self, come: bool) -> None:
        """Set whether wake-ups will come. If they do, an idle process hardly ever looks for due sites by itself."""
        self.places.quiet = QUIET if come else 0.0
        self.places.wake()
        self._woken.set()

    async def due(self, most: int) -> list[int]:
        """Return the numbers of at most `most` due sites that no process crawls, the most overdue first."""
        return await self.database.writer.submit(lambda s: SiteRepository(s).due(now(), most))

    def _answer(self) -> None:
        """Let the calls of `wake` that wait for a look return."""
        for looked in self._awaited:
            if not looked.done():
                looked.set_result(None)
        self._awaited.clear()

    def release_all(self) -> None:
        """Release the sites of crawls that did not end in time, so that they are due; just before the process exits."""
        with session_scope(self.database.engine) as session:
            for site, owner in self._owners.items():
                crawler = self.crawlers.get(site)
                spider = crawler.spider if crawler is not None else None
                for holder in (owner, *((spider.site_crawl.owner,) if isinstance(spider, SiteSpider) else ())):
                    SiteRepository(session).hand_back(site, holder, now())

    async def _do(self, step: Take | Look | Wait | Stop) -> None:
        if isinstance(step, Stop):
            self._stop(step)
        elif isinstance(step, Wait):
            self._woken.clear()
            try:
                await asyncio.wait_for(self._woken.wait(), step.seconds)
            except TimeoutError:
                return
        else:
            try:
                await (self._take() if isinstance(step, Take) else self._look())
            except StorageError as error:
                pause = self.places.failed(monotonic())
                logger.warning("%s; trying again in %.0f s", error, pause)

    async def _take(self) -> None:
        """Take the next site, and begin its crawl."""
        taken = await self._source.take(suspects=self.places.takes_suspects(monotonic()))
        self._answer()
        if taken is None:
            self.places.nothing_due(monotonic(), self._source.next_due())
            return
        # The previous crawl of the site has released or lost it, and is ending. A process that must end does not wait.
        while taken.site.id in self._crawls and not self.places.ending:
            await asyncio.wait({self._crawls[taken.site.id]}, timeout=ENDING_LOOKS)
        self.places.taken(taken.site.id, monotonic(), suspect=taken.suspect)
        self._owners[taken.site.id] = taken.owner
        self._crawls[taken.site.id] = asyncio.create_task(self._crawl(taken))

    async def _look(self) -> None:
        """Stop the crawl that has run longest if a site waits for a place."""
        stop = self.places.looked(monotonic(), waiting=await self._source.is_waited_for())
        if stop is not None:
            self._stop(stop)

    def _stop(self, step: Stop) -> None:
        for site in step.sites:
            task = asyncio.create_task(self._stop_one(site))
            self._stops.add(task)
            task.add_done_callback(self._stops.discard)

    async def _stop_one(self, site: int) -> None:
        """Stop a crawl as a signal stops `crawl site`, once its engine runs."""
        while (crawler := self.crawlers.get(site)) is not None and crawler.crawling:
            if crawler._engine is not None and crawler._engine.running:
                await crawler.stop_async()
                return
            await asyncio.sleep(STOPPING_LOOKS)

    async def _end_with_database(self) -> None:
        await self.database.writer.until_lost()
        self.drain(LOST)

    # One crawl ------------------------------------------------------------------------------------------------

    async def _crawl(self, taken: TakenSite) -> None:
        site, begun = taken.site, monotonic()
        site_of_crawl.set(site.host)
        line: CrawlLine | None = None
        try:
            if await self._source.claim(site):
                line = await self._crawled(taken, begun)
        except SitecrawlError as error:
            line = unopened(site, str(error), begun)
        except Exception as error:
            logger.exception("the crawl failed")
            line = unopened(site, f"{type(error).__name__}: {error}", begun)
        finally:
            self.crawlers.pop(site.id, None)
            free = await self._source.ended(taken, line)
            self.left += self.places.draining and not free
            self._owners.pop(site.id, None)
            self._crawls.pop(site.id, None)
            self.places.ended(site.id)
            self._woken.set()
        if line is not None:
            self._ended(line)

    async def _crawled(self, taken: TakenSite, begun: float) -> CrawlLine | None:
        """Crawl a site; return the log line of the crawl, or None if it was not begun because the process ends."""
        crawler, site = self.runner.create_crawler("site"), taken.site
        scope = self.config.site_scope
        if SiteScope.of(site.start_url, scope).key != site.host:  # the site was added under the other setting
            scope = "domain" if scope == "host" else "host"
        crawler.settings.set("SITECRAWL_SITE_SCOPE", scope, priority="cmdline")  # a command line may set it
        if taken.feed:
            feeds = {taken.feed: {"format": "jsonlines", "overwrite": True}}
            crawler.settings.set("FEEDS", feeds, priority="cmdline")
        config, depth = Config.from_mapping(crawler.settings), crawler.settings.getint("DEPTH_LIMIT")
        crawl = await asyncio.to_thread(self._open, config, taken, depth)
        self.places.opened(site.id)
        self._woken.set()
        if self.places.draining:
            await crawl.abandon()
            return None
        self.crawlers[site.id] = crawler
        await self.runner.crawl(crawler, url=site.start_url, opened=crawl, process=self._share)
        spider = crawler.spider
        assert isinstance(spider, SiteSpider)
        return line_of(spider, crawler, begun)

    def _open(self, config: Config, taken: TakenSite, depth: int) -> SiteCrawl:
        start = CrawlStart(taken.site.start_url, depth, taken.owner, due=taken.due, rests=taken.rests)
        return SiteCrawl(config, start, self.database, self._held)


def memory_in_use() -> int:
    """Return the bytes of memory that this process uses; 0 if the system does not report it."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0
