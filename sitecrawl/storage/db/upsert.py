"""INSERT ... ON CONFLICT for both dialects.

Statements run with a list of parameter sets instead of one long VALUES clause. So a statement is compiled once for all
row counts, and the drivers send many rows at a time.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import import_module
from operator import itemgetter
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from sqlalchemy import bindparam
from sqlalchemy import update as updating
from sqlalchemy.sql.base import ReadOnlyColumnCollection
from sqlalchemy.sql.elements import KeyedColumnElement

from sitecrawl.storage.db.prepared import PreparedChange
from sitecrawl.storage.db.session import Row, Session
from sitecrawl.storage.tables.base import AnyTable

if TYPE_CHECKING:
    from sqlalchemy.dialects.postgresql import Insert as PostgresqlInsert
    from sqlalchemy.dialects.sqlite import Insert as SqliteInsert

Excluded = ReadOnlyColumnCollection[str, KeyedColumnElement[Any]]
"""The values of the row that was not inserted because its key exists."""
Update = Callable[[Excluded], Mapping[str, object]]
_MADE: WeakKeyDictionary[Update, dict[tuple[object, ...], PreparedChange]] = WeakKeyDictionary()
"""Cached statements by the function that builds their update; building one costs more than running it."""


def insert_missing(session: Session, table: AnyTable, rows: Sequence[Row], key: Sequence[str]) -> None:
    """Insert the rows with new keys, sorted by key; all rows have the same columns."""
    if rows:
        statement = _insert_new(session.get_bind().dialect.name, table, tuple(key), tuple(rows[0]))
        _run(session, statement, rows, key)


def upsert(
    session: Session,
    table: AnyTable,
    rows: Sequence[Row],
    key: Sequence[str],
    update: Update,
) -> None:
    """Insert rows, sorted by key; existing keys get the values that `update` computes from the new ones (`excluded`).

    All rows have the same columns. The statement is built once per `update`, which must return the same each time.
    """
    if not rows:
        return
    dialect, columns = session.get_bind().dialect.name, tuple(rows[0])
    made = _MADE.setdefault(update, {})
    statement = made.get((dialect, table, *key, columns))
    if statement is None:
        insert = insert_into(dialect, table)
        updated = insert.on_conflict_do_update(index_elements=list(key), set_=dict(update(insert.excluded)))
        statement = made[(dialect, table, *key, columns)] = PreparedChange(updated, columns)
    _run(session, statement, rows, key)


def update_rows(session: Session, table: AnyTable, rows: Sequence[Row], key: Sequence[str]) -> None:
    """Update existing rows; all have the same columns, the key columns among them."""
    if rows:
        _run(session, _updating(table, tuple(key), tuple(rows[0])), rows, ())


def _run(session: Session, statement: PreparedChange, rows: Sequence[Row], key: Sequence[str]) -> None:
    if len(rows) == 1:
        statement.run(session, rows[0])
    else:
        statement.run_all(session, sorted(rows, key=itemgetter(*key)) if key else rows)


@cache
def _updating(table: AnyTable, key: tuple[str, ...], names: tuple[str, ...]) -> PreparedChange:
    made = updating(table).where(*(table.c[name] == bindparam(name) for name in key))
    return PreparedChange(made.values({name: bindparam(name) for name in names if name not in key}))


@cache
def _insert_new(dialect: str, table: AnyTable, key: tuple[str, ...], columns: tuple[str, ...]) -> PreparedChange:
    return PreparedChange(insert_into(dialect, table).on_conflict_do_nothing(index_elements=list(key)), columns)


@cache
def insert_into(dialect: str, table: AnyTable) -> "PostgresqlInsert | SqliteInsert":
    """Return an INSERT of the dialect for a table; cached, since its `excluded` copies every column."""
    insert: Callable[[AnyTable], PostgresqlInsert | SqliteInsert]
    insert = import_module(f"sqlalchemy.dialects.{dialect}").insert  # the other dialect is not loaded
    return insert(table)
