"""Visits of pages: what is remembered of them, when the next one is due, and which pages are due now."""

import datetime as dt
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import fields
from typing import Any, Final

from sqlalchemy import bindparam, select, update

from sitecrawl.scheduling import LONGEST, Bounds, History, Outcome, Plan, Visit, hasten, plan, words
from sitecrawl.storage.models import PageRow, SiteRow
from sitecrawl.storage.pages import CHUNK, KEY, DuePage, PageStatus, may_be_asked
from sitecrawl.storage.prepared import Prepared
from sitecrawl.storage.session import Session
from sitecrawl.storage.upsert import update_rows

HISTORY: Final = (
    PageRow.fetch_interval,
    PageRow.visited_at,
    PageRow.comparisons,
    PageRow.changes,
    PageRow.changed_seconds,
    PageRow.unchanged_seconds,
    PageRow.streak,
    PageRow.misses,
)
"""The columns of a `History`, in the order of its fields."""

_ONE: Final = Prepared(
    select(*HISTORY).where(PageRow.site_id == bindparam("b_site"), PageRow.url_key == bindparam("b_key"))
)
_CHANGES: Final = (Outcome.NEW, Outcome.CHANGED)
_FIELDS: Final = tuple(field.name for field in fields(History))


class VisitRepository:
    """Reads and writes the columns of `page` that plan its next visit, and `site.next_crawl_at`."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def histories(self, site_id: int, url_keys: Collection[int]) -> dict[int, History]:
        """Return what is remembered of pages, by key; unknown pages are left out."""
        rows = ((key, _ONE.first(self.session, {"b_site": site_id, "b_key": key})) for key in sorted(url_keys))
        return {key: History(*row) for key, row in rows if row is not None}

    def record(self, site_id: int, visits: Iterable[Visit], policy: str, bounds: Bounds) -> dict[int, Plan]:
        """Plan the next visit of each page that was visited, and return the plans by key.

        The pages must be there (`PageRepository.record` comes first); a page counts once, by its last visit. Raises
        ConfigError for an unknown policy.
        """
        last = {visit.url_key: visit for visit in visits}
        known = self.histories(site_id, last)
        plans = {key: plan(policy, bounds, known[key], visit) for key, visit in sorted(last.items()) if key in known}
        rows = [(_row(key, one), last[key]) for key, one in plans.items()]
        self._write(site_id, [row for row, visit in rows if visit.outcome not in _CHANGES])
        self._write(site_id, [{**row, "changed_at": visit.at} for row, visit in rows if visit.outcome in _CHANGES])
        return plans

    def hasten(self, site_id: int, modified: Mapping[int, dt.datetime], now: dt.datetime, bounds: Bounds) -> int:
        """Bring forward the visits of pages that a sitemap or feed dates later than our copy; return how many."""
        keys, rows = sorted(modified), []
        for i in range(0, len(keys), CHUNK):
            found = self.session.execute(
                select(PageRow.url_key, PageRow.next_fetch_at, *HISTORY).where(
                    PageRow.site_id == site_id,
                    PageRow.url_key.in_(keys[i : i + CHUNK]),
                    PageRow.visited_at.is_not(None),
                )
            )
            for key, due, *columns in found:
                history, date = History(*columns), modified[key]
                sooner = hasten(bounds, history, due, date, now)
                if sooner != due:
                    reason = f"the site dates it {date:%Y-%m-%d %H:%M}, later than our copy"
                    rows.append({"url_key": key, "next_fetch_at": sooner, "next_reason": reason})
        self._write(site_id, rows)
        return len(rows)

    def due(
        self, site_id: int, crawl_id: int, now: dt.datetime, limit: int, excluded: Collection[int] = ()
    ) -> list[DuePage]:
        """Return pages of a site to fetch now and not settled in this crawl: never fetched ones, then the most overdue.

        The counterpart of `PageRepository.frontier`, which returns every page.
        """
        columns = (PageRow.url_key, PageRow.url, PageRow.depth, PageRow.priority)
        most, skipped = limit + len(excluded), set(excluded)
        new = self.session.execute(
            select(*columns)
            .where(PageRow.site_id == site_id, PageRow.crawl_id.is_(None))
            .order_by(PageRow.priority.desc(), PageRow.discovery)
            .limit(most)
        )
        found = [DuePage(*row) for row in new if row.url_key not in skipped][:limit]
        if len(found) < limit:
            old = self.session.execute(
                select(*columns)
                .where(
                    PageRow.site_id == site_id,
                    PageRow.next_fetch_at <= now,
                    PageRow.crawl_id != crawl_id,
                    may_be_asked(now),
                )
                .order_by(PageRow.next_fetch_at)
                .limit(most)
            )
            found += [DuePage(*row) for row in old if row.url_key not in skipped][: limit - len(found)]
        return found

    def earliest(self, site_id: int) -> dt.datetime | None:
        """Return when the first page of a site is due."""
        when: dt.datetime | None = self.session.scalar(
            select(PageRow.next_fetch_at)
            .where(PageRow.site_id == site_id, PageRow.next_fetch_at.is_not(None))
            .order_by(PageRow.next_fetch_at)
            .limit(1)
        )
        return when

    def bound(self, site_id: int, now: dt.datetime, bounds: Bounds) -> None:
        """Bring visits that are planned later than the longest interval from now down to it.

        They were planned by a clock that was ahead, or before the interval was made shorter. Dead links have a longest
        interval of their own.
        """
        dead = PageRow.status == int(PageStatus.DEAD)
        for pages, longest in ((~dead, bounds.maximum), (dead, LONGEST)):
            horizon = now + dt.timedelta(seconds=longest)
            self.session.execute(
                update(PageRow)
                .where(PageRow.site_id == site_id, PageRow.next_fetch_at > horizon, pages)
                .values(next_fetch_at=horizon, next_reason=f"the longest interval: {words(longest)}")
            )

    def close(
        self, site_id: int, now: dt.datetime, bounds: Bounds, not_before: dt.datetime | None = None
    ) -> dt.datetime:
        """Set the site's `next_crawl_at` to the earliest visit of its pages, at the end of a crawl; return it.

        Never before now, or before `not_before`; now when pages are left that were never fetched; after the longest
        interval when no page is to be visited again.
        """
        self.bound(site_id, now, bounds)
        unfetched = self.session.scalar(
            select(PageRow.url_key)
            .where(
                PageRow.site_id == site_id,
                PageRow.crawl_id.is_(None),
                PageRow.status == int(PageStatus.DISCOVERED),
            )
            .limit(1)
        )
        earliest = self.earliest(site_id) or now + dt.timedelta(seconds=bounds.maximum)
        due = max(now if unfetched is not None else earliest, now, not_before or now)
        self.session.execute(update(SiteRow).where(SiteRow.id == site_id).values(next_crawl_at=due))
        return due

    def _write(self, site_id: int, rows: Sequence[dict[str, Any]]) -> None:
        """Update pages; all rows name the same columns, `url_key` among them."""
        update_rows(self.session, PageRow, [{"site_id": site_id, **row} for row in rows], KEY)


def _row(key: int, made: Plan) -> dict[str, Any]:
    history = {name: getattr(made.history, name) for name in _FIELDS}
    return {
        "url_key": key,
        "fetch_interval": history.pop("interval"),
        **history,
        "next_fetch_at": made.next_fetch_at,
        "next_reason": made.reason,
    }
