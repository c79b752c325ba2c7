"""Pages of a site: the frontier and the fetch history. The only writer of the table `page`.

Over 300 lines: only one module should write the table.
"""

import datetime as dt
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cache
from typing import Final, NamedTuple

from sqlalchemy import ColumnElement, case, func, or_, select, update

from sitecrawl.dom.text import printable
from sitecrawl.links.discovered import Discovered
from sitecrawl.links.traps import MANY_WORDS
from sitecrawl.page_kind import Kind
from sitecrawl.slices import slices
from sitecrawl.storage.bodies import BodyRepository
from sitecrawl.storage.db.session import Row, Session
from sitecrawl.storage.db.upsert import Update, insert_missing, update_rows, upsert
from sitecrawl.storage.page_change import (
    REASON_LENGTH,
    Fetch,
    PageChange,
    Placement,
    changed_columns,
    new_columns,
    small,
)
from sitecrawl.storage.page_state import GOOD, PageState, PageStatus, page_state
from sitecrawl.storage.tables.models import CONTENT, CONTENT_OF_PAGE, PAGE

__all__ = ["GOOD", "DuePage", "Fetch", "PageChange", "PageRepository", "PageState", "PageStatus", "Placement"]

KEY: Final = ("site_id", "url_key")
CHUNK: Final = 500
"""Maximum keys of pages in one statement; SQLite before 3.32 accepts 999 parameters [OWN]."""
STREAMED: Final = 2000
"""Maximum rows in memory while a whole site is read."""


class DuePage(NamedTuple):
    """A URL to fetch."""

    url_key: int
    url: str
    depth: int
    priority: int
    etag: str | None = None
    last_modified: str | None = None
    """Validators of a conditional request; None if a 304 is not enough."""


class ScopedPage(NamedTuple):
    """A stored URL with the facts that decide whether the rules of a crawl allow it."""

    url_key: int
    url: str
    depth: int
    status: PageStatus
    reason: str | None


