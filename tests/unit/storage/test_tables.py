"""Tests that the tables in the code are those that the migrations make."""

import sqlite3
from pathlib import Path

import pytest
from sqlalchemy import create_engine

from sitecrawl.storage.tables import indexes
from sitecrawl.storage.tables.models import METADATA

SCHEMA = Path(__file__).parents[3] / "migrations" / "schema_sqlite.sql"
TABLES = (
    "SELECT name, wr FROM pragma_table_list WHERE schema = 'main' AND type = 'table'"
    " AND name NOT LIKE 'sqlite_%' AND name <> 'alembic_version'"
)


def described(database):
    """Return, by table: whether it has no row ids, its columns, foreign keys and indexes."""
    found = {}
    for name, without_rowid in database.execute(TABLES).fetchall():
        columns = {row[1]: (row[2].upper(), row[3], row[5]) for row in database.execute(f"PRAGMA table_xinfo({name})")}
        keys = sorted((row[2], row[3], row[4], row[6]) for row in database.execute(f"PRAGMA foreign_key_list({name})"))
        listed = database.execute(f"PRAGMA index_list({name})").fetchall()
        parts = {row[1]: tuple(part[2] for part in database.execute(f"PRAGMA index_info({row[1]})")) for row in listed}
        found[name] = (without_rowid, columns, keys, sorted((row[2], row[4], parts[row[1]]) for row in listed))
    return found


@pytest.fixture
def migrated():
    database = sqlite3.connect(":memory:")
    database.executescript(SCHEMA.read_text())
    yield described(database)
    database.close()


def test_tables_columns_keys_and_indexes_are_those_of_the_migrations(migrated):
    assert indexes.__doc__  # which adds the indexes to the tables
    engine = create_engine("sqlite://")
    METADATA.create_all(engine)
    with engine.connect() as connection:
        ours = described(connection.connection.driver_connection)
    engine.dispose()
    assert ours.keys() == migrated.keys()
    for name, table in ours.items():
        assert table == migrated[name], name
