import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Identity, create_engine, inspect, text

import sitecrawl.storage.tables.indexes  # noqa: F401  (adds them to the tables)
from sitecrawl.errors import SchemaOutdatedError
from sitecrawl.storage.db.address import parse_address
from sitecrawl.storage.db.engine import migration_engine, open_database, upgrade_database
from sitecrawl.storage.db.schema import REVISION, alembic_config, migrations_folder
from sitecrawl.storage.tables.models import METADATA

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def empty_url(database_url):
    """A database without any table of ours."""
    engine = migration_engine(parse_address(database_url))
    with engine.begin() as connection:
        if connection.dialect.name == "postgresql":
            connection.execute(text("DROP SCHEMA public CASCADE"))
            connection.execute(text("CREATE SCHEMA public"))
    engine.dispose()
    return database_url


def migrate(engine, direction, revision):
    """Upgrade or downgrade a database to a revision."""
    with engine.begin() as connection:
        config = alembic_config()
        config.attributes["connection"] = connection
        direction(config, revision)


def tables(url):
    engine = create_engine(parse_address(url))
    names = {name for name in inspect(engine).get_table_names() if not name.startswith("search_text")}
    engine.dispose()
    return names


def include_object(_object, name, kind, *_others):
    """FTS5 keeps its virtual table in five others, which no model knows."""
    return not (kind == "table" and name.startswith("search_text"))


def _differs(context, inspected, column, *others):
    """Leave the comparison to Alembic (None), but for row ids: SQLite has no identity columns."""
    return False if isinstance(column.server_default, Identity) else None


def differences(url):
    engine = create_engine(parse_address(url))
    with engine.connect() as connection:
        options = {"compare_type": True, "compare_server_default": _differs if url.startswith("sqlite") else True}
        options["include_object"] = include_object
        context = MigrationContext.configure(connection, opts=options)
        found = compare_metadata(context, METADATA)
    engine.dispose()
    return found


def test_the_code_knows_the_newest_migration():
    assert ScriptDirectory.from_config(alembic_config()).get_heads() == [REVISION]


def test_upgrade_from_empty_makes_what_the_models_say(empty_url):
    assert upgrade_database(empty_url) is True
    assert tables(empty_url) == {*METADATA.tables, "alembic_version"}
    assert differences(empty_url) == []
    assert upgrade_database(empty_url) is False


def test_constraints_have_the_names_of_the_models(empty_url):
    upgrade_database(empty_url)
    engine = create_engine(parse_address(empty_url))
    found = inspect(engine)
    for name, table in METADATA.tables.items():
        assert found.get_pk_constraint(name)["name"] == table.primary_key.name
        assert {key["name"] for key in found.get_foreign_keys(name)} == {
            key.name for key in table.foreign_key_constraints
        }
        assert {index["name"] for index in found.get_indexes(name) if "duplicates_constraint" not in index} == {
            index.name for index in table.indexes
        }
    engine.dispose()


def test_wide_tables_of_keys_have_no_rowid(sqlite_url):
    upgrade_database(sqlite_url)
    engine = create_engine(sqlite_url)
    with engine.connect() as connection:
        rows = connection.execute(text("SELECT name, sql FROM sqlite_master WHERE type = 'table'"))
        made = dict(map(tuple, rows))
    engine.dispose()
    without = {name for name, sql in made.items() if "WITHOUT ROWID" in sql and not name.startswith("search_text")}
    assert without == {
        "page",
        "closed",
        "outbox",
        "site_value",
        "link_text",
        "source",
        "rejection",
        "template_node",
        "template_style",
        "template_path",
        "template_block",
    }


def test_downgrade_leaves_nothing(empty_url):
    upgrade_database(empty_url)
    engine = migration_engine(parse_address(empty_url))
    with engine.begin() as connection:
        config = alembic_config()
        config.attributes["connection"] = connection
        command.downgrade(config, "base")
    engine.dispose()
    assert tables(empty_url) == {"alembic_version"}
    upgrade_database(empty_url)
    assert differences(empty_url) == []


def test_upgrades_at_the_same_time(empty_url):
    with ThreadPoolExecutor(1) as one, ThreadPoolExecutor(1) as other:
        script = (
            "import sys; from sitecrawl.storage.db.engine import upgrade_database; print(upgrade_database(sys.argv[1]))"
        )
        run = lambda: subprocess.run(  # noqa: E731
            [sys.executable, "-c", script, empty_url], capture_output=True, text=True, cwd=ROOT, timeout=300
        )
        results = [future.result() for future in (one.submit(run), other.submit(run))]
    assert [result.returncode for result in results] == [0, 0], [result.stderr for result in results]
    assert sorted(result.stdout.strip() for result in results) == ["False", "True"]
    assert differences(empty_url) == []


