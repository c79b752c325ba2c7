"""Which layout each page of a site has, and the bodies that are compared when a page has another one than before."""

from typing import Final, NamedTuple

from sqlalchemy import bindparam, func, select, update

from sitecrawl.storage.db.prepared import Prepared
from sitecrawl.storage.db.session import Session
from sitecrawl.storage.page_state import GONE
from sitecrawl.storage.pages import PageChange, PageRepository, PageState, PageStatus, Placement, unpacked
from sitecrawl.storage.tables.models import BodyRow, ContentRow, PageRow

LIVE: Final = (int(PageStatus.FETCHED), int(PageStatus.UNCHANGED), int(PageStatus.ERROR))
"""States of pages whose content stands; a failure may pass."""

_LAYOUT: Final = Prepared(
    select(PageRow.layout).where(PageRow.site_id == bindparam("b_site"), PageRow.url_key == bindparam("b_key"))
)
_BODY: Final = (BodyRow.site_id == bindparam("b_site"), BodyRow.url_key == bindparam("b_key"))
_SET_ASIDE: Final = Prepared(update(BodyRow).where(*_BODY, BodyRow.previous.is_(None)).values(previous=BodyRow.html))
_COMPARED: Final = Prepared(update(BodyRow).where(*_BODY, BodyRow.previous.is_not(None)).values(previous=None))


class EarlierPage(NamedTuple):
    """How a page looked when it was fetched before."""

    layout: int
    url: str
    html: str


