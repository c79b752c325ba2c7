import subprocess
import sys
from itertools import count

import pytest
from alembic import command
from sqlalchemy import create_engine, inspect, text

from sitecrawl.errors import SchemaOutdatedError
from sitecrawl.storage.db import schema
from sitecrawl.storage.db.address import parse_address
from sitecrawl.storage.db.engine import migration_engine, open_database, upgrade_database
from sitecrawl.storage.db.schema import REVISION, script_name
from tests.migrations.scripts import SHADOW, migrate, script_of

CATALOGUE = (
    "SELECT table_name, ordinal_position, column_name, column_default, is_nullable, data_type, udt_name,"
    " character_maximum_length, numeric_precision, datetime_precision, is_identity, identity_generation,"
    " identity_start, identity_increment, identity_maximum, identity_minimum, identity_cycle"
    " FROM information_schema.columns WHERE table_schema = 'public'",
    "SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid), convalidated FROM pg_constraint"
    " WHERE connamespace = 'public'::regnamespace",
    "SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'",
    "SELECT relname, relkind::text, relpersistence::text, reloptions::text FROM pg_class"
    " WHERE relnamespace = 'public'::regnamespace",
    "SELECT tgrelid::regclass::text, tgname FROM pg_trigger WHERE NOT tgisinternal",
)
TABLES = (
    "SELECT type, name, wr, strict FROM pragma_table_list WHERE schema = 'main'",
    "SELECT type, name, tbl_name, sql FROM sqlite_master WHERE type <> 'table' OR sql LIKE 'CREATE VIRTUAL%'",
    "SELECT m.name, c.* FROM sqlite_master AS m, pragma_table_xinfo(m.name) AS c WHERE m.type = 'table'",
    "SELECT m.name, i.* FROM sqlite_master AS m, pragma_index_xinfo(m.name) AS i WHERE m.type = 'index'",
    "SELECT m.name, f.* FROM sqlite_master AS m, pragma_foreign_key_list(m.name) AS f WHERE m.type = 'table'",
)


@pytest.fixture
def empty(database_url, tmp_path):
    """A function that returns the URL of an empty database: of a new SQLite file, or of PostgreSQL, emptied."""
    numbers = count()

    def make():
        if database_url.startswith("sqlite"):
            return f"sqlite:///{tmp_path}/new{next(numbers)}.db"
        engine = migration_engine(parse_address(database_url))
        with engine.begin() as connection:
            connection.execute(text("DROP SCHEMA public CASCADE"))
            connection.execute(text("CREATE SCHEMA public"))
        engine.dispose()
        return database_url

    return make


def description(url):
    """Return the tables, columns, constraints and indexes in the catalogue of a database, and all rows.

    Indexes are in `raw`, with their conditions.
    """
    engine = create_engine(parse_address(url))
    found, names = inspect(engine), sorted(inspect(engine).get_table_names())
    with engine.connect() as connection:
        queries = TABLES if engine.dialect.name == "sqlite" else CATALOGUE
        raw = [sorted(" ".join(map(_plain, row)) for row in connection.execute(text(query))) for query in queries]
        rows = {
            name: sorted(map(str, connection.execute(text(f"SELECT * FROM {name}"))))
            for name in names
            if not SHADOW.fullmatch(name) or name == "search_text_config"
        }
    named = {
        name: [
            found.get_pk_constraint(name),
            *(sorted(map(str, part)) for part in (found.get_foreign_keys(name), found.get_unique_constraints(name))),
            sorted(map(str, found.get_check_constraints(name))),
        ]
        for name in names
    }
    engine.dispose()
    return {"raw": raw, "named": named, "rows": rows}


def _plain(value):
    return " ".join(str(value).split())


def test_a_script_makes_what_the_migrations_make(empty):
    url = empty()
    upgrade_database(url)
    made = description(url)
    url = empty()
    migrate(url)
    migrated = description(url)
    assert made["named"].keys() == migrated["named"].keys()
    for name in made["named"]:
        assert made["named"][name] == migrated["named"][name], f"{name}; after a new migration run: make schema"
    assert made["raw"] == migrated["raw"], "after a new migration run: make schema"
    assert made["rows"] == migrated["rows"], "after a new migration run: make schema"
    assert made["rows"]["alembic_version"] == [str((REVISION,))]
    assert len(made["named"]) > 20


def test_what_writes_a_script_leaves_nothing_out(empty):
    url = empty()
    upgrade_database(url)
    dialect = parse_address(url).get_backend_name()
    stored = (schema.migrations_folder() / script_name(dialect)).read_text(encoding="utf-8")
    assert len(script_of(url).split(";\n")) == len(stored.split(";\n"))


def test_a_new_database_is_made_without_alembic(empty):
    script = (
        "import sys; from sitecrawl.storage.db.engine import open_database, upgrade_database;"
        " print(upgrade_database(sys.argv[1])); open_database(sys.argv[1]);"
        " print(sorted(name for name in sys.modules if name.split('.')[0] in ('alembic', 'mako')))"
    )
    done = subprocess.run([sys.executable, "-c", script, empty()], capture_output=True, text=True, timeout=300)
    assert done.stdout.splitlines() == ["True", "[]"], done.stderr


def test_a_script_that_fails_changes_nothing(empty, monkeypatch, tmp_path):
    url = empty()
    dialect = parse_address(url).get_backend_name()
    script = (schema.migrations_folder() / script_name(dialect)).read_text(encoding="utf-8")
    (tmp_path / script_name(dialect)).write_text(script + "\nINSERT INTO nowhere (x) VALUES (1);\n")
    with monkeypatch.context() as patched:
        patched.setattr(schema, "migrations_folder", lambda: tmp_path)
        with pytest.raises(Exception, match="nowhere"):
            upgrade_database(url)
    engine = create_engine(parse_address(url))
    assert inspect(engine).get_table_names() == []
    engine.dispose()
    assert upgrade_database(url) is True


def test_a_database_taken_back_to_nothing_is_upgraded_by_the_migrations(empty):
    url = empty()
    upgrade_database(url)
    engine = migration_engine(parse_address(url))
    with engine.begin() as connection:
        config = schema.alembic_config()
        config.attributes["connection"] = connection
        command.downgrade(config, "base")
    engine.dispose()
    if not url.startswith("sqlite"):
        with pytest.raises(SchemaOutdatedError, match="run: sitecrawl database upgrade"):
            open_database(url)
    assert upgrade_database(url) is True
    assert upgrade_database(url) is False
