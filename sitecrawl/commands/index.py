"""`scrapy index`: sends changes to search servers and other sinks, and reports their progress."""

import argparse
import logging
import signal
import sys
import threading
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError
from sqlalchemy import Engine

from sitecrawl.clock import now
from sitecrawl.closed_pipe import reader_may_leave
from sitecrawl.config import Config
from sitecrawl.errors import ConfigError, SinkError, SitecrawlError, UnknownSinkError
from sitecrawl.exit_status import FAILED, PARTIAL, print_error
from sitecrawl.plurals import counted
from sitecrawl.storage.db.engine import open_database, session_scope
from sitecrawl.storage.sent_chunks import SentChunks
from sitecrawl.storage.sinks import SinkRepository, SinkState

if TYPE_CHECKING:  # Scrapy imports all commands to run one
    from sitecrawl.index.feeder import FeedResult
    from sitecrawl.index.sinks import Sink


class Command(ScrapyCommand):
    """Feed the sinks of SITECRAWL_INDEX_SINKS."""

    requires_crawler_process = False

    def syntax(self) -> str:
        """Return the arguments, for the usage line."""
        return "[--sink NAME] [--once | --status | --rejected | --retry | --resend | --forget]"

    def short_desc(self) -> str:
        """Return the line of the command in the list of commands."""
        return "Send what changed to a search server, files or a webhook"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the options of the command to its parser."""
        super().add_options(parser)
        parser.add_argument("--sink", default=None, metavar="NAME", help="one sink (default: all that are set)")
        what = parser.add_mutually_exclusive_group()
        what.add_argument("--once", action="store_true", help="send what waits, then end (default: continue forever)")
        what.add_argument("--status", action="store_true", help="say how far each sink is, and since when one is down")
        what.add_argument("--rejected", action="store_true", help="name the pages that a sink refused, and why")
        what.add_argument("--retry", action="store_true", help="send the pages again that were set aside")
        what.add_argument("--resend", action="store_true", help="send everything again, as to an empty index")
        what.add_argument("--forget", action="store_true", help="delete the progress of a sink that is no longer used")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Run the requested action; an error is reported in one line."""
        if args:
            raise UsageError(self.syntax())
        try:
            with reader_may_leave():
                self._run(opts)
        except (SitecrawlError, OSError) as error:
            self.exitcode = print_error(error)

    def _run(self, opts: argparse.Namespace) -> None:
        from sitecrawl.index.chunked import ChunkedSink, send_again  # noqa: PLC0415
        from sitecrawl.index.sinks import build_sink, sink_names, takes_chunks  # noqa: PLC0415

        assert self.settings is not None
        config = Config.from_mapping(self.settings)
        engine = open_database(config.database_url)
        if opts.status or opts.rejected:
            self._report(engine, opts, config.index_sinks or {})
            return
        if opts.forget:
            self._forget(engine, opts.sink)
            return
        sinks = config.index_sinks or {}
        names = [opts.sink] if opts.sink else sink_names(sinks)
        if not names:
            raise ConfigError("SITECRAWL_INDEX_SINKS names no sink; see docs/search.md")
        built = {name: build_sink(name, sinks) for name in names}
        for name in names:
            if takes_chunks(name, sinks):
                built[name] = ChunkedSink(built[name], engine, name)
        for name in names:
            with session_scope(engine) as session:
                stored = SinkRepository(session)
                stored.register(name)
                if opts.resend:
                    stored.rewind(name)
            if opts.resend:
                send_again(engine, name)
            with session_scope(engine) as session:
                stored = SinkRepository(session)
                if opts.retry:
                    print(f"{name}: {counted(stored.retry(name, now()), 'page')} to be tried again")
        once = opts.once or opts.resend or opts.retry
        results = _feed(engine, config, built, once=once)
        for name, result in results.items():
            print(_line(name, result))
        if any(result.failure for result in results.values()):
            self.exitcode = FAILED
        elif any(result.rejected for result in results.values()):
            self.exitcode = PARTIAL

    @staticmethod
    def _forget(engine: Engine, name: str | None) -> None:
        from sitecrawl.index.chunked import reader_of  # noqa: PLC0415

        if name is None:
            raise UsageError("--forget needs --sink NAME; see the names with: sitecrawl index --status")
        with session_scope(engine) as session:
            stored = SinkRepository(session)
            if not stored.forget(name):
                known = ", ".join(state.name for state in stored.all()) or "none"
                raise UnknownSinkError(f"{name}: nothing was ever sent to such a sink; known: {known}")
            SentChunks(session, reader_of(name)).forget()
        print(f"{name} is forgotten; what it was sent stays there, and a sink of this name would be sent everything")

    @staticmethod
    def _report(engine: Engine, opts: argparse.Namespace, sinks: Mapping[str, Any]) -> None:
        with session_scope(engine, write=False) as session:
            stored = SinkRepository(session)
            states = {state.name: state for state in stored.all()}
            if opts.sink and opts.sink not in {*states, *sinks}:
                known = ", ".join(sorted({*states, *sinks})) or "none"
                raise UnknownSinkError(f"{opts.sink}: there is no such sink; known: {known}")
            rejected = stored.rejected(opts.sink)
        if not states and not sinks:
            sys.stderr.write("sitecrawl: SITECRAWL_INDEX_SINKS names no sink; see docs/search.md\n")
        elif opts.rejected and not rejected:
            sys.stderr.write("sitecrawl: no page is refused\n")
        if opts.rejected:
            for page in rejected:
                when = "set aside" if page.retry_at is None else f"tried again at {page.retry_at:%Y-%m-%d %H:%M:%S} UTC"
                print(f"{page.sink}: {page.url}  ({counted(page.attempts, 'try', 'tries')}, {when}): {page.reason}")
            return
        for name in [opts.sink] if opts.sink else sorted({*states, *sinks}):
            print(_state_line(name, states.get(name)))


