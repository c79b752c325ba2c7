"""Statements that run for every page: compiled once, then passed to the driver as text.

SQLAlchemy takes 40 µs to run a statement that it has compiled before, and 180 µs to build one and run it; the driver of
SQLite takes 3 µs. Values are converted by the types of the columns, and errors are SQLAlchemy's.
"""

from collections.abc import Callable, Collection, Sequence
from typing import Any, Final, Generic, NamedTuple, TypeVar, TypeVarTuple, cast

from sqlalchemy import TextClause
from sqlalchemy.engine import Connection, Dialect
from sqlalchemy.engine.interfaces import DBAPICursor
from sqlalchemy.exc import DBAPIError
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.dml import UpdateBase
from sqlalchemy.sql.elements import ClauseElement
from sqlalchemy.sql.selectable import TypedReturnsRows

from sitecrawl.storage.db.session import Row, Session

_T = TypeVar("_T")
_Ts = TypeVarTuple("_Ts")
_Convert = Callable[[Any], object]
_Rows = Sequence[Sequence[object]]


class _Form(NamedTuple):
    """A statement compiled for the driver of one dialect."""

    sql: str
    order: tuple[str, ...] | None
    """Parameter names by position; None if the driver takes them by name."""
    constants: dict[str, object]
    """Parameters set by the statement itself."""
    binders: tuple[tuple[str, _Convert], ...]
    """Names of the parameters that need conversion, each with the function that converts it for the driver."""

    def bound(self, values: Row) -> Any:
        """Return the parameters in the form that the driver takes."""
        given = {**self.constants, **values}
        for name, convert in self.binders:
            given[name] = convert(given[name])
        return given if self.order is None else [given[name] for name in self.order]


class Prepared:
    """A statement without lists of varying length (`IN`), compiled once for each dialect."""

    def __init__(self, statement: ClauseElement, columns: Collection[str] | None = None) -> None:
        self._statement: Final = statement
        self._columns: Final = columns
        self._forms: dict[str, _Form] = {}

    def form(self, dialect: Dialect) -> _Form:
        """Return the statement compiled for the driver of a dialect; compiled only once."""
        form = self._forms.get(dialect.name)
        if form is None:
            form = self._forms[dialect.name] = self._compiled(dialect)
        return form

    def _compiled(self, dialect: Dialect) -> _Form:
        compiled = self._statement.compile(dialect=dialect, column_keys=self._columns, for_executemany=True)
        assert isinstance(compiled, SQLCompiler)
        assert not compiled.post_compile_params, "a list of varying length"
        order = None if compiled.positiontup is None else tuple(compiled.positiontup)
        binds = {name: bind for bind, name in compiled.bind_names.items()}
        converts = {name: bind.type.dialect_impl(dialect).bind_processor(dialect) for name, bind in binds.items()}
        return _Form(
            str(compiled),
            order,
            {name: compiled.params[name] for name, bind in binds.items() if not bind.required},
            tuple((name, convert) for name, convert in converts.items() if convert is not None),
        )


class PreparedChange(Prepared):
    """An INSERT, UPDATE or DELETE; `columns` are those of an INSERT."""

    def __init__(self, statement: UpdateBase | TextClause, columns: Collection[str] | None = None) -> None:
        super().__init__(statement, columns)

    def run(self, session: Session, values: Row) -> int:
        """Run the statement; return the number of changed rows."""
        connection = session.connection()
        form = self.form(connection.dialect)

        def run(cursor: DBAPICursor) -> int:
            cursor.execute(form.sql, form.bound(values))
            return cursor.rowcount

        return _with_cursor(connection, form.sql, run)

    def run_all(self, session: Session, rows: Sequence[Row]) -> None:
        """Run the statement once for each set of values."""
        connection = session.connection()
        form = self.form(connection.dialect)
        bound = [form.bound(values) for values in rows]
        _with_cursor(connection, form.sql, lambda cursor: cursor.executemany(form.sql, bound))


class PreparedSelect(Prepared, Generic[*_Ts]):
    """A SELECT, or a change with RETURNING; its rows are tuples of the columns."""

    def __init__(self, statement: TypedReturnsRows[*_Ts], columns: Collection[str] | None = None) -> None:
        super().__init__(statement, columns)
        self._readers: dict[str, tuple[tuple[int, _Convert], ...]] = {}

    def first(self, session: Session, values: Row) -> tuple[*_Ts] | None:
        """Return the first row; None if there is none."""
        rows = self._run(session, values, _first)
        return rows[0] if rows else None

    def all(self, session: Session, values: Row) -> list[tuple[*_Ts]]:
        """Return all rows."""
        return self._run(session, values, _all)

    def _run(self, session: Session, values: Row, fetch: Callable[[DBAPICursor], _Rows]) -> list[tuple[*_Ts]]:
        connection = session.connection()
        form = self.form(connection.dialect)

        def run(cursor: DBAPICursor) -> _Rows:
            cursor.execute(form.sql, form.bound(values))
            rows = fetch(cursor)
            return self._read(connection.dialect, cursor, rows) if rows else rows

        return cast("list[tuple[*_Ts]]", _with_cursor(connection, form.sql, run))

    def _read(self, dialect: Dialect, cursor: DBAPICursor, rows: _Rows) -> _Rows:
        """Return rows with values converted from the driver by the column types."""
        readers = self._readers.get(dialect.name)
        if readers is None:
            columns = getattr(self._statement, "selected_columns", ())
            found = [
                column.type.dialect_impl(dialect).result_processor(dialect, about[1])
                for column, about in zip(columns, cursor.description, strict=False)
            ]
            readers = tuple((i, convert) for i, convert in enumerate(found) if convert is not None)
            self._readers[dialect.name] = readers
        if not readers:
            return rows
        made = [list(row) for row in rows]
        for i, convert in readers:
            for row in made:
                row[i] = convert(row[i])
        return [tuple(row) for row in made]


def run_plain(connection: Connection, sql: str) -> None:
    """Run a statement without parameters and without a result."""
    _with_cursor(connection, sql, lambda cursor: cursor.execute(sql))


def _with_cursor(connection: Connection, sql: str, work: Callable[[DBAPICursor], _T]) -> _T:
    """Return the result of `work` on a cursor of the driver. Raises SQLAlchemy's errors, like its own methods."""
    try:
        cursor = connection.connection.cursor()
        try:
            return work(cursor)
        finally:
            cursor.close()
    except Exception as error:
        raise _failure(connection, sql, error) from error


def _first(cursor: DBAPICursor) -> _Rows:
    row = cursor.fetchone()
    return [] if row is None else [row]


def _all(cursor: DBAPICursor) -> _Rows:
    return cursor.fetchall()


def _failure(connection: Connection, sql: str, error: Exception) -> BaseException:
    """Return the error that SQLAlchemy would raise; like SQLAlchemy, invalidate a lost connection."""
    dialect = connection.dialect
    lost = isinstance(error, dialect.loaded_dbapi.Error) and dialect.is_disconnect(
        error, connection.connection.dbapi_connection, None
    )
    if lost:
        connection.invalidate(error)
    return DBAPIError.instance(
        sql, None, error, dialect.loaded_dbapi.Error, connection_invalidated=lost, dialect=dialect
    )
