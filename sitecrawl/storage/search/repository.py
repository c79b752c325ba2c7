"""The built-in search. It is written in the same transaction as the page, so it is consistent after any kill.

SQLite: an FTS5 table, ranked by BM25. PostgreSQL: a tsvector with a GIN index, ranked by cover density. Both contain
the same terms (`storage/search/terms.py`), stemmed by the page's language.
"""

import datetime as dt
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from importlib import import_module
from itertools import islice
from typing import Any, Final, NamedTuple, Protocol, cast

from sqlalchemy import ColumnElement, Select, and_, bindparam, delete, select

from sitecrawl.page_kind import Kind
from sitecrawl.storage.db.prepared import PreparedChange, PreparedSelect
from sitecrawl.storage.db.session import Session
from sitecrawl.storage.db.upsert import insert_into
from sitecrawl.storage.search.languages import text_config
from sitecrawl.storage.search.terms import ANY, Query, Width, segment, widths
from sitecrawl.storage.tables.models import CONTENT, PAGE, SEARCH, SITE

_SEARCHED: Final = (
    *(CONTENT.c.kind, CONTENT.c.title, CONTENT.c.description, CONTENT.c.anchors, CONTENT.c.text),
    *(CONTENT.c.language, CONTENT.c.published, CONTENT.c.modified, CONTENT.c.extracted_at),
)
_PAGE: Final = PreparedSelect(
    select(*_SEARCHED).where(CONTENT.c.site_id == bindparam("b_site"), CONTENT.c.url_key == bindparam("b_key"))
)
BETWEEN: Final = " \ue000 "
"""Separates two anchor texts, so that no phrase spans both: a term that no text contains."""
PARTIAL: Final = 1 / 3
"""Minimum share of the best score for pages that match only a part of a query; else a common word would match most."""
SPARE: Final = 3
"""Hits read per wanted result, since pages with the same text are merged."""
SPARE_INEXACT: Final = 20
"""The same if phrases must also be checked in each hit."""


_KEY: Final = ("site_id", "url_key")
_REMOVE: Final = PreparedChange(
    delete(SEARCH).where(SEARCH.c.site_id == bindparam("b_site"), SEARCH.c.url_key == bindparam("b_key"))
)


class Searched(NamedTuple):
    """The stored facts of an indexed page."""

    kind: Kind
    title: str | None
    description: str | None
    anchors: Sequence[str] | None
    text: str
    language: str | None
    published: str | None
    modified: str | None
    extracted_at: dt.datetime


class SearchFilter(NamedTuple):
    """Restrictions on the pages to find; None for no restriction."""

    site_id: int | None = None
    language: str | None = None
    since: dt.date | None = None
    until: dt.date | None = None
    kind: str | None = None


class Hit(NamedTuple):
    """A page that was found."""

    url: str
    site: str
    kind: str
    title: str | None
    description: str | None
    language: str | None
    dated: dt.date
    anchors: tuple[str, ...]
    text: str
    score: float
    """Higher is better; comparable only within one search."""


class Answer(NamedTuple):
    """The outcome of a search."""

    hits: list[Hit]
    all_words: bool
    """False if no page contains the whole query; `hits` then contain a part of it."""


class _Found(NamedTuple):
    """A row of a search."""

    site_id: int
    digest: str | None
    hit: Hit


class _Database(Protocol):
    """The interface of `sqlite.py` and `postgresql.py`."""

    def write(self, session: Session, number: int, config: str, fields: Sequence[str]) -> None:
        """Replace the terms of a page."""

    def matching(self, session: Session, query: Query, wide: Width) -> Select[float] | None:
        """Return a statement for the scores of the matching pages, best first; None if there are none."""


