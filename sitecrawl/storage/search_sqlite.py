"""The built-in search in SQLite: the FTS5 table `search_text`, made by the migrations with its weights for BM25."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Select, column, select, table, text
from sqlalchemy.orm import Session

from sitecrawl.storage.models import SearchRow
from sitecrawl.storage.terms import ANY, Clause, Query, Width, widened

_TEXT = table("search_text", column("rowid"), column("rank"))
_DELETE = text("DELETE FROM search_text WHERE rowid = :number")
_INSERT = text(
    "INSERT INTO search_text (rowid, title, description, anchors, text)"
    " VALUES (:number, :title, :description, :anchors, :text)"
)


def write(session: Session, number: int, _config: str, fields: Sequence[str]) -> None:
    """Replace the terms of a page: of its title, description, anchors and text."""
    session.execute(_DELETE, {"number": number})
    session.execute(
        _INSERT,
        {"number": number, **dict(zip(("title", "description", "anchors", "text"), fields, strict=True))},
    )


def matching(query: Query, wide: Width) -> Select[Any]:
    """Return a statement for the pages that match, best first; its column is the score."""
    expression = expression_of(query, wide)
    return (
        select((-_TEXT.c.rank).label("score"))
        .select_from(_TEXT)
        .join(SearchRow, SearchRow.id == _TEXT.c.rowid)
        .where(text("search_text MATCH :expression").bindparams(expression=expression))
        .order_by(_TEXT.c.rank)
    )


def expression_of(query: Query, wide: Width) -> str:
    """Return a query as FTS5 reads it; never a syntax error.

    Pages that hold all clauses side by side, in order, are better.
    """
    clauses = widened(query, wide)
    joined = (" OR " if wide in ANY else " AND ").join(map(_phrase, clauses))
    if wide is not Width.ALL or len(clauses) == 1 or any(clause.prefix for clause in clauses):
        return joined
    whole = " ".join(term for clause in clauses for term in clause.terms)
    return f'"{whole}" OR ({joined})'


def _phrase(clause: Clause) -> str:
    """Return a clause as a string of FTS5; terms hold letters, digits and marks only."""
    return f'"{" ".join(clause.terms)}"{" *" if clause.prefix else ""}'
