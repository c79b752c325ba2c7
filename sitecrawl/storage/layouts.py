"""The layout of each page of a site, and the bodies that are compared when a page changes its layout."""

from typing import Final, NamedTuple

from sqlalchemy import bindparam, func, select, update

from sitecrawl.metadata.fields import RowStatus
from sitecrawl.storage.bodies import unpacked
from sitecrawl.storage.db.prepared import PreparedChange, PreparedSelect
from sitecrawl.storage.db.session import Session
from sitecrawl.storage.pages import PageChange, PageRepository, PageState, PageStatus, Placement
from sitecrawl.storage.tables.models import BODY, BODY_OF_PAGE, CONTENT, CONTENT_OF_PAGE, PAGE

LIVE: Final = (int(PageStatus.FETCHED), int(PageStatus.UNCHANGED), int(PageStatus.ERROR))
"""Statuses of pages whose content is kept; an error may be temporary."""

_LAYOUT: Final = PreparedSelect(
    select(PAGE.c.layout).where(PAGE.c.site_id == bindparam("b_site"), PAGE.c.url_key == bindparam("b_key"))
)
_BODY: Final = (BODY.c.site_id == bindparam("b_site"), BODY.c.url_key == bindparam("b_key"))
_SET_ASIDE: Final = PreparedChange(update(BODY).where(*_BODY, BODY.c.previous.is_(None)).values(previous=BODY.c.html))
_COMPARED: Final = PreparedChange(update(BODY).where(*_BODY, BODY.c.previous.is_not(None)).values(previous=None))


class EarlierPage(NamedTuple):
    """The earlier fetch of a page: its body and its layout."""

    layout: int
    url: str
    html: str


