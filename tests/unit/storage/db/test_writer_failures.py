import asyncio
import sqlite3
import threading
import time

import pytest
from sqlalchemy import create_engine, event, text
from sqlalchemy.exc import OperationalError

from sitecrawl.errors import DatabaseLostError, StorageError
from sitecrawl.storage.db import engine as engine_module
from sitecrawl.storage.db import writer as writer_module
from sitecrawl.storage.db.engine import open_database, session_scope
from sitecrawl.storage.db.writer import BatchWriter


@pytest.fixture
def note(engine):
    with session_scope(engine) as session:
        session.execute(text("CREATE TABLE note (place INTEGER, id INTEGER PRIMARY KEY)"))


@pytest.fixture
def writer(engine, note):
    writer = BatchWriter(engine, batch=10)
    yield writer
    writer.shutdown()


def add(number):
    def operation(session):
        place = session.scalar(text("SELECT count(*) FROM note"))
        session.execute(text("INSERT INTO note VALUES (:place, :id)"), {"place": place, "id": number})
        return number

    return operation


def notes(engine):
    with session_scope(engine, write=False) as session:
        return list(session.scalars(text("SELECT id FROM note ORDER BY place")))


def locked():
    cause = sqlite3.OperationalError("database is locked")
    cause.sqlite_errorcode = sqlite3.SQLITE_BUSY
    return OperationalError("INSERT", {}, cause)


def test_operations_run_in_the_order_of_submission(engine, writer):
    numbers = [7, 3, 9, 1, 8, 2] * 10
    numbers = [number + 10 * i for i, number in enumerate(numbers)]

    async def main():
        await asyncio.gather(*(writer.submit(add(number)) for number in numbers))

    asyncio.run(main())
    assert notes(engine) == numbers


def test_a_future_resolves_only_after_the_commit(database_url, engine, writer):
    other = create_engine(engine.url)
    seen = []

    async def main():
        for number in range(5):
            await writer.submit(add(number))
            with other.connect() as connection:
                seen.append(connection.scalar(text("SELECT count(*) FROM note")))

    asyncio.run(main())
    other.dispose()
    assert seen == [1, 2, 3, 4, 5]


def test_a_bad_operation_between_good_ones_leaves_their_order(engine, writer):
    async def main():
        gate = threading.Event()
        first = writer.submit(lambda session: gate.wait(10))  # so that the others form one group
        later = [writer.submit(add(number)) for number in (1, 2, 2, 3)]
        gate.set()
        await first
        return await asyncio.gather(*later, return_exceptions=True)

    one, two, again, three = asyncio.run(main())
    assert (one, two, three) == (1, 2, 3)
    assert isinstance(again, StorageError)
    assert notes(engine) == [1, 2, 3]


def test_what_an_operation_raises_comes_out_unchanged(writer):
    def operation(session):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        writer.run(operation)
    assert writer.retries == 0


def test_a_passing_failure_is_tried_again(engine, writer, monkeypatch):
    monkeypatch.setattr(writer_module, "FIRST_PAUSE", 0.001)
    failures = [locked(), locked()]

    def operation(session):
        if failures:
            raise failures.pop()
        return add(1)(session)

    assert writer.run(operation) == 1
    assert writer.retries == 2
    assert notes(engine) == [1]


def test_the_pauses_between_tries_double_up_to_the_longest(writer, monkeypatch):
    pauses = []
    monkeypatch.setattr(writer_module.time, "sleep", pauses.append)
    failures = [locked() for _ in range(10)]

    def operation(session):
        if failures:
            raise failures.pop()

    writer.run(operation)
    first, longest = writer_module.FIRST_PAUSE, writer_module.LONGEST_PAUSE
    assert pauses == [min(first * 2**n, longest) for n in range(10)]
    assert first < longest == pauses[-1]


