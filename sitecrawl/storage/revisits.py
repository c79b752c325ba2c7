"""Validators, links and bodies of known pages, read before they are fetched again."""

from collections.abc import Collection, Iterator
from typing import NamedTuple

from sqlalchemy import func, or_, select

from sitecrawl.errors import DamagedBodyError
from sitecrawl.metadata.fields import RowStatus
from sitecrawl.page_kind import Kind
from sitecrawl.slices import slices
from sitecrawl.storage.bodies import stored_html, unpack
from sitecrawl.storage.db.session import Session
from sitecrawl.storage.pages import CHUNK, GOOD, STREAMED
from sitecrawl.storage.records import CANONICAL, NOINDEX
from sitecrawl.storage.tables.models import CONTENT, CONTENT_OF_PAGE, LINKS, PAGE


class Validators(NamedTuple):
    """Validators and other facts of a page's last good response (RFC 9110 section 13)."""

    etag: str | None
    last_modified: str | None
    not_modified: int
    """Number of unchanged responses (304, or an identical body apart from nonces) since the last body that was read."""
    links: tuple[int, ...]
    kind: Kind = Kind.CONTENT
    content_language: str | None = None
    plain: bool = True
    """Whether an identical body means an unchanged page: it has no pending deletion, and was not deleted."""
    noindex: bool = False
    """Whether its body or a header forbade indexing."""


class RevisitRepository:
    """Reads `page`, `content` and `links` of known pages."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def validators(self, site_id: int, url_keys: Collection[int]) -> dict[int, Validators]:
        """Return the validators, by key, of the pages whose last fetch gave a page that was extracted."""
        found = {}
        for keys in slices(sorted(url_keys), CHUNK):
            page = (PAGE.c.url_key, PAGE.c.etag, PAGE.c.last_modified, PAGE.c.not_modified)
            canonical = PAGE.c.reason.startswith(CANONICAL, autoescape=True)
            extracted = or_(PAGE.c.reason.is_(None), PAGE.c.reason == NOINDEX, canonical)
            more = (PAGE.c.content_language, extracted & PAGE.c.deletion.is_(None), PAGE.c.reason == NOINDEX)
            rows = self.session.execute(
                select(*page, LINKS.c.packed, CONTENT.c.kind, *more)
                .select_from(PAGE)
                .join(CONTENT, CONTENT_OF_PAGE)
                .join(LINKS, (LINKS.c.site_id == PAGE.c.site_id) & (LINKS.c.url_key == PAGE.c.url_key))
                .where(
                    PAGE.c.site_id == site_id,
                    PAGE.c.url_key.in_(keys),
                    PAGE.c.status.in_(GOOD),
                )
            )
            for row in rows:
                key, etag, modified, count, packed, kind, language, plain, noindex = row
                found[key] = Validators(
                    etag=etag,
                    last_modified=modified,
                    not_modified=count,
                    links=unpack(packed),
                    kind=kind,
                    content_language=language,
                    plain=bool(plain),
                    noindex=bool(noindex),
                )
        return found

    def body(self, site_id: int, url_key: int) -> bytes | None:
        """Return the stored body of a page in UTF-8; None if there is none, or it is damaged."""
        try:
            return stored_html(self.session, site_id, url_key)
        except DamagedBodyError:
            return None

    def text(self, site_id: int, url_key: int) -> tuple[str, int] | None:
        """Return the digest and length of a page's text; None without text, or if the page is deleted."""
        wanted = (CONTENT.c.site_id == site_id, CONTENT.c.url_key == url_key)
        live = (CONTENT.c.status != RowStatus.GONE, CONTENT.c.words > 0)
        row = self.session.execute(
            select(CONTENT.c.digest, func.length(CONTENT.c.text)).where(*wanted, *live)
        ).one_or_none()
        return (row[0] or "", row[1]) if row is not None else None

    def changed(self, site_id: int, limit: int, most_words: int) -> list[tuple[int, str]]:
        """Return (url_key, earlier text) of the live pages with a short text that were found changed last."""
        rows = self.session.execute(
            select(CONTENT.c.url_key, CONTENT.c.earlier_text)
            .join(PAGE, CONTENT_OF_PAGE)
            .where(
                CONTENT.c.site_id == site_id,
                CONTENT.c.earlier_text.is_not(None),
                CONTENT.c.words.between(1, most_words),
                PAGE.c.status.in_(GOOD),
            )
            .order_by(PAGE.c.changed_at.desc(), PAGE.c.url_key)
            .limit(limit)
        )
        return [(key, earlier) for key, earlier in rows if earlier]

    def reasons(self, site_id: int, beginning: str) -> list[str]:
        """Return the distinct `reason` values of pages that begin with a text."""
        chosen = (PAGE.c.site_id == site_id, PAGE.c.reason.startswith(beginning, autoescape=True))
        return [reason for reason in self.session.scalars(select(PAGE.c.reason).where(*chosen).distinct()) if reason]

    def links_in_order(self, site_id: int, crawl_id: int) -> Iterator[tuple[str, tuple[int, ...]]]:
        """Yield (URL, links) of each page that this crawl found, in the order of fetching."""
        rows = self.session.execute(
            select(PAGE.c.url, LINKS.c.packed)
            .join(LINKS, (LINKS.c.site_id == PAGE.c.site_id) & (LINKS.c.url_key == PAGE.c.url_key))
            .where(PAGE.c.site_id == site_id, PAGE.c.crawl_id == crawl_id, PAGE.c.status.in_(GOOD))
            .order_by(PAGE.c.fetch_order)
            .execution_options(yield_per=STREAMED)
        )
        for url, packed in rows:
            yield url, unpack(packed)

    def links_of(self, site_id: int, url_keys: Collection[int]) -> dict[int, tuple[int, ...]]:
        """Return the links of pages at their last fetch, by key."""
        found = {}
        for keys in slices(sorted(url_keys), CHUNK):
            rows = self.session.execute(
                select(LINKS.c.url_key, LINKS.c.packed).where(LINKS.c.site_id == site_id, LINKS.c.url_key.in_(keys))
            )
            found.update({key: unpack(packed) for key, packed in rows})
        return found

    def links(self, site_id: int, crawl_id: int) -> Iterator[tuple[int, ...]]:
        """Yield the links of each page that this crawl found."""
        rows = self.session.scalars(
            select(LINKS.c.packed)
            .join(PAGE, (LINKS.c.site_id == PAGE.c.site_id) & (LINKS.c.url_key == PAGE.c.url_key))
            .where(PAGE.c.site_id == site_id, PAGE.c.crawl_id == crawl_id, PAGE.c.status.in_(GOOD))
            .execution_options(yield_per=STREAMED)
        )
        for packed in rows:
            yield unpack(packed)
