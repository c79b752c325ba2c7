"""Sitemaps and feeds of a site, and what they say about the pages that are known."""

import datetime as dt
from collections.abc import Iterable, Mapping
from enum import IntEnum
from typing import NamedTuple

from sqlalchemy import select, true, update

from sitecrawl.dom.text import printable
from sitecrawl.storage.db.session import Session
from sitecrawl.storage.db.upsert import upsert
from sitecrawl.storage.pages import CHUNK, KEY, PageRepository, PageStatus
from sitecrawl.storage.tables.models import ContentRow, PageRow, SourceRow


class SourceKind(IntEnum):
    """What a source is."""

    SITEMAP = 1
    FEED = 2


class StoredSource(NamedTuple):
    """A sitemap or feed as it was last read."""

    url_key: int
    url: str
    kind: SourceKind
    parent: int | None = None
    """`url_key` of the index that names it."""
    etag: str | None = None
    last_modified: str | None = None
    read_at: dt.datetime | None = None
    problem: str | None = None
    pages: int = 0


class SkippedPage(NamedTuple):
    """A page that is as it was, by its site's own word."""

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
        columns = (getattr(SourceRow, name) for name in StoredSource._fields)
        rows = self.session.execute(select(*columns).where(SourceRow.site_id == site_id).order_by(SourceRow.url_key))
        found = [StoredSource(*row) for row in rows]
        return [source._replace(kind=SourceKind(source.kind)) for source in found]

    def put(self, site_id: int, source: StoredSource) -> None:
        """Store how a source was read; one that could not be read keeps the validators and the time of before."""
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
        upsert(self.session, SourceRow, [row], KEY, lambda new: {name: new[name] for name in changed})

    def read_again(self, site_id: int, url_key: int, now: dt.datetime) -> None:
        """Note that a source is as it was."""
        self.session.execute(
            update(SourceRow).where(SourceRow.site_id == site_id, SourceRow.url_key == url_key).values(read_at=now)
        )

    def announce(self, site_id: int, dates: Mapping[int, dt.datetime]) -> dict[int, dt.datetime]:
        """Note the latest moments at which pages were changed, by `url_key`; return those that are other than before.

        A date that never moves says nothing twice. URLs that are not known are passed over.
        """
        keys = sorted(dates)
        moved: dict[int, dt.datetime] = {}
        for i in range(0, len(keys), CHUNK):
            rows = self.session.execute(
                select(PageRow.url_key, PageRow.lastmod).where(
                    PageRow.site_id == site_id, PageRow.url_key.in_(keys[i : i + CHUNK])
                )
            ).all()
            moved |= {key: dates[key] for key, before in rows if dates[key] != before}
        if moved:
            PageRepository(self.session).amend(
                site_id, [{"url_key": key, "lastmod": date} for key, date in moved.items()]
            )
        return moved

    def unchanged(self, site_id: int, crawl_id: int, every: int) -> list[SkippedPage]:
        """Return the pages that need no visit in this crawl, because their site says that they are as they were.

        They were last fetched after the date that sitemaps and feeds give them, that fetch found them as they had
        been, they hold main content (lists change without a word), and of `every` visits in a row one is made all
        the same (0 for never), for dates can be wrong.
        """
        rows = self.session.execute(
            select(PageRow.url_key, PageRow.not_modified, PageRow.fetch_interval, PageRow.next_fetch_at)
            .join(ContentRow, (ContentRow.site_id == PageRow.site_id) & (ContentRow.url_key == PageRow.url_key))
            .where(
                PageRow.site_id == site_id,
                PageRow.crawl_id != crawl_id,
                PageRow.deletion.is_(None),
                PageRow.status == int(PageStatus.UNCHANGED),
                PageRow.lastmod < PageRow.fetched_at,
                PageRow.not_modified < every - 1 if every else true(),
                PageRow.depth > 0,
                ContentRow.kind == "content",
            )
            .order_by(PageRow.discovery)
        )
        return [SkippedPage(*row) for row in rows]

    def skip(self, site_id: int, pages: Iterable[SkippedPage], crawl_id: int, now: dt.datetime) -> None:
        """Settle pages in a crawl without a visit; it counts as one that found them as they were."""
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
