"""SQLite files that cannot be used, and files that two processes want at once."""

import datetime as dt
import multiprocessing
import os
import shutil
import sqlite3
import tempfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import text

from sitecrawl.errors import DatabaseLostError, SchemaOutdatedError, StorageError
from sitecrawl.storage.db import engine as engine_module
from sitecrawl.storage.db.engine import open_database, open_to_read, session_scope
from sitecrawl.storage.db.schema import REVISION
from sitecrawl.storage.db.sqlite_file import create_file
from sitecrawl.storage.sites import SiteRepository

NOBODY = 65534
processes = multiprocessing.get_context("fork")


@pytest.fixture
def folder():
    """A folder that other users may enter, unlike pytest's."""
    path = Path(tempfile.mkdtemp())
    path.chmod(0o755)
    yield path
    path.chmod(0o755)
    shutil.rmtree(path)


def opened_without_privileges(url, use=open_database):
    """Return the message that a user who is not root gets when opening a database."""
    answers = processes.Queue()

    def child():
        if os.geteuid() == 0:
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)
        try:
            found = use(url)
            answers.put(found if isinstance(found, list) else "opened")
        except StorageError as error:
            answers.put(str(error))

    process = processes.Process(target=child)
    process.start()
    answer = answers.get(timeout=300)
    process.join(300)
    return answer


def make(path):
    open_database(f"sqlite:///{path}").dispose()


@pytest.mark.processes
def test_a_folder_that_cannot_be_written(folder):
    folder.chmod(0o555)
    said = opened_without_privileges(f"sqlite:///{folder}/new.db")
    assert str(folder / "new.db") in said
    assert "cannot be written" in said
    assert list(folder.iterdir()) == []


@pytest.mark.processes
def test_a_file_that_cannot_be_written(folder):
    path = folder / "old.db"
    make(path)
    path.chmod(0o444)
    if os.geteuid() == 0:
        os.chown(folder, NOBODY, NOBODY)
    said = opened_without_privileges(f"sqlite:///{path}")
    assert str(path) in said
    assert "cannot be written" in said


def test_a_place_where_no_file_can_be_made():
    with pytest.raises(StorageError, match=r"/proc/new\.db"):
        open_database("sqlite:////proc/new.db")


def hosts(url):
    engine = open_to_read(url)
    with session_scope(engine, write=False) as session:
        return list(session.scalars(text("SELECT host FROM site")))


def fill(session):
    session.execute(text("INSERT INTO site (host, start_url, created_at) VALUES ('a', '', '2026-01-01')"))


def protect(folder):
    for path in folder.iterdir():
        path.chmod(0o444)
    folder.chmod(0o555)


@pytest.mark.processes
def test_reading_where_nothing_can_be_written(folder):
    engine = open_database(f"sqlite:///{folder}/old.db")
    with session_scope(engine) as session:
        fill(session)
    engine.dispose()
    protect(folder)
    assert opened_without_privileges(f"sqlite:///{folder}/old.db", hosts) == ["a"]
    assert [path.name for path in folder.iterdir()] == ["old.db"]


@pytest.mark.processes
def test_reading_a_file_that_another_user_writes(folder):
    """Rows that are only in the write-ahead log are read too."""
    engine = open_database(f"sqlite:///{folder}/old.db")
    with engine.connect():  # keeps the log
        with session_scope(engine) as session:
            fill(session)
        protect(folder)
        assert opened_without_privileges(f"sqlite:///{folder}/old.db", hosts) == ["a"]
    engine.dispose()


@pytest.mark.processes
def test_reading_says_what_is_wrong(folder):
    for name, content in (("text.db", b"plain text " * 500), ("empty.db", b"")):
        (folder / name).write_bytes(content)
    protect(folder)
    for name, said in (
        ("text.db", "no SQLite database"),
        ("empty.db", "sitecrawl database upgrade"),
        ("none.db", "the database does not exist"),
    ):
        assert said in opened_without_privileges(f"sqlite:///{folder}/{name}", hosts)


