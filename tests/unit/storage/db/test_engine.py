import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Engine, event, text

import sitecrawl.storage.tables.indexes  # noqa: F401  (adds them to the tables)
from sitecrawl.errors import ConfigError, SchemaOutdatedError, StorageError
from sitecrawl.storage.db import engine as engine_module
from sitecrawl.storage.db import server_engine as server_engine_module
from sitecrawl.storage.db.engine import (
    modules_of,
    open_database,
    open_existing,
    open_to_read,
    retrying,
    session_scope,
    upgrade_database,
)
from sitecrawl.storage.db.failures import may_pass
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


def rows(engine):
    with session_scope(engine, write=False) as session:
        return list(session.scalars(text("SELECT host FROM site")))


@pytest.fixture
def protected(tmp_path, monkeypatch):
    """The URL of a file that looks read-only to this process, and an engine that writes it."""
    url = f"sqlite:///{tmp_path}/x.db"
    engine = open_database(url)
    with session_scope(engine) as session:
        session.execute(text("INSERT INTO site (host, start_url, created_at) VALUES ('a', '', '2026-01-01')"))
    monkeypatch.setattr(engine_module, "is_writable", lambda path: False)
    yield url, engine
    engine.dispose()


def test_a_file_that_cannot_be_written_is_read_and_nothing_is_made_beside_it(protected, tmp_path):
    url, engine = protected
    engine.dispose()
    assert not (tmp_path / "x.db-wal").exists()
    reader = open_to_read(url)
    assert rows(reader) == ["a"]
    assert [path.name for path in tmp_path.iterdir()] == ["x.db"]
    with pytest.raises(StorageError, match="cannot be written"), session_scope(reader) as session:
        session.execute(text("DELETE FROM site"))
    reader.dispose()


def test_the_log_of_a_file_that_cannot_be_written_is_read_too(protected, tmp_path):
    url, engine = protected
    with engine.connect():  # keeps the log
        with session_scope(engine) as session:
            session.execute(text("UPDATE site SET host = 'b'"))
        assert (tmp_path / "x.db-wal").stat().st_size
        reader = open_to_read(url)
        assert rows(reader) == ["b"]
        reader.dispose()


def test_a_file_that_cannot_be_written_must_have_this_schema(protected):
    url, engine = protected
    with session_scope(engine) as session:
        session.execute(text("UPDATE alembic_version SET version_num = '0001'"))
    engine.dispose()
    with pytest.raises(SchemaOutdatedError, match="older"):
        open_to_read(url)


@pytest.mark.parametrize(("name", "said"), [("none", "the folder .* does not exist"), ("", "is a folder")])
def test_what_cannot_be_read_is_named(tmp_path, monkeypatch, name, said):
    monkeypatch.setattr(engine_module, "is_writable", lambda path: False)
    with pytest.raises(StorageError, match=said):
        open_to_read(f"sqlite:///{tmp_path}/{name and 'none/x.db'}")


def test_a_file_that_can_be_written_is_opened_as_for_writing(tmp_path):
    url = f"sqlite:///{tmp_path}/new.db"
    open_database(url).dispose()
    engine = open_to_read(url)
    assert rows(engine) == []
    assert modules_of(engine) == ("sqlalchemy.dialects.sqlite", "sitecrawl.storage.search.sqlite")
    engine.dispose()


@pytest.mark.parametrize("opened", [open_existing, open_to_read])
def test_a_missing_file_is_reported_and_not_created(tmp_path, opened):
    with pytest.raises(StorageError, match="the database does not exist; crawl a site first, or correct"):
        opened(f"sqlite:///{tmp_path}/new.db")
    assert list(tmp_path.iterdir()) == []


