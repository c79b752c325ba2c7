"""What is known of a page before it is fetched again: its state, its validators, its links."""

from collections.abc import Collection, Iterator
from typing import Final, NamedTuple

from sqlalchemy import bindparam, select

from sitecrawl.storage.models import ContentRow, LinksRow, PageRow
from sitecrawl.storage.pages import CHUNK, GOOD, STREAMED, PageStatus, unpack
from sitecrawl.storage.prepared import Prepared
from sitecrawl.storage.session import Session

GONE = "gone"
"""`content.status` of a page that was deleted: the row stays, without text."""

_STATE: Final = Prepared(
    select(PageRow.status, PageRow.reason, PageRow.strikes, ContentRow.status, ContentRow.indexed)
    .select_from(PageRow)
    .outerjoin(ContentRow, (ContentRow.site_id == PageRow.site_id) & (ContentRow.url_key == PageRow.url_key))
    .where(PageRow.site_id == bindparam("b_site"), PageRow.url_key == bindparam("b_key"))
)


class Known(NamedTuple):
    """The state of a page."""

    status: PageStatus = PageStatus.DISCOVERED
    reason: str | None = None
    strikes: int = 0
    row: str | None = None
    """Status of its last feed row: `new`, `changed`, `unchanged`, `gone`; None when it never had one."""
    indexed: bool = False
    """Whether a search index was told to hold it."""

    @property
    def live(self) -> bool:
        """Whether those who read the feed have this page."""
        return self.row is not None and self.row != GONE

    @property
    def deleted(self) -> bool:
        """Whether they had it, and were told that it is gone."""
        return self.row == GONE


class Validators(NamedTuple):
    """What a page's last good answer said, to ask whether it still holds (RFC 9110 section 13)."""

    etag: str | None
    last_modified: str | None
    not_modified: int
    """304 answers since the last body."""
    links: tuple[int, ...]
    kind: str = "content"


class RevisitRepository:
    """Reads `page`, `content` and `links` for pages that are known."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def state(self, site_id: int, url_key: int) -> Known:
        """Return the state of a page; that of a new one when it is not there."""
        row = _STATE.first(self.session, {"b_site": site_id, "b_key": url_key})
        return Known() if row is None else Known(PageStatus(row[0]), row[1], row[2], row[3], bool(row[4]))

    def validators(self, site_id: int, url_keys: Collection[int]) -> dict[int, Validators]:
        """Return the validators of those pages that were found and extracted when last fetched, by key."""
        keys, found = sorted(url_keys), {}
        for i in range(0, len(keys), CHUNK):
            page = (PageRow.url_key, PageRow.etag, PageRow.last_modified, PageRow.not_modified)
            rows = self.session.execute(
                select(*page, LinksRow.keys, ContentRow.kind)
                .select_from(PageRow)
                .join(ContentRow, (ContentRow.site_id == PageRow.site_id) & (ContentRow.url_key == PageRow.url_key))
                .join(LinksRow, (LinksRow.site_id == PageRow.site_id) & (LinksRow.url_key == PageRow.url_key))
                .where(
                    PageRow.site_id == site_id,
                    PageRow.url_key.in_(keys[i : i + CHUNK]),
                    PageRow.status.in_(GOOD),
                    PageRow.etag.is_not(None) | PageRow.last_modified.is_not(None),
                )
            )
            found.update({row[0]: Validators(row[1], row[2], row[3], unpack(row[4]), row[5]) for row in rows})
        return found

    def links_in_order(self, site_id: int, crawl_id: int) -> Iterator[tuple[str, tuple[int, ...]]]:
        """Yield (URL, links) of each page that this crawl found, as they were fetched."""
        rows = self.session.execute(
            select(PageRow.url, LinksRow.keys)
            .join(LinksRow, (LinksRow.site_id == PageRow.site_id) & (LinksRow.url_key == PageRow.url_key))
            .where(PageRow.site_id == site_id, PageRow.crawl_id == crawl_id, PageRow.status.in_(GOOD))
            .order_by(PageRow.fetch_order)
            .execution_options(yield_per=STREAMED)
        )
        for url, packed in rows:
            yield url, unpack(packed)

    def links(self, site_id: int, crawl_id: int) -> Iterator[tuple[int, ...]]:
        """Yield the links of each page that this crawl found."""
        rows = self.session.scalars(
            select(LinksRow.keys)
            .join(PageRow, (LinksRow.site_id == PageRow.site_id) & (LinksRow.url_key == PageRow.url_key))
            .where(PageRow.site_id == site_id, PageRow.crawl_id == crawl_id, PageRow.status.in_(GOOD))
            .execution_options(yield_per=STREAMED)
        )
        for packed in rows:
            yield unpack(packed)
