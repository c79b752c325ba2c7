"""Bodies outside of the database: in a folder, and in two of the file systems that fsspec knows."""

import errno
import os
import secrets
import shutil
import time

import pytest
from sqlalchemy import select, update

from sitecrawl.config import Config
from sitecrawl.crawl.crawl_start import CrawlStart
from sitecrawl.crawl.crawl_state import CrawlState
from sitecrawl.errors import ConfigError, DamagedBodyError, DatabaseLostError, StorageError
from sitecrawl.storage.bodies import BodyRepository
from sitecrawl.storage.body_files import check_folder, files_of
from sitecrawl.storage.body_pruning import DAY, FEW, Pruned, prune
from sitecrawl.storage.body_store import MARK, Outside, named, store_of
from sitecrawl.storage.db.engine import open_database, session_scope
from sitecrawl.storage.layouts import LayoutRepository
from sitecrawl.storage.pages import PageRepository
from sitecrawl.storage.revisits import RevisitRepository
from sitecrawl.storage.sites import SiteRepository
from sitecrawl.storage.tables.models import BODY
from tests.fetched import fetched
from tests.unit.storage.test_contents import NOW


@pytest.fixture(params=["folder", "memory", "local"])
def location(request, tmp_path):
    return {
        "folder": f"file://{tmp_path}/bodies",
        "memory": f"memory://{secrets.token_hex(4)}",
        "local": f"local://{tmp_path}/bodies",
    }[request.param]


@pytest.fixture
def engine(sqlite_url, location):
    engine = open_database(sqlite_url, location)
    yield engine
    engine.dispose()


@pytest.fixture
def site_id(engine):
    with session_scope(engine) as session:
        return SiteRepository(session).get_or_add("example.org", "https://example.org/", NOW).id


def put(engine, site_id, *bodies):
    """Store these bodies as pages 1, 2 ..."""
    with session_scope(engine) as session:
        made = [fetched(key)._replace(html=html) for key, html in enumerate(bodies, 1)]
        PageRepository(session).record(site_id, made)


def read(engine, site_id, key):
    with session_scope(engine, write=False) as session:
        return BodyRepository(session).stored(site_id, key).html


def held(engine):
    with session_scope(engine, write=False) as session:
        return [row.html for row in session.execute(select(BODY.c.html).order_by(BODY.c.url_key))]


def names(engine):
    return sorted(name for site in store_of(engine).files.names() for name in site)


def test_a_row_names_a_file_and_every_reader_gets_the_body(engine, site_id):
    put(engine, site_id, "<p>one é", "<p>two")
    assert [named(row) for row in held(engine)] != [None, None]
    assert sorted(named(row) for row in held(engine)) == names(engine)
    assert [read(engine, site_id, key) for key in (1, 2)] == ["<p>one é", "<p>two"]
    with session_scope(engine) as session:
        assert RevisitRepository(session).body(site_id, 2) == b"<p>two"
        LayoutRepository(session).keep_previous(site_id, 1)
        assert LayoutRepository(session).previous(site_id, 1) == "<p>one é"


def test_a_body_that_is_replaced_stays_until_it_is_pruned_and_the_kept_one_longer(engine, site_id):
    put(engine, site_id, "<p>first", "<p>same")
    with session_scope(engine) as session:
        LayoutRepository(session).keep_previous(site_id, 1)
    put(engine, site_id, "<p>second", "<p>same")
    assert (len(names(engine)), prune(engine)) == (4, Pruned(4, 0, 1))  # they may be of a transaction that runs
    assert prune(engine, older=0.0) == Pruned(4, 1)
    with session_scope(engine) as session:
        assert LayoutRepository(session).previous(site_id, 1) == "<p>first"
        LayoutRepository(session).drop_previous(site_id, 1)
    assert prune(engine, older=0.0) == Pruned(3, 1)
    assert [read(engine, site_id, key) for key in (1, 2)] == ["<p>second", "<p>same"]


def test_a_transaction_that_fails_leaves_an_orphan_and_the_old_body(engine, site_id):
    put(engine, site_id, "<p>old")
    with pytest.raises(RuntimeError), session_scope(engine) as session:
        BodyRepository(session).put(site_id, fetched(1)._replace(html="<p>new"))
        raise RuntimeError
    assert (read(engine, site_id, 1), prune(engine, older=0.0)) == ("<p>old", Pruned(2, 1))
    assert read(engine, site_id, 1) == "<p>old"


