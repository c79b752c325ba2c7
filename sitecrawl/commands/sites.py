"""`scrapy sites add | set | list | show | due | pause | resume | forget`: the websites in the database."""

import argparse
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from io import TextIOWrapper
from itertools import islice
from pathlib import Path
from typing import Any, Final

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError
from sqlalchemy import Engine

from sitecrawl.clock import now
from sitecrawl.closed_pipe import reader_may_leave
from sitecrawl.config import Config
from sitecrawl.crawl.forgetting import forget_site
from sitecrawl.crawl.schedule import MAXIMUM, MINIMUM, replan
from sitecrawl.crawl.site_lists import BadLine, ListedSite, read_sites, site_options
from sitecrawl.errors import ConfigError, SitecrawlError, UnknownSiteError
from sitecrawl.exit_status import DONE, FAILED, PARTIAL, print_error
from sitecrawl.links.urls import fetchable_url
from sitecrawl.plurals import counted
from sitecrawl.printable import visible
from sitecrawl.shell.arguments import whole_number
from sitecrawl.shell.site_lines import due_line, due_record, dumped, line_numbers, shown_site, site_line, site_record
from sitecrawl.storage.db.engine import open_database, open_existing, open_to_read, session_scope
from sitecrawl.storage.named_sites import NO_SITES, named_site
from sitecrawl.storage.site_register import DueSite, NewSite, SiteRegister

READING: Final = ("list", "show", "due")
MANY: Final = ("set", "pause", "resume", "forget")
"""Actions that take hosts."""
OPTIONS: Final = {
    **{"every": (MINIMUM, MAXIMUM), "max_pages": ("max_pages",)},
    **{"include": ("include",), "exclude": ("exclude",)},
}
"""Keys of `site.options` that each option sets."""
BATCH: Final = 5_000
"""Sites that are added in one transaction."""
MOST: Final = 10**9
"""Maximum number of sites in a database [OWN]."""
SHOWN: Final = 1_000
"""Sites that `list` and `due` show without `--limit`."""


class Command(ScrapyCommand):
    """Add, list, change, pause or forget websites."""

    requires_crawler_process = False

    def syntax(self) -> str:
        """Return the arguments, for the usage line."""
        return "add URL...|FILE|- [options] | set HOST ... | list | show HOST | due | pause|resume|forget HOST ..."

    def short_desc(self) -> str:
        """Return the line of the command in the list of commands."""
        return "The websites in the database: sites add URL...|FILE|-, set, list, show, due, pause, resume, forget"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the options of the command to its parser."""
        super().add_options(parser)
        parser.add_argument("--every", metavar="6h-30d", help="add, set: intervals between visits of the sites' pages")
        parser.add_argument("--max-pages", metavar="N", help="add, set: most pages of a crawl of each site")
        parser.add_argument("--include", metavar="RE", help="add, set: only URLs in which this is found are requested")
        parser.add_argument("--exclude", metavar="RE", help="add, set: URLs in which this is found are not requested")
        parser.add_argument("--json", action="store_true", help="list, show, due: one JSON object a line")
        limit = whole_number(0, MOST)
        parser.add_argument("--limit", type=limit, default=SHOWN, metavar="N", help=f"list, due: {SHOWN}; 0 for all")
        parser.add_argument("--dying", action="store_true", help="list: sites whose crawls die with their process")
        parser.add_argument("--after", default="", metavar="HOST", help="list: the sites after this one")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Run the requested action; an error is reported in one line."""
        action, given = (args[0], args[1:]) if args else ("", [])
        if not _is_usable(action, given):
            raise UsageError(self.syntax())
        assert self.settings is not None
        try:
            with reader_may_leave():
                self.exitcode = _run(action, given, opts, Config.from_mapping(self.settings))
        except SitecrawlError as error:
            self.exitcode = print_error(error)


def _is_usable(action: str, given: Sequence[str]) -> bool:
    if action in ("list", "due"):
        return not given
    return (action == "show" and len(given) == 1) or (action in ("add", *MANY) and bool(given))


def _run(action: str, given: list[str], opts: argparse.Namespace, config: Config) -> int:
    options = site_options(opts.every, opts.max_pages, opts.include, opts.exclude)
    taken_back = [name for option, names in OPTIONS.items() if getattr(opts, option) == "" for name in names]
    if action == "set" and not (options or taken_back):
        raise ConfigError("set takes --every, --max-pages, --include or --exclude")
    opened = open_to_read if action in READING else open_existing if action in MANY else open_database
    engine = opened(config.database_url, config.body_store)
    try:
        if action == "add":
            with _lines(given) as lines:
                return _add(engine, read_sites(lines, config.site_scope, options))
        if action == "list":
            return _list(engine, opts)
        if action == "show":
            return _show(engine, given[0], config.site_scope, as_json=opts.json)
        if action == "due":
            return _due(engine, opts)
        moment, scope = now(), config.site_scope
        changes: dict[str, Callable[[str], str]] = {
            "set": lambda name: _set(engine, name, config, options, taken_back),
            "pause": lambda name: _changed(
                engine,
                name,
                scope,
                lambda register, host: register.pause(host, moment),
                "paused; a running crawl continues to its end",
            ),
            "resume": lambda name: _changed(
                engine, name, scope, lambda register, host: register.resume(host, moment), "resumed"
            ),
            "forget": lambda name: _forgotten(engine, name, config),
        }
        return _each(given, changes[action])
    finally:
        engine.dispose()


