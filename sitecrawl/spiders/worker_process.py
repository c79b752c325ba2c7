"""A process of `worker` or `recrawl`: runs many crawls on one event loop, handles signals, and writes log lines."""

import asyncio
import gc
import json
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterable
from time import monotonic
from typing import Any, Final

from scrapy.crawler import AsyncCrawlerProcess
from scrapy.settings import Settings

from sitecrawl.config import Config
from sitecrawl.errors import SitecrawlError
from sitecrawl.exit_status import DONE, FAILED, PARTIAL
from sitecrawl.fleet.crawl_line import CrawlLine
from sitecrawl.fleet.job_channel import JobChannel
from sitecrawl.fleet.live_table import Report, Running
from sitecrawl.fleet.places import NOTHING_DUE, Limits
from sitecrawl.fleet.supervisor import NO_MORE, REPORT
from sitecrawl.fleet.wake_ups import WakeUps
from sitecrawl.shell.logs import skip_unseen_records
from sitecrawl.spiders.site import SiteSpider
from sitecrawl.spiders.site_source import DueSites, GivenSites, SiteSource
from sitecrawl.spiders.site_worker import LOST, SiteWorker, memory_in_use
from sitecrawl.storage.db.engine import open_database
from sitecrawl.storage.db.writer import BatchWriter, ProcessDatabase
from sitecrawl.storage.lease_owner import has_ended

DRAIN_SECONDS: Final = 9.0
"""Seconds that the crawls of a process have to stop after a signal. The service manager allows the process 10."""
LEAVE_SECONDS: Final = 3.0
"""Maximum seconds in which a process leaves the queue of wake-ups."""
LEFT: Final = "sites could not be released"
"""Reason of a process that was stopped while the database did not answer."""
REPORTS: Final = 1.0
"""Seconds between two reports of a process, and between two checks whether its worker still runs."""
YOUNG: Final = 20_000
"""Objects between cyclic garbage collections (Python: 700 or 2,000): pages are in no cycle and are freed by
reference counts."""
OF_THE_PROCESS: Final = tuple(
    f"scrapy.extensions.{one}" for one in ("logcount.LogCount", "logstats.LogStats", "memusage.MemoryUsage")
)
"""Scrapy extensions that count or limit the whole process, and not one crawl."""
OF_ONE_CRAWL: Final = ("sitecrawl.shell.progress.Progress", "scrapy.extensions.feedexport.FeedExporter")
"""Extensions that show or export one crawl. The crawls of a worker have a log line instead, and no feed."""


class WorkerProcess:
    """Runs one process of `worker` or `recrawl`."""

    def __init__(self, settings: Settings, config: Config, limits: Limits) -> None:
        self._settings, self._config, self._limits = settings, config, limits

    def crawl_due(self, parent: str, *, queue: bool, clock: bool, report: bool) -> int:
        """Crawl due sites as a process of the worker `parent`; return the exit status.

        `queue`: wake-ups from a queue tell the process that sites are due; `clock`: it also sends the wake-ups for all
        processes; `report`: it writes lines for the live table.
        """
        self._leave_out((*OF_THE_PROCESS, *OF_ONE_CRAWL))
        outputs = Outputs(self._config.crawl_log)

        def duties(worker: SiteWorker) -> Duties:
            wake_ups = None
            if queue:
                url = self._config.database_url
                wake_ups = WakeUps(url, worker.due, worker.wake, worker.wake_ups, clock=clock)
            return Duties(worker, parent, outputs if report else None, wake_ups)

        return self._run(lambda database: DueSites(self._config, self._settings, database), outputs.ended, duties)

    def crawl_given(self, address: str) -> int:
        """Crawl the sites that `recrawl` assigns over a socket; return the exit status.

        If `recrawl` is killed, the running crawls go on to their end.
        """
        self._leave_out(OF_THE_PROCESS)
        return self._run(lambda _: GivenSites(JobChannel(address)), lambda _: None, lambda worker: Duties(worker, ""))

    def _leave_out(self, extensions: Iterable[str]) -> None:
        without = {**self._settings.getdict("EXTENSIONS"), **dict.fromkeys(extensions)}
        self._settings.set("EXTENSIONS", without, priority="cmdline")

    def _run(
        self,
        source: Callable[[ProcessDatabase], SiteSource],
        ended: Callable[[CrawlLine], None],
        duties: Callable[[SiteWorker], "Duties"],
    ) -> int:
        """Crawl until the process must end; return its exit status."""
        engine = open_database(self._config.database_url, self._config.body_store)
        writer = BatchWriter(engine, batch=self._config.database_batch)
        process = AsyncCrawlerProcess(self._settings)
        database = ProcessDatabase(engine, writer)
        outcome: list[str | BaseException] = []

        async def run() -> None:
            try:
                worker = SiteWorker(process, self._config, database, self._limits, source(database), ended)
                why = await duties(worker).run()
                outcome.append(LEFT if worker.left and why != LOST else why)
            except BaseException as error:  # noqa: BLE001  (raised below, once the loop has ended)
                outcome.append(error)
            from twisted.internet import reactor  # noqa: PLC0415  (Scrapy has chosen it)

            present: Any = reactor
            present.callLater(0, present.stop)

        task = asyncio.get_event_loop().create_task(run())
        skip_unseen_records()
        gc.freeze()
        gc.set_threshold(YOUNG)
        process.start(stop_after_crawl=False, install_signal_handlers=False)
        del task
        writer.shutdown()
        engine.dispose()
        return _status(outcome[0] if outcome else None)


