"""The built-in search: written in the page's own transaction, so it is right after any kill.

SQLite: an FTS5 table, ranked by BM25. PostgreSQL: a tsvector under a GIN index, ranked by cover density. Both hold the
same terms (`storage/search/terms.py`), stemmed by the page's language.
"""

import datetime as dt
from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from itertools import islice
from typing import Any, Final, NamedTuple, cast

from sqlalchemy import ColumnElement, Date, Result, Select, and_, bindparam, delete, select, text

from sitecrawl.storage.db.prepared import Prepared
from sitecrawl.storage.db.session import Session
from sitecrawl.storage.search.languages import text_config
from sitecrawl.storage.search.terms import ANY, Query, Width, segment, widths
from sitecrawl.storage.tables.models import ContentRow, PageRow, SearchRow, SiteRow

_SEARCHED: Final = (
    *(ContentRow.kind, ContentRow.title, ContentRow.description, ContentRow.anchors, ContentRow.text),
    *(ContentRow.language, ContentRow.published, ContentRow.modified, ContentRow.extracted_at),
)
_PAGE: Final = Prepared(
    select(*_SEARCHED).where(ContentRow.site_id == bindparam("b_site"), ContentRow.url_key == bindparam("b_key"))
)
BETWEEN: Final = " \ue000 "
"""Stands between two texts of links, so that no phrase goes across them: a term that no text holds."""
PARTIAL: Final = 1 / 3
"""Least share of the best score of pages that hold a part of a query: else a common word would bring in all others."""
SPARE: Final = 3
"""Hits looked at for each result: duplicates are folded."""
SPARE_INEXACT: Final = 20
"""The same where phrases are still to be looked for in each."""


_PUT: Final = Prepared(
    text(
        "INSERT INTO search (site_id, url_key, kind, language, dated, config)"
        " VALUES (:site_id, :url_key, :kind, :language, :dated, :config)"
        " ON CONFLICT (site_id, url_key) DO UPDATE SET kind = excluded.kind, language = excluded.language,"
        " dated = excluded.dated, config = excluded.config RETURNING id"
    ).bindparams(bindparam("dated", type_=Date))
)
_REMOVE: Final = Prepared(
    delete(SearchRow).where(SearchRow.site_id == bindparam("b_site"), SearchRow.url_key == bindparam("b_key"))
)


class Searched(NamedTuple):
    """What is stored of a page that the index holds."""

    kind: str
    title: str | None
    description: str | None
    anchors: Sequence[str] | None
    text: str
    language: str | None
    published: str | None
    modified: str | None
    extracted_at: dt.datetime


class SearchFilter(NamedTuple):
    """What pages must be to be found; None for no matter."""

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
    """Higher is better; comparable only within one answer."""


class Answer(NamedTuple):
    """The outcome of a search."""

    hits: list[Hit]
    all_words: bool
    """False when no page holds all that was asked for; then `hits` hold some of it."""


