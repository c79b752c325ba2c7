"""Common parts of all tables: names of constraints, and the reference of a row to its page."""

from typing import Any, Final

from sqlalchemy import ForeignKeyConstraint, MetaData, Table

AnyTable = Table[Any]
"""A table with any columns."""
METADATA: Final = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)
"""All tables; constraints are named, so that migrations can address them."""


def page_reference() -> ForeignKeyConstraint:
    """Return a foreign key to `page`; rows that have it are deleted with their page."""
    return ForeignKeyConstraint(["site_id", "url_key"], ["page.site_id", "page.url_key"], ondelete="CASCADE")
