"""The built-in search in SQLite: the FTS5 table `search_text`, created by the migrations with its BM25 weights.

It holds stems. A page is stemmed by its own language, so a query is built once for each language of the database and
restricted to the pages of that language by the column `config`, which has no weight and matches no other query.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from sqlalchemy import Select, column, select, table, text

from sitecrawl.storage.db.prepared import PreparedChange
from sitecrawl.storage.db.session import Session
from sitecrawl.storage.search.stemming import shared_beginning, stem, stemmed
from sitecrawl.storage.search.terms import ANY, Clause, Query, Width, neighbours, widened
from sitecrawl.storage.tables.models import SEARCH

_TEXT = table("search_text", column("rowid"), column("rank"))
_COLUMNS: Final = "{title description anchors text}"
_DELETE = PreparedChange(text("DELETE FROM search_text WHERE rowid = :number"))
_INSERT = PreparedChange(
    text(
        "INSERT INTO search_text (rowid, title, description, anchors, text, config)"
        " VALUES (:number, :title, :description, :anchors, :text, :config)"
    )
)
_PRESENT: Final = text(
    "WITH RECURSIVE one (config) AS (SELECT min(config) FROM search UNION ALL"
    " SELECT (SELECT min(config) FROM search WHERE search.config > one.config) FROM one WHERE one.config IS NOT NULL)"
    " SELECT config FROM one WHERE config IS NOT NULL"
).columns(SEARCH.c.config)


def write(session: Session, number: int, config: str, fields: Sequence[str]) -> None:
    """Replace the terms of a page: of its title, description, anchors and text."""
    _DELETE.run(session, {"number": number})
    named = zip(("title", "description", "anchors", "text"), fields, strict=True)
    stems = {name: stemmed(field, config) for name, field in named}
    _INSERT.run(session, {"number": number, "config": config, **stems})


def matching(session: Session, query: Query, wide: Width) -> Select[float] | None:
    """Return a statement for the matching pages, best first; its column is the score. None if there are none."""
    configs = session.scalars(_PRESENT).all()
    if not configs:
        return None
    expression = _in_languages(query, wide, configs)
    return (
        select((-_TEXT.c.rank).label("score"))
        .select_from(_TEXT)
        .join(SEARCH, SEARCH.c.id == _TEXT.c.rowid)
        .where(text("search_text MATCH :expression").bindparams(expression=expression))
        .order_by(_TEXT.c.rank)
    )


def _in_languages(query: Query, wide: Width, configs: Iterable[str]) -> str:
    """Return a query for pages of several languages, each by its stems."""
    queries: dict[str, list[str]] = {}
    for config in configs:
        queries.setdefault(expression_of(query, wide, config), []).append(config)
    if len(queries) == 1:
        return f"{_COLUMNS} : ({next(iter(queries))})"
    return " OR ".join(
        f"(config : ({' OR '.join(names)}) AND {_COLUMNS} : ({expression}))" for expression, names in queries.items()
    )


def expression_of(query: Query, wide: Width, config: str) -> str:
    """Return a query with the stems of one language, in valid FTS5 syntax.

    Pages that contain all clauses side by side, in order, rank higher. Among pages that contain only some clauses,
    those with two neighbouring clauses rank higher.
    """
    clauses = widened(query, wide)
    parts = [_phrase(clause, config) for clause in clauses]
    if wide in ANY:
        return " OR ".join([*parts, *(_phrase(pair, config) for pair in neighbours(clauses))])
    joined = " AND ".join(parts)
    if wide is not Width.ALL or len(clauses) == 1 or any(clause.prefix for clause in clauses):
        return joined
    whole = " ".join(stem(term, config) for clause in clauses for term in clause.terms)
    return f'"{whole}" OR ({joined})'


def _phrase(clause: Clause, config: str) -> str:
    """Return a clause as a string of FTS5; terms contain only letters, digits and marks.

    A prefix is shortened to its common beginning with its stem: `query*` finds `queri`.
    """
    stems = [stem(term, config) for term in clause.terms]
    if not clause.prefix:
        return f'"{" ".join(stems)}"'
    stems[-1] = shared_beginning(clause.terms[-1], stems[-1]) or clause.terms[-1]
    return f'"{" ".join(stems)}" *'
