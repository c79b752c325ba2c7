"""`scrapy recrawl [--due] [HOST ...] [--sites N] [-O FEED]`: visits known sites again, several at once.

Over 300 lines: one command with all its options.
"""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from typing import Final

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError
from scrapy.settings import Settings
from sqlalchemy import Engine

from sitecrawl.clock import JumpWatch, now
from sitecrawl.commands.crawl import scrapy_setting_problem
from sitecrawl.config import Config
from sitecrawl.crawl.deletions import end_releases, release
from sitecrawl.crawl.schedule import MAXIMUM, MINIMUM, bring_back, parse_every, replan, site_bounds
from sitecrawl.errors import ConfigError, FeedFileError, SitecrawlError, SiteLeasedError, UnknownSiteError
from sitecrawl.exit_status import DONE, FAILED, PARTIAL, print_error
from sitecrawl.fleet.job_channel import JobMessage
from sitecrawl.fleet.joined_feed import JoinedFeed
from sitecrawl.fleet.launcher import Forking, Spawning
from sitecrawl.fleet.places import Limits
from sitecrawl.fleet.preload import PRELOADED
from sitecrawl.fleet.processes import Job, Processes
from sitecrawl.items import feed_fields
from sitecrawl.plurals import counted
from sitecrawl.scheduling import words
from sitecrawl.shell.arguments import add_processes, whole_number
from sitecrawl.shell.crawl_settings import check_crawl_settings
from sitecrawl.spiders.worker_process import WorkerProcess
from sitecrawl.storage.crawls import CrawlRepository
from sitecrawl.storage.db.engine import modules_of, open_existing, session_scope
from sitecrawl.storage.due_filter import DueFilter
from sitecrawl.storage.lease_owner import new_owner
from sitecrawl.storage.named_sites import NO_SITES, named_site
from sitecrawl.storage.site_register import SiteRegister
from sitecrawl.storage.sites import SiteRef, SiteRepository

SITES: Final = 4
"""Default number of sites crawled at once: each waits for its server most of the time."""


class Command(ScrapyCommand):
    """Crawl known sites again."""

    requires_crawler_process = False

    def syntax(self) -> str:
        """Return the arguments, for the usage line."""
        return "[--due] [HOST ...] [--sites N] [-O FEED.jsonl] | --every 6h-30d HOST ... | --release HOST ..."

    def short_desc(self) -> str:
        """Return the line of the command in the list of commands."""
        return "Visit known sites again: recrawl [--due] [HOST ...] [--sites N] [-O FEED.jsonl]"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the options of the command to its parser."""
        super().add_options(parser)
        parser.add_argument("--due", action="store_true", help="only sites that are due, and of them only pages due")
        parser.add_argument(
            "--sites", type=whole_number(1, 1000), default=SITES, metavar="N", help=f"sites at once (default {SITES})"
        )
        add_processes(parser)
        parser.add_argument("--jobs-of", metavar="SOCKET", help=argparse.SUPPRESS)
        parser.add_argument("--every", metavar="6h-30d", help="set the intervals between visits of these sites' pages")
        parser.add_argument(
            "--release", action="store_true", help="delete the pages of these sites that were held as too many"
        )
        feed = parser.add_mutually_exclusive_group()
        feed.add_argument("-O", "--overwrite-output", metavar="FEED", help="write all rows to this file of JSON lines")
        feed.add_argument("-o", "--output", metavar="FEED", help="the same, added to what is in it; - for the screen")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Crawl the chosen sites; an error is reported in one line."""
        if opts.jobs_of:
            self.exitcode = self._process(opts)
            return
        if opts.every is not None and (opts.due or not args):
            raise UsageError("--every takes hosts, and goes without --due: recrawl --every 6h-30d HOST ...")
        if opts.release and (opts.due or opts.every is not None or not args):
            raise UsageError("--release takes hosts, and goes without --due and --every: recrawl --release HOST ...")
        try:
            self._run(list(dict.fromkeys(args)), opts)
        except SitecrawlError as error:
            self.exitcode = print_error(error)

    def _process(self, opts: argparse.Namespace) -> int:
        """Run the crawls that another process of this command assigns; return the exit status."""
        assert isinstance(self.settings, Settings)
        config = Config.from_mapping(self.settings)
        limits = Limits(opts.sites, config.worker_recycle, config.worker_memory << 20, turn=0.0, until_done=True)
        return WorkerProcess(self.settings, config, limits).crawl_given(opts.jobs_of)

    def _run(self, hosts: list[str], opts: argparse.Namespace) -> None:
        assert self.settings is not None
        config = Config.from_mapping(self.settings)
        site_bounds(config)
        check_crawl_settings(config)
        problem = scrapy_setting_problem(self.settings)
        if problem is not None:
            raise ConfigError(problem)
        engine = open_existing(config.database_url, config.body_store)
        try:
            known = _known(engine, hosts, config.site_scope)
            hosts = [site.host for site in known] if hosts else []
            if opts.every is not None:
                _set_intervals(engine, config, known, opts.every)
                return
            target = opts.overwrite_output or opts.output
            feed = JoinedFeed(target, overwrite=bool(opts.overwrite_output)) if target else None
            if opts.release:
                _release(config, known, feed)
                return
            recrawl = Recrawl(engine, config, feed, crawl_arguments(opts))
            take = recrawl.due(hosts or None) if opts.due else recrawl.listed(known)
            try:
                recrawl.processes(opts.sites, opts.processes).run(lambda: next(take, None))
            finally:
                recrawl.close()
            self.exitcode = recrawl.exit_status(due=opts.due, hosts=hosts)
        finally:
            engine.dispose()


