"""Reads reports on a database: the state of all sites, and the pages of one site in parts."""

import datetime as dt
from collections.abc import Collection
from typing import Any, Final, NamedTuple

from sqlalchemy import ColumnElement, func, or_, select

from sitecrawl.links.typed import spellings
from sitecrawl.metadata.fields import RowStatus
from sitecrawl.page_kind import Kind
from sitecrawl.storage.crawls import WITHOUT_REQUESTS, requested
from sitecrawl.storage.db.session import Session
from sitecrawl.storage.pages import PageStatus
from sitecrawl.storage.tables.models import CONTENT, CONTENT_OF_PAGE, CRAWL, HOST, PAGE, REJECTION, SITE, TEMPLATE

SAMPLED: Final = 40
"""Contents of a site that are read to judge it. Keys are hashes of URLs, so the lowest keys are a random sample."""


class SiteState(NamedTuple):
    """The state of one site, from its row, its last crawl, and the rows about its problems."""

    id: int
    host: str
    start_url: str
    next_crawl_at: dt.datetime | None
    crawled_by: str | None
    """Holder of the lease, until `leased_until`."""
    leased_until: dt.datetime | None
    crawl_id: int | None
    """Last crawl; None if there was none."""
    started_at: dt.datetime | None
    finished_at: dt.datetime | None
    ended: str | None
    """Finish reason of the last crawl, or why it stopped."""
    stats: dict[str, Any]
    """Figures of the last crawl."""
    held: int = 0
    """Pages whose deletion is held."""
    failing: int = 0
    """Hosts of the site that fail."""
    refused: int = 0
    """Documents that sinks refused."""
    layouts: int = 0
    """Layouts in use."""
    new_layouts: int = 0
    """Layouts that the last crawl found, except the first layout of the site."""
    paused_at: dt.datetime | None = None
    """Time at which it was paused; None if it is not paused."""
    crawled_at: dt.datetime | None = None
    """Start of the last crawl that requested pages."""


class ContentSample(NamedTuple):
    """A random sample of the contents of a site."""

    pages: int
    empty: int
    """Pages without main content."""
    listings: int
    confidence: float | None
    """Mean confidence of the main contents; None if there is none."""


class PageRow(NamedTuple):
    """A page in a list."""

    url_key: int
    url: str
    status: PageStatus
    reason: str | None
    http_status: int | None
    layout: int | None
    deletion: int | None
    fetched_at: dt.datetime | None
    kind: Kind | None
    title: str | None
    words: int | None
    confidence: float | None


class PageFilter(NamedTuple):
    """Restrictions on a list of pages; None for no restriction."""

    statuses: tuple[PageStatus, ...] = ()
    """Any of these statuses; all pages if empty."""
    layout: int | None = None
    held: bool = False
    text: str | None = None
    """Part of the URL, in its stored form or as a browser shows it."""


class PageCounts(NamedTuple):
    """Numbers of pages of a site."""

    statuses: dict[PageStatus, int]
    layouts: dict[int, int]
    held: int


