import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

import sitecrawl.storage.tables.indexes  # noqa: F401  (adds them to the tables)
from sitecrawl.errors import ConfigError, SchemaOutdatedError, StorageError
from sitecrawl.storage.db.engine import open_database
from sitecrawl.storage.tables.models import METADATA
from tests.migrations.test_migrations import include_object


def test_the_migrations_make_what_the_models_say(engine):
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True, "include_object": include_object})
        assert compare_metadata(context, METADATA) == []


@pytest.mark.parametrize("url", ["nonsense", "mysql://u@h/x", "sqlite:///", "postgresql://user:secret@:bad/x"])
def test_an_url_that_cannot_be_used_is_refused_without_its_password(url):
    with pytest.raises((ConfigError, StorageError)) as caught:
        open_database(url)
    assert "secret" not in str(caught.value)


def test_a_folder_that_is_missing_is_named(tmp_path):
    with pytest.raises(StorageError, match="does not exist"):
        open_database(f"sqlite:///{tmp_path}/no/such/x.db")


def test_a_file_that_is_no_database_is_left_alone(tmp_path):
    file = tmp_path / "x.db"
    file.write_text("just some notes, of enough length to be looked at" * 100)
    with pytest.raises(StorageError, match=r"x\.db"):
        open_database(f"sqlite:///{file}")
    assert file.read_text().startswith("just some notes")


def test_a_server_that_is_not_there_is_a_clear_error():
    with pytest.raises(StorageError):
        open_database("postgresql://nobody@127.0.0.1:1/x")


def test_an_empty_schema_on_a_server_names_the_command(postgres_server):
    with pytest.raises(SchemaOutdatedError, match="upgrade"):
        open_database(postgres_server)
