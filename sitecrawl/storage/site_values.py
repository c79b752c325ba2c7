"""Counts on how many pages of a site each metadata value is declared; each page is counted at its first fetch."""

from collections.abc import Collection, Sequence
from functools import cache
from typing import Final

from sqlalchemy import bindparam, case, delete, or_, select, update

from sitecrawl.metadata.shared_values import LEAST, PRUNED, Field, rare
from sitecrawl.slices import slices
from sitecrawl.storage.db.prepared import PreparedSelect
from sitecrawl.storage.db.session import Session
from sitecrawl.storage.db.upsert import insert_into
from sitecrawl.storage.tables.models import PAGE, SITE_VALUE

_KEY = ("site_id", "field", "value")
AT_ONCE: Final = 16
"""Maximum values counted by one statement."""


class SiteValueRepository:
    """Reads and writes `site_value`."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def load(self, site_id: int) -> dict[tuple[int, int], int]:
        """Return the number of pages by (field, value)."""
        rows = self.session.execute(
            select(SITE_VALUE.c.field, SITE_VALUE.c.value, SITE_VALUE.c.pages).where(SITE_VALUE.c.site_id == site_id)
        )
        return {(field, value): pages for field, value, pages in rows}

    def decided(self, site_id: int) -> dict[tuple[int, int], int]:
        """Return the counts of frequent values at the last decision (`decide`); {} before the first."""
        rows = self.session.execute(
            select(SITE_VALUE.c.field, SITE_VALUE.c.value, SITE_VALUE.c.decided).where(
                SITE_VALUE.c.site_id == site_id, SITE_VALUE.c.decided.is_not(None)
            )
        )
        return {(field, value): pages for field, value, pages in rows if pages is not None}

    def used(self, site_id: int) -> dict[tuple[int, int], int]:
        """Return the counts that decide which values are the site's: of the last decision, else the current ones."""
        return self.decided(site_id) or self.load(site_id)

    def decide(self, site_id: int) -> None:
        """Decide by the current counts which values belong to the site; that holds until the next call."""
        pages = SITE_VALUE.c.field == int(Field.PAGES)
        total = self.session.scalar(select(SITE_VALUE.c.pages).where(SITE_VALUE.c.site_id == site_id, pages)) or 0
        enough = or_(SITE_VALUE.c.pages >= min(LEAST, max(total, 2)), pages)
        self.session.execute(
            update(SITE_VALUE)
            .where(SITE_VALUE.c.site_id == site_id, or_(enough, SITE_VALUE.c.decided.is_not(None)))
            .values(decided=case((enough, SITE_VALUE.c.pages)))
        )

    def surveyed(self, site_id: int) -> set[int]:
        """Return the URL keys of the pages whose values are counted."""
        return set(
            self.session.scalars(select(PAGE.c.url_key).where(PAGE.c.site_id == site_id, PAGE.c.surveyed.is_(True)))
        )

    def count(self, site_id: int, values: Collection[tuple[int, int]]) -> None:
        """Count the values of a page that was not counted before; delete rare values after every `PRUNED` pages."""
        total, ordered = 0, sorted((int(field), value) for field, value in values)
        for part in slices(ordered, AT_ONCE):
            total = self._add(site_id, part) or total
        if total and total % PRUNED == 0:
            self.session.execute(
                delete(SITE_VALUE).where(
                    SITE_VALUE.c.site_id == site_id, SITE_VALUE.c.pages < rare(total), SITE_VALUE.c.decided.is_(None)
                )
            )

    def _add(self, site_id: int, values: Sequence[tuple[int, int]]) -> int:
        """Add 1 to the counts of these values; return the new count of `Field.PAGES`, 0 if that is not among them."""
        given: dict[str, int] = {"site": site_id}
        for i, (field, value) in enumerate(values):
            given |= {f"field{i}": field, f"value{i}": value}
        rows = _adding(self.session.get_bind().dialect.name, len(values)).all(self.session, given)
        return next((pages for field, value, pages in rows if (field, value) == (Field.PAGES, 0)), 0)


@cache
def _adding(dialect: str, number: int) -> PreparedSelect[int, int, int]:
    """Return the statement that counts `number` values at once."""
    rows = [
        {"site_id": bindparam("site"), "field": bindparam(f"field{i}"), "value": bindparam(f"value{i}"), "pages": 1}
        for i in range(number)
    ]
    made = insert_into(dialect, SITE_VALUE).values(rows)
    added = {"pages": SITE_VALUE.c.pages + made.excluded.pages}
    return PreparedSelect(
        made.on_conflict_do_update(index_elements=list(_KEY), set_=added).returning(
            SITE_VALUE.c.field, SITE_VALUE.c.value, SITE_VALUE.c.pages
        )
    )