@contextmanager
def _lines(given: Sequence[str]) -> Iterator[Iterable[str]]:
    """Yield the lines of standard input (`-`) and of files, and the given URLs themselves. Raises ConfigError."""
    if list(given) == ["-"]:
        if isinstance(sys.stdin, TextIOWrapper):
            sys.stdin.reconfigure(encoding="utf-8", errors="surrogateescape")
        yield sys.stdin
        return
    if len(given) > 1 or fetchable_url(given[0]) is not None:
        yield given
        return
    try:
        with Path(given[0]).open(encoding="utf-8", errors="surrogateescape", newline=None) as file:
            yield file
    except OSError as error:
        raise ConfigError(f"{given[0]}: neither a URL nor a file that can be read ({error.strerror})") from error


def _add(engine: Engine, found: Iterator[ListedSite | BadLine]) -> int:
    """Add sites in batches, report unusable lines, and return the exit status; good lines are kept in any case."""
    added, bad, known = 0, 0, list[int]()
    while batch := list(islice(found, BATCH)):
        fresh: dict[str, ListedSite] = {}
        for one in batch:
            if isinstance(one, BadLine):
                bad += 1
                sys.stderr.write(f"line {one.line}: {visible(one.reason)}\n")
            elif fresh.setdefault(one.host, one) is not one:
                known.append(one.line)
        with session_scope(engine) as session:
            sites = [NewSite(one.host, one.start_url, one.options) for one in fresh.values()]
            new = SiteRegister(session).add(sites, now())
        added += len(new)
        known += [one.line for host, one in fresh.items() if host not in new]
    parts = [f"{counted(added, 'site')} added"]
    if known:
        where = f"{'line' if len(known) == 1 else 'lines'} {line_numbers(known)}"
        parts.append(f"{len(known)} already known or listed twice ({where})")
    if bad:
        parts.append(f"{counted(bad, 'line')} cannot be used (listed above)")
    print("; ".join(parts), flush=True)
    if not bad:
        return DONE
    return PARTIAL if added or known else FAILED


def _list(engine: Engine, opts: argparse.Namespace) -> int:
    shown, last = 0, ""
    with session_scope(engine, write=False) as session:
        register = SiteRegister(session)
        for site in register.lines(opts.after, opts.limit, dying=opts.dying):
            shown, last = shown + 1, site.host
            print(dumped(site_record(site, now())) if opts.json else site_line(site, now()))
        if not shown and not opts.after:
            known = next(register.lines("", 1), None) is not None
            sys.stderr.write(f"sitecrawl: {'no crawls of a site died twice in a row' if known else NO_SITES}\n")
        if shown == opts.limit and any(register.lines(last, 1, dying=opts.dying)):
            more = f"{'--dying ' if opts.dying else ''}--after {last}"
            sys.stderr.write(f"sitecrawl: there are more: sitecrawl sites list {more}\n")
    sys.stdout.flush()
    return DONE


def _show(engine: Engine, name: str, scope: str, *, as_json: bool) -> int:
    with session_scope(engine, write=False) as session:
        site = next(SiteRegister(session).lines(hosts=[named_site(session, name, scope).host]))
    print(dumped(site_record(site, now())) if as_json else shown_site(site, now()), flush=True)
    return DONE


def _due(engine: Engine, opts: argparse.Namespace) -> int:
    moment = now()
    with session_scope(engine, write=False) as session:
        sites: list[DueSite] = SiteRegister(session).due(moment, opts.limit or MOST)
    if not sites:
        sys.stderr.write("sitecrawl: no site is due; see: sitecrawl sites list\n")
    for one in sites:
        print(dumped(due_record(one)) if opts.json else due_line(one, moment))
    sys.stdout.flush()
    return DONE


def _each(hosts: Sequence[str], change: Callable[[str], str]) -> int:
    """Change each host and return the exit status; a failure is reported and does not affect the other hosts."""
    failed, done = 0, 0
    for host in dict.fromkeys(hosts):
        try:
            print(change(host), flush=True)
            done += 1
        except (UnknownSiteError, SitecrawlError) as error:
            failed += 1
            print_error(error)
    if not failed:
        return DONE
    return PARTIAL if done else FAILED


def _changed(engine: Engine, name: str, scope: str, change: Callable[[SiteRegister, str], bool], message: str) -> str:
    with session_scope(engine) as session:
        host = named_site(session, name, scope).host
        change(SiteRegister(session), host)
    return f"{host}: {message}"


def _set(engine: Engine, name: str, config: Config, options: Mapping[str, Any], taken_back: Collection[str]) -> str:
    with session_scope(engine) as session:
        site = named_site(session, name, config.site_scope)
        SiteRegister(session).set_options(site.host, options, taken_back)
        if MINIMUM in {*options, *taken_back}:
            replan(session, config, site.id, now())
    return f"{site.host}: set"


def _forgotten(engine: Engine, name: str, config: Config) -> str:
    """Delete everything about a site; return the message. Raises UnknownSiteError, SiteLeasedError, StorageError."""
    with session_scope(engine) as session:
        host, urls, queued = forget_site(session, config, name)
    waits = " Its deletion waits for the indexes: sitecrawl index --once" if queued else ""
    kept = " Its bodies are deleted by: sitecrawl database prune-bodies" if urls and config.body_store else ""
    return f"{host}: forgotten, with {counted(urls, 'URL')}.{waits}{kept}"
