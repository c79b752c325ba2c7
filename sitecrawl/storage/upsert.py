"""INSERT ... ON CONFLICT for both dialects, in chunks that stay under the drivers' parameter limits."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from sitecrawl.storage.models import Base

PARAMETERS: Final = 20_000
"""Bound values of one statement; SQLite takes 32,766, PostgreSQL 65,535."""


def insert_missing(session: Session, table: type[Base], rows: Sequence[Mapping[str, Any]], key: Sequence[str]) -> int:
    """Insert the rows whose key is not there yet; return how many."""
    added = 0
    for chunk in _chunks(rows):
        statement = _insert(session)(table).values(chunk).on_conflict_do_nothing(index_elements=list(key))
        added += session.execute(statement).rowcount  # type: ignore[attr-defined]
    return added


def upsert(
    session: Session,
    table: type[Base],
    rows: Sequence[Mapping[str, Any]],
    key: Sequence[str],
    update: Callable[[Any], Mapping[str, Any]],
) -> None:
    """Insert rows; where the key is there, set what `update` makes of the new values (`excluded`)."""
    for chunk in _chunks(rows):
        statement = _insert(session)(table).values(chunk)
        session.execute(
            statement.on_conflict_do_update(index_elements=list(key), set_=dict(update(statement.excluded)))
        )


def _insert(session: Session) -> Any:
    dialect = session.get_bind().dialect.name
    return postgresql.insert if dialect == "postgresql" else sqlite.insert


def _chunks(rows: Sequence[Mapping[str, Any]]) -> list[list[Mapping[str, Any]]]:
    if not rows:
        return []
    size = max(1, PARAMETERS // len(rows[0]))
    return [list(rows[i : i + size]) for i in range(0, len(rows), size)]