@pytest.mark.parametrize(("umask", "mode"), [(0, 0o600), (0o022, 0o600), (0o277, 0o400)])
def test_a_new_file_is_for_its_owner(tmp_path, umask, mode):
    path = tmp_path / "new.db"
    before = os.umask(umask)
    try:
        create_file(path)
    finally:
        os.umask(before)
    assert path.stat().st_mode & 0o777 == mode


def test_the_log_has_the_permissions_of_the_file_which_keeps_its_own(tmp_path):
    path = tmp_path / "x.db"
    for mode in (0o600, 0o640):
        engine = open_database(f"sqlite:///{path}")
        with engine.connect(), session_scope(engine) as session:
            session.execute(text("DELETE FROM site"))
            assert {file.stat().st_mode & 0o777 for file in tmp_path.iterdir()} == {mode}
        engine.dispose()
        path.chmod(0o640)


def test_a_folder_in_place_of_a_file(tmp_path):
    with pytest.raises(StorageError, match="is a folder"):
        open_database(f"sqlite:///{tmp_path}")


def test_a_damaged_file_is_refused_and_kept(tmp_path):
    path = tmp_path / "damaged.db"
    engine = open_database(f"sqlite:///{path}")
    with session_scope(engine) as session:
        session.execute(text("CREATE TABLE filler (line TEXT)"))
        session.execute(text("INSERT INTO filler VALUES (:line)"), [{"line": f"{i} " * 100} for i in range(2000)])
    engine.dispose()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    content = bytearray(path.read_bytes())
    middle = len(content) // 8192 * 4096
    content[middle : middle + 4096] = b"\x5a" * 4096
    path.write_bytes(content)
    with pytest.raises(StorageError, match="damaged") as caught:
        open_database(f"sqlite:///{path}")
    assert str(path) in str(caught.value)
    assert path.read_bytes() == bytes(content)


def test_damage_in_a_large_file_shows_when_it_is_read(tmp_path, monkeypatch):
    path = tmp_path / "large.db"
    make(path)
    with closing(sqlite3.connect(path)) as connection:
        root = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'page'").fetchone()[0]
        size = connection.execute("PRAGMA page_size").fetchone()[0]
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    content = bytearray(path.read_bytes())
    content[(root - 1) * size : root * size] = b"\x5a" * size
    path.write_bytes(content)
    monkeypatch.setattr(engine_module, "CHECKED_BYTES", 0)
    engine = open_database(f"sqlite:///{path}")
    with pytest.raises(StorageError, match="damaged"), session_scope(engine) as session:
        session.execute(text("SELECT * FROM page")).all()
    engine.dispose()


def test_the_file_of_another_program_is_left_alone(tmp_path):
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE theirs (x)")
    before = path.read_bytes()
    with pytest.raises(StorageError, match="another program"):
        open_database(f"sqlite:///{path}")
    assert path.read_bytes() == before


