"""`scrapy status [--json] [--watch] [--serve-metrics HOST:PORT]`: shows the state of all sites."""

import argparse
import json
import signal
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from types import MappingProxyType
from typing import Final

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from sitecrawl.clock import now
from sitecrawl.closed_pipe import reader_may_leave
from sitecrawl.config import Config
from sitecrawl.errors import ConfigError, SitecrawlError
from sitecrawl.exit_status import DONE, print_error
from sitecrawl.printable import visible
from sitecrawl.scheduling import words
from sitecrawl.shell.extras import need_extra
from sitecrawl.storage.db.engine import open_database, open_to_read, session_scope
from sitecrawl.storage.fleet_status import NAMED, FleetStatus, FleetStatusRepository, SiteWithoutPage

EVERY: Final = 5.0
"""Seconds between two readings of `--watch`."""
CLEAR: Final = "\x1b[H\x1b[J"
"""Control sequence that moves the cursor to the top of a terminal and clears it (ECMA-48)."""


class Command(ScrapyCommand):
    """Show the state of all sites."""

    requires_crawler_process = False

    def syntax(self) -> str:
        """Return the arguments, for the usage line."""
        return "[--json] [--watch] | --serve-metrics HOST:PORT"

    def short_desc(self) -> str:
        """Return the line of the command in the list of commands."""
        return "How all sites are doing: status [--json] [--watch] | --serve-metrics HOST:PORT"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the options of the command to its parser."""
        super().add_options(parser)
        parser.add_argument("--json", action="store_true", help="one JSON object a line")
        parser.add_argument("--watch", action="store_true", help=f"again every {EVERY:.0f} s until it is stopped")
        parser.add_argument("--serve-metrics", metavar="HOST:PORT", help="serve /metrics for Prometheus until stopped")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Show the state; an error is reported in one line."""
        if args or (opts.serve_metrics and (opts.json or opts.watch)):
            raise UsageError(self.syntax())
        assert self.settings is not None
        try:
            with reader_may_leave():
                _run(opts, Config.from_mapping(self.settings))
        except KeyboardInterrupt:
            self.exitcode = DONE
        except SitecrawlError as error:
            self.exitcode = print_error(error)


def _run(opts: argparse.Namespace, config: Config) -> None:
    address = parsed_address(opts.serve_metrics) if opts.serve_metrics else None
    if opts.watch or address is not None:
        for number in (signal.SIGINT, signal.SIGTERM):  # a shell starts programs in the background without them
            signal.signal(number, signal.default_int_handler)
    # a monitor may be started before the first crawl, which makes the database
    engine = (open_database if opts.watch or address is not None else open_to_read)(config.database_url)

    def read() -> FleetStatus:
        with session_scope(engine, write=False) as session:
            return FleetStatusRepository(session).read(now())

    def examples() -> tuple[SiteWithoutPage | None, dict[str, list[str]]]:
        with session_scope(engine, write=False) as session:
            fleet = FleetStatusRepository(session)
            return fleet.worst_without_page(now()), fleet.named(now())

    try:
        if address is not None:
            _serve(read, *address)
            return
        while True:
            status, (worst, named) = read(), examples()
            clear = CLEAR if opts.watch and not opts.json and sys.stdout.isatty() else ""
            print(clear + (dumped if opts.json else shown)(status, worst, named), flush=True)
            if not opts.watch:
                return
            time.sleep(EVERY)
    finally:
        engine.dispose()


def _serve(read: Callable[[], FleetStatus], host: str, port: int) -> None:
    need_extra("metrics", "prometheus_client")
    from sitecrawl.shell.metrics import serve  # noqa: PLC0415  (an extra)

    read()  # an unreadable database is reported now
    port, wait, end = serve(read, host, port)
    print(f"http://{f'[{host}]' if ':' in host else host}:{port}/metrics", flush=True)
    try:
        wait()
    finally:
        end()


def parsed_address(text: str) -> tuple[str, int]:
    """Return host and port of `HOST:PORT`; an IPv6 address is in brackets. Raises ConfigError."""
    host, _, port = text.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if not host or not port.isdecimal() or int(port) > 65_535:
        raise ConfigError(f"{text!r} is not an address; give one as 127.0.0.1:9108")
    return host, int(port)


def _without_page(worst: SiteWithoutPage | None) -> str:
    if worst is None:  # the sites had none a moment ago
        return "sites without a page: sitecrawl sites list"
    tried = _of(worst.crawls, "crawl")
    return f"sites without a page: {worst.host} after {tried} ({visible(worst.reason)}): sitecrawl pages {worst.host}"


def _of(number: float, noun: str) -> str:
    """Return a rounded number with its noun: `1 page`, `2 pages`."""
    return f"{number:.0f} {noun}{'' if f'{number:.0f}' == '1' else 's'}"


def dumped(status: FleetStatus, worst: SiteWithoutPage | None, named: Mapping[str, Sequence[str]]) -> str:
    """Return the state, the worst of the sites without a page, and hosts of sites with a problem as one JSON object."""
    return json.dumps(
        {**asdict(status), "worst_without_page": None if worst is None else asdict(worst), "named": dict(named)}
    )


def shown(
    status: FleetStatus, worst: SiteWithoutPage | None = None, named: Mapping[str, Sequence[str]] = MappingProxyType({})
) -> str:
    """Return the state as lines of text; problems are listed only if there are any.

    `worst` is the worst of the sites without a page, `named` has hosts of the sites with a problem.
    """

    def at(field: str) -> str:
        hosts = named.get(field, ())
        return f" ({', '.join(hosts[: NAMED - 1])}{' and more' if len(hosts) == NAMED else ''})" if hosts else ""

    due = [f"{status.late} for over a day" if status.late else "", f"{status.died} died" if status.died else ""]
    more = ", ".join(one for one in due if one)
    oldest = f", the first for {words(status.oldest_due_seconds)}" if status.due else ""
    lines = [
        f"sites      {status.sites}",
        f"  due      {status.due}{f' ({more})' if more else ''}{oldest}",
        f"  running  {status.running}",
        f"  waiting  {status.waiting}",
        f"  paused   {status.paused}",
        f"  new      {status.new}",
        f"rate       {_of(status.pages_an_hour, 'page')} and {_of(status.crawls_an_hour, 'crawl')} an hour",
    ]
    held = _of(status.held_sites, "site")
    wrong = [
        (status.dying, "sites whose crawls die with their process: sitecrawl sites list --dying"),
        (status.failing, f"sites with a failing host{at('failing')}: sitecrawl pages HOST"),
        (status.without_page, _without_page(worst)),
        (status.ended_early, f"crawls of the last day ended early{at('ended_early')}: sitecrawl pages HOST --crawls"),
        (status.drifted, "sites with a new layout since yesterday: sitecrawl template show HOST"),
        (status.held_pages, f"held deletions at {held}{at('held_pages')}: sitecrawl pages HOST --status held"),
        (status.refused_documents, "refused documents: sitecrawl index --rejected"),
        (status.failing_sinks, "sinks cannot be reached: sitecrawl index --status"),
    ]
    return "\n".join([*lines, *(f"look at    {number} {text}" for number, text in wrong if number)])
