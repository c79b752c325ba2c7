"""What people are told of the pages of a site: what each went through, and what comes next."""

import datetime as dt
from collections.abc import Iterator
from typing import Final, NamedTuple

from sqlalchemy import func, or_, select

from sitecrawl.storage.crawls import CrawlRepository, CrawlSummary
from sitecrawl.storage.db.session import Session
from sitecrawl.storage.pages import STREAMED, PageStatus
from sitecrawl.storage.tables.models import ContentRow, PageRow


class PageLife(NamedTuple):
    """A page's life so far."""

    url: str
    status: str
    reason: str | None
    http_status: int | None
    depth: int
    fetches: int
    not_modified: int
    """304 answers since the last body."""
    errors: int
    strikes: int
    deletion: int | None
    """Crawl that decided to delete it, while that is not done."""
    discovered_at: dt.datetime
    fetched_at: dt.datetime | None
    changed_at: dt.datetime | None
    next_fetch_at: dt.datetime | None
    next_reason: str | None
    row: str | None
    """What the feed said of it last."""
    kind: str | None
    words: int | None
    duplicate_of: str | None
    indexed: bool | None


class Trouble(NamedTuple):
    """URLs of a site that have no page for one and the same reason."""

    status: PageStatus
    reason: str
    urls: int
    example: str
    """The first of them."""


REASONS: Final = 500
"""Reasons that are counted, the most frequent ones."""
LEFT: Final = "not fetched yet"
"""How the reason of a URL begins that a crawl knows and did not come to."""
KEPT: Final = "as it was before"
"""The same of a page that an earlier crawl fetched."""


class LifeRepository:
    """Reads `page` and `content`."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def pages(
        self, site_id: int, *, status: PageStatus | None = None, held: bool = False, url_key: int | None = None
    ) -> Iterator[PageLife]:
        """Yield the pages of a site as they were found: all, those of a status, those to be deleted, or one."""
        chosen = [PageRow.site_id == site_id]
        if status is not None:
            chosen.append(PageRow.status == int(status))
        if held:
            chosen.append(PageRow.deletion.is_not(None))
        if url_key is not None:
            chosen.append(PageRow.url_key == url_key)
        page = (PageRow.url, PageRow.status, PageRow.reason, PageRow.http_status, PageRow.depth, PageRow.fetches)
        counts = (PageRow.not_modified, PageRow.errors, PageRow.strikes, PageRow.deletion)
        times = (PageRow.discovered_at, PageRow.fetched_at, PageRow.changed_at, PageRow.next_fetch_at)
        content = (ContentRow.status, ContentRow.kind, ContentRow.words, ContentRow.duplicate_of, ContentRow.indexed)
        rows = self.session.execute(
            select(PageRow.crawl_id, *page, *counts, *times, PageRow.next_reason, *content)
            .select_from(PageRow)
            .outerjoin(ContentRow, (ContentRow.site_id == PageRow.site_id) & (ContentRow.url_key == PageRow.url_key))
            .where(*chosen)
            .order_by(PageRow.discovery, PageRow.url_key)
            .execution_options(yield_per=STREAMED)
        )
        crawl = CrawlRepository(self.session).latest(site_id)
        left, kept = _left(crawl), _kept(crawl)
        for crawl_id, url, number, reason, *others in rows:
            why = reason
            if reason is None and number == PageStatus.DISCOVERED:
                why = left
            elif reason is None and crawl is not None and crawl_id != crawl.id:
                why = kept
            yield PageLife(url, PageStatus(number).name.lower(), why, *others)

    def troubles(self, site_id: int) -> list[Trouble]:
        """Return why URLs of a site have no page: those that failed, may not be asked for, or are left to a crawl."""
        known, left = PageRow.reason.is_not(None), PageRow.status == int(PageStatus.DISCOVERED)
        ended = PageRow.status.in_((int(PageStatus.ERROR), int(PageStatus.EXCLUDED)))
        count = func.count()
        rows = self.session.execute(
            select(PageRow.status, PageRow.reason, count, func.min(PageRow.url))
            .where(PageRow.site_id == site_id, or_(left, ended & known))
            .group_by(PageRow.status, PageRow.reason)
            .order_by(count.desc(), func.min(PageRow.url))
            .limit(REASONS)
        )
        why = _left(CrawlRepository(self.session).latest(site_id))
        return [Trouble(PageStatus(status), reason or why, urls, url) for status, reason, urls, url in rows]


def _left(crawl: CrawlSummary | None) -> str:
    """Return why the last crawl did not come to a URL that has no reason of its own: because of how it ended."""
    if crawl is None:
        return LEFT
    if crawl.finished_at is None:
        return f"{LEFT}: the crawl is not finished" + (f" ({crawl.reason})" if crawl.reason else "")
    return f"{LEFT}: the last crawl ended before ({crawl.reason})"


def _kept(crawl: CrawlSummary | None) -> str | None:
    """Return why the last crawl did not come to a page that was fetched before; None unless it ended too early."""
    if crawl is None or crawl.finished_at is not None or not crawl.reason:
        return None
    return f"{KEPT}: the crawl is not finished ({crawl.reason})"