class LayoutRepository:
    """Reads and writes the layouts of pages."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def place(self, site_id: int, url_key: int, layout: int | None, *, counted: bool) -> None:
        """Note which layout a page has, None for none of those known; unless `counted`, that no template counts it."""
        placed = PageChange(url_key, PageState(stored=True), placement=Placement(layout, counted=counted))
        PageRepository(self.session).write(site_id, placed)

    def counted(self, site_id: int) -> dict[int, int]:
        """Return the layout by page, for those pages that a stored template counts; 0 where it is not known."""
        rows = self.session.execute(
            select(PageRow.url_key, func.coalesce(PageRow.layout, 0)).where(
                PageRow.site_id == site_id, PageRow.learned_version > 0
            )
        )
        return {row[0]: row[1] for row in rows}

    def used(self, site_id: int) -> dict[int, int]:
        """Return the number of pages by layout."""
        rows = self.session.execute(
            select(PageRow.layout, func.count())
            .where(PageRow.site_id == site_id, PageRow.layout.is_not(None), PageRow.status.in_(LIVE))
            .group_by(PageRow.layout)
        )
        return {row[0]: row[1] for row in rows if row[0] is not None}

    def unplaced(self, site_id: int, crawl_id: int, limit: int) -> list[int]:
        """Return pages of other crawls that have no layout and a body: the latest ones, in the order of fetching."""
        with_body = (BodyRow.site_id == PageRow.site_id) & (BodyRow.url_key == PageRow.url_key)
        rows = self.session.scalars(
            select(PageRow.url_key)
            .join(BodyRow, with_body)
            .where(
                PageRow.site_id == site_id,
                PageRow.layout.is_(None),
                PageRow.crawl_id != crawl_id,
                PageRow.status.in_(LIVE),
            )
            .order_by(PageRow.crawl_id.desc(), PageRow.fetch_order.desc())
            .limit(limit)
        )
        return list(rows)[::-1]

    def uncounted(self, site_id: int) -> dict[int, int]:
        """Return the number of pages by layout that were to be learned, and that no stored template counts."""
        rows = self.session.execute(
            select(PageRow.layout, func.count())
            .where(
                PageRow.site_id == site_id,
                PageRow.layout.is_not(None),
                PageRow.learned_version.is_(None),
                PageRow.status.in_(LIVE),
            )
            .group_by(PageRow.layout)
        )
        return {row[0]: row[1] for row in rows if row[0] is not None}

    def uncounted_pages(self, site_id: int, layout: int, limit: int) -> list[int]:
        """Return pages with a body that were to be learned and that the stored template of their layout does not count.

        At most `limit`, in the order of their keys.
        """
        with_body = (BodyRow.site_id == PageRow.site_id) & (BodyRow.url_key == PageRow.url_key)
        rows = self.session.scalars(
            select(PageRow.url_key)
            .join(BodyRow, with_body)
            .where(
                PageRow.site_id == site_id,
                PageRow.layout == layout,
                PageRow.learned_version.is_(None),
                PageRow.status.in_(LIVE),
            )
            .order_by(PageRow.url_key)
            .limit(limit)
        )
        return list(rows)

    def sample(self, site_id: int, layout: int, limit: int) -> list[int]:
        """Return some pages with this layout and a body: those with the least keys, which are hashes of their URLs."""
        with_body = (BodyRow.site_id == PageRow.site_id) & (BodyRow.url_key == PageRow.url_key)
        rows = self.session.scalars(
            select(PageRow.url_key)
            .join(BodyRow, with_body)
            .where(PageRow.site_id == site_id, PageRow.layout == layout, PageRow.status.in_(LIVE))
            .order_by(PageRow.url_key)
            .limit(limit)
        )
        return list(rows)

    def unsettle(self, site_id: int, layout: int | None) -> None:
        """Note that the pages of a layout, or those without one, are to be extracted again before the crawl ends.

        A text that another layout had extracted, and that a crawl kept since the page confirmed it, stays.
        """
        with_content = (ContentRow.site_id == PageRow.site_id) & (ContentRow.url_key == PageRow.url_key)
        chosen = select(PageRow.url_key).join(ContentRow, with_content)
        chosen = chosen.where(PageRow.site_id == site_id, PageRow.status.in_(LIVE))
        if layout is None:
            chosen = chosen.where(PageRow.layout.is_(None), ContentRow.template_version.is_(None))
        else:
            counted = select(func.min(PageRow.learned_version)).where(
                PageRow.site_id == site_id, PageRow.layout == layout, PageRow.learned_version > 0
            )
            first = self.session.scalar(counted) or 0
            chosen = chosen.where(PageRow.layout == layout, ContentRow.template_version >= first)
        keys = sorted(self.session.scalars(chosen))
        PageRepository(self.session).amend(site_id, [{"url_key": key, "unsettled": True} for key in keys])

    def unsettled(self, site_id: int) -> list[int]:
        """Return the pages that are to be extracted again, and can be: their bodies are stored, and some content."""
        with_body = (BodyRow.site_id == PageRow.site_id) & (BodyRow.url_key == PageRow.url_key)
        with_content = (ContentRow.site_id == PageRow.site_id) & (ContentRow.url_key == PageRow.url_key)
        rows = self.session.scalars(
            select(PageRow.url_key)
            .join(BodyRow, with_body)
            .join(ContentRow, with_content)
            .where(
                PageRow.site_id == site_id,
                PageRow.unsettled.is_(True),
                PageRow.status.in_(LIVE),
                ContentRow.status != GONE,
            )
            .order_by(PageRow.fetch_order, PageRow.url_key)
        )
        return list(rows)

    def pages(self, site_id: int, layout: int, limit: int) -> list[int]:
        """Return pages with this layout and a body, those first that were counted, in the order of fetching."""
        with_body = (BodyRow.site_id == PageRow.site_id) & (BodyRow.url_key == PageRow.url_key)
        rows = self.session.scalars(
            select(PageRow.url_key)
            .join(BodyRow, with_body)
            .where(PageRow.site_id == site_id, PageRow.layout == layout)
            .order_by(func.coalesce(PageRow.learned_version, 0) == 0, PageRow.fetch_order, PageRow.url_key)
            .limit(limit)
        )
        return list(rows)

    def bodies(self, site_id: int) -> list[int]:
        """Return all pages with a body whose content stands, in the order of fetching."""
        with_body = (BodyRow.site_id == PageRow.site_id) & (BodyRow.url_key == PageRow.url_key)
        rows = self.session.scalars(
            select(PageRow.url_key)
            .join(BodyRow, with_body)
            .where(PageRow.site_id == site_id, PageRow.status.in_(LIVE))
            .order_by(PageRow.crawl_id, PageRow.fetch_order, PageRow.url_key)
        )
        return list(rows)

    def layout(self, site_id: int, url_key: int) -> int | None:
        """Return the layout of a page, if it has one of those known."""
        row = _LAYOUT.first(self.session, {"b_site": site_id, "b_key": url_key})
        return None if row is None else row[0]

    def earlier(self, site_id: int, url_key: int) -> EarlierPage | None:
        """Return the stored body of a page that has a layout."""
        row = self.session.execute(
            select(PageRow.layout, PageRow.url, BodyRow.html)
            .select_from(PageRow)
            .join(BodyRow, (BodyRow.site_id == PageRow.site_id) & (BodyRow.url_key == PageRow.url_key))
            .where(PageRow.site_id == site_id, PageRow.url_key == url_key, PageRow.layout.is_not(None))
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
            select(BodyRow.html, BodyRow.previous).where(BodyRow.site_id == site_id, BodyRow.url_key == url_key)
        ).first()
        if row is None:
            return None
        return unpacked(f"page {url_key}", row.previous or row.html)

    def clear(self, site_id: int) -> None:
        """Note that no page is counted any more, and that none has a layout."""
        PageRepository(self.session).forget_layouts(site_id)
