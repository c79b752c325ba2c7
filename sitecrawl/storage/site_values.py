"""How many pages of a site declare each value of their metadata; each page is counted once, when it is first found."""

from collections.abc import Collection, Sequence
from functools import cache
from importlib import import_module
from typing import Any, Final

from sqlalchemy import bindparam, case, delete, or_, select, update

from sitecrawl.metadata.shared_values import LEAST, PRUNED, Field, rare
from sitecrawl.storage.db.prepared import Prepared
from sitecrawl.storage.db.session import Session
from sitecrawl.storage.tables.models import PageRow, SiteValueRow

_KEY = ("site_id", "field", "value")
AT_ONCE: Final = 16
"""Values that one statement counts."""


class SiteValueRepository:
    """Reads and writes `site_value`."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def load(self, site_id: int) -> dict[tuple[int, int], int]:
        """Return the pages by (field, value)."""
        rows = self.session.execute(
            select(SiteValueRow.field, SiteValueRow.value, SiteValueRow.pages).where(SiteValueRow.site_id == site_id)
        )
        return {(field, value): pages for field, value, pages in rows}

    def decided(self, site_id: int) -> dict[tuple[int, int], int]:
        """Return what `load` gave when it was decided what is the site's, of values on enough pages; {} before."""
        rows = self.session.execute(
            select(SiteValueRow.field, SiteValueRow.value, SiteValueRow.decided).where(
                SiteValueRow.site_id == site_id, SiteValueRow.decided.is_not(None)
            )
        )
        return {(field, value): pages for field, value, pages in rows if pages is not None}

    def decide(self, site_id: int) -> None:
        """Decide by the present counts what is the site's, until this is called again."""
        enough = or_(SiteValueRow.pages >= LEAST, SiteValueRow.field == int(Field.PAGES))
        self.session.execute(
            update(SiteValueRow)
            .where(SiteValueRow.site_id == site_id, or_(enough, SiteValueRow.decided.is_not(None)))
            .values(decided=case((enough, SiteValueRow.pages)))
        )

    def surveyed(self, site_id: int) -> set[int]:
        """Return the pages that are counted."""
        return set(
            self.session.scalars(select(PageRow.url_key).where(PageRow.site_id == site_id, PageRow.surveyed.is_(True)))
        )

    def count(self, site_id: int, values: Collection[tuple[int, int]]) -> None:
        """Count the values of a page that was not counted before; prune now and then."""
        total, ordered = 0, sorted((int(field), value) for field, value in values)
        for i in range(0, len(ordered), AT_ONCE):
            total = self._add(site_id, ordered[i : i + AT_ONCE]) or total
        if total and total % PRUNED == 0:
            self.session.execute(
                delete(SiteValueRow).where(
                    SiteValueRow.site_id == site_id, SiteValueRow.pages < rare(total), SiteValueRow.decided.is_(None)
                )
            )

    def _add(self, site_id: int, values: Sequence[tuple[int, int]]) -> int:
        """Count these values once more, in one statement; return the pages counted, 0 if they are not among them."""
        given: dict[str, int] = {"site": site_id}
        for i, (field, value) in enumerate(values):
            given |= {f"field{i}": field, f"value{i}": value}
        rows = _adding(self.session.get_bind().dialect.name, len(values)).all(self.session, given)
        return next((pages for field, value, pages in rows if (field, value) == (Field.PAGES, 0)), 0)


@cache
def _adding(dialect: str, number: int) -> Prepared:
    """Return the statement that counts so many values."""
    insert: Any = import_module(f"sqlalchemy.dialects.{dialect}").insert(SiteValueRow.__table__)
    rows = [
        {"site_id": bindparam("site"), "field": bindparam(f"field{i}"), "value": bindparam(f"value{i}"), "pages": 1}
        for i in range(number)
    ]
    made = insert.values(rows)
    added = {"pages": SiteValueRow.pages + made.excluded.pages}
    return Prepared(
        made.on_conflict_do_update(index_elements=list(_KEY), set_=added).returning(
            SiteValueRow.field, SiteValueRow.value, SiteValueRow.pages
        )
    )
