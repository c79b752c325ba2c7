"""Pages of a site: the frontier, how each was fetched, and its stored body. Nothing else writes the table `page`."""

import datetime as dt
import struct
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, Final, NamedTuple

import zstandard
from sqlalchemy import ColumnElement, bindparam, delete, func, or_, select, update

from sitecrawl.dom.text import printable
from sitecrawl.errors import DamagedBodyError
from sitecrawl.links.discovered import Discovered
from sitecrawl.links.traps import MANY_WORDS
from sitecrawl.storage.db.prepared import Prepared
from sitecrawl.storage.db.session import Session
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
from sitecrawl.storage.page_state import PageState, PageStatus, page_state
from sitecrawl.storage.tables.models import BodyRow, ContentRow, LinksRow, PageRow

__all__ = ["DuePage", "Fetch", "PageChange", "PageRepository", "PageState", "PageStatus", "Placement", "StoredPage"]

KEY: Final = ("site_id", "url_key")
CHUNK: Final = 500
STREAMED: Final = 2000
"""Rows that are in memory at once when a whole site is read."""
LEVEL: Final = 3
"""zstd level: 7 KB of a 95 KB page at 9 times the speed of zlib (ECOSYSTEM D)."""


GOOD: Final = (int(PageStatus.FETCHED), int(PageStatus.UNCHANGED))
"""The page was found, with a body or a 304."""


class DuePage(NamedTuple):
    """A URL to fetch."""

    url_key: int
    url: str
    depth: int
    priority: int
    etag: str | None = None
    last_modified: str | None = None
    """Validators to ask with, when a 304 would be enough."""


class StoredPage(NamedTuple):
    """A page with its body."""

    url_key: int
    url: str
    html: str | None
    reason: str | None
    http_status: int | None
    depth: int
    fetched_at: dt.datetime | None
    sample: tuple[int, ...]
    learned_version: int | None
    content_language: str | None = None


_STORED: Final = Prepared(
    select(*(BodyRow.html if name == "html" else getattr(PageRow, name) for name in StoredPage._fields))
    .outerjoin_from(PageRow, BodyRow, (BodyRow.site_id == PageRow.site_id) & (BodyRow.url_key == PageRow.url_key))
    .where(PageRow.site_id == bindparam("b_site"), PageRow.url_key == bindparam("b_key"))
)
_DROP_BODY: Final = Prepared(
    delete(BodyRow).where(BodyRow.site_id == bindparam("b_site"), BodyRow.url_key == bindparam("b_key"))
)