def test_a_failure_that_does_not_pass_fails_the_group_once(engine, note, monkeypatch):
    monkeypatch.setattr(writer_module, "FIRST_PAUSE", 0.001)
    writer = BatchWriter(engine, patience=0.2)

    tried = set()

    def operation(number):
        def fail(session):
            tried.add(number)
            raise locked()

        return fail

    async def main():
        group = [writer.submit(operation(number)) for number in range(20)]
        return await asyncio.gather(*group, return_exceptions=True)

    results = asyncio.run(main())
    writer.shutdown()
    assert all(isinstance(result, StorageError) and "locked" in str(result) for result in results)
    assert len(tried) < 20  # the patience is not spent on each of them


def test_a_lost_connection_is_replaced(postgres_url):
    engine = open_database(postgres_url)
    admin = create_engine(engine.url, isolation_level="AUTOCOMMIT")
    with session_scope(engine) as session:
        session.execute(text("CREATE TABLE note (place INTEGER, id INTEGER PRIMARY KEY)"))
    writer = BatchWriter(engine)
    kills = [1, 2]

    def operation(session):
        result = add(1)(session)
        if kills:
            kills.pop()
            process = session.scalar(text("SELECT pg_backend_pid()"))
            with admin.connect() as connection:
                connection.execute(text("SELECT pg_terminate_backend(:process)"), {"process": process})
        return result

    assert writer.run(operation) == 1
    writer.shutdown()
    assert writer.retries == 2
    assert notes(engine) == [1]
    admin.dispose()
    engine.dispose()


def test_a_deadlock_is_tried_again(postgres_url):
    """Two writers take two rows in opposite order: PostgreSQL ends one of them, and both must get through."""
    engine = open_database(postgres_url)
    with session_scope(engine) as session:
        session.execute(text("CREATE TABLE note (place INTEGER, id INTEGER PRIMARY KEY)"))
        session.execute(text("INSERT INTO note VALUES (0, 1), (0, 2)"))
    both = threading.Barrier(2)
    writers = [BatchWriter(engine), BatchWriter(engine)]
    met = [False, False]

    def raise_both(which, order):
        def operation(session):
            statement = text("UPDATE note SET place = place + 1 WHERE id = :id")
            session.execute(statement, {"id": order[0]})
            if not met[which]:
                met[which] = True
                both.wait(10)
            session.execute(statement, {"id": order[1]})

        return operation

    async def main():
        await asyncio.gather(writers[0].submit(raise_both(0, (1, 2))), writers[1].submit(raise_both(1, (2, 1))))

    asyncio.run(main())
    for writer in writers:
        writer.shutdown()
    with session_scope(engine, write=False) as session:
        assert list(session.scalars(text("SELECT place FROM note"))) == [2, 2]
    assert sum(writer.retries for writer in writers) == 1
    engine.dispose()


def test_a_cancelled_wait_does_not_cancel_the_operation(engine, writer):
    async def main():
        gate = threading.Event()
        writer.submit(lambda session: gate.wait(10))
        cancelled = writer.submit(add(1))
        cancelled.cancel()
        gate.set()
        await writer.flush()

    asyncio.run(main())
    assert notes(engine) == [1]


def test_an_event_loop_that_ended_is_no_error(engine, writer, caplog):
    gate = threading.Event()

    async def main():
        writer.submit(lambda session: gate.wait(10))
        writer.submit(add(1))

    asyncio.run(main())
    gate.set()
    writer.shutdown()
    assert notes(engine) == [1]
    assert not [record for record in caplog.records if record.levelname in ("WARNING", "ERROR", "CRITICAL")]


def test_close_commits_what_is_queued(engine, writer):
    async def main():
        futures = [writer.submit(add(number)) for number in range(30)]
        await writer.close()
        return await asyncio.gather(*futures)

    assert asyncio.run(main()) == list(range(30))
    assert notes(engine) == list(range(30))


def test_an_operation_may_not_wait_for_its_own_writer(writer):
    with pytest.raises(StorageError, match="call it directly"):
        writer.run(lambda session: writer.run(lambda inner: 1))


def test_a_flush_begins_no_transaction(engine, writer):
    begun = []
    event.listen(engine, "begin", begun.append)
    asyncio.run(writer.flush())
    assert begun == []


