"""What is known of pages before they are fetched again: their validators, their links."""

from collections.abc import Collection, Iterator
from typing import NamedTuple

from sqlalchemy import select

from sitecrawl.storage.db.session import Session
from sitecrawl.storage.pages import CHUNK, GOOD, STREAMED, unpack
from sitecrawl.storage.tables.models import ContentRow, LinksRow, PageRow


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

    def links_of(self, site_id: int, url_keys: Collection[int]) -> dict[int, tuple[int, ...]]:
        """Return the links of pages as last fetched, by their keys."""
        keys, found = sorted(url_keys), {}
        for i in range(0, len(keys), CHUNK):
            rows = self.session.execute(
                select(LinksRow.url_key, LinksRow.keys).where(
                    LinksRow.site_id == site_id, LinksRow.url_key.in_(keys[i : i + CHUNK])
                )
            )
            found.update({key: unpack(packed) for key, packed in rows})
        return found

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
