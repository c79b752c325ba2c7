"""Statements that are run for every page: compiled once, and then handed to the driver as they are.

SQLAlchemy takes 40 µs to run a statement that it has compiled before, and 180 µs to make one and run it; the driver of
SQLite takes 3 µs. Types and errors are SQLAlchemy's all the same.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Final, NamedTuple

from sqlalchemy.engine import Connection, Dialect
from sqlalchemy.exc import DBAPIError

from sitecrawl.storage.db.session import Session

Values = Mapping[str, Any]
_Convert = Callable[[Any], Any]


class _Form(NamedTuple):
    """A statement as the driver of one dialect takes it."""

    sql: str
    order: tuple[str, ...] | None
    """Names of the parameters in their places; None where the driver takes them by name."""
    constants: dict[str, Any]
    """Parameters that the statement itself sets."""
    binders: tuple[tuple[Any, _Convert], ...]
    """Place or name, and what makes of a value what the driver takes."""

    def bound(self, values: Values) -> Any:
        """Return parameters for the driver."""
        given = {**self.constants, **values} if self.constants else values
        made: Any = dict(given) if self.order is None else [given[name] for name in self.order]
        for place, convert in self.binders:
            made[place] = convert(made[place])
        return made


class Prepared:
    """A statement without lists of varying length (`IN`); `columns` are those that an INSERT names."""

    def __init__(self, statement: Any, columns: Collection[str] | None = None) -> None:
        self._statement: Final = statement
        self._columns: Final = columns
        self._forms: dict[str, _Form] = {}
        self._readers: dict[str, tuple[tuple[int, _Convert], ...]] = {}

    def first(self, session: Session, values: Values) -> tuple[Any, ...] | None:
        """Return the first row that is selected."""
        rows: list[tuple[Any, ...]] = self._run(session, values, _first)
        return rows[0] if rows else None

    def all(self, session: Session, values: Values) -> list[tuple[Any, ...]]:
        """Return all rows that are selected."""
        rows: list[tuple[Any, ...]] = self._run(session, values, _all)
        return rows

    def run(self, session: Session, values: Values) -> int:
        """Return how many rows were changed."""
        return int(self._run(session, values, None))

    def run_all(self, session: Session, rows: Sequence[Values]) -> None:
        """Run the statement once for each set of values."""
        connection = session.connection()
        form = self._form(connection.dialect)
        _with_cursor(
            connection, form.sql, lambda cursor: cursor.executemany(form.sql, [form.bound(values) for values in rows])
        )

    def _run(self, session: Session, values: Values, fetch: Callable[[Any], list[Any]] | None) -> Any:
        connection = session.connection()
        form = self._form(connection.dialect)

        def run(cursor: Any) -> Any:
            cursor.execute(form.sql, form.bound(values))
            if fetch is None:
                return cursor.rowcount
            rows = fetch(cursor)
            return self._read(connection.dialect, cursor, rows) if rows else rows

        return _with_cursor(connection, form.sql, run)

    def _read(self, dialect: Dialect, cursor: Any, rows: list[Any]) -> list[Any]:
        """Return rows with their values as the types of the columns have them in Python."""
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
        return made

    def _form(self, dialect: Dialect) -> _Form:
        form = self._forms.get(dialect.name)
        if form is None:
            form = self._forms[dialect.name] = self._compiled(dialect)
        return form

    def _compiled(self, dialect: Dialect) -> _Form:
        compiled = self._statement.compile(dialect=dialect, column_keys=self._columns, for_executemany=True)
        assert not compiled.post_compile_params, "a list of varying length"
        order = None if compiled.positiontup is None else tuple(compiled.positiontup)
        binds = {name: bind for bind, name in compiled.bind_names.items()}
        converts = {name: bind.type.dialect_impl(dialect).bind_processor(dialect) for name, bind in binds.items()}
        places = enumerate(order) if order is not None else ((name, name) for name in binds)
        return _Form(
            str(compiled),
            order,
            {name: compiled.params[name] for name, bind in binds.items() if not bind.required},
            tuple((place, convert) for place, name in places if (convert := converts[name]) is not None),
        )


def run_plain(connection: Connection, sql: str) -> None:
    """Run a statement without parameters and without an answer."""
    _with_cursor(connection, sql, lambda cursor: cursor.execute(sql))


def _with_cursor(connection: Connection, sql: str, work: Callable[[Any], Any]) -> Any:
    """Return what is done with a cursor of the driver. Raises what SQLAlchemy would raise."""
    try:
        cursor = connection.connection.cursor()
        try:
            return work(cursor)
        finally:
            cursor.close()
    except Exception as error:
        raise _failure(connection, sql, error) from error


def _first(cursor: Any) -> list[Any]:
    row = cursor.fetchone()
    return [] if row is None else [row]


def _all(cursor: Any) -> list[Any]:
    rows: list[Any] = cursor.fetchall()
    return rows


def _failure(connection: Connection, sql: str, error: Exception) -> BaseException:
    """Return what SQLAlchemy would raise; a connection that is lost is given up, as it would do."""
    dialect = connection.dialect
    lost = isinstance(error, dialect.loaded_dbapi.Error) and dialect.is_disconnect(
        error, connection.connection.dbapi_connection, None
    )
    if lost:
        connection.invalidate(error)
    return DBAPIError.instance(
        sql, None, error, dialect.loaded_dbapi.Error, hide_parameters=True, connection_invalidated=lost, dialect=dialect
    )
