"""Alembic's entry: on a connection handed over by sitecrawl, or by `alembic ...` on SITECRAWL_DATABASE_URL."""

import os

from alembic import context
from sqlalchemy import Connection

import sitecrawl.storage.tables.indexes  # noqa: F401  (adds them to the tables)
from sitecrawl.storage.db.address import SETTING, parse_address
from sitecrawl.storage.db.engine import migration_engine
from sitecrawl.storage.tables.models import METADATA

DEFAULT_URL = "sqlite:///sitecrawl.db"


def include_object(_object: object, name: str | None, kind: str, *_others: object) -> bool:
    """Leave out what FTS5 keeps its virtual table in, which no model knows."""
    return not (kind == "table" and (name or "").startswith("search_text"))


def run(connection: Connection) -> None:
    """Run the migrations in the transaction of the connection, or in one of their own."""
    context.configure(
        connection=connection,
        target_metadata=METADATA,
        render_as_batch=connection.dialect.name == "sqlite",
        transactional_ddl=True,
        include_object=include_object,
    )
    with context.begin_transaction():
        context.run_migrations()


def run_from_command_line() -> None:
    """Open the database by itself; `--sql` prints the statements instead."""
    address = parse_address(os.environ.get(SETTING, DEFAULT_URL))
    if context.is_offline_mode():
        context.configure(url=address, target_metadata=METADATA, literal_binds=True)
        with context.begin_transaction():
            context.run_migrations()
        return
    engine = migration_engine(address)
    try:
        with engine.begin() as connection:
            run(connection)
    finally:
        engine.dispose()


given = context.config.attributes.get("connection")
if given is None:
    run_from_command_line()
else:
    run(given)