def test_who_tries_again_by_itself_waits_a_short_time_for_another_writer(tmp_path):
    engine = open_database(f"sqlite:///{tmp_path}/pages.db")

    def waits(bind):
        with session_scope(bind) as session:
            return session.scalar(text("PRAGMA busy_timeout")) / 1000

    assert [waits(bind) for bind in (engine, retrying(engine), retrying(engine), engine)] == [
        engine_module.BUSY_SECONDS,
        engine_module.RETRY_SECONDS,
        engine_module.RETRY_SECONDS,
        engine_module.BUSY_SECONDS,
    ]
    engine.dispose()


@pytest.mark.parametrize("bound", [retrying, lambda engine: engine], ids=["crawl", "command"])
def test_a_server_ends_the_open_transaction_of_a_process_that_is_paused(postgres_url, monkeypatch, bound):
    """Another process gets the rows that it had locked, and the paused one may try again."""
    monkeypatch.setattr(server_engine_module, "IDLE_SECONDS", 1)
    paused, other = open_database(postgres_url), open_database(postgres_url)
    lock = text("UPDATE outbox_clock SET last = last + 1")
    with (
        pytest.raises(StorageError, match="the process was paused") as failure,
        session_scope(bound(paused)) as session,
    ):
        session.execute(lock)
        with session_scope(other) as following:
            following.execute(text("SET LOCAL lock_timeout = '60s'"))
            following.execute(lock)
        session.execute(lock)
    assert may_pass(failure.value)
    with session_scope(bound(paused)) as session:
        session.execute(lock)
    paused.dispose()
    other.dispose()


def test_a_server_that_the_network_drops_is_noticed_soon(postgres_url):
    def options(more):
        engine = open_database(f"{postgres_url}{more}")
        with engine.connect() as connection:
            given = connection.connection.dbapi_connection.info.get_parameters()
        engine.dispose()
        return {name: given[name] for name in server_engine_module.ALIVE}

    own = {name: str(value) for name, value in server_engine_module.ALIVE.items()}
    assert options("") == own
    assert options("?tcp_user_timeout=5000") == own | {"tcp_user_timeout": "5000"}


def test_an_open_transaction_that_only_reads_may_wait_for_its_reader(postgres_url):
    engine = open_database(postgres_url)

    def limit(bind, *, write):
        with session_scope(bind, write=write) as session:
            return session.scalar(text("SHOW idle_in_transaction_session_timeout"))

    assert [limit(engine, write=write) for write in (True, False, True)] == ["1min", "0", "1min"]
    assert [limit(retrying(engine), write=write) for write in (True, False)] == ["1min", "1min"]
    engine.dispose()


def test_an_upgrade_makes_a_new_file_and_says_whether_it_did_anything(tmp_path):
    url = f"sqlite:///{tmp_path}/new.db"
    assert (upgrade_database(url), upgrade_database(url)) == (True, False)
    engine = open_database(url)
    assert rows(engine) == []
    engine.dispose()


@pytest.fixture
def disposed():
    """The URLs of the engines whose connections are closed."""
    found = []

    def note(engine):
        found.append(engine.url.host)

    event.listen(Engine, "engine_disposed", note)
    yield found
    event.remove(Engine, "engine_disposed", note)


@pytest.mark.parametrize(
    ("more", "error", "said"),
    [("", StorageError, "127.0.0.1"), ("?nonsense=1", ConfigError, "is not known to PostgreSQL")],
)
def test_no_connection_is_kept_to_a_server_that_cannot_be_used(disposed, more, error, said):
    with pytest.raises(error, match=said):
        open_database(f"postgresql://nobody@127.0.0.1:1/x{more}")
    assert disposed == ["127.0.0.1"]


def test_no_connection_is_kept_to_a_server_whose_schema_was_looked_at_for_an_upgrade(postgres_url, disposed):
    assert upgrade_database(postgres_url) is False
    assert disposed == ["127.0.0.1"]


def test_no_connection_is_kept_to_a_server_with_another_schema(postgres_server, disposed):
    with pytest.raises(SchemaOutdatedError):
        open_database(postgres_server)
    assert disposed == ["127.0.0.1"]
