"""What all tables share: types of columns, names of constraints, references to a page."""

import datetime as dt
from typing import Any, ClassVar, Final

from sqlalchemy import Boolean, Double, ForeignKeyConstraint, Integer, LargeBinary, MetaData, Text

from sitecrawl.storage.tables.columns import PlainJson, UtcDateTime
from sitecrawl.storage.tables.notation import DeclarativeBase

_NAMES: Final = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}
WITHOUT_ROWID: Final = {"sqlite_with_rowid": False}


def page_reference() -> ForeignKeyConstraint:
    """Return the reference of a row to its page, with which it goes."""
    return ForeignKeyConstraint(["site_id", "url_key"], ["page.site_id", "page.url_key"], ondelete="CASCADE")


class Base(DeclarativeBase):
    """Base of all tables; constraints are named, so that migrations can address them."""

    metadata = MetaData(naming_convention=_NAMES)
    type_annotation_map: ClassVar[dict[Any, Any]] = {
        dt.datetime: UtcDateTime,
        dict[str, Any]: PlainJson,
        list[int]: PlainJson,
        list[str]: PlainJson,
        str: Text,
        int: Integer,
        float: Double,
        bool: Boolean,
        bytes: LargeBinary,
    }
