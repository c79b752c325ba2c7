"""A unit of work: one transaction, passed to every operation on the database.

`Session` has the methods of the ORM's session that are used here, without loading the ORM. Rows are no mapped objects,
so an UPDATE of many rows needs a WHERE clause: `upsert.update_rows`.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar, TypeVarTuple, overload

from sqlalchemy import Connection, CursorResult, Engine, Executable, ScalarResult, Update
from sqlalchemy.sql.selectable import TypedReturnsRows

__all__ = ["Row", "Session", "after_commit", "transaction"]

Row = Mapping[str, object]
"""Values by column or parameter name."""
_T = TypeVar("_T")
_Ts = TypeVarTuple("_Ts")


class Session:
    """A transaction that begins with the first statement."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._connection: Connection | None = None
        self._after: list[Callable[[], object]] = []

    def get_bind(self) -> Engine:
        """Return the engine."""
        return self._engine

    def connection(self) -> Connection:
        """Return the connection, in the transaction."""
        if self._connection is None:
            connection = self._engine.connect()
            try:
                connection.begin()
            except BaseException:
                connection.close()
                raise
            self._connection = connection
        return self._connection

    @overload
    def execute(
        self, statement: TypedReturnsRows[*_Ts], values: Row | Sequence[Row] | None = None
    ) -> CursorResult[*_Ts]: ...
    @overload
    def execute(
        self, statement: Executable, values: Row | Sequence[Row] | None = None
    ) -> "CursorResult[*tuple[Any, ...]]": ...
    def execute(
        self, statement: Executable, values: Row | Sequence[Row] | None = None
    ) -> "CursorResult[*tuple[Any, ...]]":
        """Run a statement and return its rows. Raises TypeError for an UPDATE with many rows and without WHERE."""
        if isinstance(values, list) and isinstance(statement, Update) and statement.whereclause is None:
            raise TypeError("each of these values would be set in every row; use update_rows")
        return self.connection().execute(statement, values)

    def scalar(self, statement: TypedReturnsRows[_T], values: Row | None = None) -> _T | None:
        """Return the first column of the first row; None if there is none."""
        return self.connection().scalar(statement, values)

    def number(self, statement: TypedReturnsRows[int] | TypedReturnsRows[int | None]) -> int:
        """Return the number that a statement counts or looks up; 0 if there is none."""
        return self.connection().scalar(statement) or 0

    @overload
    def scalars(self, statement: TypedReturnsRows[_T], values: Row | None = None) -> ScalarResult[_T]: ...
    @overload
    def scalars(self, statement: Executable, values: Row | None = None) -> ScalarResult[Any]: ...
    def scalars(self, statement: Executable, values: Row | None = None) -> ScalarResult[Any]:
        """Return the first column of all rows."""
        return self.connection().scalars(statement, values)

    def after_commit(self, do: Callable[[], object]) -> None:
        """Call a function once the transaction is committed."""
        self._after.append(do)

    def end(self, *, commit: bool) -> None:
        """Commit or roll back the transaction."""
        if self._connection is not None:
            with self._connection as connection:  # closing rolls back uncommitted changes
                if commit:
                    try:
                        connection.commit()
                    except BaseException:
                        connection.invalidate()  # else the pool would reuse it within this transaction
                        raise
        if commit:
            for do in self._after:
                do()


@contextmanager
def transaction(engine: Engine) -> Iterator[Session]:
    """Yield a session; commit it at the end, roll it back on an error."""
    made = Session(engine)
    try:
        yield made
    except BaseException:
        made.end(commit=False)
        raise
    made.end(commit=True)


def after_commit(session: Session, do: Callable[[], object]) -> None:
    """Call a function once the transaction of a session is committed."""
    session.after_commit(do)
