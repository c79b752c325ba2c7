"""Tests of INSERT ... ON CONFLICT on both databases."""

import pytest
from sqlalchemy import select

from sitecrawl.storage.db.engine import open_database, session_scope
from sitecrawl.storage.db.prepared import PreparedChange
from sitecrawl.storage.db.upsert import insert_missing, update_rows, upsert
from sitecrawl.storage.tables.models import SINK

KEY = ["name"]


@pytest.fixture
def session(database_url):
    engine = open_database(database_url)
    with session_scope(engine) as session:
        yield session
    engine.dispose()


def sinks(**sequences):
    return [{"name": name, "sequence": number} for name, number in sequences.items()]


def stored(session):
    return dict(map(tuple, session.execute(select(SINK.c.name, SINK.c.sequence))))


def _sequence(new):
    return {"sequence": new.sequence}


def _sum(new):
    return {"sequence": SINK.c.sequence + new.sequence}


def test_rows_with_new_keys_are_inserted_and_known_ones_stay(session):
    insert_missing(session, SINK, sinks(b=2), KEY)
    insert_missing(session, SINK, sinks(c=3, b=9, a=1), KEY)
    insert_missing(session, SINK, [], KEY)
    assert stored(session) == {"a": 1, "b": 2, "c": 3}


def test_rows_with_known_keys_are_changed_as_the_function_says(session):
    upsert(session, SINK, sinks(b=2), KEY, _sequence)
    upsert(session, SINK, sinks(c=3, b=9, a=1), KEY, _sequence)
    upsert(session, SINK, sinks(b=1), KEY, _sum)
    upsert(session, SINK, sinks(a=5, c=5), KEY, _sum)
    upsert(session, SINK, [], KEY, _sum)
    assert stored(session) == {"a": 6, "b": 10, "c": 8}


def test_one_function_serves_rows_of_other_columns(session):
    upsert(session, SINK, sinks(a=1), KEY, _sequence)
    more = [{**row, "failure": "no"} for row in sinks(a=2, b=3)]
    upsert(session, SINK, more, KEY, _sequence)
    failures = dict(map(tuple, session.execute(select(SINK.c.name, SINK.c.failure))))
    assert (stored(session), failures) == ({"a": 2, "b": 3}, {"a": None, "b": "no"})


def test_only_rows_that_there_are_are_updated(session):
    insert_missing(session, SINK, sinks(a=1, b=2, c=3), KEY)
    update_rows(session, SINK, sinks(a=7, d=8), KEY)
    update_rows(session, SINK, sinks(b=9), KEY)
    update_rows(session, SINK, [], KEY)
    assert stored(session) == {"a": 7, "b": 9, "c": 3}


def test_rows_are_written_in_the_order_of_their_keys(session, monkeypatch):
    """Processes that write the same rows lock them in the same order, so that none waits for the other for ever."""
    run_all, names = PreparedChange.run_all, []

    def note(self, session, rows):
        names.append([row["name"] for row in rows])
        run_all(self, session, rows)

    monkeypatch.setattr(PreparedChange, "run_all", note)
    upsert(session, SINK, sinks(c=3, a=1, b=2), KEY, _sequence)
    insert_missing(session, SINK, sinks(f=3, d=1, e=2), KEY)
    update_rows(session, SINK, sinks(b=3, a=1), KEY)
    assert names == [["a", "b", "c"], ["d", "e", "f"], ["b", "a"]]
    assert stored(session) == {"a": 1, "b": 3, "c": 3, "d": 1, "e": 2, "f": 3}
