"""One transaction on a database: what an operation is handed.

It has those calls of the ORM's session that are used, without loading the ORM. There are no objects behind rows, so an
UPDATE with values for many rows has to say which: `upsert.update_rows`.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection, CursorResult, Engine, Executable, ScalarResult, Update

__all__ = ["Session", "after_commit", "transaction"]


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

    def execute(self, statement: Executable, values: Any = None) -> "CursorResult[*tuple[Any, ...]]":
        """Run a statement. Raises TypeError for an UPDATE of many rows that does not say which."""
        if isinstance(values, list) and isinstance(statement, Update) and statement.whereclause is None:
            raise TypeError("each of these values would be set in every row; use update_rows")
        return self.connection().execute(statement, values)

    def scalar(self, statement: Executable, values: Any = None) -> Any:
        """Return the first column of the first row, None when there is none."""
        return self.connection().scalar(statement, values)

    def scalars(self, statement: Executable, values: Any = None) -> ScalarResult[Any]:
        """Return the first column of all rows."""
        return self.connection().scalars(statement, values)

    def after_commit(self, do: Callable[[], object]) -> None:
        """Have something done once the transaction is committed."""
        self._after.append(do)

    def end(self, *, commit: bool) -> None:
        """Commit or roll back what was begun."""
        if self._connection is not None:
            with self._connection as connection:  # closes it; what was not committed is rolled back
                if commit:
                    try:
                        connection.commit()
                    except BaseException:
                        connection.invalidate()  # the pool would hand it out in the middle of this transaction
                        raise
        if commit:
            for do in self._after:
                do()


@contextmanager
def transaction(engine: Engine) -> Iterator[Session]:
    """One transaction: committed at the end, rolled back on an error."""
    made = Session(engine)
    try:
        yield made
    except BaseException:
        made.end(commit=False)
        raise
    made.end(commit=True)


def after_commit(session: Session, do: Callable[[], object]) -> None:
    """Have something done once the transaction of a session is committed."""
    session.after_commit(do)
