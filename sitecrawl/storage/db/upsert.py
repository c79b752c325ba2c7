"""INSERT ... ON CONFLICT for both dialects.

Statements are run with a list of parameter sets, not with one long VALUES clause: so a statement is compiled once for
all row counts, and the drivers send many rows at a time.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import import_module
from operator import itemgetter
from typing import Any
from weakref import WeakKeyDictionary

from sqlalchemy import bindparam
from sqlalchemy import update as updating

from sitecrawl.storage.db.prepared import Prepared
from sitecrawl.storage.db.session import Session
from sitecrawl.storage.tables.models import Base

Row = Mapping[str, Any]
Update = Callable[[Any], Mapping[str, Any]]
_MADE: WeakKeyDictionary[Update, dict[tuple[Any, ...], Prepared]] = WeakKeyDictionary()
"""Statements by what makes their update, which lives as long: making one anew costs more than running it."""


def insert_missing(session: Session, table: type[Base], rows: Sequence[Row], key: Sequence[str]) -> None:
    """Insert the rows whose key is not there yet, sorted by key; all name the same columns."""
    if rows:
        statement = _insert_new(session.get_bind().dialect.name, table, tuple(key), tuple(rows[0]))
        _run(session, statement, rows, key)


def upsert(
    session: Session,
    table: type[Base],
    rows: Sequence[Row],
    key: Sequence[str],
    update: Update,
) -> None:
    """Insert rows, sorted by key; where the key is there, set what `update` makes of the new values (`excluded`).

    All rows name the same columns. The statement is made once for an `update` that is kept, and must be the same each
    time.
    """
    if not rows:
        return
    dialect, columns = session.get_bind().dialect.name, tuple(rows[0])
    made = _MADE.setdefault(update, {})
    statement = made.get((dialect, table, *key, columns))
    if statement is None:
        insert = _insert_into(dialect, table)
        updated = insert.on_conflict_do_update(index_elements=list(key), set_=dict(update(insert.excluded)))
        statement = made[(dialect, table, *key, columns)] = Prepared(updated, columns)
    _run(session, statement, rows, key)


def update_rows(session: Session, table: type[Base], rows: Sequence[Row], key: Sequence[str]) -> None:
    """Set the columns of rows that are there; all name the same columns, those of the key among them."""
    if rows:
        _run(session, _updating(table, tuple(key), tuple(rows[0])), rows, ())


def _run(session: Session, statement: Prepared, rows: Sequence[Row], key: Sequence[str]) -> None:
    if len(rows) == 1:
        statement.run(session, rows[0])
    else:
        statement.run_all(session, sorted(rows, key=itemgetter(*key)) if key else rows)


@cache
def _updating(table: type[Base], key: tuple[str, ...], names: tuple[str, ...]) -> Prepared:
    columns = table.__table__.c
    made: Any = updating(table.__table__)  # type: ignore[arg-type]
    made = made.where(*(columns[name] == bindparam(name) for name in key))
    return Prepared(made.values({name: bindparam(name) for name in names if name not in key}))


@cache
def _insert_new(dialect: str, table: type[Base], key: tuple[str, ...], columns: tuple[str, ...]) -> Prepared:
    return Prepared(_insert_into(dialect, table).on_conflict_do_nothing(index_elements=list(key)), columns)


@cache
def _insert_into(dialect: str, table: type[Base]) -> Any:
    """Return the beginning of a statement; made once, since its `excluded` describes every column anew."""
    insert: Any = import_module(f"sqlalchemy.dialects.{dialect}").insert  # the other one is not loaded
    return insert(table.__table__)