def _status(why: str | BaseException | None) -> int:
    """Return the exit status of a process from the reason of its end; `why` is None if its event loop just ended."""
    if isinstance(why, BaseException):
        if not isinstance(why, SitecrawlError):
            raise why
        sys.stderr.write(f"sitecrawl: {why}\n")
        return FAILED
    if why == NOTHING_DUE:
        return NO_MORE
    if why == LEFT:
        return PARTIAL
    return FAILED if why in (LOST, None) else DONE


class Duties:
    """The tasks of a process besides its crawls: handle signals, watch for the end of its worker, and report."""

    def __init__(
        self, worker: SiteWorker, parent: str, outputs: "Outputs | None" = None, wake_ups: WakeUps | None = None
    ) -> None:
        self._worker, self._parent, self._outputs, self._wake_ups = worker, parent, outputs, wake_ups
        self._signals = 0

    async def run(self) -> str:
        """Run the crawls; return the reason why the process ends."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self._signalled)
        tasks = [asyncio.create_task(self._watch())]
        if self._wake_ups is not None:
            tasks.append(asyncio.create_task(self._wake_ups.run()))
        try:
            return await self._worker.run()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks, timeout=LEAVE_SECONDS)

    def _signalled(self) -> None:
        self._signals += 1
        if self._signals > 1:
            os._exit(FAILED)
        self._drain("stopped by a signal")

    def _drain(self, why: str) -> None:
        self._worker.drain(why)
        self._worker.database.writer.hurry()
        # in a thread, because the event loop itself may hang
        timer = threading.Timer(DRAIN_SECONDS, self._give_up)
        timer.daemon = True
        timer.start()

    def _give_up(self) -> None:
        """Exit at once, after releasing the sites; their next crawls resume the unfinished ones."""
        sys.stderr.write(f"sitecrawl: {len(self._worker.places.running)} crawls did not stop in time; they are left\n")
        status = PARTIAL
        try:
            self._worker.release_all()
            status = DONE
        finally:
            os._exit(status)

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(REPORTS)
            if self._outputs is not None:
                self._outputs.report(self._worker)
            if self._parent and has_ended(self._parent) and not self._worker.places.ending:
                self._drain("the worker has ended")


class Outputs:
    """The lines that a process writes to stderr."""

    def __init__(self, kind: str) -> None:
        self._kind = kind
        self._begun = monotonic()
        self._done = 0
        self._pages = 0

    def ended(self, line: CrawlLine) -> None:
        """Write the line of a crawl that has ended."""
        self._done += 1
        self._pages += line.pages
        if self._kind != "off":
            sys.stderr.write(f"{line.json() if self._kind == 'json' else line.text()}\n")
            sys.stderr.flush()

    def report(self, worker: SiteWorker) -> None:
        """Write the lines of this process for the live table."""
        moment = monotonic()
        running = []
        for site, since in worker.places.running.items():
            crawler = worker.crawlers.get(site)
            spider = crawler.spider if crawler is not None else None
            if isinstance(spider, SiteSpider):
                frontier = spider.site_crawl.frontier
                running.append(Running(spider.scope.key, frontier.pages, frontier.left, round(moment - since)))
        report = Report(self._done, self._pages, memory_in_use() >> 20, tuple(running))
        sys.stderr.write(f"{REPORT}{json.dumps(report)}\n")
        sys.stderr.flush()