def full():
    cause = sqlite3.OperationalError("database or disk is full")
    cause.sqlite_errorcode = sqlite3.SQLITE_FULL
    return OperationalError("INSERT", {}, cause)


def test_a_full_disk_ends_all_writing_at_once(engine, note):
    writer = BatchWriter(engine, batch=10)

    def operation(session):
        raise full()

    async def main():
        told = asyncio.create_task(writer.until_lost())
        await writer.submit(add(1))
        assert not told.done()
        results = await asyncio.gather(
            writer.submit(operation), writer.submit(add(2)), writer.submit(add(3)), return_exceptions=True
        )
        await asyncio.wait_for(told, 5)
        await asyncio.wait_for(writer.until_lost(), 5)  # who asks late is told too
        return [*results, *await asyncio.gather(writer.submit(add(4)), return_exceptions=True)]

    results = asyncio.run(main())
    writer.shutdown()
    assert all(isinstance(result, DatabaseLostError) and "the disk is full" in str(result) for result in results)
    assert results[-1] is writer.lost
    assert writer.retries == 0
    assert notes(engine) == [1]


def test_what_does_not_pass_within_the_patience_is_lost(engine, note):
    writer = BatchWriter(engine, patience=0.1)

    def operation(session):
        raise locked()

    with pytest.raises(DatabaseLostError, match="locked"):
        writer.run(operation)
    with pytest.raises(DatabaseLostError, match="locked"):
        writer.run(add(1))
    writer.shutdown()
    assert notes(engine) == []


def test_one_bad_row_is_not_the_database(engine, writer):
    writer.run(add(1))
    with pytest.raises(StorageError) as caught:
        writer.run(add(1))
    assert not isinstance(caught.value, DatabaseLostError)
    assert writer.lost is None
    assert writer.run(add(2)) == 2


def test_a_process_that_is_about_to_end_waits_for_no_database(engine, note, monkeypatch):
    """Its patience is shorter from then on, and never longer."""
    monkeypatch.setattr(writer_module, "LAST_PATIENCE", 0.0)
    writer = BatchWriter(engine, patience=600.0)
    tried = []

    def fail(session):
        tried.append(session)
        raise locked()

    writer.hurry()
    monkeypatch.setattr(writer_module, "LAST_PATIENCE", 600.0)
    writer.hurry()
    with pytest.raises((StorageError, OperationalError)):
        writer.run(fail)
    assert 1 <= len(tried) <= 3
    writer.shutdown()


def test_closing_waits_for_a_database_that_fails_no_longer_than_the_last_patience(engine, note, monkeypatch):
    monkeypatch.setattr(writer_module, "LAST_PATIENCE", 0.0)
    writer = BatchWriter(engine, patience=600.0)
    begun, said = threading.Event(), []

    def fail(session):
        begun.set()
        raise locked()

    def wait():
        try:
            writer.run(fail)
        except (StorageError, OperationalError) as error:
            said.append(error)

    waiting = threading.Thread(target=wait, daemon=True)
    waiting.start()
    assert begun.wait(60)
    writer.shutdown()
    waiting.join(60)
    assert len(said) == 1


def test_a_writer_in_a_hurry_gives_up_soon_though_the_file_stays_locked(tmp_path, monkeypatch):
    monkeypatch.setattr(writer_module, "LAST_PATIENCE", 0.2)
    monkeypatch.setattr(engine_module, "RETRY_SECONDS", 0.1)
    engine = open_database(f"sqlite:///{tmp_path}/pages.db")
    other = sqlite3.connect(tmp_path / "pages.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    writer = BatchWriter(engine)
    began = time.monotonic()

    async def main():
        waiting = writer.submit(lambda session: session.execute(text("DELETE FROM site")))
        writer.hurry()
        with pytest.raises(DatabaseLostError, match="stayed locked by another process"):
            await waiting

    asyncio.run(main())
    assert time.monotonic() - began < engine_module.BUSY_SECONDS / 2
    other.close()
    writer.shutdown()
    engine.dispose()