def _feed(engine: Engine, config: Config, sinks: "Mapping[str, Sink]", *, once: bool) -> "dict[str, FeedResult]":
    """Feed all sinks, each in its own thread, so that an unavailable sink does not delay the others; return results.

    Without `once`, an error of one sink ends all of them; otherwise nobody would notice that it receives nothing.
    """
    from sitecrawl.index.feeder import Feeder  # noqa: PLC0415

    logging.getLogger("sitecrawl.index").setLevel(logging.INFO)
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    poll = None if once else config.index_poll
    kinds = config.index_kinds

    def run(name: str) -> "FeedResult":
        feeder = Feeder(engine, name, sinks[name], batch=config.index_batch, kinds=kinds)
        try:
            return feeder.run(stop, attempts=config.index_attempts, poll=poll)
        except Exception:
            if not once:
                stop.set()
            raise
        finally:
            sinks[name].close()

    results: dict[str, FeedResult] = {}
    errors: list[SinkError] = []
    with ThreadPoolExecutor(len(sinks)) as threads:
        futures = {name: threads.submit(run, name) for name in sinks}
        for name, future in futures.items():
            try:
                results[name] = future.result()
            except SinkError as error:
                errors.append(error)
    if errors:
        raise errors[0]
    return results


def _line(name: str, result: "FeedResult") -> str:
    line = f"{name}: {counted(result.delivered, 'change')} delivered"
    if result.rejected:
        line += f", {result.rejected} refused (see: index --rejected)"
    if result.failing_since is not None:
        line += f"; down since {result.failing_since:%Y-%m-%d %H:%M:%S} UTC: {result.failure}"
    return line


def _state_line(name: str, state: SinkState | None) -> str:
    if state is None:
        return f"{name}: nothing delivered yet"
    line = f"{name}: {counted(state.pending, 'change')} waiting"
    if state.set_aside:
        line += f", {counted(state.set_aside, 'page')} set aside (see: index --rejected)"
    if state.delivered_at is not None:
        line += f", last delivery {state.delivered_at:%Y-%m-%d %H:%M:%S} UTC"
    if state.failing_since is not None:
        line += f"; down since {state.failing_since:%Y-%m-%d %H:%M:%S} UTC: {state.failure}"
    return line
