"""Column types that mean the same in SQLite and PostgreSQL."""

import datetime as dt
from enum import StrEnum
from types import NoneType
from typing import Any, ClassVar, Final, TypeVar, cast, get_args, get_type_hints

from sqlalchemy import JSON, BigInteger, Boolean, Column, DateTime, Double, Integer, String, Text
from sqlalchemy.engine import Dialect
from sqlalchemy.types import TypeDecorator, TypeEngine

from sitecrawl.metadata.fields import RowStatus
from sitecrawl.page_kind import Kind

KEY: Final = BigInteger().with_variant(Integer, "sqlite")
"""A 63-bit fingerprint or a row id."""

_Member = TypeVar("_Member", bound=StrEnum)

_WORD: Final = 1 << 64
_SIGN: Final = 1 << 63


class PlainJson(TypeDecorator[Any]):
    """JSON; `jsonb` in PostgreSQL. The types of PostgreSQL are not loaded for SQLite."""

    impl = JSON
    cache_ok = True

    def __init__(self) -> None:
        super().__init__(none_as_null=True)

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """Return the type of a dialect."""
        if dialect.name != "postgresql":
            return super().load_dialect_impl(dialect)
        from sqlalchemy.dialects.postgresql import JSONB  # noqa: PLC0415

        return dialect.type_descriptor(JSONB(none_as_null=True))


class _EnumText(TypeDecorator[_Member]):
    """A member of an enum, stored as a word."""

    impl = String(16)
    members: ClassVar[type[StrEnum]]

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        """Return the word."""
        return None if value is None else str(self.members(value))

    def process_result_value(self, value: str | None, dialect: Dialect) -> _Member | None:
        """Return the member."""
        return None if value is None else cast(_Member, self.members(value))


class RowStatusText(_EnumText[RowStatus]):
    """A status of a row, stored as a word."""

    cache_ok = True
    members = RowStatus


class KindText(_EnumText[Kind]):
    """A kind of page, stored as a word."""

    cache_ok = True
    members = Kind


class SearchVector(TypeDecorator[str]):
    """The terms of a page; `tsvector` in PostgreSQL, unused text in SQLite."""

    impl = Text
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """Return the type of a dialect."""
        if dialect.name != "postgresql":
            return super().load_dialect_impl(dialect)
        from sqlalchemy.dialects.postgresql import TSVECTOR  # noqa: PLC0415

        return dialect.type_descriptor(TSVECTOR())


class UtcDateTime(TypeDecorator[dt.datetime]):
    """Aware UTC in Python; `timestamptz` in PostgreSQL, naive UTC text in SQLite."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: dt.datetime | None, dialect: Dialect) -> dt.datetime | None:
        """Return the time to store. Raises ValueError for a naive datetime, whose zone is unknown."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError(f"naive datetime {value}: give one with a time zone")
        value = value.astimezone(dt.UTC)
        return value.replace(tzinfo=None) if dialect.name == "sqlite" else value

    def process_result_value(self, value: object | None, dialect: Dialect) -> dt.datetime | None:
        """Return the time as aware UTC, whatever the time zone of the database session."""
        if value is None:
            return None
        assert isinstance(value, dt.datetime)
        return value.replace(tzinfo=dt.UTC) if value.tzinfo is None else value.astimezone(dt.UTC)


class Unsigned64(TypeDecorator[int]):
    """64 unsigned bits, stored in a signed BIGINT; equality and bit operations are preserved, order is not."""

    impl = BigInteger
    cache_ok = True

    def process_bind_param(self, value: int | None, dialect: Dialect) -> int | None:
        """Map the upper half to negative numbers."""
        if value is None:
            return None
        if not 0 <= value < _WORD:
            raise ValueError(f"{value} is not an unsigned 64-bit number")
        return value - _WORD if value >= _SIGN else value

    def process_result_value(self, value: int | None, dialect: Dialect) -> int | None:
        """Reverse the mapping."""
        return None if value is None else value % _WORD


_TYPES: Final[dict[object, TypeEngine[Any]]] = {
    str: Text(),
    int: Integer(),
    float: Double(),
    bool: Boolean(),
    dt.datetime: UtcDateTime(),
}


def columns_of(described: type) -> list[Column[Any]]:
    """Return a column for each annotation of a class; one that may be None is nullable.

    Raises KeyError for a type that has no column type here.
    """
    made = []
    for name, hint in get_type_hints(described).items():
        options = get_args(hint) or (hint,)
        (plain,) = (option for option in options if option is not NoneType)
        made.append(Column(name, _TYPES[plain], nullable=NoneType in options))
    return made