class PageRepository:
    """Reads and writes `page` and `body`."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def known(self, site_id: int) -> Iterator[tuple[int, int, int | None]]:
        """Yield (url_key, status, crawl in which it was settled) of every known URL."""
        rows = self.session.execute(
            select(PageRow.url_key, PageRow.status, PageRow.crawl_id)
            .where(PageRow.site_id == site_id)
            .execution_options(yield_per=STREAMED)
        )
        yield from rows

    def outcomes(self, site_id: int) -> Iterator[tuple[int, str, bool | None]]:
        """Yield (url_key, URL, whether its page holds main content that no other page has), as they were found.

        None stands for a URL without a page that was extracted.
        """
        said = ((ContentRow.kind == "content") & (ContentRow.words > 0)) | (ContentRow.words >= MANY_WORDS)
        own = said & ContentRow.duplicate_of.is_(None)
        rows = self.session.execute(
            select(PageRow.url_key, PageRow.url, own)
            .select_from(PageRow)
            .outerjoin(ContentRow, (ContentRow.site_id == PageRow.site_id) & (ContentRow.url_key == PageRow.url_key))
            .where(PageRow.site_id == site_id)
            .order_by(PageRow.discovery)
            .execution_options(yield_per=STREAMED)
        )
        for key, url, content in rows:
            yield key, url, None if content is None else bool(content)

    def linked_since(self, site_id: int, since: dt.datetime) -> Iterator[tuple[int, str]]:
        """Yield (url_key, URL) of the pages that links led to first since a moment."""
        rows = self.session.execute(
            select(PageRow.url_key, PageRow.url)
            .where(PageRow.site_id == site_id, PageRow.discovered_at >= since, PageRow.hyperlink_distance.is_not(None))
            .execution_options(yield_per=STREAMED)
        )
        yield from rows

    def last_discovery(self, site_id: int) -> int:
        """Return the sequence number of the last URL found, 0 for none."""
        return self.session.scalar(select(func.max(PageRow.discovery)).where(PageRow.site_id == site_id)) or 0

    def discover(self, site_id: int, found: Iterable[Discovered], now: dt.datetime) -> None:
        """Add URLs that are new; known ones stay as they are."""
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
            # of a URL that was found twice the more urgent finding comes last and stays, then the earlier one
            for one in sorted(found, key=lambda one: (one.priority, -one.discovery))
        }
        insert_missing(self.session, PageRow, list(rows.values()), KEY)

    def state(self, site_id: int, url_key: int, *, content: bool = True) -> PageState:
        """Return what is stored of a page, without its `content` if that is off; a new page has an empty state."""
        return page_state(self.session, site_id, url_key, content=content)

    def record(self, site_id: int, fetches: Sequence[Fetch]) -> None:
        """Store how URLs ended; a failure leaves the body and validators of an earlier good fetch alone."""
        for fetch in sorted(fetches):
            state = self.state(site_id, fetch.url_key, content=False)
            self.write(site_id, PageChange(fetch.url_key, state, fetch))
            self.put_body(site_id, fetch)

    def write(self, site_id: int, change: PageChange) -> None:
        """Write the row of a page, once, with all that a visit changes in it."""
        changed = changed_columns(change)
        key = {"site_id": site_id, "url_key": change.url_key}
        if change.fetch is None:
            update_rows(self.session, PageRow, [{**key, **changed}] if changed else [], KEY)
            return
        row = {**new_columns(change.fetch), **changed, **key}
        upsert(self.session, PageRow, [row], KEY, _setting(tuple(changed)))

    def amend(self, site_id: int, rows: Iterable[Mapping[str, Any]]) -> None:
        """Set columns of pages that are there; all rows name the same columns, `url_key` among them."""
        update_rows(self.session, PageRow, [{"site_id": site_id, **row} for row in rows], KEY)

    def bring_down(self, site_id: int, horizon: dt.datetime, why: str, *, dead: bool) -> None:
        """Bring visits that are planned after `horizon` down to it: those to dead links, or those to all others."""
        status = PageRow.status == int(PageStatus.DEAD)
        self.session.execute(
            update(PageRow)
            .where(PageRow.site_id == site_id, PageRow.next_fetch_at > horizon, status if dead else ~status)
            .values(next_fetch_at=horizon, next_reason=why)
        )

    def answered(self, site_id: int) -> bool:
        """Say whether a server has ever answered for a page of a site."""
        asked = select(PageRow.url_key).where(PageRow.site_id == site_id, PageRow.http_status.is_not(None)).limit(1)
        return self.session.scalar(asked) is not None

    def left(self, site_id: int, url_key: int, why: str) -> None:
        """Note why a URL that was never fetched is left to a later crawl; others keep their state and its reason."""
        self.session.execute(
            update(PageRow)
            .where(
                PageRow.site_id == site_id,
                PageRow.url_key == url_key,
                PageRow.status == int(PageStatus.DISCOVERED),
            )
            .values(reason=printable(why)[:REASON_LENGTH])
        )

    def put_body(self, site_id: int, fetch: Fetch) -> None:
        """Store the links of a page that was found, and its body if the fetch has one."""
        if fetch.status is not PageStatus.FETCHED:
            return
        key = {"site_id": site_id, "url_key": fetch.url_key}
        links = {**key, "keys": pack(fetch.links)}
        upsert(self.session, LinksRow, [links], KEY, _new_links)
        if fetch.html is not None:
            body = zstandard.ZstdCompressor(level=LEVEL).compress(fetch.html.encode("utf-8", "replace"))
            upsert(self.session, BodyRow, [{**key, "html": body}], KEY, _new_body)

    def frontier(
        self, site_id: int, crawl_id: int, now: dt.datetime, limit: int, excluded: Collection[int] = ()
    ) -> list[DuePage]:
        """Return pages not settled in this crawl: never fetched ones first, then by priority and discovery.

        Dead links are left out until they are due, and pages that may not be asked for at `now`.
        """
        alive = PageRow.status != int(PageStatus.DEAD)
        due = or_(alive, PageRow.next_fetch_at.is_(None), PageRow.next_fetch_at <= now)
        rows = self.session.execute(
            select(PageRow.url_key, PageRow.url, PageRow.depth, PageRow.priority)
            .where(
                PageRow.site_id == site_id,
                or_(PageRow.crawl_id.is_(None), PageRow.crawl_id != crawl_id),
                due,
                may_be_asked(now),
            )
            .order_by(PageRow.crawl_id.is_not(None), PageRow.priority.desc(), PageRow.discovery)
            .limit(limit + len(excluded))
        )
        skipped = set(excluded)
        return [DuePage(*row) for row in rows if row.url_key not in skipped][:limit]

    def waiting(self, site_id: int, crawl_id: int) -> list[int]:
        """Return the pages of this crawl whose content is still to be extracted, as fetched."""
        return list(
            self.session.scalars(
                select(PageRow.url_key)
                .outerjoin(
                    ContentRow,
                    (ContentRow.site_id == PageRow.site_id)
                    & (ContentRow.url_key == PageRow.url_key)
                    & (ContentRow.crawl_id == crawl_id),
                )
                .where(
                    PageRow.site_id == site_id,
                    PageRow.crawl_id == crawl_id,
                    PageRow.status == int(PageStatus.FETCHED),
                    ContentRow.url_key.is_(None),
                )
                .order_by(PageRow.fetch_order)
            )
        )

    def first_fetched(self, site_id: int, limit: int) -> list[int]:
        """Return the pages of a site that are kept with their bodies, in the order in which they were fetched."""
        with_body = (BodyRow.site_id == PageRow.site_id) & (BodyRow.url_key == PageRow.url_key)
        return list(
            self.session.scalars(
                select(PageRow.url_key)
                .join(BodyRow, with_body)
                .where(PageRow.site_id == site_id, PageRow.status.in_(GOOD))
                .order_by(PageRow.fetch_order, PageRow.url_key)
                .limit(limit)
            )
        )

    def unlearned(self, site_id: int, crawl_id: int) -> list[int]:
        """Return the pages of this crawl that were learned but not yet added to the stored template."""
        return list(
            self.session.scalars(
                select(PageRow.url_key)
                .where(
                    PageRow.site_id == site_id,
                    PageRow.crawl_id == crawl_id,
                    PageRow.status.in_(GOOD),
                    PageRow.learned_version.is_(None),
                )
                .order_by(PageRow.fetch_order)
            )
        )

    def stored(self, site_id: int, url_key: int) -> StoredPage | None:
        """Return a page with its body, if there is one. Raises DamagedBodyError when the body is damaged."""
        row = _STORED.first(self.session, {"b_site": site_id, "b_key": url_key})
        if row is None:
            return None
        page = StoredPage(*row)
        html = unpacked(page.url, row[2]) if row[2] is not None else None
        return page._replace(html=html, sample=tuple(page.sample or ()))

    def mark_learned(self, site_id: int, url_keys: Collection[int], version: int) -> None:
        """Note in which template version pages were counted; 0 for pages that were passed over."""
        self.amend(site_id, [{"url_key": key, "learned_version": version} for key in sorted(url_keys)])

    def forget_learned(self, site_id: int) -> None:
        """Note that no page is counted any more; each keeps its layout."""
        self.session.execute(update(PageRow).where(PageRow.site_id == site_id).values(learned_version=None))

    def forget_layouts(self, site_id: int) -> None:
        """Note that no page is counted any more, and that none has a layout."""
        self.session.execute(
            update(PageRow).where(PageRow.site_id == site_id).values(learned_version=None, layout=None)
        )

    def drop_body(self, site_id: int, url_key: int) -> None:
        """Delete a stored body."""
        _DROP_BODY.run(self.session, {"b_site": site_id, "b_key": url_key})

    def counts(self, site_id: int, crawl_id: int | None = None) -> dict[str, int]:
        """Return the number of URLs by status; of one crawl, how many it settled so."""
        chosen = [PageRow.site_id == site_id]
        if crawl_id is not None:
            chosen.append(PageRow.crawl_id == crawl_id)
        rows = self.session.execute(select(PageRow.status, func.count()).where(*chosen).group_by(PageRow.status))
        return {PageStatus(status).name.lower(): count for status, count in rows}


def may_be_asked(now: dt.datetime) -> ColumnElement[bool]:
    """Return the condition that a page may be asked for at a moment."""
    return or_(PageRow.not_before.is_(None), PageRow.not_before <= now)


def unpacked(url: str, body: bytes) -> str:
    """Return the HTML of a stored body. Raises DamagedBodyError when it is damaged."""
    try:
        return zstandard.ZstdDecompressor().decompress(body).decode("utf-8")
    except (zstandard.ZstdError, UnicodeDecodeError) as error:
        raise DamagedBodyError(f"{url}: the stored body is damaged; crawl the site again") from error


def pack(keys: Sequence[int]) -> bytes:
    """Return `url_key`s as 8 bytes each."""
    return struct.pack(f">{len(keys)}q", *keys)


def unpack(packed: bytes) -> tuple[int, ...]:
    """Return packed `url_key`s."""
    return struct.unpack(f">{len(packed) // 8}q", packed[: len(packed) // 8 * 8])


def _new_links(new: Any) -> dict[str, Any]:
    return {"keys": new["keys"]}


def _new_body(new: Any) -> dict[str, Any]:
    return {"html": new.html}


@cache
def _setting(names: tuple[str, ...]) -> Update:
    """Return what an upsert sets in a row that is there: these columns."""
    return lambda new: {name: new[name] for name in names}
