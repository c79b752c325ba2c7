"""Reads all stored content of sites page by page, in the order of URLs, in bounded memory.

Each call is one short statement: a long transaction would keep SQLite from emptying its log while a crawl writes.
"""

import datetime as dt
from collections.abc import Collection, Iterator, Sequence
from typing import Final, NamedTuple

from sqlalchemy import ColumnElement, and_, collate, func, or_, select

from sitecrawl.metadata.fields import RowStatus
from sitecrawl.storage.db.session import Session
from sitecrawl.storage.records import RECORDED, ContentRecord, content_record, withheld
from sitecrawl.storage.tables.models import CONTENT, CONTENT_OF_PAGE, CRAWL, PAGE, SITE

LISTED: Final = 5000
"""URLs of a site listed by one statement, which reads all of them to sort them."""
READ: Final = 200
"""Maximum contents in memory."""
BYTES: Final = {"sqlite": "BINARY", "postgresql": "C"}
"""The collation that sorts by bytes, by dialect."""


class ListedPage(NamedTuple):
    """A page in the order of an export."""

    url: str
    url_key: int


class SitePage(NamedTuple):
    """A page of one of several sites."""

    site_id: int
    host: str
    page: ListedPage


class KeptContent(NamedTuple):
    """The current main content of a page, with the facts about the page that its row needs."""

    record: ContentRecord
    url: str
    http_status: int | None
    depth: int
    changed_at: dt.datetime | None
    """Time of the visit that found this text."""
    status: RowStatus = RowStatus.NEW
    """The status of its last row in the feed."""
    discovered_at: dt.datetime | None = None
    noindex: bool = False
    """Whether the page asks not to be indexed."""


class Chosen(NamedTuple):
    """The conditions on the contents of an export."""

    kind: str | None = None
    """The kind of the contents to read; None for all kinds. With `since` or `last_crawl`, deleted contents are read,
    and those that may have been of this kind before."""
    since: dt.datetime | None = None
    """Only contents that were found new or changed, or deleted, since then."""
    last_crawl: bool = False
    """Only contents that the last crawl of the site found new or changed, or deleted."""

    @property
    def all_live(self) -> bool:
        """Whether all live pages are read, and no deleted ones."""
        return self.since is None and not self.last_crawl

    def has(self, kind: str) -> bool:
        """Return whether contents of a kind are read."""
        return self.kind is None or self.kind == kind


class ExportRepository:
    """Reads the current `page` and `content`; deleted pages only if `Chosen` asks for changes."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def count(self, site_ids: Collection[int] | None, chosen: Chosen = Chosen()) -> int:  # noqa: B008  (a value)
        """Return the number of chosen contents of sites; `site_ids` is None for all sites."""
        wanted = [*_of_sites(site_ids), *_wanted(chosen)]
        counted = select(func.count()).select_from(CONTENT).join(PAGE, CONTENT_OF_PAGE).where(*wanted)
        return self.session.number(counted)

    def newest(self, site_ids: Collection[int] | None, chosen: Chosen, start: int, limit: int) -> list[SitePage]:
        """Return at most `limit` pages with chosen contents, last extracted first, after the first `start`."""
        rows = self.session.execute(
            select(CONTENT.c.site_id, SITE.c.host, PAGE.c.url, PAGE.c.url_key)
            .select_from(CONTENT)
            .join(PAGE, CONTENT_OF_PAGE)
            .join(SITE, SITE.c.id == CONTENT.c.site_id)
            .where(*_of_sites(site_ids), *_wanted(chosen))
            .order_by(CONTENT.c.extracted_at.desc(), SITE.c.host, PAGE.c.url, PAGE.c.url_key)
            .limit(limit)
            .offset(start)
        )
        return [SitePage(site_id, host, ListedPage(url, key)) for site_id, host, url, key in rows]

    def pages(self, site_id: int, after: ListedPage | None, limit: int = LISTED) -> list[ListedPage]:
        """Return the next pages of a site after a page, by the bytes of their URLs (the same order on any database)."""
        url = collate(PAGE.c.url, BYTES[self.session.get_bind().dialect.name])
        chosen = [PAGE.c.site_id == site_id]
        if after is not None:
            chosen.append(or_(url > after.url, and_(url == after.url, PAGE.c.url_key > after.url_key)))
        rows = self.session.execute(
            select(PAGE.c.url, PAGE.c.url_key).where(*chosen).order_by(url, PAGE.c.url_key).limit(limit)
        )
        return [ListedPage(*row) for row in rows]

    def contents(
        self,
        site_id: int,
        pages: Sequence[ListedPage],
        chosen: Chosen = Chosen(),  # noqa: B008  (a value)
    ) -> Iterator[KeptContent]:
        """Yield the chosen contents of pages in their order; pages without content are skipped."""
        found = {one.record.url_key: one for one in self._contents(site_id, pages, chosen)}
        for page in pages:
            if page.url_key in found:
                yield found[page.url_key]

    def _contents(self, site_id: int, pages: Sequence[ListedPage], chosen: Chosen) -> Iterator[KeptContent]:
        state = (CONTENT.c.status, PAGE.c.discovered_at, CONTENT.c.indexed, PAGE.c.reason)
        rows = self.session.execute(
            select(PAGE.c.url, PAGE.c.http_status, PAGE.c.depth, PAGE.c.changed_at, *state, *RECORDED)
            .select_from(CONTENT)
            .join(PAGE, CONTENT_OF_PAGE)
            .where(
                CONTENT.c.site_id == site_id,
                CONTENT.c.url_key.in_([page.url_key for page in pages]),
                *_wanted(chosen),
            )
        )
        for url, http_status, depth, changed_at, status, discovered_at, indexed, reason, *columns in rows:
            record = content_record(columns)
            noindex = withheld(indexed=indexed, duplicate_of=record.duplicate_of, reason=reason)
            yield KeptContent(
                record, url, http_status, depth, changed_at, RowStatus(status), discovered_at, noindex=noindex
            )


def _of_sites(site_ids: Collection[int] | None) -> list[ColumnElement[bool]]:
    return [] if site_ids is None else [CONTENT.c.site_id.in_(site_ids)]


def _wanted(chosen: Chosen) -> list[ColumnElement[bool]]:
    gone = CONTENT.c.status == RowStatus.GONE
    wanted: list[ColumnElement[bool]] = [~gone] if chosen.all_live else []
    if chosen.kind is not None and chosen.all_live:
        wanted.append(CONTENT.c.kind == chosen.kind)
    elif chosen.kind is not None:  # a deleted page is of no kind; one that was known may have been of this kind
        known = CONTENT.c.status == RowStatus.CHANGED if chosen.since is None else PAGE.c.discovered_at < chosen.since
        wanted.append(or_(gone, CONTENT.c.kind == chosen.kind, known))
    if chosen.since is not None:  # if only the kind of a page changed, `extracted_at` stays and `changed_at` moves
        wanted.append(or_(CONTENT.c.extracted_at >= chosen.since, PAGE.c.changed_at >= chosen.since))
    if chosen.last_crawl:
        last = select(func.max(CRAWL.c.id)).where(CRAWL.c.site_id == CONTENT.c.site_id).scalar_subquery()
        wanted += [CONTENT.c.status != RowStatus.UNCHANGED, CONTENT.c.crawl_id == last]
    return wanted
