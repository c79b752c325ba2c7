"""Reports on the pages of a site for people: history, status and next visit."""

import datetime as dt
import re
from collections import Counter
from collections.abc import Iterator
from typing import Final, NamedTuple

from sqlalchemy import func, or_, select

from sitecrawl.links.closed_trap import TRAP
from sitecrawl.links.crawl_rules import OUT_OF_SCOPE
from sitecrawl.metadata.fields import RowStatus
from sitecrawl.page_kind import Kind
from sitecrawl.storage.crawls import CrawlRepository, CrawlSummary
from sitecrawl.storage.db.session import Session
from sitecrawl.storage.pages import GOOD, STREAMED, PageStatus
from sitecrawl.storage.records import CANONICAL
from sitecrawl.storage.tables.models import CONTENT, CONTENT_OF_PAGE, PAGE

GROUPED: Final = 1000
"""Maximum different reasons that are read before similar ones are merged; the most frequent ones [OWN]."""
_QUERY: Final = re.compile(r"\?\S+")
_FOR_NOW: Final = re.compile(r"to ([^\s?]+)\S* for now")


class PageLife(NamedTuple):
    """The history and state of a page."""

    url: str
    status: str
    reason: str | None
    http_status: int | None
    depth: int
    fetches: int
    not_modified: int
    """Number of 304 responses since the last body."""
    errors: int
    strikes: int
    deletion: int | None
    """Crawl that decided its pending deletion; None if there is none."""
    discovered_at: dt.datetime
    fetched_at: dt.datetime | None
    changed_at: dt.datetime | None
    next_fetch_at: dt.datetime | None
    next_reason: str | None
    row: str | None
    """Status of its last row in the feed."""
    kind: Kind | None
    words: int | None
    duplicate_of: str | None
    indexed: bool | None


class Trouble(NamedTuple):
    """The URLs of a site that have no page for the same reason."""

    status: PageStatus
    reason: str
    urls: int
    example: str
    """The first of these URLs."""


class Missed(NamedTuple):
    """The pages in the feed that were not found at their last visit."""

    pages: int = 0
    reasons: tuple[tuple[str, int], ...] = ()
    """The most frequent reasons, each with its number of pages."""


class Repeated(NamedTuple):
    """The pages of a crawl that have the same text, or URLs that lead to the same address."""

    pages: int
    of: int
    """All pages of the crawl that have a text."""
    example: str
    """The first of these URLs."""


TROUBLED: Final = (PageStatus.DISCOVERED, PageStatus.ERROR, PageStatus.EXCLUDED)
"""Statuses of URLs without a page that might have one."""
REASONS: Final = 500
"""Maximum reasons that are counted, the most frequent ones."""
LEFT: Final = "not fetched yet"
"""Prefix of the reason of a known URL that the crawl did not reach."""
KEPT: Final = "as it was before"
"""Prefix of the reason of a page that an earlier crawl fetched and the last one did not reach."""


