"""Reads the database of crawls: sites, pages, templates, search, export."""

import datetime as dt
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import NoneType, TracebackType
from typing import Any, Final

from sqlalchemy import Engine

from sitecrawl.api.arguments import check
from sitecrawl.api.pages import Settings, read_settings
from sitecrawl.api.sites import Site
from sitecrawl.config import Config
from sitecrawl.crawl.export import exported, stored_rows
from sitecrawl.crawl.extraction import chosen_extractor, new_learning, site_overrides
from sitecrawl.crawl.warm_start import restore
from sitecrawl.errors import ConfigError, InputError, StorageError, UnknownSiteError
from sitecrawl.extractors.base import Kind
from sitecrawl.index.snippets import snippet
from sitecrawl.items import ContentItem
from sitecrawl.links.scope import SiteScope
from sitecrawl.links.urls import url_id, url_key
from sitecrawl.metadata.shared_values import SiteValues
from sitecrawl.storage.db.engine import open_to_read, session_scope
from sitecrawl.storage.exports import Chosen, ExportRepository, ListedPage
from sitecrawl.storage.named_sites import named_site
from sitecrawl.storage.search.languages import text_config
from sitecrawl.storage.search.repository import Answer, SearchFilter, SearchIndex
from sitecrawl.storage.search.terms import Query, parse_query
from sitecrawl.storage.site_values import SiteValueRepository
from sitecrawl.storage.sites import SiteRef, SiteRepository, SiteSummary

LIMIT = 10
MOST: Final = 10**9
"""Largest accepted limit, since databases do not accept arbitrarily large numbers."""


DIGITS: Final = 4
"""Significant digits of a score. BM25 gives words of most pages a millionth, which decimals would round to 0."""


@dataclass(frozen=True, slots=True)
class SearchResult:
    """A page found by a search."""

    id: str
    url: str
    site: str
    kind: str
    title: str | None
    description: str | None
    language: str | None
    date: str
    """ISO 8601 date of publication, else of the last change, else of the visit."""
    score: float
    """Higher is better; comparable within one search only."""
    all_words: bool
    """Whether the page contains the whole query."""
    snippet: str
    """The matching part of the text as HTML: escaped, with the query's words in `mark`."""


def search_results(answer: Answer, query: Query) -> list[SearchResult]:
    """Return the results of a search, with a snippet of each page."""
    return [
        SearchResult(
            id=url_id(hit.url),
            url=hit.url,
            site=hit.site,
            kind=hit.kind,
            title=hit.title,
            description=hit.description,
            language=hit.language,
            date=hit.dated.isoformat(),
            score=float(f"{hit.score:.{DIGITS}g}"),
            all_words=answer.all_words,
            snippet=snippet(hit.text, query, text_config(hit.language)).as_html(),
        )
        for hit in answer.hits
    ]


class StoredSite(Site):
    """A crawled or saved site. It extracts new pages, and lists the stored ones."""

    def __init__(self, database: "Database", ref: SiteRef, site: Site) -> None:
        super().__init__(ref.host, site._config, site._learning, site._values, site._overrides)
        self._database = database
        self._ref = ref

    def pages(self, kind: str | None = None, *, markup: bool = False) -> Iterator[ContentItem]:
        """Yield the feed row of each live page, ordered by URL, in bounded memory.

        `kind` is `content`, `listing` or `none`; `markup` adds `html` and `markdown` if crawls stored them
        (SITECRAWL_CONTENT_HTML). Raises ConfigError for another kind, StorageError.
        """
        return self._database.rows(self._ref.host, kind=kind, markup=markup)

    def search(self, words: str, **options: Any) -> list[SearchResult]:
        """Search this site's pages; `options` are those of `Database.search`."""
        return self._database.search(words, site=self._ref.host, **options)


