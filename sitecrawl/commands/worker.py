"""`sitecrawl worker [--processes N] [--sites M]`: crawls due sites, for as long as it runs."""

import argparse
import asyncio
import gc
import json
import os
import signal
import sys
import threading
from time import monotonic
from typing import Any, Final

from scrapy.commands import ScrapyCommand
from scrapy.crawler import AsyncCrawlerProcess
from scrapy.exceptions import UsageError
from scrapy.settings import Settings

from sitecrawl.commands.crawl import YOUNG, scrapy_setting_problem
from sitecrawl.commands.recrawl import crawl_arguments
from sitecrawl.config import Config
from sitecrawl.crawl.schedule import site_bounds
from sitecrawl.errors import SitecrawlError
from sitecrawl.exit_status import DONE, FAILED, USAGE
from sitecrawl.fleet.crawl_line import CrawlLine
from sitecrawl.fleet.launcher import Forking, Spawning
from sitecrawl.fleet.live_table import LiveTable, Report, Running
from sitecrawl.fleet.places import NOTHING_DUE, Limits
from sitecrawl.fleet.preload import PRELOADED
from sitecrawl.fleet.supervisor import NO_MORE, REPORT, Supervisor
from sitecrawl.fleet.wake_ups import WakeUps, make_queue
from sitecrawl.shell.arguments import whole_number
from sitecrawl.spiders.site import SiteSpider
from sitecrawl.spiders.site_worker import LOST, SiteWorker, memory_in_use
from sitecrawl.storage.db.engine import modules_of, open_database
from sitecrawl.storage.db.writer import BatchWriter, ProcessDatabase
from sitecrawl.storage.lease_owner import has_ended, new_owner

SITES: Final = 50
"""Default number of sites that one process crawls at once."""
DRAIN_SECONDS: Final = 9.0
"""Seconds that the crawls of a process have to stop in order; the service manager is promised 10."""
LEAVE_SECONDS: Final = 3.0
"""Seconds that a process takes at most to leave the queue."""
REPORTS: Final = 1.0
"""Seconds between two reports of a process, and between two checks whether its worker still runs."""
WITHOUT: Final = (
    "sitecrawl.shell.progress.Progress",
    "scrapy.extensions.feedexport.FeedExporter",
    *(f"scrapy.extensions.{one}" for one in ("logcount.LogCount", "logstats.LogStats", "memusage.MemoryUsage")),
)
"""Extensions that show, count or limit what is the process's and not one crawl's."""


class Command(ScrapyCommand):
    """Crawl due sites for as long as it runs."""

    requires_crawler_process = False

    def syntax(self) -> str:
        """Arguments."""
        return "[--processes N] [--sites M] [--queue] [--until-done]"

    def short_desc(self) -> str:
        """One line for the list of commands."""
        return "Keep all known sites fresh, for as long as it runs: worker [--processes N] [--sites M]"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the options."""
        super().add_options(parser)
        cores = os.cpu_count() or 1
        parser.add_argument(
            "--processes",
            type=whole_number(1, 256),
            default=cores,
            metavar="N",
            help=f"processes (default: one a core, here {cores})",
        )
        parser.add_argument(
            "--sites",
            type=whole_number(1, 1000),
            default=SITES,
            metavar="M",
            help=f"sites at once in each process (default {SITES})",
        )
        parser.add_argument(
            "--queue", action="store_true", help="wake idle processes by a queue in PostgreSQL (extra queue)"
        )
        parser.add_argument(
            "--until-done", action="store_true", help="end when no site is due and all crawls have ended"
        )
        parser.add_argument("--clock", action="store_true", help=argparse.SUPPRESS)
        parser.add_argument("--process-of", metavar="WORKER", help=argparse.SUPPRESS)
        parser.add_argument("--report", action="store_true", help=argparse.SUPPRESS)

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Run until a signal ends it."""
        assert isinstance(self.settings, Settings)
        if args:
            raise UsageError("worker takes no sites: it crawls those that are due; see: sitecrawl sites -h")
        problem = scrapy_setting_problem(self.settings)
        if problem is not None:
            sys.stderr.write(f"sitecrawl: {problem}\n")
            self.exitcode = USAGE
            return
        config = Config.from_mapping(self.settings)
        site_bounds(config)
        self.exitcode = _process(self.settings, config, opts) if opts.process_of else _supervise(config, opts)


