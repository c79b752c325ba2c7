"""`sitecrawl worker [--processes N] [--sites M]`: crawls sites as they become due, for as long as it runs."""

import argparse
import os
import sys
from typing import Final

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError
from scrapy.settings import Settings

from sitecrawl.clock import now
from sitecrawl.commands.crawl import scrapy_setting_problem
from sitecrawl.commands.recrawl import crawl_arguments
from sitecrawl.config import Config
from sitecrawl.crawl.schedule import bring_back, site_bounds
from sitecrawl.errors import SitecrawlError
from sitecrawl.exit_status import DONE, PARTIAL, USAGE, exit_status
from sitecrawl.fleet.launcher import Forking, Spawning
from sitecrawl.fleet.live_table import LiveTable
from sitecrawl.fleet.places import NOTHING_DUE, Limits
from sitecrawl.fleet.preload import PRELOADED
from sitecrawl.fleet.supervisor import Supervisor
from sitecrawl.fleet.wake_ups import make_queue
from sitecrawl.plurals import counted
from sitecrawl.shell.arguments import add_processes, whole_number
from sitecrawl.shell.crawl_settings import check_crawl_settings
from sitecrawl.spiders.worker_process import WorkerProcess
from sitecrawl.storage.db.engine import modules_of, open_database, session_scope
from sitecrawl.storage.lease_owner import new_owner

SITES: Final = 50
"""Default number of sites that one process crawls at once."""


class Command(ScrapyCommand):
    """Crawl sites as they become due, for as long as the process runs."""

    requires_crawler_process = False

    def syntax(self) -> str:
        """Return the arguments, for the usage line."""
        return "[--processes N] [--sites M] [--queue] [--until-done]"

    def short_desc(self) -> str:
        """Return the line of the command in the list of commands."""
        return "Keep all known sites fresh, for as long as it runs: worker [--processes N] [--sites M]"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the options of the command to its parser."""
        super().add_options(parser)
        add_processes(parser)
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
        """Run until a signal ends the process."""
        assert isinstance(self.settings, Settings)
        if args:
            raise UsageError("worker takes no sites: it crawls those that are due; see: sitecrawl sites -h")
        problem = scrapy_setting_problem(self.settings)
        if problem is not None:
            sys.stderr.write(f"sitecrawl: {problem}\n")
            self.exitcode = USAGE
            return
        try:
            self._run(self.settings, opts)
        except SitecrawlError as error:
            sys.stderr.write(f"sitecrawl: {error}\n")
            self.exitcode = exit_status(error)

    def _run(self, settings: Settings, opts: argparse.Namespace) -> None:
        config = Config.from_mapping(settings)
        site_bounds(config)
        if not opts.process_of:
            check_crawl_settings(config)
            self.exitcode = _supervise(config, opts)
            return
        limits = Limits(
            opts.sites, config.worker_recycle, config.worker_memory << 20, config.worker_turn, opts.until_done
        )
        process = WorkerProcess(settings, config, limits)
        self.exitcode = process.crawl_due(opts.process_of, queue=opts.queue, clock=opts.clock, report=opts.report)


def _supervise(config: Config, opts: argparse.Namespace) -> int:
    """Keep the worker processes running until a signal arrives; return the exit status."""
    engine = open_database(config.database_url, config.body_store)  # a problem is shown once, before anything begins
    with session_scope(engine) as session:
        bring_back(session, config, now())
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
    many = f"{counted(opts.processes, 'process', 'processes')} of {counted(opts.sites, 'site')}"
    sys.stderr.write(f"sitecrawl: worker {os.getpid()} begins: {many} at once; stop it with Ctrl-C or SIGTERM\n")
    try:
        supervisor.run()
    finally:
        if table is not None:
            table.close()
    if opts.until_done and not supervisor.interruptions:
        died = f"; {supervisor.died} times a process died, and its sites were resumed" if supervisor.died else ""
        sys.stderr.write(f"sitecrawl: worker ended: {NOTHING_DUE}{died}\n")
    elif supervisor.killed:
        sys.stderr.write("sitecrawl: worker ended; crawls were cut off, and are resumed once their leases have ended\n")
        return PARTIAL
    elif supervisor.left:
        sys.stderr.write(
            "sitecrawl: worker ended; sites could not be released, and are free once their leases have ended\n"
        )
        return PARTIAL
    else:
        sys.stderr.write("sitecrawl: worker ended; its sites are released\n")
    return DONE