class SearchIndex:
    """Reads and writes `search`."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def put(self, site_id: int, url_key: int) -> None:
        """Index a page as it is stored; a page without text is removed."""
        row = _PAGE.first(self.session, {"b_site": site_id, "b_key": url_key})
        if row is None:
            self.remove(site_id, url_key)
        else:
            self.write(site_id, url_key, Searched(*row))

    def write(self, site_id: int, url_key: int, page: Searched) -> None:
        """Index a page, given its stored facts; a page without text is removed."""
        if not page.text:
            self.remove(site_id, url_key)
            return
        config = text_config(page.language)
        about = {
            **{"site_id": site_id, "url_key": url_key, "kind": page.kind, "language": _primary(page.language)},
            **{"dated": page_date(page.published, page.modified, page.extracted_at), "config": config},
        }
        (number,) = _putting(self.session.get_bind().dialect.name).first(self.session, about) or (0,)
        title, description, words = (segment(field or "") for field in (page.title, page.description, page.text))
        anchors = BETWEEN.join(segment(one) for one in page.anchors or ())
        fields = (title, description, anchors, words)
        _database(self.session).write(self.session, number, config, fields)

    def remove(self, site_id: int, url_key: int) -> None:
        """Remove a page from the index."""
        _REMOVE.run(self.session, {"b_site": site_id, "b_key": url_key})

    def missing(self) -> bool:
        """Return whether the index is empty although there are contents, for example after an upgrade."""
        contents = select(CONTENT.c.url_key).where(CONTENT.c.indexed, CONTENT.c.text != "").limit(1)
        empty = self.session.scalar(select(SEARCH.c.id).limit(1)) is None
        return empty and self.session.scalar(contents) is not None

    def rebuild(self) -> int:
        """Rebuild the index from the stored contents; return the number of pages."""
        self.session.execute(delete(SEARCH))
        keys = self.session.execute(
            select(CONTENT.c.site_id, CONTENT.c.url_key).where(CONTENT.c.indexed, CONTENT.c.text != "")
        ).all()
        for site_id, url_key in keys:
            self.put(site_id, url_key)
        return len(keys)

    def find(self, query: Query, wanted: SearchFilter, limit: int) -> Answer:
        """Return the best pages for a query, best first; only the best of pages with the same text."""
        if not query.clauses:
            return Answer([], True)
        database = _database(self.session)
        hits: list[Hit] = []
        width = Width.ALL
        for width in widths(query):
            statement = database.matching(self.session, query, width)
            if statement is not None:
                phrases = _phrases(query) if width is Width.ALL else []
                rows = self._rows(statement, wanted, limit * (SPARE_INEXACT if phrases else SPARE))
                hits = list(islice(_best(rows, phrases, PARTIAL if width in ANY else 0.0), limit))
            if hits:
                break
        return Answer(hits, width is Width.ALL or not hits)

    def _rows(self, statement: Select[float], wanted: SearchFilter, limit: int) -> Iterator[_Found]:
        rows = self.session.execute(_described(statement).where(*_conditions(wanted)).limit(limit))
        return (_Found(site_id, digest, Hit(*shown)) for site_id, digest, *shown in rows)


@cache
def _putting(dialect: str) -> PreparedSelect[int]:
    """Return the statement that stores the facts of a page and returns its number in the index."""
    insert = insert_into(dialect, SEARCH)
    changed = {name: insert.excluded[name] for name in ("kind", "language", "dated", "config")}
    made = insert.on_conflict_do_update(index_elements=list(_KEY), set_=changed).returning(SEARCH.c.id)
    return PreparedSelect(made, (*_KEY, *changed))


def _database(session: Session) -> _Database:
    """Return the module for the database of a session; the other one is not loaded."""
    return cast("_Database", import_module(f"sitecrawl.storage.search.{session.get_bind().dialect.name}"))


def _best(rows: Iterable[_Found], phrases: Sequence[str], least: float) -> Iterator[Hit]:
    """Yield the hits, without repeated texts, hits that lack a phrase, and hits far below the best score."""
    seen: set[tuple[int, str | None]] = set()
    best: float | None = None
    for row in rows:
        hit = row.hit._replace(anchors=tuple(row.hit.anchors or ()))
        best = hit.score if best is None else best
        if hit.score < least * best:
            return
        if (row.site_id, row.digest) in seen or not _holds(hit, phrases):
            continue
        seen.add((row.site_id, row.digest))
        yield hit


def _phrases(query: Query) -> list[str]:
    """Return the phrases of a query as terms surrounded by spaces.

    The database matches their stems, and PostgreSQL ignores stop words in between, so each hit is checked.
    """
    return [
        f" {' '.join(clause.terms)}{'' if clause.prefix else ' '}" for clause in query.clauses if len(clause.terms) > 1
    ]


def _holds(hit: Hit, phrases: Sequence[str]) -> bool:
    if not phrases:
        return True
    fields = [f" {segment(field)} " for field in (hit.title, hit.description, *hit.anchors, hit.text) if field]
    return all(any(phrase in field for field in fields) for phrase in phrases)


def _described(statement: Select[float]) -> Select[*tuple[Any, ...]]:
    """Add the shown columns of a hit, and exclude pages that no index may hold."""
    content = and_(CONTENT.c.site_id == SEARCH.c.site_id, CONTENT.c.url_key == SEARCH.c.url_key)
    page = and_(PAGE.c.site_id == SEARCH.c.site_id, PAGE.c.url_key == SEARCH.c.url_key)
    score = statement.selected_columns[0]
    described = statement.with_only_columns(
        SEARCH.c.site_id,
        CONTENT.c.digest,
        PAGE.c.url,
        SITE.c.host,
        SEARCH.c.kind,
        CONTENT.c.title,
        CONTENT.c.description,
        SEARCH.c.language,
        SEARCH.c.dated,
        CONTENT.c.anchors,
        CONTENT.c.text,
        score,
    )
    for row, same in ((CONTENT, content), (PAGE, page), (SITE, SITE.c.id == SEARCH.c.site_id)):
        described = described.join_from(SEARCH, row, same)
    return described.where(CONTENT.c.indexed)


def _conditions(wanted: SearchFilter) -> Iterator[ColumnElement[bool]]:
    if wanted.site_id is not None:
        yield SEARCH.c.site_id == wanted.site_id
    if wanted.language is not None:
        yield SEARCH.c.language == _primary(wanted.language)
    if wanted.since is not None:
        yield SEARCH.c.dated >= wanted.since
    if wanted.until is not None:
        yield SEARCH.c.dated <= wanted.until
    if wanted.kind is not None:
        yield SEARCH.c.kind == wanted.kind


def page_date(published: str | None, modified: str | None, otherwise: dt.datetime) -> dt.date:
    """Return the date of a page: published, else modified, else when this text was first seen."""
    for value in (published, modified):
        try:
            return dt.date.fromisoformat(f"{(value or '')[:10]}-01-01"[:10] if value else "")
        except ValueError:
            continue
    return otherwise.astimezone(dt.UTC).date()


def _primary(language: str | None) -> str | None:
    """Return the primary subtag: `pt` of `pt-BR`."""
    return language.replace("_", "-").split("-")[0].lower()[:8] if language else None
