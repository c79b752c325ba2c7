"""Pages that are to be deleted: noted while a crawl runs, carried out at its end or when an operator says so.

`page.deletion` holds the crawl that decided it. Of a deleted page the row stays, and its content row as a tombstone
without text, so that a later crawl finds the page again and the feed can be told twice.
"""

import datetime as dt
from collections.abc import Collection
from typing import NamedTuple

from sqlalchemy import and_, delete, func, not_, select, update

from sitecrawl.storage.anchor_texts import LinkTextRepository
from sitecrawl.storage.contents import ContentRepository, Operation
from sitecrawl.storage.db.session import Session
from sitecrawl.storage.duplicates import DuplicateRepository
from sitecrawl.storage.page_state import GONE
from sitecrawl.storage.pages import CHUNK, GOOD, PageRepository
from sitecrawl.storage.simhash_bands import BANDS
from sitecrawl.storage.tables.models import BodyRow, ContentRow, PageRow

_SAME_PAGE = and_(ContentRow.site_id == PageRow.site_id, ContentRow.url_key == PageRow.url_key)

TOMBSTONE = {
    "status": GONE,
    "kind": "none",
    "title": None,
    "text": "",
    "html": None,
    "description": None,
    "author": None,
    "published": None,
    "modified": None,
    "language": None,
    "image": None,
    "section": None,
    "anchors": None,
    "words": 0,
    "digest": None,
    "simhash": None,
    "duplicate_of": None,
    "confidence": 0.0,
    "indexed": False,
    **dict.fromkeys(BANDS),
}
"""What is left of the content of a deleted page."""


class Deletion(NamedTuple):
    """A page that is to be deleted."""

    url_key: int
    url: str
    reason: str | None
    crawl_id: int | None
    """The crawl that decided it, or that found the page."""


class DeletionRepository:
    """Reads and writes `page.deletion`, and makes tombstones."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def pending(self, site_id: int) -> list[Deletion]:
        """Return the pages of a site that are to be deleted, in the order in which they were found."""
        rows = self.session.execute(
            select(PageRow.url_key, PageRow.url, PageRow.reason, PageRow.deletion)
            .where(PageRow.site_id == site_id, PageRow.deletion.is_not(None))
            .order_by(PageRow.discovery, PageRow.url_key)
        )
        return [Deletion(*row) for row in rows]

    def live(self, site_id: int, crawl_id: int) -> int:
        """Return how many pages the site had when this crawl began: those whose row was not `gone`."""
        new = and_(ContentRow.status == "new", ContentRow.crawl_id == crawl_id)
        return (
            self.session.scalar(
                select(func.count())
                .select_from(ContentRow)
                .where(ContentRow.site_id == site_id, ContentRow.status != GONE, not_(new))
            )
            or 0
        )

    def carry_out(
        self, site_id: int, url_keys: Collection[int], crawl_id: int, emit_order: int, now: dt.datetime
    ) -> int:
        """Delete pages, and queue that for the index; return the last place in the feed of `crawl_id`.

        Their rows are the next ones of that feed. Pages with the text of a deleted one are its duplicates no longer:
        one of them becomes the original, with a `changed` row.
        """
        contents, doomed = ContentRepository(self.session), list(url_keys)
        for key in doomed:
            emit_order += 1
            LinkTextRepository(self.session).record(site_id, key, ())
            if contents.indexed(site_id, key):
                contents.queue(site_id, key, Operation.DELETE, now)
            self.session.execute(
                update(ContentRow)
                .where(ContentRow.site_id == site_id, ContentRow.url_key == key)
                .values(**TOMBSTONE, crawl_id=crawl_id, emit_order=emit_order, extracted_at=now)
            )
        PageRepository(self.session).amend(site_id, [{"url_key": key, "deletion": None} for key in sorted(doomed)])
        for i in range(0, len(doomed), CHUNK):
            chosen = and_(PageRow.site_id == site_id, PageRow.url_key.in_(doomed[i : i + CHUNK]))
            ended = select(PageRow.url_key).where(chosen, PageRow.status.not_in(GOOD))
            self.session.execute(delete(BodyRow).where(BodyRow.site_id == site_id, BodyRow.url_key.in_(ended)))
        duplicates, urls = DuplicateRepository(self.session), self._urls(site_id, doomed)
        for key in doomed:
            emit_order = duplicates.resettle(site_id, urls[key], crawl_id, emit_order, now)
        return emit_order

    def _urls(self, site_id: int, url_keys: Collection[int]) -> dict[int, str]:
        keys, found = sorted(url_keys), dict[int, str]()
        for i in range(0, len(keys), CHUNK):
            chosen = and_(PageRow.site_id == site_id, PageRow.url_key.in_(keys[i : i + CHUNK]))
            rows = self.session.execute(select(PageRow.url_key, PageRow.url).where(chosen))
            found.update((key, url) for key, url in rows)
        return found

    def unindexed(self, site_id: int, reason: str) -> list[Deletion]:
        """Return the pages found whose reason begins so and which no index holds, in the order of their discovery."""
        rows = self.session.execute(
            select(PageRow.url_key, PageRow.url, PageRow.reason, PageRow.crawl_id)
            .join(ContentRow, _SAME_PAGE)
            .where(
                ContentRow.site_id == site_id,
                ContentRow.status != GONE,
                ContentRow.indexed.is_(False),
                ContentRow.duplicate_of.is_(None),
                PageRow.status.in_(GOOD),
                PageRow.reason.startswith(reason, autoescape=True),
            )
            .order_by(PageRow.discovery)
        )
        return [Deletion(*row) for row in rows]
