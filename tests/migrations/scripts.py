"""The scripts that create a new database at once, derived from databases that the migrations created.

python -m tests.migrations.scripts (make schema) writes them anew: after a migration was added.
"""

import re
import tempfile
from pathlib import Path

from sqlalchemy import MetaData, create_engine, text
from sqlalchemy.schema import CreateIndex, CreateTable

from sitecrawl.storage.db.address import parse_address
from sitecrawl.storage.db.engine import migration_engine
from sitecrawl.storage.db.schema import REVISION, migrations_folder, run_migrations, script_name

HEAD = """-- All tables of schema {revision}, as the migrations make them: a new database is made by this script alone.
-- Written by `make schema`; tests compare what it makes with what the migrations make.
"""
SHADOW = re.compile(r"search_text_\w+")
"""Tables in which FTS5 stores a virtual table; they are created with it."""


def migrate(url):
    """Run all migrations on an empty database."""
    engine = migration_engine(parse_address(url))
    with engine.begin() as connection:
        run_migrations(connection)
    engine.dispose()


def script_of(url):
    """Return a script that creates a database equal to this one, without the rows of sites."""
    engine = create_engine(parse_address(url))
    with engine.connect() as connection:
        made = _sqlite(connection) if engine.dialect.name == "sqlite" else _postgresql(connection)
        statements = [*made, *_rows(connection, engine.dialect.name)]
    engine.dispose()
    assert not any(";\n" in statement for statement in statements)
    return HEAD.format(revision=REVISION) + "".join(f"\n{statement};\n" for statement in statements)


def _sqlite(connection):
    found = connection.execute(text("SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY rowid"))
    for kind, name, sql in found.all():
        if not (kind == "table" and SHADOW.fullmatch(name)):
            yield "\n".join(line.rstrip() for line in sql.strip().splitlines())


def _postgresql(connection):
    metadata = MetaData()
    metadata.reflect(connection)
    for table in metadata.sorted_tables:
        for make in (CreateTable(table), *map(CreateIndex, sorted(table.indexes, key=lambda index: index.name))):
            sql = str(make.compile(connection)).strip().replace(" NULLS DISTINCT", "")  # unknown to 14, and the default
            yield "\n".join(line.rstrip() for line in sql.splitlines())


def _rows(connection, dialect):
    metadata = MetaData()
    metadata.reflect(connection)
    for table in metadata.sorted_tables:
        if not table.name.startswith("search_text"):
            for row in connection.execute(table.select()).mappings():
                values = ", ".join(repr(value) for value in row.values())
                yield f"INSERT INTO {table.name} ({', '.join(row)}) VALUES ({values})"
    if dialect == "sqlite":
        for key, value in connection.execute(text("SELECT k, v FROM search_text_config WHERE k <> 'version'")):
            yield f"INSERT INTO search_text (search_text, rank) VALUES ({key!r}, {value!r})"


def main():
    from tests.conftest import start_server, stop_server

    with tempfile.TemporaryDirectory(prefix="sitecrawl-postgres-", ignore_cleanup_errors=True) as folder:
        server = start_server(Path(folder))
        try:
            for url in (f"sqlite:///{folder}/new.db", server):
                migrate(url)
                path = migrations_folder() / script_name(parse_address(url).get_backend_name())
                path.write_text(script_of(url), encoding="utf-8")
                print(path)
        finally:
            stop_server(Path(folder))


if __name__ == "__main__":
    main()