def _known(engine: Engine, hosts: Sequence[str], scope: str) -> list[SiteRef]:
    """Return the sites of these hosts or URLs, or all that are not paused. Raises UnknownSiteError, ConfigError."""
    with session_scope(engine, write=False) as session:
        sites = SiteRepository(session)
        if not hosts:
            found = sites.refs(paused=False)
            paused = len(sites.refs()) - len(found)
            if paused:
                many = "1 paused site is" if paused == 1 else f"{paused} paused sites are"
                sys.stderr.write(f"sitecrawl: {many} left out; give a host to crawl it anyway\n")
            return found
        return list(dict.fromkeys(named_site(session, host, scope) for host in hosts))


def _set_intervals(engine: Engine, config: Config, sites: Sequence[SiteRef], every: str) -> None:
    shortest, longest = parse_every(every)
    for site in sites:
        with session_scope(engine) as session:
            SiteRegister(session).set_options(site.host, {MINIMUM: shortest, MAXIMUM: longest})
            replan(session, config, site.id, now())
        print(f"{site.host}: pages are visited every {words(shortest)} to {words(longest)}")


def _release(config: Config, sites: Sequence[SiteRef], feed: JoinedFeed | None) -> None:
    """Carry out the held deletions and add their rows to the feed; they stay held until the rows are written."""
    ended = []
    for site in sites:
        rows, number = release(config, site.host, new_owner(), now())
        ended += [number] if number is not None else []
        if feed is not None:
            part = feed.part(f"{site.id}.released")
            fields = feed_fields(
                html=config.content_html, markdown=config.content_markdown, differences=config.row_differences
            )
            lines = [json.dumps({name: getattr(row, name) for name in fields}) for row in rows]
            try:
                part.write_text("".join(f"{line}\n" for line in lines))
            except OSError as error:
                raise FeedFileError(
                    f"{part}: the rows of {site.host} cannot be written ({error.strerror}); free some space, then the"
                    " same command writes them"
                ) from error
            feed.add(part)
        deleted = f"deleted what was held, {counted(len(rows), 'row')}" if rows else "nothing was held"
        print(f"{site.host}: {deleted}")
    if feed is not None:
        feed.close()
    end_releases(config, ended, now())


def crawl_arguments(opts: argparse.Namespace) -> list[str]:
    """Return the general options of this command as arguments for the crawls."""
    arguments = [part for setting in opts.set or () for part in ("-s", setting)]
    for name in ("loglevel", "logfile"):
        if getattr(opts, name, None):
            arguments += [f"--{name}", str(getattr(opts, name))]
    return [*arguments, *(["--nolog"] if getattr(opts, "nolog", False) else [])]


