"""All stored content of sites, read page by page in the order of URLs, in bounded memory.

Each call is one short statement: a long transaction would keep SQLite's log from being emptied while a crawl writes.
"""

import datetime as dt
from collections.abc import Collection, Iterator, Sequence
from typing import Final, NamedTuple

from sqlalchemy import ColumnElement, and_, collate, func, or_, select

from sitecrawl.metadata.fields import RowStatus
from sitecrawl.storage.contents import RECORDED, ContentRecord, content_record
from sitecrawl.storage.db.session import Session
from sitecrawl.storage.tables.models import CONTENT, PAGE

LISTED: Final = 5000
"""URLs of a site listed by one statement, which reads all of them to sort them."""
READ: Final = 200
"""Maximum contents in memory."""
BYTES: Final = {"sqlite": "BINARY", "postgresql": "C"}
"""A collation by bytes."""
_SAME_PAGE: Final = (CONTENT.c.site_id == PAGE.c.site_id) & (CONTENT.c.url_key == PAGE.c.url_key)


class ListedPage(NamedTuple):
    """A page in the order of an export."""

    url: str
    url_key: int


class KeptContent(NamedTuple):
    """The current main content of a page, with the facts about the page that its row needs."""

    record: ContentRecord
    url: str
    http_status: int | None
    depth: int
    changed_at: dt.datetime | None
    """The visit that found this text."""


class ExportRepository:
    """Reads the current `page` and `content`; deleted pages are left out."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def count(self, site_ids: Collection[int], kind: str | None = None) -> int:
        """Return the number of contents of sites, of one kind or of all."""
        chosen = [CONTENT.c.site_id.in_(site_ids), *_wanted(kind)]
        return self.session.scalar(select(func.count()).select_from(CONTENT).where(*chosen)) or 0

    def pages(self, site_id: int, after: ListedPage | None, limit: int = LISTED) -> list[ListedPage]:
        """Return the next pages of a site after one, by the bytes of their URLs: the same on every database."""
        url = collate(PAGE.c.url, BYTES[self.session.get_bind().dialect.name])
        chosen = [PAGE.c.site_id == site_id]
        if after is not None:
            chosen.append(or_(url > after.url, and_(url == after.url, PAGE.c.url_key > after.url_key)))
        rows = self.session.execute(
            select(PAGE.c.url, PAGE.c.url_key).where(*chosen).order_by(url, PAGE.c.url_key).limit(limit)
        )
        return [ListedPage(*row) for row in rows]

    def contents(self, site_id: int, pages: Sequence[ListedPage], kind: str | None = None) -> Iterator[KeptContent]:
        """Yield the contents of pages in their order; pages without content are skipped."""
        rows = self.session.execute(
            select(PAGE.c.url, PAGE.c.http_status, PAGE.c.depth, PAGE.c.changed_at, *RECORDED)
            .select_from(CONTENT)
            .join(PAGE, _SAME_PAGE)
            .where(
                CONTENT.c.site_id == site_id,
                CONTENT.c.url_key.in_([page.url_key for page in pages]),
                *_wanted(kind),
            )
        )
        found: dict[int, KeptContent] = {}
        for url, http_status, depth, changed_at, *columns in rows:
            record = content_record(columns)
            found[record.url_key] = KeptContent(record, url, http_status, depth, changed_at)
        for page in pages:
            if page.url_key in found:
                yield found[page.url_key]


def _wanted(kind: str | None) -> list[ColumnElement[bool]]:
    wanted: list[ColumnElement[bool]] = [CONTENT.c.status != RowStatus.GONE]
    if kind is not None:
        wanted.append(CONTENT.c.kind == kind)
    return wanted
