"""The layout of each page of a site, and earlier bodies for comparison when a layout changes."""

from typing import Final, NamedTuple

from sqlalchemy import bindparam, func, select, update

from sitecrawl.storage.bodies import unpacked
from sitecrawl.storage.db.prepared import PreparedChange, PreparedSelect
from sitecrawl.storage.db.session import Session
from sitecrawl.storage.pages import PageChange, PageRepository, PageState, PageStatus, Placement
from sitecrawl.storage.tables.models import BODY, PAGE

LIVE: Final = (int(PageStatus.FETCHED), int(PageStatus.UNCHANGED), int(PageStatus.ERROR))
"""States of pages whose content is valid; a failure may be transient."""

_LAYOUT: Final = PreparedSelect(
    select(PAGE.c.layout).where(PAGE.c.site_id == bindparam("b_site"), PAGE.c.url_key == bindparam("b_key"))
)
_BODY: Final = (BODY.c.site_id == bindparam("b_site"), BODY.c.url_key == bindparam("b_key"))
_SET_ASIDE: Final = PreparedChange(update(BODY).where(*_BODY, BODY.c.previous.is_(None)).values(previous=BODY.c.html))
_COMPARED: Final = PreparedChange(update(BODY).where(*_BODY, BODY.c.previous.is_not(None)).values(previous=None))


class EarlierPage(NamedTuple):
    """The body of a page before its last fetch."""

    layout: int
    url: str
    html: str


class LayoutRepository:
    """Reads and writes the layouts of pages."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def place(self, site_id: int, url_key: int, layout: int | None, *, counted: bool) -> None:
        """Store the layout of a page, None for no known one. Unless `counted`, clear the template version as well."""
        placed = PageChange(url_key, PageState(stored=True), placement=Placement(layout, counted=counted))
        PageRepository(self.session).write(site_id, placed)

    def counted(self, site_id: int) -> dict[int, int]:
        """Return the layout of each page that a stored template counts, by page; 0 for an unknown layout."""
        rows = self.session.execute(
            select(PAGE.c.url_key, PAGE.c.layout).where(PAGE.c.site_id == site_id, PAGE.c.learned_version > 0)
        )
        return {key: layout or 0 for key, layout in rows}

    def used(self, site_id: int) -> dict[int, int]:
        """Return the number of pages by layout."""
        rows = self.session.execute(
            select(PAGE.c.layout, func.count())
            .where(PAGE.c.site_id == site_id, PAGE.c.layout.is_not(None), PAGE.c.status.in_(LIVE))
            .group_by(PAGE.c.layout)
        )
        return {row[0]: row[1] for row in rows if row[0] is not None}

    def unplaced(self, site_id: int, crawl_id: int, limit: int) -> list[int]:
        """Return pages of other crawls that have no layout and a body: the latest ones, in the order of fetching."""
        with_body = (BODY.c.site_id == PAGE.c.site_id) & (BODY.c.url_key == PAGE.c.url_key)
        rows = self.session.scalars(
            select(PAGE.c.url_key)
            .join(BODY, with_body)
            .where(
                PAGE.c.site_id == site_id,
                PAGE.c.layout.is_(None),
                PAGE.c.crawl_id != crawl_id,
                PAGE.c.status.in_(LIVE),
            )
            .order_by(PAGE.c.crawl_id.desc(), PAGE.c.fetch_order.desc())
            .limit(limit)
        )
        return list(rows)[::-1]

    def pages(self, site_id: int, layout: int, limit: int) -> list[int]:
        """Return pages with a layout and a body: counted ones first, then in the order of fetching."""
        with_body = (BODY.c.site_id == PAGE.c.site_id) & (BODY.c.url_key == PAGE.c.url_key)
        rows = self.session.scalars(
            select(PAGE.c.url_key)
            .join(BODY, with_body)
            .where(PAGE.c.site_id == site_id, PAGE.c.layout == layout)
            .order_by(func.coalesce(PAGE.c.learned_version, 0) == 0, PAGE.c.fetch_order, PAGE.c.url_key)
            .limit(limit)
        )
        return list(rows)

    def bodies(self, site_id: int) -> list[int]:
        """Return all pages with a body and valid content, in the order of fetching."""
        with_body = (BODY.c.site_id == PAGE.c.site_id) & (BODY.c.url_key == PAGE.c.url_key)
        rows = self.session.scalars(
            select(PAGE.c.url_key)
            .join(BODY, with_body)
            .where(PAGE.c.site_id == site_id, PAGE.c.status.in_(LIVE))
            .order_by(PAGE.c.crawl_id, PAGE.c.fetch_order, PAGE.c.url_key)
        )
        return list(rows)

    def layout(self, site_id: int, url_key: int) -> int | None:
        """Return the layout of a page, None for no known one."""
        row = _LAYOUT.first(self.session, {"b_site": site_id, "b_key": url_key})
        return None if row is None else row[0]

    def earlier(self, site_id: int, url_key: int) -> EarlierPage | None:
        """Return the stored body of a page that has a layout."""
        row = self.session.execute(
            select(PAGE.c.layout, PAGE.c.url, BODY.c.html)
            .select_from(PAGE)
            .join(BODY, (BODY.c.site_id == PAGE.c.site_id) & (BODY.c.url_key == PAGE.c.url_key))
            .where(PAGE.c.site_id == site_id, PAGE.c.url_key == url_key, PAGE.c.layout.is_not(None))
        ).first()
        return EarlierPage(row.layout, row.url, unpacked(row.url, row.html)) if row is not None else None

    def set_aside(self, site_id: int, url_key: int) -> None:
        """Keep the body that a fetch is about to replace, until the page is extracted."""
        _SET_ASIDE.run(self.session, {"b_site": site_id, "b_key": url_key})

    def compared(self, site_id: int, url_key: int) -> None:
        """Drop the body that was set aside."""
        _COMPARED.run(self.session, {"b_site": site_id, "b_key": url_key})

    def previous(self, site_id: int, url_key: int) -> str | None:
        """Return the body that was set aside, or else the stored one."""
        row = self.session.execute(
            select(BODY.c.html, BODY.c.previous).where(BODY.c.site_id == site_id, BODY.c.url_key == url_key)
        ).first()
        if row is None:
            return None
        return unpacked(f"page {url_key}", row.previous or row.html)

    def clear(self, site_id: int) -> None:
        """Clear the layout and the template version of all pages."""
        PageRepository(self.session).forget_layouts(site_id)