def test_a_newer_file_asks_for_a_newer_sitecrawl(tmp_path):
    path = tmp_path / "newer.db"
    make(path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
        connection.commit()
    with pytest.raises(SchemaOutdatedError, match="upgrade sitecrawl"):
        open_database(f"sqlite:///{path}")


def test_an_empty_file_is_filled(tmp_path):
    path = tmp_path / "empty.db"
    path.touch()
    engine = open_database(f"sqlite:///{path}")
    with session_scope(engine, write=False) as session:
        assert session.scalar(text("SELECT count(*) FROM site")) == 0
    engine.dispose()


def test_a_creation_that_fails_leaves_nothing_behind(tmp_path, monkeypatch):
    def fail(connection):
        connection.execute(text("CREATE TABLE half (x INTEGER)"))
        raise OSError("no")

    monkeypatch.setattr(engine_module, "upgrade_schema", fail)
    with pytest.raises(OSError, match="no"):
        open_database(f"sqlite:///{tmp_path}/new.db")
    assert list(tmp_path.iterdir()) == []


def test_names_with_spaces_percents_and_letters_of_the_world(tmp_path):
    folder = tmp_path / "a folder % größer ü"
    folder.mkdir()
    make(folder / "data base.db")
    assert (folder / "data base.db").stat().st_size > 0


def _open_and_add(path, start, answers, number):
    start.wait(10)
    try:
        engine = open_database(f"sqlite:///{path}")
        with session_scope(engine) as session:
            session.execute(
                text("INSERT INTO site (host, start_url, created_at) VALUES (:host, '', '2026-01-01')"),
                {"host": f"{number}.example"},
            )
        engine.dispose()
    except Exception as error:
        answers.put(f"{type(error).__name__}: {error}")
    else:
        answers.put("ok")


@pytest.mark.parametrize("attempt", range(3))
@pytest.mark.processes
def test_processes_that_create_one_file_at_once(tmp_path, attempt):
    path, count = tmp_path / "new.db", 6
    start, answers = processes.Event(), processes.Queue()
    children = [processes.Process(target=_open_and_add, args=(path, start, answers, number)) for number in range(count)]
    for child in children:
        child.start()
    start.set()
    assert [answers.get(timeout=300) for _ in children] == ["ok"] * count
    for child in children:
        child.join(300)
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT count(*) FROM site").fetchone() == (count,)
        assert connection.execute("SELECT version_num FROM alembic_version").fetchall() == [(REVISION,)]
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_settings_of_a_connection(tmp_path):
    engine = open_database(f"sqlite:///{tmp_path}/x.db")
    with session_scope(engine, write=False) as session:
        names = ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
        assert [session.scalar(text(f"PRAGMA {name}")) for name in names] == ["wal", 1, 1, 30_000]
    engine.dispose()


def test_writers_that_read_first_wait_for_each_other(tmp_path):
    engine = open_database(f"sqlite:///{tmp_path}/x.db")
    with session_scope(engine) as session:
        session.execute(text("CREATE TABLE counter (value INTEGER)"))
        session.execute(text("INSERT INTO counter VALUES (0)"))

    def count(_):
        with session_scope(engine) as session:
            value = session.scalar(text("SELECT value FROM counter"))
            session.execute(text("UPDATE counter SET value = :value"), {"value": value + 1})

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(count, range(200)))
    with session_scope(engine, write=False) as session:
        assert session.scalar(text("SELECT value FROM counter")) == 200
    engine.dispose()


def test_reading_waits_for_no_writer(tmp_path):
    engine = open_database(f"sqlite:///{tmp_path}/x.db")
    with session_scope(engine) as writing:
        writing.execute(text("INSERT INTO site (host, start_url, created_at) VALUES ('a', '', '2026-01-01')"))
        with session_scope(engine, write=False) as reading:
            assert reading.scalar(text("SELECT count(*) FROM site")) == 0
    engine.dispose()


def names(engine):
    with session_scope(engine, write=False) as session:
        return list(session.scalars(text("SELECT host FROM site")))


def add(engine, host):
    with session_scope(engine) as session:
        SiteRepository(session).get_or_add(host, f"https://{host}/", dt.datetime.now(dt.UTC))


def test_a_file_that_is_put_in_the_place_of_another_is_used(tmp_path):
    url = f"sqlite:///{tmp_path}/x.db"
    engine, other = open_database(url), open_database(f"sqlite:///{tmp_path}/other.db")
    add(engine, "old.org")
    add(other, "new.org")
    other.dispose()
    for end in ("", "-wal", "-shm"):
        (tmp_path / f"x.db{end}").unlink(missing_ok=True)
    (tmp_path / "other.db").rename(tmp_path / "x.db")
    assert names(engine) == ["new.org"]
    add(engine, "added.org")
    engine.dispose()
    assert sorted(names(open_database(url))) == ["added.org", "new.org"]


def test_nothing_is_written_to_a_file_that_is_gone(tmp_path):
    engine = open_database(f"sqlite:///{tmp_path}/x.db")
    add(engine, "old.org")
    for path in tmp_path.iterdir():
        path.unlink()
    for use in (names, lambda engine: add(engine, "new.org")):
        with pytest.raises(DatabaseLostError, match=r"x\.db: the file of the database is gone \(No such file"):
            use(engine)
    engine.dispose()
    with pytest.raises(DatabaseLostError):
        names(engine)  # no empty file is made
    assert list(tmp_path.iterdir()) == []
