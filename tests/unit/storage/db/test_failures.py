"""Tests of the handling of a database's errors: waiting, ending, and the message for the user."""

import sqlite3

import pytest
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DataError, InterfaceError, OperationalError, ProgrammingError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from sitecrawl.errors import DatabaseLostError, StorageError
from sitecrawl.storage.db.failures import is_lasting, is_transient, storage_error

URL = make_url("sqlite:////data/x.db")


def failed(kind=OperationalError, *, code=None, state=None, said="it said so", lost=False):
    """Return an error of SQLAlchemy around one of a driver."""
    origin = Exception(said)
    if code is not None:
        origin.sqlite_errorcode = code
    if state is not None:
        origin.sqlstate = state
    return kind("SELECT 'a text of a page'", None, origin, connection_invalidated=lost)


WAIT, END, BAD = (True, False), (False, True), (False, False)


@pytest.mark.parametrize(
    ("error", "kinds", "advice"),
    [
        (failed(code=sqlite3.SQLITE_BUSY), WAIT, "stayed locked by another process; end that one, then start again"),
        (failed(code=sqlite3.SQLITE_BUSY_SNAPSHOT), WAIT, "stayed locked by another process"),
        (failed(code=sqlite3.SQLITE_LOCKED), WAIT, "stayed locked by another connection; start again"),
        (failed(code=sqlite3.SQLITE_FULL), END, "the disk is full; free some space"),
        (failed(code=sqlite3.SQLITE_IOERR_WRITE), END, "the disk cannot be read or written; check it"),
        (failed(code=sqlite3.SQLITE_READONLY), END, "cannot be written; check the permissions"),
        (failed(code=sqlite3.SQLITE_PERM), END, "cannot be written; check the permissions"),
        (failed(code=sqlite3.SQLITE_CANTOPEN), END, "cannot be opened or created"),
        (failed(code=sqlite3.SQLITE_CORRUPT), END, "the file is damaged or no SQLite database"),
        (failed(code=sqlite3.SQLITE_NOTADB), END, "the file is damaged or no SQLite database"),
        (failed(code=sqlite3.SQLITE_CONSTRAINT), BAD, "SQLite failed: it said so"),
        (failed(state="40P01"), WAIT, "PostgreSQL failed with 40P01: it said so"),
        (failed(state="40001"), WAIT, "PostgreSQL failed with 40001: it said so"),
        (
            failed(state="25P03"),
            WAIT,
            "the process was paused within a transaction, which the server has ended; start ag",
        ),
        (failed(state="55P03"), WAIT, "PostgreSQL failed with 55P03: it said so"),
        (failed(state="08006"), WAIT, "the connection was lost; check the server (it said so)"),
        (failed(state="57P01"), (True, True), "the server is shutting down or starting; start again when it is up ("),
        (failed(state="53300"), (True, True), "the server takes no more connections"),
        (failed(state="53100"), END, "the disk of the server is full"),
        (failed(state="25006"), END, "the server is read-only"),
        (failed(state="28P01"), END, "the server refused the user or the password (it said so)"),
        (failed(state="3D000"), END, "the database does not exist; create it"),
        (failed(state="42501"), END, "the user may not do this; grant the missing privilege"),
        (failed(state="42P01"), END, "a table is missing; run: sitecrawl database upgrade"),
        (failed(state="58030"), END, "PostgreSQL failed with 58030: it said so"),
        (failed(state="22P02", kind=DataError), BAD, "PostgreSQL failed with 22P02: it said so"),
        (failed(), WAIT, "the server cannot be reached: it said so"),
        (failed(InterfaceError), WAIT, "the server cannot be reached: it said so"),
        (failed(ProgrammingError), BAD, "the database failed: it said so"),
        (failed(ProgrammingError, lost=True), WAIT, "the database failed: it said so"),
        (PoolTimeoutError("no connection"), WAIT, "all connections are busy; start again"),
        (ArgumentError("no such thing\nat all"), BAD, "a statement cannot be run: no such thing"),
    ],
)
def test_each_failure_is_waited_for_or_ends_the_crawl_or_is_the_statement_s_own(error, kinds, advice):
    assert (is_transient(error), is_lasting(error)) == kinds
    made = storage_error(URL, error)
    assert type(made) is (StorageError if kinds == BAD else DatabaseLostError)
    assert f"x.db: {advice}" in str(made)
    assert "a text of a page" not in str(made)


def test_only_errors_of_a_database_are_waited_for():
    assert (is_transient(ValueError()), is_lasting(ValueError())) == BAD


@pytest.mark.parametrize(("said", "shown"), [("\none\ntwo", "one"), ("", "Exception")])
def test_the_first_line_of_an_error_is_shown(said, shown):
    assert str(storage_error(URL, failed(ProgrammingError, said=said))).endswith(f"the database failed: {shown}")
