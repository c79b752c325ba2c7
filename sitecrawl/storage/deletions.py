"""Pages to be deleted: recorded during a crawl, deleted at its end or when an operator releases them.

`page.deletion` is the crawl that decided the deletion. The row of a deleted page stays, and its content row stays as a
tombstone without text, so that a later crawl can find the page again and its feed row can be repeated.
"""

import datetime as dt
from collections.abc import Collection
from typing import Final, NamedTuple

from sqlalchemy import and_, delete, func, not_, select, update

from sitecrawl.metadata.fields import METADATA_NAMES, RowStatus
from sitecrawl.page_kind import Kind
from sitecrawl.slices import slices
from sitecrawl.storage.anchor_texts import LinkTextRepository
from sitecrawl.storage.content_change import Operation
from sitecrawl.storage.contents import ContentRepository
from sitecrawl.storage.db.session import Session
from sitecrawl.storage.duplicates import DuplicateRepository
from sitecrawl.storage.pages import CHUNK, GOOD, DuePage, PageRepository, may_be_requested
from sitecrawl.storage.simhash_bands import BANDS
from sitecrawl.storage.tables.models import BODY, CONTENT, CONTENT_OF_PAGE, PAGE
from sitecrawl.storage.visits import DUE_PAGE

TOMBSTONE: Final = {
    **dict.fromkeys(METADATA_NAMES),
    **dict.fromkeys(("html", "anchors", "digest", "simhash", "duplicate_of")),
    **{"status": RowStatus.GONE, "kind": Kind.NONE, "text": "", "words": 0, "confidence": 0.0, "indexed": False},
    **dict.fromkeys(BANDS),
}
"""The content of a deleted page."""


class Deletion(NamedTuple):
    """A page to be deleted."""

    url_key: int
    url: str
    reason: str | None
    crawl_id: int | None
    """The crawl that decided the deletion, or that found the page."""


