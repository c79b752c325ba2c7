"""Checks and creates the file of a SQLite database.

The errors give the cause where SQLite only says "unable to open database file".
"""

import os
import sqlite3
import time
from contextlib import suppress
from pathlib import Path

from sqlalchemy.engine import Connection, Engine
from sqlalchemy.exc import OperationalError

from sitecrawl.errors import DatabaseLostError, StorageError
from sitecrawl.file_access import owner_only
from sitecrawl.storage.db.address import SETTING
from sitecrawl.storage.db.failures import is_transient


def is_writable(path: Path) -> bool:
    """Return whether SQLite can write a file and its folder, or create the file if it is missing."""
    return (not path.exists() or os.access(path, os.R_OK | os.W_OK)) and os.access(path.parent, os.W_OK | os.X_OK)


def check_access(path: Path, *, missing: bool) -> None:
    """Raise a StorageError if a file, or the folder of a `missing` one, cannot be read and written."""
    folder = path.parent
    if not folder.is_dir():
        raise StorageError(f"{path}: the folder {folder} does not exist; create it, or change {SETTING}")
    if path.is_dir():
        raise StorageError(f"{path}: is a folder; give the name of a file in {SETTING}")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise StorageError(f"{path}: the folder {folder} cannot be written; change its permissions, or {SETTING}")
    if not missing and not os.access(path, os.R_OK | os.W_OK):
        raise StorageError(f"{path}: cannot be written; change the permissions of the file, or {SETTING}")


def identity(path: Path) -> tuple[int, int]:
    """Return a file's (device, inode), which differ if it is replaced. Raises DatabaseLostError if it is gone."""
    try:
        found = path.stat()
    except OSError as error:
        raise DatabaseLostError(
            f"{path}: the file of the database is gone ({error.strerror}); put it back, then start again"
        ) from error
    return found.st_dev, found.st_ino


def create_file(path: Path) -> None:
    """Create an empty file that only its owner can read; SQLite gives its write-ahead log the same permissions."""
    try:
        os.close(owner_only(str(path), os.O_CREAT | os.O_WRONLY))
    except OSError as error:
        raise StorageError(f"{path}: cannot be created ({error.strerror}); change {SETTING}") from error


def remove_empty(path: Path) -> None:
    """Remove the file of a failed creation if it is empty."""
    with suppress(OSError):
        if path.stat().st_size == 0:
            path.unlink()


def check_damage(connection: Connection, path: Path) -> None:
    """Raise a StorageError if SQLite finds the file damaged."""
    finding = connection.exec_driver_sql("PRAGMA quick_check(1)").scalar()
    if finding != "ok":
        problem = str(finding).splitlines()[-1]
        raise StorageError(f"{path}: the file is damaged ({problem}); restore a copy, or move it away and start again")


def use_write_ahead_log(engine: Engine, path: Path, patience: float) -> None:
    """Switch the file permanently to a write-ahead log.

    If two processes switch at once, SQLite refuses one without waiting, so it is tried again for `patience` seconds.
    """
    deadline = time.monotonic() + patience
    connection = engine.raw_connection()  # without SQLAlchemy's BEGIN: the mode cannot change inside a transaction
    try:
        cursor = connection.cursor()
        mode = None
        while mode is None:
            try:
                mode = cursor.execute("PRAGMA journal_mode=WAL").fetchone()[0]
            except sqlite3.OperationalError as error:
                failure = OperationalError("PRAGMA journal_mode=WAL", None, error)
                if not is_transient(failure) or time.monotonic() > deadline:
                    raise failure from error
                time.sleep(0.02)
    finally:
        connection.close()
    if mode != "wal":
        raise StorageError(
            f"{path}: the file system lacks the shared memory SQLite needs; use a local disk, or PostgreSQL"
        )