class LifeRepository:
    """Reads `page` and `content`."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def pages(
        self, site_id: int, *, status: PageStatus | None = None, held: bool = False, url_key: int | None = None
    ) -> Iterator[PageLife]:
        """Yield pages of a site in the order of discovery: all, those with a status, those to be deleted, or one."""
        chosen = [PAGE.c.site_id == site_id]
        if status is not None:
            chosen.append(PAGE.c.status == int(status))
        if held:
            chosen.append(PAGE.c.deletion.is_not(None))
        if url_key is not None:
            chosen.append(PAGE.c.url_key == url_key)
        page = (PAGE.c.url, PAGE.c.status, PAGE.c.reason, PAGE.c.http_status, PAGE.c.depth, PAGE.c.fetches)
        counts = (PAGE.c.not_modified, PAGE.c.errors, PAGE.c.strikes, PAGE.c.deletion)
        times = (PAGE.c.discovered_at, PAGE.c.fetched_at, PAGE.c.changed_at, PAGE.c.next_fetch_at)
        content = (CONTENT.c.status, CONTENT.c.kind, CONTENT.c.words, CONTENT.c.duplicate_of, CONTENT.c.indexed)
        rows = self.session.execute(
            select(PAGE.c.crawl_id, *page, *counts, *times, PAGE.c.next_reason, *content)
            .select_from(PAGE)
            .outerjoin(CONTENT, CONTENT_OF_PAGE)
            .where(*chosen)
            .order_by(PAGE.c.discovery, PAGE.c.url_key)
            .execution_options(yield_per=STREAMED)
        )
        crawl = CrawlRepository(self.session).latest_requested(site_id)
        left, kept = _left(crawl), _kept(crawl)
        for crawl_id, url, number, reason, *others in rows:
            why = reason
            if reason is None and number == PageStatus.DISCOVERED:
                why = left
            elif reason is None and crawl is not None and crawl_id != crawl.id:
                why = kept
            yield PageLife(url, PageStatus(number).name.lower(), why, *others)

    def missed(self, site_id: int, limit: int) -> Missed:
        """Return the pages of a site in the feed that were not found at their last visit, with `limit` reasons.

        Pages that the crawler itself left out (in traps, or out of scope) do not count. Reasons that differ only in the
        query of a URL are merged: the address of a log-in page often contains the requested URL.
        """
        count, reason = func.count(), func.coalesce(PAGE.c.reason, "")
        rows = self.session.execute(
            select(PAGE.c.reason, count, func.sum(count).over())
            .join(CONTENT, CONTENT_OF_PAGE)
            .where(PAGE.c.site_id == site_id, PAGE.c.status.not_in(GOOD), CONTENT.c.status != RowStatus.GONE)
            .where(~reason.startswith(TRAP), ~reason.startswith(OUT_OF_SCOPE))
            .group_by(PAGE.c.reason)
            .order_by(count.desc(), PAGE.c.reason)
            .limit(GROUPED)
        ).all()
        grouped: Counter[str] = Counter()
        for why, number, _ in rows:
            grouped[_QUERY.sub("?...", why or "")] += number
        return Missed(int(rows[0][2]) if rows else 0, tuple(grouped.most_common(limit)))

    def repeated(self, site_id: int, crawl_id: int) -> Repeated | None:
        """Return the pages with the most frequent text of a crawl; None if no text is on two pages.

        Pages that name another one as canonical are left out: their texts may differ from its text.
        """
        with_text = (CONTENT.c.site_id == site_id, CONTENT.c.crawl_id == crawl_id, CONTENT.c.words > 0)
        own = or_(PAGE.c.reason.is_(None), ~PAGE.c.reason.startswith(CANONICAL))
        count = func.count()
        row = self.session.execute(
            select(count, func.min(PAGE.c.url))
            .select_from(CONTENT)
            .join(PAGE, CONTENT_OF_PAGE)
            .where(*with_text, CONTENT.c.duplicate_of.is_not(None), own)
            .group_by(CONTENT.c.duplicate_of)
            .order_by(count.desc(), func.min(PAGE.c.url))
            .limit(1)
        ).first()
        if row is None:
            return None
        of = self.session.number(select(count).select_from(CONTENT).where(*with_text))
        return Repeated(row[0] + 1, of, row[1])

    def led_away(self, site_id: int) -> Repeated | None:
        """Return the URLs that redirect, for now, to the address that most of them redirect to; None without any.

        Addresses are compared without their query: that of a log-in page often contains the requested URL. `of` counts
        the URLs with a page too, and `example` is the address.
        """
        count = func.count()
        own, moved = PAGE.c.site_id == site_id, PAGE.c.status == int(PageStatus.REDIRECTED)
        rows = self.session.execute(
            select(PAGE.c.reason, count).where(own, moved).group_by(PAGE.c.reason).order_by(count.desc()).limit(GROUPED)
        )
        grouped: Counter[str] = Counter()
        for why, number in rows:
            if found := _FOR_NOW.match(why or ""):
                grouped[found[1]] += number
        if not grouped:
            return None
        (address, urls), *_ = grouped.most_common(1)
        of = self.session.number(select(count).select_from(PAGE).where(own, or_(moved, PAGE.c.status.in_(GOOD))))
        return Repeated(urls, of, address)

    def troubles(self, site_id: int, limit: int | None = None) -> list[Trouble]:
        """Return why URLs of a site have no page: failed, forbidden, or left to a later crawl.

        At most `limit` URLs without a page are read: those with the lowest keys, which are a random sample.
        """
        # keys come from the index ix_page_states, so that the rows of pages without a problem are not read
        keys = select(PAGE.c.url_key).where(
            PAGE.c.site_id == site_id, PAGE.c.status.in_([int(one) for one in TROUBLED])
        )
        narrow = (keys if limit is None else keys.order_by(PAGE.c.url_key).limit(limit)).subquery()
        known, left = PAGE.c.reason.is_not(None), PAGE.c.status == int(PageStatus.DISCOVERED)
        count = func.count()
        rows = self.session.execute(
            select(PAGE.c.status, PAGE.c.reason, count, func.min(PAGE.c.url))
            .select_from(narrow)
            .join(PAGE, (PAGE.c.site_id == site_id) & (PAGE.c.url_key == narrow.c.url_key))
            .where(or_(left, known))
            .group_by(PAGE.c.status, PAGE.c.reason)
            .order_by(count.desc(), func.min(PAGE.c.url))
            .limit(REASONS)
        )
        why = _left(CrawlRepository(self.session).latest_requested(site_id))
        return [Trouble(PageStatus(status), reason or why, urls, url) for status, reason, urls, url in rows]


def _left(crawl: CrawlSummary | None) -> str:
    """Return the reason for a URL without a stored one: how the last crawl ended before it reached the URL."""
    if crawl is None:
        return LEFT
    if crawl.finished_at is None:
        return f"{LEFT}: the crawl is not finished" + (f" ({crawl.reason})" if crawl.reason else "")
    return f"{LEFT}: the last crawl ended before ({crawl.reason})"


def _kept(crawl: CrawlSummary | None) -> str | None:
    """Return the reason why the last crawl did not reach a page that was fetched before; None unless it ended early."""
    if crawl is None or crawl.finished_at is not None or not crawl.reason:
        return None
    return f"{KEPT}: the crawl is not finished ({crawl.reason})"
