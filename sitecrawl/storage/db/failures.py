"""Classifies database errors: which are transient, and what the user can do about the others."""

import sqlite3
from collections.abc import Mapping
from typing import Final

from sqlalchemy.engine import URL
from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from sitecrawl.errors import DatabaseLostError, StorageError
from sitecrawl.storage.db.address import place

_DAMAGED: Final = "the file is damaged or no SQLite database; restore a copy, or move it away and start again"
_READ_ONLY: Final = "cannot be written; check the permissions of the file and of its folder"
_SQLITE: Final[Mapping[int, str]] = {
    sqlite3.SQLITE_PERM: _READ_ONLY,
    sqlite3.SQLITE_READONLY: _READ_ONLY,
    sqlite3.SQLITE_CANTOPEN: "cannot be opened or created; check that its folder exists and can be written",
    sqlite3.SQLITE_BUSY: "stayed locked by another process; end that one, then start again",
    sqlite3.SQLITE_LOCKED: "stayed locked by another connection; start again",
    sqlite3.SQLITE_FULL: "the disk is full; free some space, then start again: nothing stored is lost",
    sqlite3.SQLITE_IOERR: "the disk cannot be read or written; check it, then start again",
    sqlite3.SQLITE_CORRUPT: _DAMAGED,
    sqlite3.SQLITE_NOTADB: _DAMAGED,
}
"""Advice by SQLite result code (https://sqlite.org/rescode.html)."""

_POSTGRESQL: Final[Mapping[str, str]] = {
    "08": "the connection was lost; check the server",
    "25006": "the server is read-only; use one that can be written",
    "25P03": "the process was paused within a transaction, which the server has ended; start again",
    "28": "the server refused the user or the password",
    "3D000": "the database does not exist; create it",
    "42501": "the user may not do this; grant the missing privilege",
    "42P01": "a table is missing; run: sitecrawl database upgrade",
    "53100": "the disk of the server is full; free some space, then start again",
    "53300": "the server takes no more connections; raise max_connections or close others",
    "57P": "the server is shutting down or starting; start again when it is up",
}
"""Advice by SQLSTATE or its class (PostgreSQL manual, appendix A); the longest matching prefix counts."""

_TRANSIENT_STATES: Final = ("08", "25P03", "40001", "40P01", "53300", "55P03", "57P01", "57P02", "57P03")
_TRANSIENT_CODES: Final = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_LASTING_STATES: Final = ("25006", "28", "3D000", "42501", "42P01", "53", "57P", "58", "XX")
_LASTING_CODES: Final = (
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_CORRUPT,
    sqlite3.SQLITE_NOTADB,
)
"""Result codes of failures of the whole database, not of a statement; they last until somebody repairs it."""
_PRIMARY: Final = 0xFF
"""Mask for the primary code in an extended SQLite result code."""


def is_transient(error: Exception) -> bool:
    """Return whether the same transaction may succeed later: a lock, a deadlock, a lost connection."""
    if isinstance(error, PoolTimeoutError):
        return True
    if not isinstance(error, DBAPIError):
        return False
    if error.connection_invalidated:
        return True
    code = _sqlite_code(error)
    if code is not None:
        return code in _TRANSIENT_CODES
    state = _state(error)
    if state is None:  # no SQLSTATE: the client library did not reach the server
        return isinstance(error, OperationalError | InterfaceError)
    return state.startswith(_TRANSIENT_STATES)


def may_pass(error: Exception) -> bool:
    """Return whether an error, or the cause of a StorageError, is transient (`is_transient`)."""
    cause = error.__cause__ if isinstance(error, StorageError) else error
    return isinstance(cause, Exception) and is_transient(cause)


def is_lasting(error: Exception) -> bool:
    """Return whether all statements will fail until somebody repairs the database: a full disk, say."""
    if not isinstance(error, DBAPIError):
        return False
    code = _sqlite_code(error)
    if code is not None:
        return code in _LASTING_CODES
    state = _state(error)
    return state is not None and state.startswith(_LASTING_STATES)


def storage_error(address: URL, error: SQLAlchemyError) -> StorageError:
    """Return the error to raise instead of SQLAlchemy's: it names the database and says what to do.

    It is a DatabaseLostError if the database failed, or if a transient error did not pass. SQL and parameters are not
    shown, since they contain text of crawled pages.
    """
    kind = DatabaseLostError if is_lasting(error) or is_transient(error) else StorageError
    return kind(f"{place(address)}: {_advice(error)}")


def _advice(error: SQLAlchemyError) -> str:
    if isinstance(error, PoolTimeoutError):
        return "all connections are busy; start again"
    if not isinstance(error, DBAPIError):
        return f"a statement cannot be run: {_first_line(error)}"
    code = _sqlite_code(error)
    if code is not None:
        return _SQLITE.get(code) or f"SQLite failed: {_first_line(error.orig)}"
    state = _state(error)
    if state is None:
        if isinstance(error, OperationalError | InterfaceError):
            return f"the server cannot be reached: {_first_line(error.orig)}"
        return f"the database failed: {_first_line(error.orig)}"
    for length in (5, 3, 2):
        advice = _POSTGRESQL.get(state[:length])
        if advice:
            return f"{advice} ({_first_line(error.orig)})"
    return f"PostgreSQL failed with {state}: {_first_line(error.orig)}"


def _sqlite_code(error: DBAPIError) -> int | None:
    code = getattr(error.orig, "sqlite_errorcode", None)
    return None if code is None else int(code) & _PRIMARY


def _state(error: DBAPIError) -> str | None:
    state = getattr(error.orig, "sqlstate", None)
    return None if state is None else str(state)


def _first_line(error: BaseException | None) -> str:
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__
