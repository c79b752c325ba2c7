"""Stores plans of visits: which pages are due now, and when a site is due."""

import datetime as dt
from collections.abc import Callable, Collection, Mapping
from typing import Final

from sqlalchemy import case, or_, select, update

from sitecrawl.page_kind import Kind
from sitecrawl.scheduling import LONGEST, Bounds, History, PlannedPage, bring_forward, site_due, words
from sitecrawl.slices import slices
from sitecrawl.storage.db.session import Session
from sitecrawl.storage.page_state import HISTORY
from sitecrawl.storage.pages import CHUNK, GOOD, DuePage, PageRepository, PageStatus, may_be_requested
from sitecrawl.storage.tables.models import CONTENT, CONTENT_OF_PAGE, PAGE, SITE

FORBIDDEN: Final = "forbidden by robots.txt"
"""Beginning of the reason of a URL that robots.txt forbids."""
DUE_PAGE: Final = (PAGE.c.url_key, PAGE.c.url, PAGE.c.depth, PAGE.c.priority)
"""Columns of a `DuePage`."""


class VisitRepository:
    """Reads and writes the columns of `page` that plan its next visit, and `site.next_crawl_at`."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def bring_forward(self, site_id: int, modified: Mapping[int, dt.datetime], now: dt.datetime, bounds: Bounds) -> int:
        """Bring forward visits of pages with a modification date later than the stored copy; return how many."""
        rows = []
        for keys in slices(sorted(modified), CHUNK):
            found = self.session.execute(
                select(PAGE.c.url_key, PAGE.c.next_fetch_at, *HISTORY).where(
                    PAGE.c.site_id == site_id,
                    PAGE.c.url_key.in_(keys),
                    PAGE.c.visited_at.is_not(None),
                )
            )
            for key, due, *columns in found:
                history, date = History(*columns), modified[key]
                sooner = bring_forward(bounds, history, due, date, now)
                if sooner != due:
                    reason = f"the site dates it {date:%Y-%m-%d %H:%M}, later than our copy"
                    rows.append({"url_key": key, "next_fetch_at": sooner, "next_reason": reason})
        PageRepository(self.session).amend(site_id, rows)
        return len(rows)

    def allow(self, site_id: int, allowed: Callable[[str], bool], now: dt.datetime) -> int:
        """Make the URLs due that robots.txt forbade at their last visit and that are `allowed` now; return how many."""
        pages = PageRepository(self.session)
        free = [key for key, url in pages.excluded(site_id, FORBIDDEN, now) if allowed(url)]
        plan = {"next_fetch_at": now, "next_reason": "robots.txt allows it now"}
        pages.amend(site_id, [{"url_key": key, **plan} for key in sorted(free)])
        return len(free)

    def upcoming(
        self,
        site_id: int,
        crawl_id: int,
        now: dt.datetime,
        limit: int,
        excluded: Collection[int] = (),
        *,
        due: bool,
        limited: bool = False,
    ) -> list[DuePage]:
        """Return pages of a site that are not settled in this crawl: never fetched ones, then those of `known`.

        With `limited`, those of `known` are returned only if no page was never fetched: the links on such a page come
        first. The counterpart of `PageRepository.frontier` for crawls that may not visit every page.
        """
        skipped = set(excluded)
        new = self.session.execute(
            select(*DUE_PAGE)
            .where(PAGE.c.site_id == site_id, PAGE.c.crawl_id.is_(None))
            .order_by(PAGE.c.priority.desc(), PAGE.c.discovery)
            .limit(limit + len(excluded))
        )
        found = [DuePage(*row) for row in new if row.url_key not in skipped][:limit]
        if len(found) < limit and not (limited and found):
            found += self.known(site_id, crawl_id, now, limit - len(found), excluded, due=due)
        return found

    def known(
        self,
        site_id: int,
        crawl_id: int,
        now: dt.datetime,
        limit: int,
        excluded: Collection[int] = (),
        *,
        due: bool,
        hubs: bool = False,
    ) -> list[DuePage]:
        """Return pages that an earlier crawl visited and this one has not settled, the most overdue first.

        Without `due` the start page comes first, even if it was dead, and pages that are not due follow: good ones,
        then failed and deleted ones, each by the crawl that visited them last. With `hubs` they are the start page and
        listings only, which lead to new pages.
        """
        is_due = PAGE.c.next_fetch_at <= now
        wanted = [is_due] if due else [or_(PAGE.c.status != int(PageStatus.DEAD), PAGE.c.depth == 0, is_due)]
        if hubs:
            wanted.append(or_(PAGE.c.depth == 0, CONTENT.c.kind == Kind.LISTING))
        turn = (
            PAGE.c.depth > 0,
            case((is_due, 0), (PAGE.c.status.in_([int(one) for one in GOOD]), 1), else_=2),
            case((is_due, PAGE.c.next_fetch_at)),
            *(PAGE.c.crawl_id, PAGE.c.priority.desc(), PAGE.c.discovery),
        )
        rows = self.session.execute(
            select(*DUE_PAGE)
            .select_from(PAGE.outerjoin(CONTENT, CONTENT_OF_PAGE) if hubs else PAGE)
            .where(PAGE.c.site_id == site_id, PAGE.c.crawl_id != crawl_id, may_be_requested(now), *wanted)
            .order_by(*((PAGE.c.next_fetch_at,) if due else turn))
            .limit(limit + len(excluded))
        )
        skipped = set(excluded)
        return [DuePage(*row) for row in rows if row.url_key not in skipped][:limit]

    def first(self, site_id: int, limit: int) -> list[PlannedPage]:
        """Return at most `limit` pages of a site with the earliest planned visits, in order."""
        rows = self.session.execute(
            select(PAGE.c.next_fetch_at, PAGE.c.fetch_interval, PAGE.c.visited_at)
            .where(PAGE.c.site_id == site_id, PAGE.c.next_fetch_at.is_not(None))
            .order_by(PAGE.c.next_fetch_at)
            .limit(limit)
        )
        return [PlannedPage(due, interval, visited_at) for due, interval, visited_at in rows if due is not None]

    def bound(self, site_id: int, now: dt.datetime, bounds: Bounds) -> None:
        """Bring visits that are planned beyond the longest interval forward to it.

        They were planned by a fast clock, or before the interval was shortened. Dead links have a separate longest
        interval.
        """
        pages = PageRepository(self.session)
        for dead, longest in ((False, bounds.maximum), (True, LONGEST)):
            horizon = now + dt.timedelta(seconds=longest)
            pages.bring_down(site_id, horizon, f"the longest interval: {words(longest)}", dead=dead)

    def close(
        self,
        site_id: int,
        now: dt.datetime,
        bounds: Bounds,
        not_before: dt.datetime | None = None,
        *,
        stopped: bool = False,
    ) -> dt.datetime:
        """Set the site's `next_crawl_at` at the end of a crawl by `scheduling.site_due`, and return it.

        The time is never before now or `not_before`. It is now if the crawl was `stopped` or left pages unfetched, and
        the longest interval from now if no page has a planned visit.
        """
        self.bound(site_id, now, bounds)
        soon = now + dt.timedelta(seconds=bounds.error)
        PageRepository(self.session).plan_pending(site_id, soon, f"to be deleted: {words(bounds.error)}")
        unfetched = self.session.scalar(
            select(PAGE.c.url_key)
            .where(
                PAGE.c.site_id == site_id,
                PAGE.c.crawl_id.is_(None),
                PAGE.c.status == int(PageStatus.DISCOVERED),
            )
            .limit(1)
        )
        planned = site_due(self.first(site_id, bounds.batch), bounds) or now + dt.timedelta(seconds=bounds.maximum)
        due = max(now if stopped or unfetched is not None else planned, now, not_before or now)
        self.session.execute(update(SITE).where(SITE.c.id == site_id).values(next_crawl_at=due))
        return due

    def replan(self, site_id: int, now: dt.datetime, bounds: Bounds) -> None:
        """Bring the next crawl of a site forward to the latest time that new `bounds` allow; an earlier time stays.

        A site without a known page is due now.
        """
        self.bound(site_id, now, bounds)
        planned = site_due(self.first(site_id, bounds.batch), bounds)
        if planned is None:
            known = self.session.scalar(select(PAGE.c.url_key).where(PAGE.c.site_id == site_id).limit(1)) is not None
            planned = now + dt.timedelta(seconds=bounds.maximum if known else 0)
        due = max(planned, now)
        later = SITE.c.next_crawl_at > due
        self.session.execute(update(SITE).where(SITE.c.id == site_id, later).values(next_crawl_at=due))