class LayoutRepository:
    """Reads and writes the layouts of pages, which are given and returned by their URL keys."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def place(self, site_id: int, url_key: int, layout: int | None, *, counted: bool) -> None:
        """Store the layout of a page, None if it is unknown; without `counted`, no template counts the page."""
        placed = PageChange(url_key, PageState(stored=True), placement=Placement(layout, counted=counted))
        PageRepository(self.session).write(site_id, placed)

    def counted(self, site_id: int) -> dict[int, int]:
        """Return the layout by page, for pages that a stored template counts; 0 if it is unknown."""
        rows = self.session.execute(
            select(PAGE.c.url_key, PAGE.c.layout).where(PAGE.c.site_id == site_id, PAGE.c.learned_version > 0)
        )
        return {key: layout or 0 for key, layout in rows}

    def used(self, site_id: int) -> dict[int, int]:
        """Return the number of pages of each layout."""
        rows = self.session.execute(
            select(PAGE.c.layout, func.count())
            .where(PAGE.c.site_id == site_id, PAGE.c.layout.is_not(None), PAGE.c.status.in_(LIVE))
            .group_by(PAGE.c.layout)
        )
        return {row[0]: row[1] for row in rows if row[0] is not None}

    def unplaced(self, site_id: int, crawl_id: int, limit: int) -> list[int]:
        """Return pages of other crawls that have a body and no layout: the latest ones, in the order of fetching."""
        rows = self.session.scalars(
            select(PAGE.c.url_key)
            .join(BODY, BODY_OF_PAGE)
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

    def uncounted(self, site_id: int) -> dict[int, int]:
        """Return the number of pages by layout that are to be learned: no stored template counts them."""
        rows = self.session.execute(
            select(PAGE.c.layout, func.count())
            .where(
                PAGE.c.site_id == site_id,
                PAGE.c.layout.is_not(None),
                PAGE.c.learned_version.is_(None),
                PAGE.c.status.in_(LIVE),
            )
            .group_by(PAGE.c.layout)
        )
        return {row[0]: row[1] for row in rows if row[0] is not None}

    def uncounted_pages(self, site_id: int, layout: int, limit: int) -> list[int]:
        """Return at most `limit` pages of a layout that have a body and are not counted by its stored template.

        They are in the order of their keys.
        """
        rows = self.session.scalars(
            select(PAGE.c.url_key)
            .join(BODY, BODY_OF_PAGE)
            .where(
                PAGE.c.site_id == site_id,
                PAGE.c.layout == layout,
                PAGE.c.learned_version.is_(None),
                PAGE.c.status.in_(LIVE),
            )
            .order_by(PAGE.c.url_key)
            .limit(limit)
        )
        return list(rows)

    def sample(self, site_id: int, layout: int, limit: int) -> list[int]:
        """Return at most `limit` pages with this layout and a body: those with the lowest keys, a random sample."""
        rows = self.session.scalars(
            select(PAGE.c.url_key)
            .join(BODY, BODY_OF_PAGE)
            .where(PAGE.c.site_id == site_id, PAGE.c.layout == layout, PAGE.c.status.in_(LIVE))
            .order_by(PAGE.c.url_key)
            .limit(limit)
        )
        return list(rows)

    def unsettle(self, site_id: int, layout: int | None) -> None:
        """Mark the pages of a layout, or those without one, to be extracted again before the crawl ends.

        Not marked are pages that kept a text of another layout's template, since the page confirmed that text.
        """
        chosen = select(PAGE.c.url_key).join(CONTENT, CONTENT_OF_PAGE)
        chosen = chosen.where(PAGE.c.site_id == site_id, PAGE.c.status.in_(LIVE))
        if layout is None:
            chosen = chosen.where(PAGE.c.layout.is_(None), CONTENT.c.template_version.is_(None))
        else:
            counted = select(func.min(PAGE.c.learned_version)).where(
                PAGE.c.site_id == site_id, PAGE.c.layout == layout, PAGE.c.learned_version > 0
            )
            first = self.session.number(counted)
            chosen = chosen.where(PAGE.c.layout == layout, CONTENT.c.template_version >= first)
        keys = sorted(self.session.scalars(chosen))
        PageRepository(self.session).amend(site_id, [{"url_key": key, "unsettled": True} for key in keys])

    def unsettle_all(self, site_id: int) -> tuple[int, int]:
        """Mark all pages with a body to be extracted again; return their number, and that of pages without a body."""
        rows = self.session.execute(
            select(PAGE.c.url_key, BODY.c.url_key.is_not(None))
            .join(CONTENT, CONTENT_OF_PAGE)
            .outerjoin(BODY, BODY_OF_PAGE)
            .where(PAGE.c.site_id == site_id, PAGE.c.status.in_(LIVE), CONTENT.c.status != RowStatus.GONE)
        )
        stored = {key: has_body for key, has_body in rows}  # noqa: C416  (a cursor is not a mapping)
        keys = sorted(key for key, has_body in stored.items() if has_body)
        PageRepository(self.session).amend(site_id, [{"url_key": key, "unsettled": True} for key in keys])
        return len(keys), len(stored) - len(keys)

    def unsettled(self, site_id: int) -> list[int]:
        """Return the pages marked by `unsettle` that can be extracted again: those with a stored body and content."""
        rows = self.session.scalars(
            select(PAGE.c.url_key)
            .join(BODY, BODY_OF_PAGE)
            .join(CONTENT, CONTENT_OF_PAGE)
            .where(
                PAGE.c.site_id == site_id,
                PAGE.c.unsettled.is_(True),
                PAGE.c.status.in_(LIVE),
                CONTENT.c.status != RowStatus.GONE,
            )
            .order_by(PAGE.c.fetch_order, PAGE.c.url_key)
        )
        return list(rows)

    def pages(self, site_id: int, layout: int, limit: int) -> list[int]:
        """Return pages with this layout and a body in the order of fetching, counted ones first."""
        rows = self.session.scalars(
            select(PAGE.c.url_key)
            .join(BODY, BODY_OF_PAGE)
            .where(PAGE.c.site_id == site_id, PAGE.c.layout == layout)
            .order_by(func.coalesce(PAGE.c.learned_version, 0) == 0, PAGE.c.fetch_order, PAGE.c.url_key)
            .limit(limit)
        )
        return list(rows)

    def bodies(self, site_id: int) -> list[int]:
        """Return all live pages (LIVE) with a body, in the order of fetching."""
        rows = self.session.scalars(
            select(PAGE.c.url_key)
            .join(BODY, BODY_OF_PAGE)
            .where(PAGE.c.site_id == site_id, PAGE.c.status.in_(LIVE))
            .order_by(PAGE.c.crawl_id, PAGE.c.fetch_order, PAGE.c.url_key)
        )
        return list(rows)

    def layout(self, site_id: int, url_key: int) -> int | None:
        """Return the layout of a page; None if it is unknown."""
        row = _LAYOUT.first(self.session, {"b_site": site_id, "b_key": url_key})
        return None if row is None else row[0]

    def earlier(self, site_id: int, url_key: int) -> EarlierPage | None:
        """Return the stored fetch of a page; None if the page has no body or no layout."""
        row = self.session.execute(
            select(PAGE.c.layout, PAGE.c.url, BODY.c.html)
            .select_from(PAGE)
            .join(BODY, BODY_OF_PAGE)
            .where(PAGE.c.site_id == site_id, PAGE.c.url_key == url_key, PAGE.c.layout.is_not(None))
        ).first()
        return EarlierPage(row.layout, row.url, unpacked(self.session, row.url, row.html)) if row is not None else None

    def keep_previous(self, site_id: int, url_key: int) -> None:
        """Keep the body that a fetch will replace until the page is extracted."""
        _SET_ASIDE.run(self.session, {"b_site": site_id, "b_key": url_key})

    def drop_previous(self, site_id: int, url_key: int) -> None:
        """Delete the kept earlier body."""
        _COMPARED.run(self.session, {"b_site": site_id, "b_key": url_key})

    def previous(self, site_id: int, url_key: int) -> str | None:
        """Return the HTML of the kept earlier body, or else of the stored body; None if there is none."""
        row = self.session.execute(
            select(BODY.c.html, BODY.c.previous).where(BODY.c.site_id == site_id, BODY.c.url_key == url_key)
        ).first()
        if row is None:
            return None
        return unpacked(self.session, f"page {url_key}", row.previous or row.html)

    def clear(self, site_id: int) -> None:
        """Record that no page is counted, and that none has a layout."""
        PageRepository(self.session).forget_layouts(site_id)
