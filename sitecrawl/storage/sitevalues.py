"""How many pages of a site declare each value of their metadata; each page is counted once, when it is first found."""

from collections.abc import Collection

from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from sitecrawl.metadata.survey import PRUNED, Field, rare
from sitecrawl.storage.models import PageRow, SiteValueRow
from sitecrawl.storage.upsert import upsert

_KEY = ("site_id", "field", "value")


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

    def surveyed(self, site_id: int) -> set[int]:
        """Return the pages that are counted."""
        return set(
            self.session.scalars(select(PageRow.url_key).where(PageRow.site_id == site_id, PageRow.surveyed.is_(True)))
        )

    def count(self, site_id: int, url_key: int, values: Collection[tuple[int, int]]) -> None:
        """Count a page that is stored already, unless it was counted before; prune now and then."""
        marked = self.session.execute(
            update(PageRow)
            .where(PageRow.site_id == site_id, PageRow.url_key == url_key, PageRow.surveyed.is_(False))
            .values(surveyed=True)
            .returning(PageRow.url_key)
        ).first()
        if marked is None:
            return
        rows = [{"site_id": site_id, "field": int(field), "value": value, "pages": 1} for field, value in values]
        upsert(self.session, SiteValueRow, rows, _KEY, lambda new: {"pages": SiteValueRow.pages + new.pages})
        total = self.session.scalar(
            select(SiteValueRow.pages).where(
                SiteValueRow.site_id == site_id, SiteValueRow.field == int(Field.PAGES), SiteValueRow.value == 0
            )
        )
        if total and total % PRUNED == 0:
            self.session.execute(
                delete(SiteValueRow).where(SiteValueRow.site_id == site_id, SiteValueRow.pages < rare(total))
            )