class SiteReportRepository:
    """Reads `site`, `crawl`, `page`, `content`, `host`, `template` and `rejection`."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def states(self) -> list[SiteState]:
        """Return the state of all sites, by host, without sites of which only the addresses are recorded."""
        return self._states(None)

    def state(self, site_id: int) -> SiteState | None:
        """Return the state of one site."""
        return next(iter(self._states(site_id)), None)

    def _states(self, site_id: int | None) -> list[SiteState]:
        last = select(CRAWL.c.site_id, func.max(CRAWL.c.id).label("last")).group_by(CRAWL.c.site_id)
        if site_id is not None:
            last = last.where(CRAWL.c.site_id == site_id)
        latest = last.subquery()
        site = (SITE.c.id, SITE.c.host, SITE.c.start_url, SITE.c.next_crawl_at, SITE.c.lease_owner, SITE.c.leased_until)
        crawl = (CRAWL.c.id, CRAWL.c.started_at, CRAWL.c.finished_at, CRAWL.c.reason, CRAWL.c.stats)
        chosen = (
            select(*site, *crawl, SITE.c.paused_at, SITE.c.reach, SITE.c.options)
            .select_from(SITE)
            .outerjoin(latest, latest.c.site_id == SITE.c.id)
            .outerjoin(CRAWL, CRAWL.c.id == latest.c.last)
            .order_by(SITE.c.host)
        )
        if site_id is not None:
            chosen = chosen.where(SITE.c.id == site_id)
        held, failing = self._held(site_id), self._count(HOST.c.site_id, site_id)
        refused, layouts = self._count(REJECTION.c.site_id, site_id), self._layouts(site_id)
        found = []
        for *row, stats, paused_at, reach, options in self.session.execute(chosen):
            number, crawl_id = row[0], row[6]
            if crawl_id is None and reach is not None and options is None:
                continue  # only the addresses of the site are recorded
            live, fresh = layouts.get(number, (0, {}))
            new = fresh.get(crawl_id, 0) if live > 1 else 0
            counts = (held.get(number, 0), failing.get(number, 0), refused.get(number, 0), live, new)
            found.append(SiteState._make((*row, stats or {}, *counts, paused_at, row[7])))
        earlier = self._crawled([one.id for one in found if one.ended in WITHOUT_REQUESTS])
        return [one._replace(crawled_at=earlier.get(one.id)) if one.ended in WITHOUT_REQUESTS else one for one in found]

    def _crawled(self, site_ids: Collection[int]) -> dict[int, dt.datetime]:
        """Return the start of the last crawl that requested pages, by site."""
        if not site_ids:
            return {}
        rows = self.session.execute(
            select(CRAWL.c.site_id, func.max(CRAWL.c.started_at))
            .where(CRAWL.c.site_id.in_(site_ids), requested())
            .group_by(CRAWL.c.site_id)
        )
        return {row[0]: row[1] for row in rows}

    def _held(self, site_id: int | None) -> dict[int, int]:
        held = select(PAGE.c.site_id, func.count()).where(PAGE.c.deletion.is_not(None)).group_by(PAGE.c.site_id)
        if site_id is not None:
            held = held.where(PAGE.c.site_id == site_id)
        return {row[0]: row[1] for row in self.session.execute(held)}

    def _count(self, column: ColumnElement[int], site_id: int | None) -> dict[int, int]:
        rows = select(column, func.count()).group_by(column)
        if site_id is not None:
            rows = rows.where(column == site_id)
        return {row[0]: row[1] for row in self.session.execute(rows)}

    def _layouts(self, site_id: int | None) -> dict[int, tuple[int, dict[int, int]]]:
        """Return by site (number of layouts in use, their numbers by the crawl that first published them)."""
        rows = select(TEMPLATE.c.site_id, TEMPLATE.c.crawl_id).where(TEMPLATE.c.retired_at.is_(None))
        if site_id is not None:
            rows = rows.where(TEMPLATE.c.site_id == site_id)
        found: dict[int, tuple[int, dict[int, int]]] = {}
        for key, crawl_id in self.session.execute(rows):
            live, crawls = found.get(key, (0, {}))
            found[key] = live + 1, {**crawls, crawl_id or 0: crawls.get(crawl_id or 0, 0) + 1}
        return found

    def known(self, site_ids: Collection[int]) -> dict[int, int]:
        """Return the number of known URLs of sites."""
        rows = select(PAGE.c.site_id, func.count()).where(PAGE.c.site_id.in_(site_ids)).group_by(PAGE.c.site_id)
        return {row[0]: row[1] for row in self.session.execute(rows)}

    def sample(self, site_id: int, limit: int = SAMPLED) -> ContentSample:
        """Return the figures of a random sample of at most `limit` contents of a site."""
        rows = self.session.execute(
            select(CONTENT.c.kind, CONTENT.c.confidence)
            .where(CONTENT.c.site_id == site_id, CONTENT.c.status != RowStatus.GONE)
            .order_by(CONTENT.c.url_key)
            .limit(limit)
        ).all()
        sure = [confidence for kind, confidence in rows if kind == Kind.CONTENT]
        kinds = [kind for kind, _ in rows]
        mean = sum(sure) / len(sure) if sure else None
        return ContentSample(len(rows), kinds.count(Kind.NONE), kinds.count(Kind.LISTING), mean)

    def counts(self, site_id: int) -> PageCounts:
        """Return the numbers of a site's pages by status and by layout, and of its held deletions."""
        rows = self.session.execute(
            select(PAGE.c.status, PAGE.c.layout, func.count(), func.count(PAGE.c.deletion))
            .where(PAGE.c.site_id == site_id)
            .group_by(PAGE.c.status, PAGE.c.layout)
        )
        statuses: dict[PageStatus, int] = {}
        layouts: dict[int, int] = {}
        held = 0
        for number, layout, pages, doomed in rows:
            status = PageStatus(number)
            statuses[status] = statuses.get(status, 0) + pages
            if layout is not None:
                layouts[layout] = layouts.get(layout, 0) + pages
            held += doomed
        return PageCounts(dict(sorted(statuses.items())), dict(sorted(layouts.items())), held)

    def pages(
        self, site_id: int, wanted: PageFilter, *, offset: int = 0, limit: int = 50, by_url: bool = True
    ) -> list[PageRow]:
        """Return `limit` pages of a site after the first `offset`, by URL, or by key, which needs no sorting."""
        chosen = [PAGE.c.site_id == site_id]
        if wanted.statuses:
            chosen.append(PAGE.c.status.in_([int(one) for one in wanted.statuses]))
        if wanted.layout is not None:
            chosen.append(PAGE.c.layout == wanted.layout)
        if wanted.held:
            chosen.append(PAGE.c.deletion.is_not(None))
        if wanted.text:
            spelled = (PAGE.c.url.icontains(one, autoescape=True) for one in spellings(wanted.text))
            chosen.append(or_(*spelled))
        order = (PAGE.c.url, PAGE.c.url_key) if by_url else (PAGE.c.url_key,)
        part = select(PAGE.c.url_key).where(*chosen).order_by(*order).offset(offset).limit(limit)
        keys = list(self.session.scalars(part))
        return self.rows(site_id, keys)

    def rows(self, site_id: int, keys: Collection[int]) -> list[PageRow]:
        """Return these pages of a site, in the order given; unknown ones are left out."""
        page = (PAGE.c.url_key, PAGE.c.url, PAGE.c.status, PAGE.c.reason, PAGE.c.http_status, PAGE.c.layout)
        content = (CONTENT.c.kind, CONTENT.c.title, CONTENT.c.words, CONTENT.c.confidence)
        rows = self.session.execute(
            select(*page, PAGE.c.deletion, PAGE.c.fetched_at, *content)
            .select_from(PAGE)
            .outerjoin(CONTENT, CONTENT_OF_PAGE)
            .where(PAGE.c.site_id == site_id, PAGE.c.url_key.in_(keys))
        )
        found = {row[0]: PageRow._make((*row[:2], PageStatus(row[2]), *row[3:])) for row in rows}
        return [found[key] for key in keys if key in found]

    def doubtful(self, site_id: int, limit: int, sample: int) -> list[PageRow]:
        """Return the pages of a random sample without main content or with the lowest confidence, worst first."""
        rows = self.session.execute(
            select(CONTENT.c.url_key, CONTENT.c.kind, CONTENT.c.confidence)
            .where(CONTENT.c.site_id == site_id, CONTENT.c.status != RowStatus.GONE)
            .order_by(CONTENT.c.url_key)
            .limit(sample)
        )
        worst = sorted((confidence if kind != Kind.NONE else -1.0, key) for key, kind, confidence in rows)
        return self.rows(site_id, [key for _, key in worst[:limit]])
