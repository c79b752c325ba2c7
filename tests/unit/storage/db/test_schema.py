"""Tests of the schema revision: which databases are taken, upgraded and refused."""

import re

import pytest
from sqlalchemy import create_engine, inspect, text

import sitecrawl
from sitecrawl.errors import SchemaOutdatedError, StorageError
from sitecrawl.storage.db import schema
from sitecrawl.storage.db.address import parse_address
from sitecrawl.storage.db.engine import migration_engine, open_database, upgrade_database
from sitecrawl.storage.db.schema import (
    BASE,
    REVISION,
    check_revision,
    migrations_folder,
    run_migrations,
    schema_revision,
    upgrade_schema,
)


@pytest.fixture
def file(tmp_path):
    """An engine on a SQLite file with this version's tables."""
    url = f"sqlite:///{tmp_path}/x.db"
    open_database(url).dispose()
    engine = migration_engine(parse_address(url))
    yield engine
    engine.dispose()


def mark(connection, revision):
    connection.execute(text("DELETE FROM alembic_version"))
    if revision != BASE:
        connection.execute(text("INSERT INTO alembic_version VALUES (:revision)"), {"revision": revision})


@pytest.mark.parametrize(
    ("revision", "said"),
    [
        ("0001", f"schema 0001 is older than {REVISION}; run: sitecrawl database upgrade"),
        ("9999", f"was made by a newer sitecrawl (schema 9999, this one knows {REVISION}); upgrade sitecrawl"),
        (BASE, "has no sitecrawl tables yet; run: sitecrawl database upgrade"),
    ],
)
def test_a_database_of_another_schema_is_refused_with_what_to_do(file, revision, said):
    with file.begin() as connection:
        check_revision(connection)
        mark(connection, revision)
        assert schema_revision(connection) == revision
        with pytest.raises(SchemaOutdatedError, match=re.escape(said)):
            check_revision(connection)


def test_a_database_without_tables_has_no_revision(tmp_path):
    with create_engine(f"sqlite:///{tmp_path}/new.db").begin() as connection:
        assert schema_revision(connection) is None
        with pytest.raises(SchemaOutdatedError, match="has no sitecrawl tables yet"):
            check_revision(connection)


@pytest.mark.parametrize(("revision", "migrated"), [(REVISION, False), ("0001", True), (BASE, True)])
def test_only_an_older_database_is_migrated(file, monkeypatch, revision, migrated):
    ran = []
    monkeypatch.setattr(schema, "run_migrations", ran.append)
    with file.begin() as connection:
        mark(connection, revision)
        assert upgrade_schema(connection) is migrated
        assert ran == [connection] * migrated


def test_a_newer_database_is_not_touched(file, monkeypatch):
    ran = []
    monkeypatch.setattr(schema, "run_migrations", ran.append)
    with file.begin() as connection:
        mark(connection, "9999")
        with pytest.raises(SchemaOutdatedError, match="newer sitecrawl"):
            upgrade_schema(connection)
    assert ran == []


def test_a_new_database_is_made_by_a_script(tmp_path, monkeypatch):
    monkeypatch.setattr(schema, "run_migrations", None)
    with create_engine(f"sqlite:///{tmp_path}/new.db").begin() as connection:
        assert upgrade_schema(connection) is True
        assert schema_revision(connection) == REVISION
        assert {"page", "content", "template_node"} <= set(inspect(connection).get_table_names())
        assert upgrade_schema(connection) is False


def test_the_migrations_run_in_the_transaction_that_is_open(tmp_path):
    engine = migration_engine(parse_address(f"sqlite:///{tmp_path}/old.db"))
    with engine.connect() as connection:
        transaction = connection.begin()
        run_migrations(connection)
        assert schema_revision(connection) == REVISION
        transaction.rollback()
        assert schema_revision(connection) is None
    engine.dispose()


def test_an_upgrade_says_whether_it_did_anything(tmp_path):
    url = f"sqlite:///{tmp_path}/x.db"
    assert [upgrade_database(url) for _ in range(2)] == [True, False]


def test_the_migrations_are_inside_an_installed_package_or_beside_it(tmp_path, monkeypatch):
    package = tmp_path / "sitecrawl"
    package.mkdir()
    monkeypatch.setattr(sitecrawl, "__file__", str(package / "__init__.py"))
    with pytest.raises(StorageError, match=r"the migrations are missing; install sitecrawl again"):
        migrations_folder()
    for folder in (tmp_path / "migrations", package / "migrations"):
        folder.mkdir()
        (folder / "env.py").touch()
        assert migrations_folder() == folder