def test_a_missing_and_a_damaged_body_are_named_and_replaced_by_the_next_fetch(engine, site_id):
    put(engine, site_id, "<p>one", "<p>two", "<p>three")
    files = store_of(engine).files
    missing, damaged, _ = (named(row) for row in held(engine))
    files.delete(missing)
    files.write(damaged, files.read(damaged)[:-1])
    with pytest.raises(DamagedBodyError, match=r"/1: the stored body is missing in .*BODY_STORE, or crawl the site"):
        read(engine, site_id, 1)
    with pytest.raises(DamagedBodyError, match=r"/2: the stored body is damaged in .*; crawl the site again"):
        read(engine, site_id, 2)
    with session_scope(engine) as session:
        revisits = RevisitRepository(session)
        assert [revisits.body(site_id, key) for key in (1, 2, 3)] == [None, None, b"<p>three"]
    put(engine, site_id, "<p>one", "<p>two")
    assert [read(engine, site_id, key) for key in (1, 2)] == ["<p>one", "<p>two"]


def test_bodies_from_before_the_store_was_set_are_read_and_those_in_it_need_it(sqlite_url, location):
    inside = open_database(sqlite_url)
    with session_scope(inside) as session:
        site_id = SiteRepository(session).get_or_add("example.org", "https://example.org/", NOW).id
    put(inside, site_id, "<p>inside", "<p>too")
    outside = open_database(sqlite_url, location)
    assert read(outside, site_id, 1) == "<p>inside"
    put(outside, site_id, "<p>outside")
    assert [read(outside, site_id, key) for key in (1, 2)] == ["<p>outside", "<p>too"]
    with pytest.raises(StorageError, match="name it with SITECRAWL_BODY_STORE"):
        read(inside, site_id, 1)
    with pytest.raises(ConfigError, match="SITECRAWL_BODY_STORE is not set"):
        prune(inside)
    inside.dispose()
    outside.dispose()


def test_a_row_with_an_invalid_name_reads_no_other_file(engine, site_id):
    put(engine, site_id, "<p>one")
    with session_scope(engine) as session:
        session.execute(update(BODY).values(html=MARK + b"../../etc/passwd"))
    with pytest.raises(DamagedBodyError, match="no valid name"):
        read(engine, site_id, 1)


def test_the_store_of_another_database_and_other_files_are_left_alone(tmp_path, sqlite_url):
    location = f"{tmp_path}/bodies"
    engine, other = open_database(sqlite_url, location), open_database(f"sqlite:///{tmp_path}/other.db", location)
    with session_scope(engine) as session:
        site_id = SiteRepository(session).get_or_add("example.org", "https://example.org/", NOW).id
    put(engine, site_id, *(f"<p>{i}" for i in range(101)))
    with pytest.raises(StorageError, match=r"101 of 101 bodies belong to no page.*nothing was deleted"):
        prune(other, older=0.0)
    (tmp_path / "bodies/001/1/notes.txt").write_text("mine")
    assert prune(engine, older=0.0) == Pruned(101, 0)
    assert prune(other, older=0.0, even_most=True).orphans == 101
    assert [path.name for path in (tmp_path / "bodies").rglob("*.*")] == ["notes.txt"]
    engine.dispose()
    other.dispose()


def test_a_file_that_a_crash_left_in_part_is_pruned(tmp_path, sqlite_url):
    engine = open_database(sqlite_url, f"{tmp_path}/bodies")
    part = tmp_path / f"bodies/001/1/{'a' * 32}-{'b' * 16}.part"
    part.parent.mkdir(parents=True)
    part.write_bytes(b"half")
    assert prune(engine, older=0.0) == Pruned(1, 1)
    assert not part.exists()
    engine.dispose()


def test_a_store_that_cannot_be_written_fails_the_transaction(tmp_path, sqlite_url):
    engine = open_database(sqlite_url, f"{tmp_path}/bodies")
    with session_scope(engine) as session:
        site_id = SiteRepository(session).get_or_add("example.org", "https://example.org/", NOW).id
    (tmp_path / "bodies").rmdir()
    (tmp_path / "bodies").write_text("a file")
    with pytest.raises(StorageError, match=r"the body store cannot be used .*check SITECRAWL_BODY_STORE"):
        put(engine, site_id, "<p>one")
    assert held(engine) == []
    engine.dispose()


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ("bodies", "write an absolute folder"),
        ("file://relative", "write an absolute folder"),
        ("/proc/nowhere/bodies", "cannot be created"),
        ("nonsense://user:secret@host/x", "nonsense"),
    ],
)
def test_a_store_that_cannot_be_used_is_named_without_its_password(sqlite_url, wrong, words):
    with pytest.raises(ConfigError, match=words) as error:
        open_database(sqlite_url, wrong)
    assert "SITECRAWL_BODY_STORE" in str(error.value)
    assert "secret" not in str(error.value)


