"""Sitemaps and feeds of a site, and their dates of known pages."""

import datetime as dt
from collections.abc import Collection, Iterable, Mapping
from enum import IntEnum
from typing import Final, NamedTuple

from sqlalchemy import ColumnElement, func, select, update

from sitecrawl.dom.text import printable
from sitecrawl.page_kind import Kind
from sitecrawl.slices import slices
from sitecrawl.storage.db.session import Row, Session
from sitecrawl.storage.db.upsert import upsert
from sitecrawl.storage.pages import CHUNK, KEY, PageRepository, PageStatus
from sitecrawl.storage.tables.models import CONTENT, CONTENT_OF_PAGE, PAGE, SOURCE

WRONG_DATES: Final = 3
"""Minimum number of pages with a wrong date for which no date of their sitemap or feed saves a visit. Own choice."""


class SourceKind(IntEnum):
    """The kind of a source."""

    SITEMAP = 1
    FEED = 2


class StoredSource(NamedTuple):
    """A sitemap or feed as last read."""

    url_key: int
    url: str
    kind: SourceKind
    parent: int | None = None
    """`url_key` of the sitemap index that lists it."""
    etag: str | None = None
    last_modified: str | None = None
    read_at: dt.datetime | None = None
    problem: str | None = None
    pages: int = 0


class SkippedPage(NamedTuple):
    """A page whose visit is skipped, since its site reports it as unchanged."""

    url_key: int
    not_modified: int
    interval: int | None
    next_fetch_at: dt.datetime | None


class SourceRepository:
    """Reads and writes `source`, and `page.lastmod`."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def all(self, site_id: int) -> list[StoredSource]:
        """Return the sources of a site, by key."""
        columns = (SOURCE.c[name] for name in StoredSource._fields)
        rows = self.session.execute(select(*columns).where(SOURCE.c.site_id == site_id).order_by(SOURCE.c.url_key))
        found = [StoredSource(*row) for row in rows]
        return [source._replace(kind=SourceKind(source.kind)) for source in found]

    def put(self, site_id: int, source: StoredSource) -> None:
        """Store the result of reading a source; after a failure the earlier validators and time stay."""
        row = {
            **source._asdict(),
            "site_id": site_id,
            "kind": int(source.kind),
            "url": printable(source.url),
            "etag": printable(source.etag) if source.etag else None,
            "last_modified": printable(source.last_modified) if source.last_modified else None,
            "problem": printable(source.problem)[:500] if source.problem else None,
        }
        changed = ["url", "kind", "parent", "problem"]
        if source.read_at is not None:
            changed += ["etag", "last_modified", "read_at", "pages"]
        upsert(self.session, SOURCE, [row], KEY, lambda new: {name: new[name] for name in changed})

    def read_again(self, site_id: int, url_key: int, now: dt.datetime) -> None:
        """Record that a source has not changed."""
        self.session.execute(
            update(SOURCE).where(SOURCE.c.site_id == site_id, SOURCE.c.url_key == url_key).values(read_at=now)
        )

    def announce(self, site_id: int, source: int, dates: Mapping[int, dt.datetime]) -> dict[int, dt.datetime]:
        """Store the modification dates of a source, by `url_key`; return those that differ from the stored ones.

        A date that is the same as before is no news. Unknown URLs are skipped. Dates that the source no longer has are
        deleted.
        """
        moved: dict[int, dt.datetime] = {}
        given: list[int] = []
        for keys in slices(sorted(dates), CHUNK):
            rows = self.session.execute(
                select(PAGE.c.url_key, PAGE.c.lastmod, PAGE.c.lastmod_source).where(
                    PAGE.c.site_id == site_id, PAGE.c.url_key.in_(keys)
                )
            ).all()
            moved |= {key: dates[key] for key, before, _ in rows if dates[key] != before}
            given += [key for key, before, by in rows if dates[key] != before or by != source]
        mine = select(PAGE.c.url_key).where(PAGE.c.site_id == site_id, PAGE.c.lastmod_source == source)
        gone = [key for key in self.session.scalars(mine).all() if key not in dates]
        written: list[Row] = [{"url_key": key, "lastmod": dates[key], "lastmod_source": source} for key in given]
        written += [{"url_key": key, "lastmod": None, "lastmod_source": None} for key in gone]
        PageRepository(self.session).amend(site_id, written)
        return moved

    def unchanged(self, site_id: int, crawl_id: int, confirmed: Collection[int]) -> list[SkippedPage]:
        """Return the pages that need no visit in this crawl, since the site reports them as unchanged.

        Such a page meets all of these conditions. Its date is from a `confirmed` source, one that was read in this
        crawl or has not changed. Its last fetch was later than that date and found it unchanged. It has main content,
        since lists change without a date. A page whose date was wrong is visited, and so are all pages of a source
        with `WRONG_DATES` such pages.
        """
        trusted = sorted(set(confirmed).difference(self._wrong(site_id)))
        rows = self.session.execute(
            select(PAGE.c.url_key, PAGE.c.not_modified, PAGE.c.fetch_interval, PAGE.c.next_fetch_at)
            .join(CONTENT, CONTENT_OF_PAGE)
            .where(
                PAGE.c.site_id == site_id,
                PAGE.c.crawl_id != crawl_id,
                PAGE.c.deletion.is_(None),
                PAGE.c.status == int(PageStatus.UNCHANGED),
                PAGE.c.lastmod < PAGE.c.fetched_at,
                PAGE.c.lastmod_source.in_(trusted),
                ~_has_wrong_date(),
                PAGE.c.depth > 0,
                CONTENT.c.kind == Kind.CONTENT,
            )
            .order_by(PAGE.c.discovery)
        )
        return [SkippedPage(*row) for row in rows]

    def _wrong(self, site_id: int) -> list[int]:
        """Return the sources with too many wrong dates, by `url_key`."""
        source = PAGE.c.lastmod_source
        counted = select(source).where(PAGE.c.site_id == site_id, source.is_not(None), _has_wrong_date())
        return list(self.session.scalars(counted.group_by(source).having(func.count() >= WRONG_DATES)))

    def skip(self, site_id: int, pages: Iterable[SkippedPage], crawl_id: int, now: dt.datetime) -> None:
        """Settle pages in a crawl without a visit, as if a visit had found them unchanged."""
        rows = [
            {
                "url_key": page.url_key,
                "crawl_id": crawl_id,
                "not_modified": page.not_modified + 1,
                "next_fetch_at": now + dt.timedelta(seconds=page.interval) if page.interval else page.next_fetch_at,
            }
            for page in pages
        ]
        PageRepository(self.session).amend(site_id, rows)


def _has_wrong_date() -> ColumnElement[bool]:
    """Return the condition that a page changed after its first fetch, although its date is older than its discovery."""
    return (PAGE.c.changes > 0) & (PAGE.c.lastmod < PAGE.c.discovered_at)