class Database:
    """A database of crawled sites, open for reading. Close it, or use it in a `with` statement."""

    def __init__(self, engine: Engine, config: Config) -> None:
        self._engine = engine
        self._config = config
        self._closed = False

    def __enter__(self) -> "Database":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close all connections; later reads raise StorageError."""
        self._closed = True
        self._engine.dispose()

    def sites(self) -> list[SiteSummary]:
        """Return all sites, ordered by host, with their numbers of pages and the time of their last crawl."""
        with session_scope(self._open(), write=False) as session:
            return SiteRepository(session).all()

    def site(self, host: str) -> StoredSite:
        """Return a site by its host or any URL of it, with its templates loaded.

        Raises UnknownSiteError, StorageError, and LabelRuleError for templates of another version of sitecrawl.
        """
        config = self._config
        ref = self._ref(host)
        learning = new_learning(config, chosen_extractor(config))
        with session_scope(self._open(), write=False) as session:
            restore(lambda operation: operation(session), ref.id, learning)
            values = SiteValues(SiteValueRepository(session).used(ref.id))
        overrides = site_overrides(config, SiteScope.of(ref.start_url, config.site_scope))
        return StoredSite(self, ref, Site(ref.host, config, learning, values, overrides))

    def rows(self, *hosts: str, kind: str | None = None, markup: bool = False) -> Iterator[ContentItem]:
        """Yield the feed row of each live page of the sites, or of all sites, ordered by host and URL.

        The rows are those of `sitecrawl export`. Raises ConfigError, UnknownSiteError, StorageError.
        """
        return self._stored(hosts, kind, html=markup, markdown=markup)

    def page(self, url: str) -> ContentItem:
        """Return the feed row of a stored page, with its markup if crawls stored it.

        Raises UnknownSiteError for a URL that is not stored, StorageError.
        """
        ref = self._ref(url)
        with session_scope(self._open(), write=False) as session:
            listed = ListedPage(url, url_key(url))
            found = next(iter(ExportRepository(session).contents(ref.id, [listed])), None)
        if found is None:
            raise UnknownSiteError(f"{url}: no such page is stored", f"sitecrawl search, or sitecrawl pages {ref.host}")
        return exported(found, ref.host, html=True, markdown=True)

    def changes(self, since: dt.datetime, *hosts: str) -> Iterator[ContentItem]:
        """Yield the rows of the pages that are `new`, `changed` or `gone` since a time, ordered by host and URL.

        The rows are those of `sitecrawl export --since`. Raises InputError for a time without a time zone,
        UnknownSiteError, StorageError.
        """
        return stored_rows(self._open(), self._refs(hosts), _since(since))

    def latest_changes(self, since: dt.datetime, *hosts: str, start: int, limit: int) -> tuple[list[ContentItem], int]:
        """Return at most `limit` rows of `changes`, the newest first, from number `start` on, and the total number.

        Raises the exceptions of `changes`.
        """
        chosen = _since(since)
        ids = [self._ref(host).id for host in hosts] or None
        with session_scope(self._open(), write=False) as session:
            exports = ExportRepository(session)
            rows = [
                exported(content, one.host, html=False, markdown=False, chosen=chosen)
                for one in exports.newest(ids, chosen, start, limit)
                for content in exports.contents(one.site_id, [one.page], chosen)
            ]
            return rows, exports.count(ids, chosen)

    def search(
        self,
        words: str,
        *,
        site: str | None = None,
        language: str | None = None,
        since: dt.date | None = None,
        until: dt.date | None = None,
        kind: str | None = None,
        limit: int = LIMIT,
    ) -> list[SearchResult]:
        """Return the pages that match words, a "phrase" or begin*, best first (docs/search.md).

        Raises InputError for an invalid limit, day or kind, UnknownSiteError, StorageError.
        """
        check("words", words, str)
        check("language", language, str, NoneType)
        if not isinstance(limit, int) or not 1 <= limit <= MOST:
            raise InputError(f"limit is {limit!r:.40}; it takes a whole number from 1 to {MOST}")
        if kind not in (None, *map(str, Kind)):
            raise InputError(f"kind is {kind!r}; give one of {', '.join(map(str, Kind))}")
        if not all(day is None or isinstance(day, dt.date) for day in (since, until)):
            raise InputError(f"since and until are {since!r} and {until!r}; they take days: datetime.date(2026, 3, 1)")
        query = parse_query(words)
        wanted = SearchFilter(self._ref(site).id if site is not None else None, language, since, until, kind)
        with session_scope(self._open(), write=False) as session:
            answer = SearchIndex(session).find(query, wanted, limit)
        return search_results(answer, query)

    def export(self, target: str | Path, *hosts: str, kind: str | None = None, format: str | None = None) -> int:
        """Write the rows of sites to a file, or for `md` to a folder; return their number.

        `format` is jsonl, csv, md or parquet; by default it follows from the file's name. A complete file replaces an
        older one. Raises FeedFileError, ConfigError, UnknownSiteError, StorageError.
        """
        from sitecrawl.shell.formats import FORMATS, export_rows, format_of  # noqa: PLC0415  (loads Scrapy)

        check("target", target, str, Path)
        if format is not None and format not in FORMATS:
            raise ConfigError(f"format is {format!r}; give one of {', '.join(FORMATS)}")
        form = format_of(str(target), format)
        markdown = self._config.content_markdown or form == "md"
        rows = self._stored(hosts, kind, html=self._config.content_html, markdown=markdown)
        return export_rows(rows, str(target), form, self._config)

    def _open(self) -> Engine:
        if self._closed:
            raise StorageError("the database is closed; open it again: sitecrawl.open(...)")
        return self._engine

    def _stored(self, hosts: Sequence[str], kind: str | None, *, html: bool, markdown: bool) -> Iterator[ContentItem]:
        if kind is not None and kind not in tuple(Kind):
            raise ConfigError(f"kind is {kind!r}; give one of {', '.join(Kind)}, or None for all")
        return stored_rows(self._open(), self._refs(hosts), kind, html=html, markdown=markdown)

    def _refs(self, hosts: Sequence[str]) -> list[SiteRef]:
        """Return the sites with these hosts, or all sites if none is given."""
        if hosts:
            return [self._ref(host) for host in hosts]
        with session_scope(self._open(), write=False) as session:
            return SiteRepository(session).refs()

    def _ref(self, host: str) -> SiteRef:
        check("host or URL", host, str)
        with session_scope(self._open(), write=False) as session:
            return named_site(session, host, self._config.site_scope)


def _since(moment: dt.datetime) -> Chosen:
    """Return a filter for the changes since a time. Raises InputError for a time without a time zone."""
    if not isinstance(moment, dt.datetime) or moment.utcoffset() is None:
        raise InputError(f"{moment!r} is not a time with a time zone; give datetime(2026, 3, 1, tzinfo=UTC)")
    return Chosen(since=moment)


def open_sites(database: str | Path | None = None, *, settings: Settings | None = None) -> Database:
    """Return an open database of crawled sites: a SQLite file, a URL, or SITECRAWL_DATABASE_URL in `settings`.

    An older schema of a writable file is upgraded.

    Raises:
        ConfigError: The URL or a setting cannot be used.
        StorageError: The database does not exist or cannot be read; the message contains the remedy.
    """
    check("database", database, str, Path, NoneType)
    config = read_settings(settings)
    url = config.database_url
    if database is not None:
        url = database if isinstance(database, str) and "://" in database else f"sqlite:///{database}"
    return Database(open_to_read(url, config.body_store), config)


def load(path: str | Path, host: str | None = None, *, settings: Settings | None = None) -> StoredSite:
    """Return a site from a file: the only one, as written by `Site.save`, or the one with the given host.

    Raises the exceptions of `open`, and ConfigError if the file contains several sites and `host` is None.
    """
    database = open_sites(path, settings=settings)
    if host is None:
        hosts = [one.host for one in database.sites()]
        if len(hosts) != 1:
            database.close()
            raise ConfigError(f"{path}: holds {len(hosts)} sites; name one: load(path, host)")
        host = hosts[0]
    return database.site(host)