def test_errors_of_other_classes_are_errors_of_the_store(monkeypatch):
    files = files_of("memory://x")
    monkeypatch.setattr(files._files, "cat_file", lambda path: {}["no such client"])
    with pytest.raises(StorageError, match=r"memory://x: the body store cannot be used .*KeyError"):
        Outside(files).read(MARK + f"001/1/{'a' * 32}-{'b' * 16}".encode())


def test_a_file_that_could_not_be_written_leaves_no_part_behind(tmp_path, monkeypatch):
    files = files_of(f"{tmp_path}/bodies")

    def full(file):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("sitecrawl.storage.body_files.os.fsync", full)
    with pytest.raises(OSError, match="No space left"):
        files.write("001/1/name", b"body")
    assert [path for path in (tmp_path / "bodies").rglob("*") if path.is_file()] == []


def test_a_file_is_on_the_disk_before_a_name_leads_to_it(tmp_path, monkeypatch):
    files, seen, fsync = files_of(f"{tmp_path}/bodies"), [], os.fsync

    def synced(number):
        seen.append((os.fstat(number).st_size, (tmp_path / "bodies/001/1/name").exists()))
        fsync(number)

    monkeypatch.setattr("sitecrawl.storage.body_files.os.fsync", synced)
    files.write("001/1/name", b"body")
    assert [seen[0], seen[1][1], len(seen)] == [(4, False), True, 2]


def test_a_store_whose_folder_is_gone_has_no_names(location, tmp_path):
    files = files_of(location)
    shutil.rmtree(tmp_path / "bodies", ignore_errors=True)
    assert list(files.names()) == []


def test_files_that_another_process_wrote_are_listed():
    store, elsewhere = files_of("memory://shared"), files_of("memory://shared")
    listed, seen = store._files.ls, []
    store._files.ls = lambda path, *, detail, refresh: seen.append(refresh) or listed(path, detail=detail)
    elsewhere.write("001/1/name", b"body")
    assert list(store.names()) == [["001/1/name"]]
    assert set(seen) == {True}


def test_bodies_that_another_run_deletes_meanwhile_are_no_error(engine, site_id, monkeypatch):
    put(engine, site_id, "<p>one")
    put(engine, site_id, "<p>two")
    (orphan,) = set(names(engine)) - {named(row) for row in held(engine)}
    files = store_of(engine).files
    age, delete = files.age, files.delete

    def gone_before(name):
        delete(name)
        return age(name)

    def gone(name):
        delete(name)
        delete(name)

    monkeypatch.setattr(files, "delete", gone)
    assert prune(engine, older=0.0) == Pruned(2, 1)
    monkeypatch.undo()
    files.write(orphan, b"body")
    monkeypatch.setattr(files, "age", gone_before)
    assert prune(engine, older=0.0) == Pruned(2, 0)
    assert (orphan in names(engine), read(engine, site_id, 1)) == (False, "<p>two")


@pytest.mark.parametrize(
    ("error", "why"), [(OSError(5, "Input/output error"), "Input/output error"), (OSError("no"), "no")]
)
def test_a_store_that_cannot_be_pruned_is_named_with_the_reason(engine, site_id, monkeypatch, error, why):
    put(engine, site_id, "<p>one")

    def fail():
        raise error

    monkeypatch.setattr(store_of(engine).files, "names", fail)
    with pytest.raises(StorageError, match=rf"the body store cannot be used \({why}\); check SITECRAWL_BODY_STORE"):
        prune(engine, older=0.0)