class DeletionRepository:
    """Reads and writes `page.deletion`, and makes tombstones. `url_keys` and lists of int name pages by URL key."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def pending(self, site_id: int) -> list[Deletion]:
        """Return the pages of a site to be deleted, in the order in which they were found."""
        rows = self.session.execute(
            select(PAGE.c.url_key, PAGE.c.url, PAGE.c.reason, PAGE.c.deletion)
            .where(PAGE.c.site_id == site_id, PAGE.c.deletion.is_not(None))
            .order_by(PAGE.c.discovery, PAGE.c.url_key)
        )
        return [Deletion(*row) for row in rows]

    def repeated(self, site_id: int, reason: str) -> list[int]:
        """Return the pages to be deleted whose text another page has, and whose reason begins with `reason`."""
        rows = self.session.scalars(
            select(PAGE.c.url_key)
            .join(CONTENT, CONTENT_OF_PAGE)
            .where(
                PAGE.c.site_id == site_id,
                PAGE.c.deletion.is_not(None),
                CONTENT.c.duplicate_of.is_not(None),
                PAGE.c.reason.startswith(reason, autoescape=True),
            )
            .order_by(PAGE.c.discovery, PAGE.c.url_key)
        )
        return list(rows)

    def live(self, site_id: int, crawl_id: int) -> int:
        """Return the number of live pages when this crawl began: those whose feed row was not `gone`."""
        new = and_(CONTENT.c.status == RowStatus.NEW, CONTENT.c.crawl_id == crawl_id)
        return self.session.number(
            select(func.count())
            .select_from(CONTENT)
            .where(CONTENT.c.site_id == site_id, CONTENT.c.status != RowStatus.GONE, not_(new))
        )

    def any_stays(self, site_id: int, crawl_id: int) -> bool:
        """Return whether a crawl found any page without a pending deletion."""
        found = (PAGE.c.site_id == site_id, PAGE.c.crawl_id == crawl_id, PAGE.c.status.in_(GOOD))
        staying = select(PAGE.c.url_key).where(*found, PAGE.c.deletion.is_(None)).limit(1)
        return self.session.scalar(staying) is not None

    def witness(self, site_id: int, crawl_id: int, now: dt.datetime) -> DuePage | None:
        """Return the good page that is due first, if deletions wait and a crawl found no page that stays; else None."""
        if self.any_stays(site_id, crawl_id) or not self.pending(site_id):
            return None
        good = (PAGE.c.status.in_(GOOD), PAGE.c.deletion.is_(None), PAGE.c.next_fetch_at.is_not(None))
        row = self.session.execute(
            select(*DUE_PAGE)
            .where(PAGE.c.site_id == site_id, PAGE.c.crawl_id != crawl_id, may_be_requested(now), *good)
            .order_by(PAGE.c.next_fetch_at)
            .limit(1)
        ).first()
        return DuePage(*row) if row is not None else None

    def digests(self, site_id: int, url_keys: Collection[int]) -> dict[int, str]:
        """Return the digests of the texts of live pages, by key."""
        found = dict[int, str]()
        for keys in slices(sorted(url_keys), CHUNK):
            chosen = and_(CONTENT.c.site_id == site_id, CONTENT.c.url_key.in_(keys))
            live = and_(CONTENT.c.status != RowStatus.GONE, CONTENT.c.words > 0)
            rows = self.session.execute(select(CONTENT.c.url_key, CONTENT.c.digest).where(chosen, live))
            found.update((key, digest) for key, digest in rows if digest is not None)
        return found

    def carry_out(
        self, site_id: int, url_keys: Collection[int], crawl_id: int, emit_order: int, now: dt.datetime
    ) -> int:
        """Delete pages, and queue the deletions for the indexes; return the last position in the feed of `crawl_id`.

        Their rows are appended to that feed. Duplicates of a deleted page are released: one of them becomes the
        original, with a `changed` row.
        """
        contents, doomed = ContentRepository(self.session), list(url_keys)
        for key in doomed:
            emit_order += 1
            LinkTextRepository(self.session).record(site_id, key, ())
            if contents.indexed(site_id, key):
                contents.queue(site_id, key, Operation.DELETE, now)
            self.session.execute(
                update(CONTENT)
                .where(CONTENT.c.site_id == site_id, CONTENT.c.url_key == key)
                .values(**TOMBSTONE, crawl_id=crawl_id, emit_order=emit_order, extracted_at=now)
            )
        PageRepository(self.session).amend(site_id, [{"url_key": key, "deletion": None} for key in sorted(doomed)])
        for keys in slices(doomed, CHUNK):
            chosen = and_(PAGE.c.site_id == site_id, PAGE.c.url_key.in_(keys))
            ended = select(PAGE.c.url_key).where(chosen, PAGE.c.status.not_in(GOOD))
            self.session.execute(delete(BODY).where(BODY.c.site_id == site_id, BODY.c.url_key.in_(ended)))
        duplicates, urls = DuplicateRepository(self.session), self._urls(site_id, doomed)
        for key in doomed:
            emit_order = duplicates.resettle(site_id, urls[key], crawl_id, emit_order, now)
        return emit_order

    def _urls(self, site_id: int, url_keys: Collection[int]) -> dict[int, str]:
        found = dict[int, str]()
        for keys in slices(sorted(url_keys), CHUNK):
            chosen = and_(PAGE.c.site_id == site_id, PAGE.c.url_key.in_(keys))
            rows = self.session.execute(select(PAGE.c.url_key, PAGE.c.url).where(chosen))
            found.update((key, url) for key, url in rows)
        return found

    def unindexed(self, site_id: int, reason: str) -> list[Deletion]:
        """Return unindexed pages whose reason begins with `reason`, in the order of discovery."""
        rows = self.session.execute(
            select(PAGE.c.url_key, PAGE.c.url, PAGE.c.reason, PAGE.c.crawl_id)
            .join(CONTENT, CONTENT_OF_PAGE)
            .where(
                CONTENT.c.site_id == site_id,
                CONTENT.c.status != RowStatus.GONE,
                CONTENT.c.indexed.is_(False),
                CONTENT.c.duplicate_of.is_(None),
                PAGE.c.status.in_(GOOD),
                PAGE.c.reason.startswith(reason, autoescape=True),
            )
            .order_by(PAGE.c.discovery)
        )
        return [Deletion(*row) for row in rows]
