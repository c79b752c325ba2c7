"""How many pages of a site declare each value of their metadata; each page is counted once, when it is first found."""

from collections.abc import Collection
from typing import Any, Final

from sqlalchemy import bindparam, delete, select, update

from sitecrawl.metadata.survey import PRUNED, Field, rare
from sitecrawl.storage.models import PageRow, SiteValueRow
from sitecrawl.storage.prepared import Prepared
from sitecrawl.storage.session import Session
from sitecrawl.storage.upsert import upsert

_KEY = ("site_id", "field", "value")
_PAGE: Final = PageRow.__table__
_MARK: Final = Prepared(
    update(_PAGE)  # type: ignore[arg-type]
    .where(_PAGE.c.site_id == bindparam("b_site"), _PAGE.c.url_key == bindparam("b_key"), _PAGE.c.surveyed.is_(False))
    .values(surveyed=True)
)
_TOTAL: Final = Prepared(
    select(SiteValueRow.pages).where(
        SiteValueRow.site_id == bindparam("b_site"), SiteValueRow.field == int(Field.PAGES), SiteValueRow.value == 0
    )
)


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
        if not _MARK.run(self.session, {"b_site": site_id, "b_key": url_key}):
            return
        rows = [{"site_id": site_id, "field": int(field), "value": value, "pages": 1} for field, value in values]
        upsert(self.session, SiteValueRow, rows, _KEY, _added)
        (total,) = _TOTAL.first(self.session, {"b_site": site_id}) or (0,)
        if total and total % PRUNED == 0:
            self.session.execute(
                delete(SiteValueRow).where(SiteValueRow.site_id == site_id, SiteValueRow.pages < rare(total))
            )


def _added(new: Any) -> dict[str, Any]:
    return {"pages": SiteValueRow.pages + new.pages}
