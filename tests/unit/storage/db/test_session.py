import pytest
from sqlalchemy import text, update

from sitecrawl.errors import StorageError
from sitecrawl.storage.db.engine import session_scope
from sitecrawl.storage.db.session import after_commit, transaction
from sitecrawl.storage.tables.models import SITE

ADD = text("INSERT INTO outbox_clock (id, last) VALUES (:id, 5)")


def clocks(engine):
    with session_scope(engine, write=False) as session:
        return list(session.scalars(text("SELECT id FROM outbox_clock ORDER BY id")))


def test_nothing_is_begun_before_the_first_statement(engine):
    with session_scope(engine) as session:
        assert session.get_bind().dialect is engine.dialect
        assert engine.pool.checkedout() == 0
        assert session.scalar(text("SELECT last FROM outbox_clock")) == 0
        assert engine.pool.checkedout() == 1
        assert session.connection() is session.connection()
    assert engine.pool.checkedout() == 0


def test_all_is_committed_at_the_end_or_nothing(engine):
    with session_scope(engine) as session:
        session.execute(ADD, {"id": 2})
        session.execute(ADD, [{"id": 3}, {"id": 4}])
    assert clocks(engine) == [1, 2, 3, 4]
    with pytest.raises(KeyError), session_scope(engine) as session:
        session.execute(ADD, {"id": 5})
        raise KeyError
    with pytest.raises(StorageError), session_scope(engine) as session:
        session.execute(ADD, {"id": 6})
        session.execute(ADD, {"id": 1})
    assert clocks(engine) == [1, 2, 3, 4]
    assert engine.pool.checkedout() == 0


def test_what_waits_for_the_commit_is_done_after_it_or_never(engine):
    seen = []
    with session_scope(engine) as session:
        session.execute(ADD, {"id": 2})
        after_commit(session, lambda: seen.append(clocks(engine)))
        assert seen == []
    assert seen == [[1, 2]]
    with pytest.raises(KeyError), session_scope(engine) as session:
        after_commit(session, lambda: seen.append("never"))
        raise KeyError
    assert seen == [[1, 2]]


def test_a_transaction_that_cannot_begin_leaves_no_connection_open(engine, monkeypatch):
    if engine.dialect.name != "sqlite":
        return
    monkeypatch.setattr("sitecrawl.storage.db.engine.run_plain", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError), session_scope(engine) as session:
        session.execute(ADD, {"id": 2})
    monkeypatch.undo()
    assert engine.pool.checkedout() == 0
    assert clocks(engine) == [1]


def test_an_update_of_many_rows_says_which(engine):
    values = [{"host": "one.example"}, {"host": "two.example"}]
    with pytest.raises(TypeError, match="use update_rows"), transaction(engine) as session:
        session.execute(update(SITE), values)


def test_a_number_that_is_not_there_is_0(engine):
    with session_scope(engine) as session:
        session.execute(ADD, {"id": 2})
        assert session.number(text("SELECT last FROM outbox_clock WHERE id = 2")) == 5
        assert session.number(text("SELECT last FROM outbox_clock WHERE id = 3")) == 0
        assert session.number(text("SELECT max(last) FROM outbox_clock WHERE id = 3")) == 0