def test_a_migration_that_fails_changes_nothing(empty_url, monkeypatch):
    engine = migration_engine(parse_address(empty_url))
    with engine.begin() as connection:
        config = alembic_config()
        config.attributes["connection"] = connection
        command.upgrade(config, "0001")
    engine.dispose()
    before, upgrade_to_the_end = tables(empty_url), command.upgrade

    def fail(config, revision):
        upgrade_to_the_end(config, revision)
        raise RuntimeError("the last migration failed")

    monkeypatch.setattr(command, "upgrade", fail)
    with pytest.raises(RuntimeError, match="the last migration failed"):
        upgrade_database(empty_url)
    monkeypatch.undo()
    assert tables(empty_url) == before
    engine = create_engine(parse_address(empty_url))
    with engine.connect() as connection:
        assert connection.execute(text("SELECT version_num FROM alembic_version")).scalar() == "0001"
    engine.dispose()
    assert upgrade_database(empty_url) is True


def test_an_empty_server_is_not_upgraded_unasked(postgres_url):
    engine = create_engine(parse_address(postgres_url))
    with engine.begin() as connection:
        connection.execute(text("DROP SCHEMA public CASCADE"))
        connection.execute(text("CREATE SCHEMA public"))
    with pytest.raises(SchemaOutdatedError, match="run: sitecrawl database upgrade"):
        open_database(postgres_url)
    assert inspect(engine).get_table_names() == []
    engine.dispose()


def test_a_newer_server_asks_for_a_newer_sitecrawl(postgres_url):
    engine = create_engine(parse_address(postgres_url))
    with engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    engine.dispose()
    for refused in (open_database, upgrade_database):
        with pytest.raises(SchemaOutdatedError, match="upgrade sitecrawl"):
            refused(postgres_url)


def alembic(url, *arguments):
    return subprocess.run(
        [sys.executable, "-m", "alembic", *arguments],
        cwd=ROOT,
        env={**os.environ, "SITECRAWL_DATABASE_URL": url},
        capture_output=True,
        text=True,
        timeout=300,
    )


def test_plain_alembic_works_from_pyproject(empty_url):
    done = alembic(empty_url, "upgrade", "head")
    assert done.returncode == 0, done.stderr
    assert differences(empty_url) == []
    assert alembic(empty_url, "current").stdout.strip() == f"{REVISION} (head)"
    assert upgrade_database(empty_url) is False


def test_plain_alembic_prints_sql_without_a_database():
    printed = alembic("postgresql://nobody@127.0.0.1:1/none", "upgrade", "head", "--sql")
    assert printed.returncode == 0, printed.stderr
    assert "CREATE TABLE template_node" in printed.stdout


def test_the_migrations_are_a_package():
    folder = migrations_folder()
    assert (folder / "script.py.mako").is_file()
    assert {path.name for path in folder.glob("*.sql")} == {"schema_sqlite.sql", "schema_postgresql.sql"}
    assert (folder / "__init__.py").is_file()
    assert (folder / "versions" / "__init__.py").is_file()