@pytest.mark.parametrize(
    ("few", "kept", "orphans", "deleted"),
    [(FEW, 0, FEW, True), (FEW, 0, FEW + 1, False), (1, 2, 2, True), (1, 2, 3, False)],
)
def test_a_few_orphans_are_deleted_and_more_only_up_to_half_of_all_files(
    tmp_path, sqlite_url, monkeypatch, few, kept, orphans, deleted
):
    monkeypatch.setattr("sitecrawl.storage.body_pruning.FEW", few)
    engine = open_database(sqlite_url, f"{tmp_path}/bodies")
    with session_scope(engine) as session:
        site_id = SiteRepository(session).get_or_add("example.org", "https://example.org/", NOW).id
    put(engine, site_id, *(f"<p>{i}" for i in range(kept)))
    for number in range(orphans):
        store_of(engine).files.write(f"001/1/{number:032x}-{number:016x}", b"orphan")
    if deleted:
        assert prune(engine, older=0.0) == Pruned(kept + orphans, orphans)
        assert len(names(engine)) == kept
    else:
        with pytest.raises(StorageError, match=f"{orphans} of {kept + orphans} bodies belong to no page"):
            prune(engine, older=0.0)
        assert len(names(engine)) == kept + orphans
    engine.dispose()


def test_files_that_are_not_old_enough_are_left_alone(tmp_path, sqlite_url):
    engine = open_database(sqlite_url, f"{tmp_path}/bodies")
    young, old = (f"001/1/{number:032x}-{number:016x}" for number in (1, 2))
    for name in (young, old):
        store_of(engine).files.write(name, b"orphan")
    os.utime(tmp_path / "bodies" / old, (0, time.time() - DAY - 1))
    os.utime(tmp_path / "bodies" / young, (0, time.time() - DAY + 600))
    assert prune(engine) == Pruned(2, 1, 1)
    assert names(engine) == [young]
    engine.dispose()


def test_the_folder_of_a_store_is_made_with_those_above_it(tmp_path):
    folder = tmp_path / "data" / "sitecrawl" / "bodies"
    files_of(f"file://{folder}").write("1/body", b"<p>one")
    assert (folder / "1" / "body").read_bytes() == b"<p>one"


def test_a_folder_that_fails_ends_its_users_as_a_lost_database_does(sqlite_url, tmp_path, monkeypatch):
    engine = open_database(sqlite_url, f"{tmp_path}/bodies")
    with session_scope(engine) as session:
        site = SiteRepository(session).get_or_add("example.org", "https://example.org/", NOW).id
    put(engine, site, "<p>one")
    full = OSError(errno.ENOSPC, "No space left on device")

    def fail(*_):
        raise full

    monkeypatch.setattr(store_of(engine).files, "write", fail)
    with pytest.raises(DatabaseLostError, match=r"cannot be used \(No space left"):
        put(engine, site, "<p>two")
    monkeypatch.setattr(store_of(engine).files, "read", fail)
    with pytest.raises(DatabaseLostError, match="check SITECRAWL_BODY_STORE"):
        read(engine, site, 1)
    full = NotADirectoryError(errno.ENOTDIR, "Not a directory")  # one body is lost, not the store
    with pytest.raises(DamagedBodyError):
        read(engine, site, 1)
    engine.dispose()


def test_a_site_whose_bodies_are_in_a_store_is_not_crawled_without_it(database_url, tmp_path):
    stored, plain = open_database(database_url, f"{tmp_path}/bodies"), open_database(database_url)
    with session_scope(stored) as session:
        sites = [SiteRepository(session).get_or_add(host, f"https://{host}/", NOW).id for host in ("a.org", "b.org")]
    put(stored, sites[0], "<p>one")
    put(plain, sites[1], "<p>two")
    with session_scope(plain, write=False) as session:
        BodyRepository(session).check_store(sites[1])
        with pytest.raises(StorageError, match="name it with SITECRAWL_BODY_STORE"):
            BodyRepository(session).check_store(sites[0])
    with session_scope(stored, write=False) as session:
        BodyRepository(session).check_store(sites[0])
    with pytest.raises(StorageError, match="name it with SITECRAWL_BODY_STORE"):
        CrawlState(Config(database_url=database_url), CrawlStart("https://a.org/"))
    with session_scope(plain) as session:  # it is not leased
        SiteRepository(session).lease(sites[0], "another", NOW, 60)
    stored.dispose()
    plain.dispose()


def test_a_mistyped_folder_is_not_made_to_be_tidied(tmp_path):
    (tmp_path / "bodies").mkdir()
    for location in ("", str(tmp_path / "bodies"), f"file://{tmp_path}/bodies", "memory://x"):
        check_folder(location)
    with pytest.raises(ConfigError, match="there is no such folder; correct the path"):
        check_folder(str(tmp_path / "bodeis"))
    assert [one.name for one in tmp_path.iterdir()] == ["bodies"]
