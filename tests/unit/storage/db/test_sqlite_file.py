import os
import sqlite3
from pathlib import Path
from types import SimpleNamespace

import pytest
from sqlalchemy.exc import OperationalError

from sitecrawl.errors import StorageError
from sitecrawl.storage.db import sqlite_file


@pytest.mark.parametrize(
    ("denied", "missing", "said"),
    [
        ("folder", True, "the folder .* cannot be written"),
        ("file", False, "x.db: cannot be written"),
        ("file", True, None),
    ],
)
def test_what_may_not_be_written_is_named_before_it_is_opened(tmp_path, monkeypatch, denied, missing, said):
    path = tmp_path / "x.db"
    if not missing:
        path.touch()
    refused = tmp_path if denied == "folder" else path
    monkeypatch.setattr(os, "access", lambda one, _: Path(one) != refused)
    if said is None:
        sqlite_file.check_access(path, missing=missing)
    else:
        with pytest.raises(StorageError, match=said):
            sqlite_file.check_access(path, missing=missing)


@pytest.mark.parametrize(("denied", "writable"), [(os.R_OK, False), (os.W_OK, False), (os.X_OK, False), (0, True)])
@pytest.mark.parametrize("exists", [True, False])
def test_a_file_is_writable_if_it_and_its_folder_are(tmp_path, monkeypatch, denied, writable, exists):
    path = tmp_path / "x.db"
    if exists:
        path.touch()
    monkeypatch.setattr(os, "access", lambda one, mode: not mode & denied)
    asked_of_the_file = denied == os.R_OK
    assert sqlite_file.is_writable(path) is (writable or (asked_of_the_file and not exists))


def test_a_file_system_without_a_log_is_refused(tmp_path):
    class Cursor:
        def execute(self, statement):
            return self

        def fetchone(self):
            return ("delete",)

    closed = []
    connection = SimpleNamespace(cursor=Cursor, close=lambda: closed.append(True))
    with pytest.raises(StorageError, match="lacks the shared memory SQLite needs"):
        sqlite_file.use_write_ahead_log(SimpleNamespace(raw_connection=lambda: connection), tmp_path / "x.db", 1.0)
    assert closed == [True]


class Reluctant:
    """A connection whose first statements fail with a SQLite result code."""

    def __init__(self, connection, failures):
        self.connection, self.failures = connection, failures

    def cursor(self):
        return self

    def execute(self, statement):
        if self.failures:
            error = sqlite3.OperationalError("no")
            error.sqlite_errorcode = self.failures.pop()
            raise error
        return self.connection.cursor().execute(statement)

    def close(self):
        self.connection.close()


@pytest.mark.parametrize("code", [sqlite3.SQLITE_BUSY, sqlite3.SQLITE_IOERR])
def test_the_switch_to_a_write_ahead_log_is_tried_again_only_for_a_lock(tmp_path, code):
    path = tmp_path / "x.db"
    failures = [code, sqlite3.SQLITE_BUSY]

    class Engine:
        def raw_connection(self):
            return Reluctant(sqlite3.connect(path), failures)

    if code == sqlite3.SQLITE_BUSY:
        sqlite_file.use_write_ahead_log(Engine(), path, 1.0)
        assert failures == []
    else:
        failures.reverse()
        with pytest.raises(OperationalError):
            sqlite_file.use_write_ahead_log(Engine(), path, 1.0)
        assert failures == [sqlite3.SQLITE_BUSY]
