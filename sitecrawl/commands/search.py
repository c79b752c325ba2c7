"""`scrapy search QUERY`: ranked pages with snippets, from the database."""

import argparse
import datetime as dt
import json
import sys
from dataclasses import asdict
from typing import Final

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError
from sqlalchemy import Engine

from sitecrawl.api.database import search_results
from sitecrawl.closed_pipe import reader_may_leave
from sitecrawl.config import Config
from sitecrawl.errors import ConfigError, SitecrawlError
from sitecrawl.exit_status import print_error
from sitecrawl.index.snippets import Snippet, snippet
from sitecrawl.page_kind import KINDS_WITH_TEXT
from sitecrawl.plurals import counted
from sitecrawl.shell.arguments import whole_number
from sitecrawl.storage.db.engine import open_existing, open_to_read, session_scope
from sitecrawl.storage.named_sites import named_site
from sitecrawl.storage.search.languages import text_config
from sitecrawl.storage.search.repository import Answer, Hit, SearchFilter, SearchIndex
from sitecrawl.storage.search.terms import Query, parse_query

LIMIT: Final = 10
MOST: Final = 100_000
"""Largest `--limit`: results are held in memory."""
MARK: Final = ("\x1b[1m", "\x1b[22m")
DIM: Final = "\x1b[2m{}\x1b[22m"


class Command(ScrapyCommand):
    """Search the stored main content."""

    requires_crawler_process = False

    def syntax(self) -> str:
        """Return the arguments, for the usage line."""
        return (
            "QUERY [--site HOST] [--language XX] [--since DATE] [--until DATE] [--kind KIND] [--limit N] [--json]"
            " | --rebuild"
        )

    def short_desc(self) -> str:
        """Return the line of the command in the list of commands."""
        return 'Search what was crawled: words, "a phrase", begin*'

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the options of the command to its parser."""
        super().add_options(parser)
        parser.add_argument("--site", default=None, metavar="HOST", help="only pages of this site")
        parser.add_argument("--language", default=None, metavar="XX", help="only pages in this language, as en")
        parser.add_argument("--since", default=None, metavar="DATE", help="only pages from this day on, as 2026-03-01")
        parser.add_argument("--until", default=None, metavar="DATE", help="only pages up to this day")
        parser.add_argument(
            "--kind",
            choices=(*map(str, KINDS_WITH_TEXT), "all"),
            default="all",
            help="kind of pages (default: all)",
        )
        parser.add_argument(
            "--limit", type=whole_number(1, MOST), default=LIMIT, metavar="N", help=f"most results (default: {LIMIT})"
        )
        parser.add_argument("--json", action="store_true", help="one JSON object a result")
        parser.add_argument("--rebuild", action="store_true", help="rebuild the index from the stored contents")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Print the results; an error is reported in one line."""
        if bool(args) == opts.rebuild:
            raise UsageError(self.syntax())
        try:
            with reader_may_leave():
                self._run(" ".join(args), opts)
        except SitecrawlError as error:
            self.exitcode = print_error(error)

    def _run(self, words: str, opts: argparse.Namespace) -> None:
        assert self.settings is not None
        since, until = _date("--since", opts.since), _date("--until", opts.until)
        config = Config.from_mapping(self.settings)
        engine = open_existing(config.database_url) if opts.rebuild else open_to_read(config.database_url)
        if opts.rebuild:
            with session_scope(engine) as session:
                count = SearchIndex(session).rebuild()
            print(f"The search index was rebuilt from {counted(count, 'page')}.")
            return
        with session_scope(engine, write=False) as session:
            missing = SearchIndex(session).missing()
        if missing:
            with session_scope(engine) as session:
                count = SearchIndex(session).rebuild()
            sys.stderr.write(f"The search index was rebuilt from {counted(count, 'page')}.\n")
        query = parse_query(words)
        kind = None if opts.kind == "all" else opts.kind
        with session_scope(engine, write=False) as session:
            site_id = None if opts.site is None else named_site(session, opts.site, config.site_scope).id
            wanted = SearchFilter(site_id, opts.language, since, until, kind)
            answer = SearchIndex(session).find(query, wanted, opts.limit)
        if opts.json:
            for found in search_results(answer, query):
                print(json.dumps(asdict(found), ensure_ascii=False))
        else:
            _print(answer, query, engine)


def _print(answer: Answer, query: Query, engine: Engine) -> None:
    colours = sys.stdout.isatty()
    if not query.clauses:
        print("Nothing to search for: the query has no letters or digits.")
    elif not answer.hits:
        print(f"Nothing found in {engine.url.render_as_string(hide_password=True)}.")
    elif not answer.all_words:
        print("No page contains the whole query; these contain a part of it, or its quoted words separately.\n")
    for number, hit in enumerate(answer.hits, 1):
        before, after = MARK if colours else ("[", "]")
        about = " · ".join(part for part in (hit.url, hit.dated.isoformat(), hit.language) if part)
        print(f"{number:2}. {hit.title or hit.url}")
        print("    " + (DIM.format(about) if colours else about))
        print("    " + _snippet(hit, query).as_text(before, after) + "\n")


def _snippet(hit: Hit, query: Query) -> Snippet:
    return snippet(hit.text, query, text_config(hit.language))


def _date(option: str, value: str | None) -> dt.date | None:
    if value is None:
        return None
    try:
        return dt.date.fromisoformat(value)
    except ValueError:
        raise ConfigError(f"{option} {value} is not a day; write it as 2026-03-01") from None
