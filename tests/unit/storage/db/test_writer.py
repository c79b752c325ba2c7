import asyncio
import threading

import pytest
from sqlalchemy import text

from sitecrawl.errors import StorageError
from sitecrawl.storage.db.engine import session_scope
from sitecrawl.storage.db.writer import GROUP, BatchWriter


@pytest.fixture
def writer(engine):
    with session_scope(engine) as session:
        session.execute(text("CREATE TABLE note (id INTEGER PRIMARY KEY)"))
    writer = BatchWriter(engine, batch=10)
    yield writer
    writer.shutdown()


def add(number):
    return lambda session: session.execute(text("INSERT INTO note VALUES (:n)"), {"n": number}) and number


def notes(engine):
    with session_scope(engine, write=False) as session:
        return list(session.scalars(text("SELECT id FROM note ORDER BY id")))


def test_an_awaited_operation_is_durable_and_groups_are_fewer_than_operations(engine, writer):
    async def main():
        return await asyncio.gather(*(writer.submit(add(i)) for i in range(35)))

    assert asyncio.run(main()) == list(range(35))
    assert notes(engine) == list(range(35))
    assert writer.operations == 35
    assert writer.batches < 35


def test_operations_that_may_wait_share_a_commit(engine, writer, monkeypatch):
    monkeypatch.setattr("sitecrawl.storage.db.writer.LATEST", 3600)

    async def main():
        made = [writer.submit(add(i), later=True) for i in range(GROUP + 2)]
        await asyncio.gather(*made[:GROUP])
        first = (writer.batches, writer.operations, notes(engine))
        await writer.submit(add(90))
        return first, [one.done() for one in made[GROUP:]]

    assert asyncio.run(main()) == ((1, GROUP, list(range(GROUP))), [True, True])
    assert (writer.batches, writer.operations) == (2, GROUP + 3)
    assert notes(engine) == [*range(GROUP + 2), 90]


def test_an_operation_that_may_wait_is_committed_though_nothing_follows(engine, writer, monkeypatch):
    monkeypatch.setattr("sitecrawl.storage.db.writer.LATEST", 0.001)

    async def main():
        return await asyncio.wait_for(writer.submit(add(1), later=True), 60)

    assert asyncio.run(main()) == 1
    assert notes(engine) == [1]


def test_closing_commits_what_may_wait(engine, writer, monkeypatch):
    monkeypatch.setattr("sitecrawl.storage.db.writer.LATEST", 3600)

    async def main():
        waits = writer.submit(add(1), later=True)
        await writer.close()
        return await asyncio.wait_for(waits, 60)

    assert asyncio.run(main()) == 1
    assert notes(engine) == [1]


def test_only_an_operation_whose_event_loop_ended_is_said(writer, caplog):
    async def awaited():
        await writer.submit(add(1))

    async def left():
        writer.submit(lambda session: go_on.wait())

    caplog.set_level("DEBUG", logger="sitecrawl")
    go_on = threading.Event()
    asyncio.run(awaited())
    assert caplog.messages == []
    asyncio.run(left())
    go_on.set()
    writer.shutdown()
    assert caplog.messages == ["the event loop ended before an operation was committed"]


def test_a_bad_operation_harms_no_other(engine, writer):
    async def main():
        return await asyncio.gather(*(writer.submit(add(i)) for i in (1, 2, 2, 3)), return_exceptions=True)

    first, second, twice, third = asyncio.run(main())
    assert (first, second, third) == (1, 2, 3)
    assert isinstance(twice, Exception)
    assert notes(engine) == [1, 2, 3]


def test_nothing_is_taken_after_the_end(writer):
    writer.shutdown()
    with pytest.raises(StorageError, match="closed"):
        writer.run(lambda session: None)


def test_of_two_operations_in_a_group_the_good_one_is_committed(engine, writer):
    begun, go_on = threading.Event(), threading.Event()

    def hold(session):
        begun.set()
        assert go_on.wait(60)

    async def main():
        first = asyncio.ensure_future(writer.submit(hold))
        await asyncio.to_thread(begun.wait, 60)
        others = [asyncio.ensure_future(writer.submit(operation)) for operation in (add(1), refuse)]
        await asyncio.sleep(0)  # both are in the queue, behind the one that is held
        go_on.set()
        await first
        return await asyncio.gather(*others, return_exceptions=True)

    good, bad = asyncio.run(main())
    assert (good, str(bad)) == (1, "refused")
    assert notes(engine) == [1]
    assert (writer.batches, writer.operations) == (2, 2)


def refuse(session):
    raise ValueError("refused")


def test_closing_commits_what_is_queued_and_ends_the_thread(engine, writer):
    async def main():
        last = asyncio.ensure_future(writer.submit(add(1)))
        await asyncio.sleep(0)  # it is in the queue
        await writer.close()
        return await last, writer._thread.is_alive()

    assert asyncio.run(main()) == (1, False)
    assert notes(engine) == [1]


def test_a_passing_failure_is_tried_again_and_said_once(engine, writer, monkeypatch, caplog):
    monkeypatch.setattr("sitecrawl.storage.db.writer.FIRST_PAUSE", 0.0)
    failures = [StorageError("busy"), StorageError("busy still")]
    monkeypatch.setattr("sitecrawl.storage.db.writer.may_pass", lambda error: True)

    def fail_twice(session):
        if failures:
            raise failures.pop(0)
        return add(1)(session)

    assert writer.run(fail_twice) == 1
    assert (writer.retries, notes(engine)) == (2, [1])
    assert [record.getMessage() for record in caplog.records] == ["busy; trying again"]