def _supervise(config: Config, opts: argparse.Namespace) -> int:
    """Keep the processes running until a signal."""
    engine = open_database(
        config.database_url, config.body_store
    )  # its problems are shown once, and before anything begins
    modules = (*PRELOADED, "sitecrawl.spiders.site_worker", *modules_of(engine))
    engine.dispose()
    if opts.queue:
        make_queue(config.database_url)
        modules = (*modules, "procrastinate")
    arguments = ["worker", "--process-of", new_owner(), "--sites", str(opts.sites), *crawl_arguments(opts)]
    shown = config.progress == "on" or (config.progress == "auto" and sys.stderr.isatty())
    table = LiveTable(sys.stderr) if shown else None
    arguments += [option for option, given in (("--queue", opts.queue), ("--until-done", opts.until_done)) if given]
    if table is not None:
        arguments.append("--report")
    spawning = Spawning(sys.executable, "-m", "scrapy")
    supervisor = Supervisor(
        opts.processes,
        lambda: Forking("scrapy.cmdline:execute", "scrapy", modules, spawning),
        arguments,
        table.heard if table is not None else None,
        ["--clock"] if opts.queue else (),
    )
    many = f"{opts.processes} {'process' if opts.processes == 1 else 'processes'} of {opts.sites} sites"
    sys.stderr.write(f"sitecrawl: worker {os.getpid()} begins: {many} at once; stop it with Ctrl-C or SIGTERM\n")
    try:
        supervisor.run()
    finally:
        if table is not None:
            table.close()
    if opts.until_done and not supervisor.interruptions:
        died = f"; {supervisor.died} times a process died, and its sites were resumed" if supervisor.died else ""
        sys.stderr.write(f"sitecrawl: worker ended: {NOTHING_DUE}{died}\n")
    else:
        sys.stderr.write("sitecrawl: worker ended; its sites are released\n")
    return DONE


def _process(settings: Settings, config: Config, opts: argparse.Namespace) -> int:
    """Crawl in this process until it is to end; return its exit status."""
    settings.set("EXTENSIONS", {**settings.getdict("EXTENSIONS"), **dict.fromkeys(WITHOUT)}, priority="cmdline")
    engine = open_database(config.database_url, config.body_store)
    writer = BatchWriter(engine, batch=config.database_batch)
    process = AsyncCrawlerProcess(settings)
    limits = Limits(opts.sites, config.worker_recycle, config.worker_memory << 20, config.worker_turn, opts.until_done)
    outputs = _Outputs(config.crawl_log)
    worker = SiteWorker(process, config, ProcessDatabase(engine, writer), limits, outputs.ended)
    wake_ups = None
    if opts.queue:
        wake_ups = WakeUps(config.database_url, worker.due, worker.wake, worker.wake_ups, clock=opts.clock)
    outcome: list[str | BaseException] = []

    async def run() -> None:
        duties = _Duties(worker, opts.process_of, outputs if opts.report else None, wake_ups)
        try:
            outcome.append(await duties.run())
        except BaseException as error:  # noqa: BLE001  (raised below, once the loop has ended)
            outcome.append(error)
        from twisted.internet import reactor  # noqa: PLC0415  (Scrapy has chosen it)

        present: Any = reactor
        present.callLater(0, present.stop)

    task = asyncio.get_event_loop().create_task(run())
    gc.freeze()
    gc.set_threshold(YOUNG)
    process.start(stop_after_crawl=False, install_signal_handlers=False)
    del task
    writer.shutdown()
    engine.dispose()
    why = outcome[0] if outcome else "the event loop ended"
    if isinstance(why, BaseException):
        if not isinstance(why, SitecrawlError):
            raise why
        sys.stderr.write(f"sitecrawl: {why}\n")
    if why == NOTHING_DUE:
        return NO_MORE
    return FAILED if why == LOST or isinstance(why, BaseException) or not outcome else DONE


class _Duties:
    """The duties of a process beside its crawls: it handles signals, watches its worker, and reports."""

    def __init__(self, worker: SiteWorker, parent: str, outputs: "_Outputs | None", wake_ups: WakeUps | None) -> None:
        self._worker, self._parent, self._outputs, self._wake_ups = worker, parent, outputs, wake_ups
        self._signals = 0

    async def run(self) -> str:
        """Run the crawls; return why the process ends."""
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
        # in a thread: the event loop may be what does not end
        timer = threading.Timer(DRAIN_SECONDS, self._give_up)
        timer.daemon = True
        timer.start()

    def _give_up(self) -> None:
        """End at once: the next crawl of each site resumes it."""
        sys.stderr.write(f"sitecrawl: {len(self._worker.places.running)} crawls did not stop in time; they are left\n")
        try:
            self._worker.release_all()
        finally:
            os._exit(DONE)

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(REPORTS)
            if self._outputs is not None:
                self._outputs.report(self._worker)
            if has_ended(self._parent) and not self._worker.places.ending:
                self._drain("the worker has ended")


class _Outputs:
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
        """Write what the live table shows of this process."""
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
