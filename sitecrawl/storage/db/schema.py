"""The schema revision of a database, the migrations to the newest one, and the scripts of new databases."""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sqlalchemy import text
from sqlalchemy.engine import Connection

import sitecrawl
from sitecrawl.errors import SchemaOutdatedError, StorageError
from sitecrawl.storage.db.address import place

if TYPE_CHECKING:
    from alembic.config import Config as AlembicConfig

REVISION: Final = "0023"
"""Newest migration; a test compares it with `migrations/versions`, so that opening a database need not load Alembic."""

BASE: Final = "base"
"""Alembic's name of the state before the first migration."""

_VERSION_TABLE: Final = "alembic_version"
_TABLES: Final = {
    "sqlite": "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite~_%' ESCAPE '~'",
    "postgresql": "SELECT 'alembic_version' WHERE to_regclass('alembic_version') IS NOT NULL",
}
"""Query for the tables of a database by dialect; on PostgreSQL only for the table of the revision."""
_COMMENT: Final = re.compile(r"^--.*\n", re.MULTILINE)
_UPGRADE_LOCK: Final = 0x7369746563726177  # "sitecraw": one upgrade at a time on a PostgreSQL server


def schema_revision(connection: Connection) -> str | None:
    """Return the revision of a database; None without our tables, BASE after a downgrade to nothing.

    Raises:
        StorageError: It is a SQLite file of another program.
    """
    dialect = connection.dialect.name
    tables = connection.exec_driver_sql(_TABLES[dialect]).scalars().all()
    if _VERSION_TABLE not in tables:
        if tables and dialect == "sqlite":
            raise StorageError(
                f"{place(connection.engine.url)}: the file belongs to another program; name another file"
            )
        return None
    revision = connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar()
    return BASE if revision is None else str(revision)


def check_revision(connection: Connection) -> None:
    """Check that the schema of a database is that of this version of sitecrawl.

    Raises:
        SchemaOutdatedError: It is empty, older or newer; the message says what to run.
    """
    revision = schema_revision(connection)
    if revision == REVISION:
        return
    where = place(connection.engine.url)
    if revision in (None, BASE):
        raise SchemaOutdatedError(f"{where}: has no sitecrawl tables yet; run: sitecrawl database upgrade")
    if not _is_known(revision):
        raise _newer(where, revision)
    raise SchemaOutdatedError(f"{where}: schema {revision} is older than {REVISION}; run: sitecrawl database upgrade")


def upgrade_schema(connection: Connection) -> bool:
    """Bring a database up to date inside the connection's transaction; return whether anything was done.

    A new one is created by the script of its dialect, an older one upgraded by the missing migrations. On SQLite the
    caller's transaction holds the write lock (BEGIN IMMEDIATE); on PostgreSQL an advisory lock is taken until it ends.
    So if two processes upgrade at once, the second finds the work done.

    Raises:
        SchemaOutdatedError: The schema is newer than this version of sitecrawl.
    """
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _UPGRADE_LOCK})
    revision = schema_revision(connection)
    if revision == REVISION:
        return False
    if revision is None:
        _run_script(connection)
        return True
    if not _is_known(revision):
        raise _newer(place(connection.engine.url), revision)
    run_migrations(connection)
    return True


def _run_script(connection: Connection) -> None:
    """Create all tables at once, without Alembic: loading it takes longer than a crawl of a few pages."""
    script = (migrations_folder() / script_name(connection.dialect.name)).read_text(encoding="utf-8")
    for statement in _COMMENT.sub("", script).split(";\n"):
        if statement.strip():
            connection.exec_driver_sql(statement)


def run_migrations(connection: Connection) -> None:
    """Run the missing migrations inside the connection's transaction."""
    from alembic import command  # noqa: PLC0415  (takes a fifth of a second, and only older databases need it)

    config = alembic_config()
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


def script_name(dialect: str) -> str:
    """Return the name of the file beside the migrations with all tables for a dialect."""
    return f"schema_{dialect}.sql"


def alembic_config() -> "AlembicConfig":
    """Return the Alembic configuration, built here since an installed wheel has no pyproject.toml."""
    from alembic.config import Config as AlembicConfig  # noqa: PLC0415

    config = AlembicConfig()
    config.set_main_option("script_location", str(migrations_folder()).replace("%", "%%"))
    return config


def migrations_folder() -> Path:
    """Return the folder of the migrations: inside the package if installed, beside it in a checkout."""
    package = Path(sitecrawl.__file__).resolve().parent
    for folder in (package / "migrations", package.parent / "migrations"):
        if (folder / "env.py").is_file():
            return folder
    raise StorageError(f"{package}: the migrations are missing; install sitecrawl again")


def _is_known(revision: str) -> bool:
    from alembic.script import ScriptDirectory  # noqa: PLC0415

    scripts = ScriptDirectory.from_config(alembic_config())
    return revision == BASE or any(script.revision == revision for script in scripts.walk_revisions())


def _newer(where: str, revision: str) -> SchemaOutdatedError:
    return SchemaOutdatedError(
        f"{where}: was made by a newer sitecrawl (schema {revision}, this one knows {REVISION}); upgrade sitecrawl"
    )