def test_learned_templates_become_the_first_layout_and_back(empty_url):
    """Migration 0003 rebuilds the template tables without losing any count."""
    engine = migration_engine(parse_address(empty_url))

    def rows(sql):
        with engine.connect() as connection:
            return [tuple(row) for row in connection.execute(text(sql))]

    before = ScriptDirectory.from_config(alembic_config()).get_revision("0003").down_revision
    migrate(engine, command.upgrade, before)
    moment = "'2026-03-01 00:00:00'"
    with engine.begin() as connection:
        for statement in (
            f"INSERT INTO site (id, host, start_url, created_at) VALUES (1, 'a.org', 'https://a.org/', {moment})",
            "INSERT INTO template (site_id, version, label_rule, pages_seen, novelty, updated_at)"
            f" VALUES (1, 4, 1, 30, 0.5, {moment})",
            "INSERT INTO template_node (site_id, key, parent, depth, label, pages, nodes, variants, chars, link_chars,"
            " last_page) VALUES (1, 7, 0, 0, 'html', 30, 30, 1, 2, 3, 30)",
            "INSERT INTO template_style (site_id, node, style, pages) VALUES (1, 7, 8, 9)",
            "INSERT INTO template_path (site_id, key, path, content_pages, noise_pages) VALUES (1, 5, 'HTML', 2, 3)",
            *(
                "INSERT INTO page (site_id, url_key, url, status, depth, discovery, discovered_at)"
                f" VALUES (1, {key}, 'https://a.org/{key}', {status}, 0, 1, {moment})"
                for key, status in ((1, 1), (2, 4))
            ),
        ):
            connection.execute(text(statement))
    migrate(engine, command.upgrade, "head")
    assert rows("SELECT layout, version, pages_seen, retired_at FROM template") == [(1, 4, 30, None)]
    assert rows("SELECT layout, key, chars, link_chars FROM template_node") == [(1, 7, 2, 3)]
    assert rows("SELECT layout, node, style, pages FROM template_style") == [(1, 7, 8, 9)]
    assert rows("SELECT layout, path, content_pages FROM template_path") == [(1, "HTML", 2)]
    assert rows("SELECT url_key, layout FROM page ORDER BY url_key") == [(1, 1), (2, None)]
    with engine.begin() as connection:
        connection.execute(
            text(
                "INSERT INTO template (site_id, layout, version, label_rule, pages_seen, novelty, updated_at)"
                f" VALUES (1, 2, 5, 1, 40, 0.5, {moment})"
            )
        )
    migrate(engine, command.downgrade, before)
    assert rows("SELECT version, pages_seen FROM template") == [(5, 40)]
    assert rows("SELECT key FROM template_node") == []
    engine.dispose()


def test_dead_links_are_told_from_deletions_and_unchecked_dates_are_forgotten(empty_url):
    engine = migration_engine(parse_address(empty_url))

    page = "INSERT INTO page (site_id, url_key, url, status, depth, discovery, discovered_at, etag, last_modified)"
    values = "VALUES (1, :key, :url, :status, 1, :key, '2026-01-01', '\"e\"', 'Thu, 01 Jan 2099 00:00:00 GMT')"
    content = "INSERT INTO content (site_id, url_key, status, kind, text, words, method, confidence, extracted_at)"
    migrate(engine, command.upgrade, "0010")
    with engine.begin() as connection:
        connection.execute(
            text(
                "INSERT INTO site (id, host, start_url, created_at) VALUES (1, 'a.example', 'http://a.example/', '2026-01-01')"
            )
        )
        for key, status in ((1, 1), (2, 5), (3, 5)):
            connection.execute(
                text(f"{page} {values}"), {"key": key, "url": f"http://a.example/{key}", "status": status}
            )
        for key, status in ((1, "new"), (2, "gone")):
            row = "VALUES (1, :key, :status, 'content', '', 0, 'x', 0, '2026-01-01')"
            connection.execute(text(f"{content} {row}"), {"key": key, "status": status})
    migrate(engine, command.upgrade, "0011")
    with engine.begin() as connection:
        rows = connection.execute(text("SELECT status, etag, last_modified FROM page ORDER BY url_key")).all()
        assert [tuple(row) for row in rows] == [(1, '"e"', None), (5, '"e"', None), (7, '"e"', None)]
    migrate(engine, command.downgrade, "0010")
    with engine.begin() as connection:
        assert connection.execute(text("SELECT status FROM page ORDER BY url_key")).scalars().all() == [1, 5, 5]
    engine.dispose()


def test_leases_are_kept_by_the_migration_that_numbers_them_and_back(empty_url):
    """A site that is crawled during the upgrade stays leased, and its next lease has a number."""
    engine = migration_engine(parse_address(empty_url))

    def sites(columns):
        with engine.begin() as connection:
            return [tuple(row) for row in connection.execute(text(f"SELECT {columns} FROM site ORDER BY id"))]

    migrate(engine, command.upgrade, "0015")
    with engine.begin() as connection:
        for number, owner in ((1, "'machine:1'"), (2, "NULL")):
            connection.execute(
                text(
                    "INSERT INTO site (id, host, start_url, created_at, next_crawl_at, lease_owner, leased_until) VALUES"
                    f" ({number}, '{number}.example', 'http://a/', '2026-01-01', '2026-01-02', {owner}, '2026-01-03')"
                )
            )
    migrate(engine, command.upgrade, "0016")
    assert sites("id, lease_owner, lease_epoch, paused_at") == [(1, "machine:1", 0, None), (2, None, 0, None)]
    migrate(engine, command.downgrade, "0015")
    assert sites("id, lease_owner") == [(1, "machine:1"), (2, None)]
    migrate(engine, command.upgrade, "0016")
    engine.dispose()
