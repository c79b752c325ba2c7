"""Opening a database: connection settings, schema check, sessions.

SQLite: write-ahead log, `synchronous=NORMAL`, a busy timeout of 30 s, and every writing transaction begins IMMEDIATE: a
transaction that reads first and writes later would fail at once, despite the timeout, if another writer was faster.
PostgreSQL: psycopg 3, connections are tested before use, and the server ends transactions that a paused process keeps.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from sqlite3 import Connection as SqliteConnection
from typing import Final

from sqlalchemy import create_engine, event
from sqlalchemy.engine import URL, Connection, Engine
from sqlalchemy.exc import DisconnectionError, SQLAlchemyError
from sqlalchemy.pool import ConnectionPoolEntry, NullPool, Pool

from sitecrawl.errors import StorageError
from sitecrawl.storage.body_store import use_store
from sitecrawl.storage.db.address import SETTING, parse_address, sqlite_path
from sitecrawl.storage.db.execution_options import BUSY, READING
from sitecrawl.storage.db.failures import storage_error
from sitecrawl.storage.db.prepared import run_plain
from sitecrawl.storage.db.schema import REVISION, check_revision, schema_revision, upgrade_schema
from sitecrawl.storage.db.server_engine import server_engine
from sitecrawl.storage.db.session import Session, transaction
from sitecrawl.storage.db.sqlite_file import (
    check_access,
    check_damage,
    create_file,
    identity,
    is_writable,
    remove_empty,
    use_write_ahead_log,
)

BUSY_SECONDS: Final = 30.0
"""Seconds that SQLite waits for another writer [OWN]."""
RETRY_SECONDS: Final = 2.0
"""Seconds that SQLite waits for another writer if the caller retries: a wait inside SQLite cannot be interrupted."""
CHECKED_BYTES: Final = 64 * 2**20
"""Maximum size of a SQLite file that is checked for damage when opened; larger ones show damage when read."""

_FILE: Final = "sitecrawl_file"


def open_database(url: str, bodies: str = "") -> Engine:
    """Return an engine on a database with this version's schema, and with its body store (`body_store.use_store`).

    A missing or old SQLite file is created or upgraded.

    Raises:
        ConfigError: The URL or the body store cannot be used.
        StorageError: The database cannot be reached, read or written; the message says what to do.
        SchemaOutdatedError: A PostgreSQL schema is empty, older or newer, or a SQLite file is newer.
    """
    address = parse_address(url)
    path = sqlite_path(address)
    if path is None:
        return use_store(_open_server(address), bodies)
    _upgrade_file(address, path)
    return use_store(_watched(_file_engine(address), path), bodies)


def open_existing(url: str, bodies: str = "") -> Engine:
    """Return an engine as `open_database` does, for a command about stored sites: a SQLite file is not created.

    Raises the errors of `open_database`, and StorageError if the file does not exist.
    """
    path = sqlite_path(parse_address(url))
    if path is not None and path.parent.is_dir() and not path.exists():
        raise StorageError(f"{path}: the database does not exist; crawl a site first, or correct {SETTING}")
    return open_database(url, bodies)


def open_to_read(url: str, bodies: str = "") -> Engine:
    """Return an engine for a command that only reads; a SQLite file may be in a read-only folder.

    Raises the errors of `open_existing`; a read-only old SQLite file is not upgraded.
    """
    address = parse_address(url)
    path = sqlite_path(address)
    if path is None or not path.exists() or is_writable(path):
        return open_existing(url, bodies)
    return use_store(_read_only_engine(address, path), bodies)


def upgrade_database(url: str) -> bool:
    """Create or upgrade the tables; return whether anything was done. Raises the errors of `open_database`."""
    address = parse_address(url)
    path = sqlite_path(address)
    if path is not None:
        return _upgrade_file(address, path)
    engine = migration_engine(address)
    try:
        with _explained(address), engine.begin() as connection:
            return upgrade_schema(connection)
    finally:
        engine.dispose()


def migration_engine(address: URL) -> Engine:
    """Return an engine for migrations, which checks no schema.

    Foreign keys are off on SQLite: a migration may rebuild a table that others refer to.
    """
    if sqlite_path(address) is None:
        return server_engine(address)
    return _file_engine(address, foreign_keys=False)


def modules_of(engine: Engine) -> tuple[str, ...]:
    """Return the modules loaded only for this kind of database."""
    name = engine.dialect.name
    return (f"sqlalchemy.dialects.{name}", f"sitecrawl.storage.search.{name}")


def retrying(engine: Engine) -> Engine:
    """Return the engine for a caller that retries its transactions.

    On SQLite a statement waits only `RETRY_SECONDS` for another writer. PostgreSQL ends also a reading transaction that
    is left open for `server_engine.IDLE_SECONDS`.
    """
    return engine.execution_options(**{BUSY: RETRY_SECONDS})


@contextmanager
def session_scope(engine: Engine, *, write: bool = True) -> Iterator[Session]:
    """Yield a session for one unit of work; commit it at the end, roll it back on an error.

    With `write=False` the transaction is read-only: it takes no write lock, and writing in it fails.

    Raises:
        StorageError: The database failed.
    """
    bind = engine if write else engine.execution_options(**{READING: True, "postgresql_readonly": True})
    with _explained(engine.url), transaction(bind) as session:
        yield session


@contextmanager
def _explained(address: URL) -> Iterator[None]:
    try:
        yield
    except SQLAlchemyError as error:
        raise storage_error(address, error) from error


def _open_server(address: URL) -> Engine:
    engine = server_engine(address)
    try:
        with _explained(address), engine.connect() as connection:
            check_revision(connection)
    except StorageError:
        engine.dispose()
        raise
    return engine


def _file_engine(address: URL, *, foreign_keys: bool = True) -> Engine:
    engine = _sqlite_engine(address, NullPool if not foreign_keys else None)

    @event.listens_for(engine, "connect")
    def connect(connection: SqliteConnection, _record: object) -> None:
        connection.execute("PRAGMA synchronous=NORMAL")
        connection.execute(f"PRAGMA foreign_keys={'ON' if foreign_keys else 'OFF'}")

    return engine


def _watched(engine: Engine, path: Path) -> Engine:
    """Return the engine of a file, set up to reconnect if the file is replaced, and to raise if it is missing."""

    @event.listens_for(engine, "do_connect")
    def find(*_: object) -> None:
        identity(path)  # SQLite would create an empty file

    @event.listens_for(engine, "connect")
    def connect(_connection: object, record: ConnectionPoolEntry) -> None:
        record.info[_FILE] = identity(path)

    @event.listens_for(engine, "checkout")
    def check(_connection: object, record: ConnectionPoolEntry, _proxy: object) -> None:
        if record.info[_FILE] != identity(path):
            raise DisconnectionError(f"{path} is another file now")  # the pool connects again

    return engine


def _sqlite_engine(address: URL, poolclass: type[Pool] | None = None) -> Engine:
    engine = create_engine(
        address,
        hide_parameters=True,
        poolclass=poolclass,
        # isolation_level None: the driver does not begin transactions itself, `begin` below does
        connect_args={"timeout": BUSY_SECONDS, "isolation_level": None},
    )

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        options = connection.get_execution_options()
        reading, busy = options.get(READING, False), options.get(BUSY, BUSY_SECONDS)
        if connection.info.get(BUSY, BUSY_SECONDS) != busy:
            run_plain(connection, f"PRAGMA busy_timeout={round(busy * 1000)}")
            connection.info[BUSY] = busy
        if connection.info.get(READING, False) != reading:
            run_plain(connection, f"PRAGMA query_only={'ON' if reading else 'OFF'}")
            connection.info[READING] = reading
        run_plain(connection, "BEGIN" if reading else "BEGIN IMMEDIATE")

    return engine


def _read_only_engine(address: URL, path: Path) -> Engine:
    """Return an engine on a read-only file, whose schema must be of this version.

    SQLite can read a write-ahead log if both its files exist. Without a log there is no writer, so no lock is needed.
    """
    if not path.is_file() or not os.access(path, os.R_OK):
        check_access(path, missing=False)
    log = path.with_name(f"{path.name}-wal")
    query = {"uri": "true", "mode": "ro"}
    if not (log.exists() and log.stat().st_size):
        query["immutable"] = "1"
    engine = _sqlite_engine(address.set(database=path.as_uri(), query=query))
    try:
        with _explained(address), engine.execution_options(**{READING: True}).connect() as connection:
            check_revision(connection)
    except StorageError:
        engine.dispose()
        raise
    return engine


def _upgrade_file(address: URL, path: Path) -> bool:
    """Create or upgrade a SQLite file in one transaction; return whether anything was done."""
    missing = not path.exists()
    check_access(path, missing=missing)
    if missing:
        create_file(path)
    engine = migration_engine(address)
    try:
        with _explained(address):
            return _upgrade_open_file(engine, path)
    except BaseException:
        engine.dispose()
        if missing:
            remove_empty(path)
        raise
    finally:
        engine.dispose()


def _upgrade_open_file(engine: Engine, path: Path) -> bool:
    reading = engine.execution_options(**{READING: True})
    with reading.connect() as connection:
        if path.exists() and path.stat().st_size <= CHECKED_BYTES:
            check_damage(connection, path)
        needed = schema_revision(connection) != REVISION
    if needed:
        with engine.begin() as connection:
            needed = upgrade_schema(connection)
    use_write_ahead_log(engine, path, BUSY_SECONDS)
    return needed