class PageRepository:
    """Reads and writes `page`."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def known(self, site_id: int) -> Iterator[tuple[int, int, int | None, int]]:
        """Yield (url_key, status, id of the crawl that settled it, depth) of every known URL."""
        rows = self.session.execute(
            select(PAGE.c.url_key, PAGE.c.status, PAGE.c.crawl_id, PAGE.c.depth)
            .where(PAGE.c.site_id == site_id)
            .execution_options(yield_per=STREAMED)
        )
        yield from rows

    def outcomes(self, site_id: int) -> Iterator[tuple[int, str, bool | None]]:
        """Yield (url_key, URL, whether its page holds unique main content), in the order of discovery.

        None stands for a URL without an extracted page.
        """
        has_text = ((CONTENT.c.kind == Kind.CONTENT) & (CONTENT.c.words > 0)) | (CONTENT.c.words >= MANY_WORDS)
        own = has_text & CONTENT.c.duplicate_of.is_(None)
        rows = self.session.execute(
            select(PAGE.c.url_key, PAGE.c.url, own)
            .select_from(PAGE)
            .outerjoin(CONTENT, CONTENT_OF_PAGE)
            .where(PAGE.c.site_id == site_id)
            .order_by(PAGE.c.discovery)
            .execution_options(yield_per=STREAMED)
        )
        for key, url, content in rows:
            yield key, url, None if content is None else bool(content)

    def linked_since(self, site_id: int, since: dt.datetime) -> Iterator[tuple[int, str]]:
        """Yield (url_key, URL) of the pages first linked since a time."""
        rows = self.session.execute(
            select(PAGE.c.url_key, PAGE.c.url)
            .where(PAGE.c.site_id == site_id, PAGE.c.discovered_at >= since, PAGE.c.hyperlink_distance.is_not(None))
            .execution_options(yield_per=STREAMED)
        )
        yield from rows

    def addresses(self, site_id: int, after: int | None, limit: int) -> tuple[list[ScopedPage], int | None]:
        """Return URLs of a site with their state, and the key after which to go on; None at the end.

        `after` is the last key of the call before, None for the first.
        """
        wanted = [PAGE.c.site_id == site_id, *([PAGE.c.url_key > after] if after is not None else [])]
        rows = self.session.execute(
            select(PAGE.c.url_key, PAGE.c.url, PAGE.c.depth, PAGE.c.status, PAGE.c.reason)
            .where(*wanted)
            .order_by(PAGE.c.url_key)
            .limit(limit)
        ).all()
        found = [ScopedPage(row.url_key, row.url, row.depth, PageStatus(row.status), row.reason) for row in rows]
        return found, found[-1].url_key if len(found) == limit else None

    def unanswered(self, site_id: int) -> list[tuple[int, str, str | None]]:
        """Return (url_key, URL, reason) of the pages that got no response at their last visit."""
        rows = self.session.execute(
            select(PAGE.c.url_key, PAGE.c.url, PAGE.c.reason).where(
                PAGE.c.site_id == site_id, PAGE.c.status == int(PageStatus.ERROR), PAGE.c.http_status.is_(None)
            )
        )
        return [(key, url, reason) for key, url, reason in rows]

    def respell(self, site_id: int, url_key: int, url: str) -> None:
        """Make a failed page due at once with another spelling of its URL."""
        self.amend(site_id, [{"url_key": url_key, "url": printable(url), "crawl_id": None, "not_before": None}])

    def last_discovery(self, site_id: int) -> int:
        """Return the highest discovery number of a URL; 0 if there is none."""
        return self.session.number(select(func.max(PAGE.c.discovery)).where(PAGE.c.site_id == site_id))

    def discover(self, site_id: int, found: Iterable[Discovered], now: dt.datetime) -> None:
        """Add new URLs; known ones stay as they are."""
        rows = {
            one.url_key: {
                **one._asdict(),
                "site_id": site_id,
                "url": printable(one.url),
                "status": int(PageStatus.DISCOVERED),
                "depth": small(one.depth),
                "hyperlink_distance": small(one.hyperlink_distance),
                "dom_distance": small(one.dom_distance),
                "discovered_at": now,
                "errors": 0,
            }
            # if a URL was found twice, the row that comes last is kept: the more urgent one, or else the earlier one
            for one in sorted(found, key=lambda one: (one.priority, -one.discovery))
        }
        insert_missing(self.session, PAGE, list(rows.values()), KEY)

    def state(self, site_id: int, url_key: int, *, content: bool = True) -> PageState:
        """Return the stored state of a page, without its `content` if that is off; a new page has an empty state."""
        return page_state(self.session, site_id, url_key, content=content)

    def record(self, site_id: int, fetches: Sequence[Fetch]) -> None:
        """Store the outcomes of URLs; a failure keeps the body and validators of an earlier good fetch."""
        bodies = BodyRepository(self.session)
        for fetch in sorted(fetches):
            state = self.state(site_id, fetch.url_key, content=False)
            self.write(site_id, PageChange(fetch.url_key, state, fetch))
            bodies.put(site_id, fetch)

    def write(self, site_id: int, change: PageChange) -> None:
        """Write the row of a page once, with all changes of a visit."""
        changed = changed_columns(change)
        key = {"site_id": site_id, "url_key": change.url_key}
        if change.fetch is None:
            update_rows(self.session, PAGE, [{**key, **changed}] if changed else [], KEY)
            return
        row = {**new_columns(change.fetch), **changed, **key}
        upsert(self.session, PAGE, [row], KEY, _setting(tuple(changed)))

    def amend(self, site_id: int, rows: Iterable[Row]) -> None:
        """Update columns of existing pages; all rows have the same columns, `url_key` among them."""
        update_rows(self.session, PAGE, [{"site_id": site_id, **row} for row in rows], KEY)

    def promote(self, site_id: int, url_keys: Collection[int], priority: int) -> None:
        """Raise the priority of URLs that were never fetched to `priority`; higher ones stay."""
        self.session.execute(
            update(PAGE)
            .where(PAGE.c.site_id == site_id, PAGE.c.url_key.in_(url_keys), PAGE.c.priority < priority)
            .values(priority=priority)
        )

    def bring_near(self, site_id: int, url_keys: Sequence[int], depth: int, priority: int) -> None:
        """Reduce the depth of URLs to `depth`, since a shorter path was found, and raise their priority."""
        for keys in slices(url_keys, CHUNK):
            self.session.execute(
                update(PAGE)
                .where(PAGE.c.site_id == site_id, PAGE.c.url_key.in_(keys), PAGE.c.depth > depth)
                .values(depth=depth, priority=case((PAGE.c.priority < priority, priority), else_=PAGE.c.priority))
            )

    def bring_down(self, site_id: int, horizon: dt.datetime, why: str, *, dead: bool) -> None:
        """Move visits planned after `horizon` to that time: of dead links if `dead`, else of all other pages."""
        status = PAGE.c.status == int(PageStatus.DEAD)
        self.session.execute(
            update(PAGE)
            .where(PAGE.c.site_id == site_id, PAGE.c.next_fetch_at > horizon, status if dead else ~status)
            .values(next_fetch_at=horizon, next_reason=why)
        )

    def plan_pending(self, site_id: int, at: dt.datetime, why: str) -> None:
        """Plan a visit at `at` for pages with a pending deletion that have no planned visit."""
        self.session.execute(
            update(PAGE)
            .where(PAGE.c.site_id == site_id, PAGE.c.deletion.is_not(None), PAGE.c.next_fetch_at.is_(None))
            .values(next_fetch_at=at, next_reason=why)
        )

    def excluded(self, site_id: int, reason: str, after: dt.datetime) -> list[tuple[int, str]]:
        """Return (url_key, URL) of the excluded pages with a reason whose next visit is planned after a time."""
        rows = self.session.execute(
            select(PAGE.c.url_key, PAGE.c.url).where(
                PAGE.c.site_id == site_id,
                PAGE.c.status == int(PageStatus.EXCLUDED),
                PAGE.c.reason.startswith(reason, autoescape=True),
                PAGE.c.next_fetch_at > after,
            )
        )
        return [(key, url) for key, url in rows]

    def answered(self, site_id: int) -> bool:
        """Return whether any page of a site ever got a response."""
        asked = select(PAGE.c.url_key).where(PAGE.c.site_id == site_id, PAGE.c.http_status.is_not(None)).limit(1)
        return self.session.scalar(asked) is not None

    def left(self, site_id: int, url_key: int, why: str) -> None:
        """Record why a URL that was never fetched is left to a later crawl; other pages do not change."""
        self.session.execute(
            update(PAGE)
            .where(
                PAGE.c.site_id == site_id,
                PAGE.c.url_key == url_key,
                PAGE.c.status == int(PageStatus.DISCOVERED),
            )
            .values(reason=printable(why)[:REASON_LENGTH])
        )

    def frontier(
        self, site_id: int, crawl_id: int, now: dt.datetime, limit: int, excluded: Collection[int] = ()
    ) -> list[DuePage]:
        """Return pages not settled in this crawl: never fetched ones first, then by priority and discovery.

        Dead links that are not due, and pages that may not be requested at `now`, are left out, but not a dead
        start page.
        """
        alive = or_(PAGE.c.status != int(PageStatus.DEAD), PAGE.c.depth == 0)
        due = or_(alive, PAGE.c.next_fetch_at.is_(None), PAGE.c.next_fetch_at <= now)
        rows = self.session.execute(
            select(PAGE.c.url_key, PAGE.c.url, PAGE.c.depth, PAGE.c.priority)
            .where(
                PAGE.c.site_id == site_id,
                or_(PAGE.c.crawl_id.is_(None), PAGE.c.crawl_id != crawl_id),
                due,
                may_be_requested(now),
            )
            .order_by(PAGE.c.crawl_id.is_not(None), PAGE.c.priority.desc(), PAGE.c.discovery)
            .limit(limit + len(excluded))
        )
        skipped = set(excluded)
        return [DuePage(*row) for row in rows if row.url_key not in skipped][:limit]

    def waiting(self, site_id: int, crawl_id: int) -> list[int]:
        """Return the pages of this crawl that wait for extraction, in the order of fetching."""
        return list(
            self.session.scalars(
                select(PAGE.c.url_key)
                .outerjoin(
                    CONTENT,
                    CONTENT_OF_PAGE & (CONTENT.c.crawl_id == crawl_id),
                )
                .where(
                    PAGE.c.site_id == site_id,
                    PAGE.c.crawl_id == crawl_id,
                    PAGE.c.status == int(PageStatus.FETCHED),
                    CONTENT.c.url_key.is_(None),
                )
                .order_by(PAGE.c.fetch_order)
            )
        )

    def unlearned(self, site_id: int, crawl_id: int) -> list[int]:
        """Return the pages of this crawl that were learned but not added to the stored template."""
        return list(
            self.session.scalars(
                select(PAGE.c.url_key)
                .where(
                    PAGE.c.site_id == site_id,
                    PAGE.c.crawl_id == crawl_id,
                    PAGE.c.status.in_(GOOD),
                    PAGE.c.learned_version.is_(None),
                )
                .order_by(PAGE.c.fetch_order)
            )
        )

    def all_due(self, site_id: int, now: dt.datetime) -> None:
        """Make all pages due whose next visit is planned."""
        later = (PAGE.c.site_id == site_id, PAGE.c.next_fetch_at > now)
        self.session.execute(update(PAGE).where(*later).values(next_fetch_at=now))

    def mark_learned(self, site_id: int, url_keys: Collection[int], version: int) -> None:
        """Record the template version in which pages were counted; 0 for pages that are not counted."""
        self.amend(site_id, [{"url_key": key, "learned_version": version} for key in sorted(url_keys)])

    def forget_learned(self, site_id: int) -> None:
        """Record that no template counts the pages of a site; each page keeps its layout."""
        self.session.execute(update(PAGE).where(PAGE.c.site_id == site_id).values(learned_version=None))

    def forget_layouts(self, site_id: int) -> None:
        """Record that no template counts the pages of a site, and that no page has a layout."""
        self.session.execute(update(PAGE).where(PAGE.c.site_id == site_id).values(learned_version=None, layout=None))

    def counts(self, site_id: int, crawl_id: int | None = None) -> dict[str, int]:
        """Return the number of URLs by status; for a crawl, those that it settled."""
        chosen = [PAGE.c.site_id == site_id]
        if crawl_id is not None:
            chosen.append(PAGE.c.crawl_id == crawl_id)
        rows = self.session.execute(select(PAGE.c.status, func.count()).where(*chosen).group_by(PAGE.c.status))
        return {PageStatus(status).name.lower(): count for status, count in rows}


def may_be_requested(now: dt.datetime) -> ColumnElement[bool]:
    """Return the condition that a page may be requested at a time."""
    return or_(PAGE.c.not_before.is_(None), PAGE.c.not_before <= now)


@cache
def _setting(names: tuple[str, ...]) -> Update:
    """Return the update part of an upsert, which sets these columns in an existing row."""
    return lambda new: {name: new[name] for name in names}