class SearchIndex:
    """Reads and writes `search`."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def put(self, site_id: int, url_key: int) -> None:
        """Make a page searchable as it is stored; one without text is taken out."""
        row = _PAGE.first(self.session, {"b_site": site_id, "b_key": url_key})
        if row is None:
            self.remove(site_id, url_key)
        else:
            self.write(site_id, url_key, Searched(*row))

    def write(self, site_id: int, url_key: int, page: Searched) -> None:
        """Make a page searchable by what is stored of it; one without text is taken out."""
        if not page.text:
            self.remove(site_id, url_key)
            return
        config = text_config(page.language)
        about = {
            **{"site_id": site_id, "url_key": url_key, "kind": page.kind, "language": _primary(page.language)},
            **{"dated": page_date(page.published, page.modified, page.extracted_at), "config": config},
        }
        (number,) = _PUT.first(self.session, about) or (0,)
        title, description, words = (segment(field or "") for field in (page.title, page.description, page.text))
        anchors = BETWEEN.join(segment(one) for one in page.anchors or ())
        fields = (title, description, anchors, words)
        _database(self.session).write(self.session, number, config, fields)

    def remove(self, site_id: int, url_key: int) -> None:
        """Take a page out."""
        _REMOVE.run(self.session, {"b_site": site_id, "b_key": url_key})

    def missing(self) -> bool:
        """Say whether the index is empty though there are contents: an upgrade may have emptied it."""
        contents = select(ContentRow.url_key).where(ContentRow.indexed, ContentRow.text != "").limit(1)
        empty = self.session.scalar(select(SearchRow.id).limit(1)) is None
        return empty and self.session.scalar(contents) is not None

    def rebuild(self) -> int:
        """Make everything anew from the stored contents; return the number of pages."""
        self.session.execute(delete(SearchRow))
        keys = self.session.execute(
            select(ContentRow.site_id, ContentRow.url_key).where(ContentRow.indexed, ContentRow.text != "")
        ).all()
        for site_id, url_key in keys:
            self.put(site_id, url_key)
        return len(keys)

    def find(self, query: Query, wanted: SearchFilter, limit: int) -> Answer:
        """Return the best pages for a query, best first; of pages with the same text only the best."""
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

    def _rows(self, statement: Select[Any], wanted: SearchFilter, limit: int) -> Result[Any]:
        return self.session.execute(_described(statement).where(*_conditions(wanted)).limit(limit))


def _database(session: Session) -> Any:
    """Return what is different in the database of a session; the other one is not loaded."""
    return import_module(f"sitecrawl.storage.search.{session.get_bind().dialect.name}")


def _best(rows: Iterable[Any], phrases: Sequence[str], least: float) -> Iterator[Hit]:
    """Yield rows as hits, but for repeated texts, those without the phrases, and those far below the first."""
    seen: set[tuple[int, str]] = set()
    best: float | None = None
    for row in rows:
        hit = Hit(*row[2:])
        hit = hit._replace(anchors=tuple(hit.anchors or ()))
        best = hit.score if best is None else best
        if hit.score < least * best:
            return
        if (row.site_id, row.digest) in seen or not _holds(hit, phrases):
            continue
        seen.add((row.site_id, row.digest))
        yield hit


def _phrases(query: Query) -> list[str]:
    """Return the phrases of a query, as terms with spaces around.

    Their stems are found, by PostgreSQL with any stop words in between, so each hit is looked at.
    """
    return [
        f" {' '.join(clause.terms)}{'' if clause.prefix else ' '}" for clause in query.clauses if len(clause.terms) > 1
    ]


def _holds(hit: Hit, phrases: Sequence[str]) -> bool:
    if not phrases:
        return True
    fields = [f" {segment(field)} " for field in (hit.title, hit.description, *hit.anchors, hit.text) if field]
    return all(any(phrase in field for field in fields) for phrase in phrases)


def _described(statement: Select[Any]) -> Select[Any]:
    """Add what is shown of a hit, and leave out what no index is to hold."""
    content = and_(ContentRow.site_id == SearchRow.site_id, ContentRow.url_key == SearchRow.url_key)
    page = and_(PageRow.site_id == SearchRow.site_id, PageRow.url_key == SearchRow.url_key)
    score = statement.selected_columns[0]
    described = statement.with_only_columns(
        SearchRow.site_id,
        ContentRow.digest,
        PageRow.url,
        SiteRow.host,
        SearchRow.kind,
        ContentRow.title,
        ContentRow.description,
        SearchRow.language,
        SearchRow.dated,
        ContentRow.anchors,
        ContentRow.text,
        score,
    )
    for row, same in ((ContentRow, content), (PageRow, page), (SiteRow, SiteRow.id == SearchRow.site_id)):
        described = described.join_from(SearchRow, row, same)
    return cast("Select[Any]", described.where(ContentRow.indexed))


def _conditions(wanted: SearchFilter) -> Iterator[ColumnElement[bool]]:
    if wanted.site_id is not None:
        yield SearchRow.site_id == wanted.site_id
    if wanted.language is not None:
        yield SearchRow.language == _primary(wanted.language)
    if wanted.since is not None:
        yield SearchRow.dated >= wanted.since
    if wanted.until is not None:
        yield SearchRow.dated <= wanted.until
    if wanted.kind is not None:
        yield SearchRow.kind == wanted.kind


def page_date(published: str | None, modified: str | None, otherwise: dt.datetime) -> dt.date:
    """Return the day a page is from: published, else modified, else when this text was first seen."""
    for value in (published, modified):
        try:
            return dt.date.fromisoformat(f"{(value or '')[:10]}-01-01"[:10] if value else "")
        except ValueError:
            continue
    return otherwise.astimezone(dt.UTC).date()


def _primary(language: str | None) -> str | None:
    """Return the primary subtag: `pt` of `pt-BR`."""
    return language.replace("_", "-").split("-")[0].lower()[:8] if language else None
