"""Database URLs: parsing, checks, and the name of a database in messages (never with a password)."""

from pathlib import Path
from typing import Final

from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError

from sitecrawl.errors import ConfigError

SETTING: Final = "SITECRAWL_DATABASE_URL"
_EXAMPLES: Final = "sqlite:///sitecrawl.db or postgresql://user:password@host/database"
_SQLITE: Final = frozenset(("sqlite", "sqlite+pysqlite"))
_POSTGRESQL: Final = frozenset(("postgresql", "postgresql+psycopg"))


def parse_address(url: str) -> URL:
    """Return the database URL, checked.

    Raises:
        ConfigError: It is malformed, names another kind of database or driver, or the driver is missing. The
            message never repeats the URL, since a malformed one may show its password in any part.
    """
    try:
        address = make_url(url)
        port_and_all = (address.drivername, address.port)  # reading the port raises ValueError if it is not a number
    except (ArgumentError, ValueError, TypeError):
        raise ConfigError(f"{SETTING} is not a database URL; write {_EXAMPLES}, the password percent-encoded") from None
    name = port_and_all[0]
    if name in _SQLITE:
        return _sqlite_file(address)
    if name in _POSTGRESQL:
        return _with_psycopg(address)
    if name.split("+")[0] in ("sqlite", "postgresql", "postgres"):
        raise ConfigError(f"{SETTING}: {name}:// is not supported; sitecrawl needs {_EXAMPLES}")
    raise ConfigError(f"{SETTING}: no database of kind {name!r} is supported; write {_EXAMPLES}")


def _sqlite_file(address: URL) -> URL:
    if not address.database or address.database == ":memory:":
        raise ConfigError(
            f"{SETTING} names no file; write sqlite:///sitecrawl.db (a database in memory is lost at once)"
        )
    if address.host or address.query:
        raise ConfigError(
            f"{SETTING}: write sqlite:///relative.db or sqlite:////absolute/path.db, and nothing after it"
        )
    return address.set(drivername="sqlite+pysqlite")


def _with_psycopg(address: URL) -> URL:
    try:
        import psycopg  # noqa: F401, PLC0415  (an optional dependency)
    except ImportError:
        raise ConfigError(
            f"{SETTING} names a PostgreSQL server; its driver is missing: pip install 'sitecrawl[postgresql]'"
        ) from None
    if not address.database:
        raise ConfigError(f"{SETTING} names no database; write postgresql://user:password@host/database")
    return address.set(drivername="postgresql+psycopg")


def sqlite_path(address: URL) -> Path | None:
    """Return the absolute path of the file of a SQLite database, None for a server."""
    if address.get_backend_name() != "sqlite":
        return None
    assert address.database
    return Path(address.database).absolute()


def place(address: URL) -> str:
    """Return the name of a database for messages: its file, or its name and server."""
    path = sqlite_path(address)
    if path is not None:
        return str(path)
    host = address.host or address.query.get("host", "local socket")
    port = f":{address.port}" if address.port else ""
    return f"database {address.database} on {host if isinstance(host, str) else ', '.join(host)}{port}"