class Recrawl:
    """One run of the command: its sites, their order, and their results."""

    def __init__(self, engine: Engine, config: Config, feed: JoinedFeed | None, arguments: list[str]) -> None:
        self.engine, self.config, self.feed, self.arguments = engine, config, feed, arguments
        self.started = now()
        self.leased: list[str] = []
        self.stopped: set[str] = set()
        """Sites whose crawl stopped properly on a signal: their status is 0, but they are not finished."""
        self._processes: Processes | None = None

    def processes(self, parallel: int, number: int) -> Processes:
        """Return the runner for `parallel` crawls at once, in at most `number` processes."""
        spawning = Spawning(sys.executable, "-m", "scrapy")
        modules = (*PRELOADED, "sitecrawl.spiders.site_worker", *modules_of(self.engine))
        number = min(number, parallel)
        self._processes = Processes(
            [parallel // number + (one < parallel % number) for one in range(number)],
            lambda: Forking("scrapy.cmdline:execute", "scrapy", modules, spawning),
            lambda socket, places: ["recrawl", "--jobs-of", socket, "--sites", str(places), *self.arguments],
        )
        return self._processes

    def due(self, hosts: Sequence[str] | None) -> Iterator[Job]:
        """Yield crawls of due sites, the most overdue first; each site is leased when its crawl is yielded."""
        with session_scope(self.engine) as session:
            bring_back(session, self.config, self.started)
        taken: set[int] = set()
        jumps = JumpWatch(self.config.lease_seconds / 2)
        while True:
            owner, quiet = new_owner(), jumps.quiet()
            with session_scope(self.engine) as session:
                site = SiteRepository(session).lease_due(
                    owner,
                    now(),
                    self.config.lease_seconds,
                    due=self.started,
                    pause=self.config.recrawl_error_interval,
                    wanted=DueFilter(hosts=hosts, excluded=taken, died=quiet),
                    reclaim=quiet,
                )
            if site is None:
                return
            taken.add(site.id)
            yield self._job(site, owner, due=True)

    def listed(self, sites: Sequence[SiteRef]) -> Iterator[Job]:
        """Yield crawls of these sites; sites that another process is crawling are reported and skipped."""
        for site in sites:
            owner = new_owner()
            refusal = self._lease(site, owner)
            if refusal is None:
                yield self._job(site, owner, due=False)
            elif isinstance(refusal, SiteLeasedError):
                self.leased.append(site.host)

    def _lease(self, site: SiteRef, owner: str) -> SiteLeasedError | UnknownSiteError | None:
        """Lease a site; return None, or the error, which is reported, if it is crawled elsewhere or was forgotten."""
        try:
            with session_scope(self.engine) as session:
                SiteRepository(session).lease_listed(
                    site, owner, now(), self.config.lease_seconds, handed_over_from=owner
                )
        except (SiteLeasedError, UnknownSiteError) as error:
            print_error(error)
            return error
        return None

    def _job(self, site: SiteRef, owner: str, *, due: bool) -> Job:
        part = self.feed.part(f"{site.host}-{owner.rsplit(':', 1)[-1]}".replace(":", "_")) if self.feed else None

        def ended(status: int) -> None:
            stopped = status < 0 and bool(self._processes and self._processes.interruptions)
            self._release(site, owner, again=due and stopped)
            if status == DONE and self._unfinished(site):
                self.stopped.add(site.host)
            if self.feed is not None and part is not None:
                self.feed.add(part)

        def again() -> bool:
            """Lease the site again for a crawl whose process died; return whether that succeeded."""
            return self._lease(site, owner) is None

        return Job(JobMessage(site.id, site.host, site.start_url, owner, due, str(part or "")), ended, again)

    def _unfinished(self, site: SiteRef) -> bool:
        with session_scope(self.engine, write=False) as session:
            return CrawlRepository(session).unfinished(site.id)

    def _release(self, site: SiteRef, owner: str, *, again: bool = False) -> None:
        """Release the lease of a crawl that has ended; with `again`, of one that never began, the site stays due."""
        with session_scope(self.engine) as session:
            sites = SiteRepository(session)
            sites.release(site.id, owner)
            sites.release_ended(site.id)
            if again:
                sites.hand_back(site.id, owner, now())

    def close(self) -> None:
        """Remove temporary files."""
        if self.feed is not None:
            for part in self.feed.close():
                sys.stderr.write(
                    f"sitecrawl: {part} is still written by a crawl of a run that was killed; the next run adds it\n"
                )

    def exit_status(self, *, due: bool, hosts: Sequence[str] = ()) -> int:
        """Print the result of the run and return the exit status."""
        assert self._processes is not None
        results = self._processes.results
        interrupted = bool(self._processes.interruptions)
        stopped = self.stopped | {host for host, status in results.items() if status < 0 and interrupted}
        done = [host for host, status in results.items() if status == DONE and host not in stopped]
        partial = [host for host, status in results.items() if status == PARTIAL or host in stopped]
        failed = [host for host, status in results.items() if status not in (DONE, PARTIAL) and host not in stopped]
        if not results and not self.leased:
            more = (
                f"; {counted(self.feed.rows, 'row')} of a killed run in {self.feed.target}"
                if self.feed and self.feed.rows
                else ""
            )
            sys.stderr.write(f"sitecrawl: {self._nothing(due=due, hosts=hosts)}{more}\n")
            return DONE
        parts = [f"{len(done)} done"]
        for name, hosts in (("in part", partial), ("failed", failed), ("crawled by another process", self.leased)):
            if hosts:
                more = f" and {len(hosts) - 5} more" if len(hosts) > 5 else ""
                parts.append(f"{len(hosts)} {name} ({', '.join(hosts[:5])}{more})")
        rows = f"; {counted(self.feed.rows, 'row')} in {self.feed.target}" if self.feed else ""
        begin = "stopped by a signal; " if interrupted else ""
        sys.stderr.write(
            f"sitecrawl: {begin}{counted(len(results) + len(self.leased), 'site')}: {', '.join(parts)}{rows}\n"
        )
        if interrupted and not failed and stopped.issuperset(partial):
            return DONE  # a requested stop is a success
        if failed and not done and not partial:
            return FAILED
        return PARTIAL if failed or partial or self.leased else DONE

    def _nothing(self, *, due: bool, hosts: Sequence[str]) -> str:
        with session_scope(self.engine, write=False) as session:
            sites = SiteRepository(session)
            following, paused = sites.next_due(hosts), bool(sites.refs()) and not sites.refs(paused=False)
        if following is None and hosts:
            return f"nothing is due; no visit of {', '.join(hosts)} is planned"
        if paused and not hosts:
            return "all sites are paused; sitecrawl sites resume HOST, or name one"
        if following is None or not due:
            return NO_SITES
        host, when = following
        if when <= self.started:
            return f"nothing was begun: {host} is due, and another process crawls it"
        return f"nothing is due; next is {host} at {when:%Y-%m-%d %H:%M} UTC"
