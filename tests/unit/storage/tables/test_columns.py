"""Tests of column types that mean the same in SQLite and PostgreSQL."""

import datetime as dt

import pytest
from sqlalchemy import JSON, BigInteger, Boolean, Double, Integer, Text
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.dialects.postgresql import JSONB, TSVECTOR

from sitecrawl.metadata.fields import RowStatus
from sitecrawl.page_kind import Kind
from sitecrawl.storage.tables.columns import (
    KEY,
    KindText,
    PlainJson,
    RowStatusText,
    SearchVector,
    Unsigned64,
    UtcDateTime,
    columns_of,
)

SQLITE, POSTGRESQL = sqlite.dialect(), postgresql.dialect()
BOTH = pytest.mark.parametrize("dialect", [SQLITE, POSTGRESQL], ids=["sqlite", "postgresql"])
NOON = dt.datetime(2026, 3, 1, 12, tzinfo=dt.UTC)


def made(kind, dialect):
    """Return the SQL of a type."""
    return kind.compile(dialect=dialect)


@pytest.mark.parametrize(
    ("kind", "ours", "theirs"),
    [
        (KEY, "INTEGER", "BIGINT"),
        (PlainJson(), "JSON", "JSONB"),
        (SearchVector(), "TEXT", "TSVECTOR"),
        (UtcDateTime(), "DATETIME", "TIMESTAMP WITH TIME ZONE"),
        (Unsigned64(), "BIGINT", "BIGINT"),
        (KindText(), "VARCHAR(16)", "VARCHAR(16)"),
    ],
)
def test_each_database_has_its_own_types(kind, ours, theirs):
    assert (made(kind, SQLITE), made(kind, POSTGRESQL)) == (ours, theirs)


def test_types_of_postgresql_are_used_there_alone():
    assert isinstance(PlainJson().load_dialect_impl(POSTGRESQL), JSONB)
    assert isinstance(SearchVector().load_dialect_impl(POSTGRESQL), TSVECTOR)
    assert isinstance(PlainJson().load_dialect_impl(SQLITE), JSON)
    assert isinstance(SearchVector().load_dialect_impl(SQLITE), Text)


@BOTH
def test_no_json_is_null_and_not_the_word(dialect):
    impl = PlainJson().load_dialect_impl(dialect)
    assert impl.none_as_null


@BOTH
@pytest.mark.parametrize(("kind", "member"), [(RowStatusText(), RowStatus.UNCHANGED), (KindText(), Kind.LISTING)])
def test_a_member_is_stored_as_its_word(dialect, kind, member):
    stored = kind.process_bind_param(member, dialect)
    assert (stored, type(stored)) == (member.value, str)
    assert kind.process_bind_param(member.value, dialect) == stored
    assert kind.process_result_value(stored, dialect) is member
    assert kind.process_bind_param(None, dialect) is kind.process_result_value(None, dialect) is None
    for convert in (kind.process_bind_param, kind.process_result_value):
        with pytest.raises(ValueError, match="no word of it"):
            convert("no word of it", dialect)


def test_a_time_is_stored_in_utc_and_comes_back_with_its_zone():
    kind, there = UtcDateTime(), NOON.astimezone(dt.timezone(dt.timedelta(hours=-5)))
    naive = NOON.replace(tzinfo=None)
    assert kind.process_bind_param(there, SQLITE) == naive
    bound = kind.process_bind_param(there, POSTGRESQL)
    assert (bound, bound.tzinfo) == (NOON, dt.UTC)
    for stored in (naive, there):
        found = kind.process_result_value(stored, POSTGRESQL)
        assert (found, found.tzinfo) == (NOON, dt.UTC)
    assert kind.process_bind_param(None, SQLITE) is kind.process_result_value(None, SQLITE) is None
    with pytest.raises(ValueError, match="naive datetime 2026-03-01 12:00:00: give one with a time zone"):
        kind.process_bind_param(naive, SQLITE)


@BOTH
@pytest.mark.parametrize(
    ("number", "stored"),
    [(0, 0), (1, 1), (2**63 - 1, 2**63 - 1), (2**63, -(2**63)), (2**63 + 5, 5 - 2**63), (2**64 - 1, -1)],
)
def test_64_bits_are_stored_as_a_signed_number(dialect, number, stored):
    kind = Unsigned64()
    assert kind.process_bind_param(number, dialect) == stored
    assert kind.process_result_value(stored, dialect) == number
    assert kind.process_bind_param(None, dialect) is kind.process_result_value(None, dialect) is None


@pytest.mark.parametrize("number", [-1, 2**64])
def test_a_number_of_more_than_64_bits_is_refused(number):
    with pytest.raises(ValueError, match=f"{number} is not an unsigned 64-bit number"):
        Unsigned64().process_bind_param(number, SQLITE)


@pytest.mark.parametrize("kind", [PlainJson, RowStatusText, KindText, SearchVector, UtcDateTime, Unsigned64])
def test_statements_with_these_types_are_compiled_once(kind):
    assert kind().cache_ok is True


class _Described:
    words: str
    count: int | None
    share: float
    done: bool
    at: dt.datetime | None


def test_a_class_describes_columns_of_which_some_may_be_null():
    columns = columns_of(_Described)
    assert [(one.name, type(one.type), one.nullable) for one in columns] == [
        ("words", Text, False),
        ("count", Integer, True),
        ("share", Double, False),
        ("done", Boolean, False),
        ("at", UtcDateTime, True),
    ]

    class Wrong:
        words: bytes

    with pytest.raises(KeyError):
        columns_of(Wrong)
    assert isinstance(KEY, BigInteger)
