"""Bodies of pages, and the links read from them."""

import datetime as dt
import struct
from collections.abc import Sequence
from typing import Final, NamedTuple

import zstandard
from sqlalchemy import bindparam, delete, func, select

from sitecrawl.errors import DamagedBodyError, StorageError
from sitecrawl.storage.body_store import IN_ROW, MARK, NO_STORE, store_of
from sitecrawl.storage.db.prepared import PreparedChange, PreparedSelect
from sitecrawl.storage.db.session import Session
from sitecrawl.storage.db.upsert import Excluded, upsert
from sitecrawl.storage.page_change import Fetch
from sitecrawl.storage.page_state import GOOD, PageStatus
from sitecrawl.storage.tables.models import BODY, BODY_OF_PAGE, LINKS, PAGE

KEY: Final = ("site_id", "url_key")
LEVEL: Final = 3
"""zstd level: a 95 KB page becomes 7 KB; zlib gives 16 KB in 9 times the time."""
SAMPLE: Final = 20
"""Bodies of a site that are checked before its crawl: those with the lowest keys, a random sample."""

_DAMAGED: Final = "the stored body is damaged; crawl the site again"


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
    layout: int | None = None


_STORED: Final = PreparedSelect(
    select(*(BODY.c.html if name == "html" else PAGE.c[name] for name in StoredPage._fields))
    .outerjoin_from(PAGE, BODY, BODY_OF_PAGE)
    .where(PAGE.c.site_id == bindparam("b_site"), PAGE.c.url_key == bindparam("b_key"))
)
_HTML: Final = PreparedSelect(
    select(BODY.c.html).where(BODY.c.site_id == bindparam("b_site"), BODY.c.url_key == bindparam("b_key"))
)
_DROP: Final = PreparedChange(
    delete(BODY).where(BODY.c.site_id == bindparam("b_site"), BODY.c.url_key == bindparam("b_key"))
)


class BodyRepository:
    """Reads and writes `body` and `links`."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def put(self, site_id: int, fetch: Fetch) -> None:
        """Store the links of a fetched page, and its body if the fetch has one."""
        if fetch.status is not PageStatus.FETCHED:
            return
        key = {"site_id": site_id, "url_key": fetch.url_key}
        links = {**key, "packed": pack(fetch.links)}
        upsert(self.session, LINKS, [links], KEY, _new_links)
        if fetch.html is not None:
            body = zstandard.ZstdCompressor(level=LEVEL).compress(fetch.html.encode("utf-8", "replace"))
            held = store_of(self.session.get_bind()).keep(site_id, body)
            upsert(self.session, BODY, [{**key, "html": held}], KEY, _new_body)

    def check_store(self, site_id: int) -> None:
        """Raise StorageError if a sample of a site's bodies shows that they are in a body store, and none is set."""
        if store_of(self.session.get_bind()) is not IN_ROW:
            return
        begin = func.substr(BODY.c.html, 1, len(MARK), type_=BODY.c.html.type)
        sample = select(begin).where(BODY.c.site_id == site_id).order_by(BODY.c.url_key).limit(SAMPLE)
        if MARK in self.session.scalars(sample).all():
            raise StorageError(NO_STORE)

    def drop(self, site_id: int, url_key: int) -> None:
        """Delete a stored body."""
        _DROP.run(self.session, {"b_site": site_id, "b_key": url_key})

    def stored(self, site_id: int, url_key: int) -> StoredPage | None:
        """Return a page with its body, if there is one. Raises DamagedBodyError if the body is missing or damaged."""
        row = _STORED.first(self.session, {"b_site": site_id, "b_key": url_key})
        if row is None:
            return None
        page = StoredPage(*row)
        html = unpacked(self.session, page.url, row[2]) if row[2] is not None else None
        return page._replace(html=html, sample=tuple(page.sample or ()))

    def fetched(self, site_id: int) -> list[int]:
        """Return the pages of a site that have a stored body, in the order in which they were fetched."""
        return list(
            self.session.scalars(
                select(PAGE.c.url_key)
                .join(BODY, BODY_OF_PAGE)
                .where(PAGE.c.site_id == site_id, PAGE.c.status.in_(GOOD))
                .order_by(PAGE.c.fetch_order, PAGE.c.url_key)
            )
        )


def stored_html(session: Session, site_id: int, url_key: int) -> bytes | None:
    """Return the stored body of a page in UTF-8; None if there is none. Raises DamagedBodyError."""
    (held,) = _HTML.first(session, {"b_site": site_id, "b_key": url_key}) or (None,)
    return None if held is None else _decompressed(session, held)


def unpacked(session: Session, url: str, held: bytes) -> str:
    """Return the HTML of a row of `body`. Raises DamagedBodyError, which names the URL."""
    try:
        return _decompressed(session, held).decode("utf-8")
    except UnicodeDecodeError as error:
        raise DamagedBodyError(f"{url}: {_DAMAGED}") from error
    except DamagedBodyError as error:
        raise DamagedBodyError(f"{url}: {error}") from error


def _decompressed(session: Session, held: bytes) -> bytes:
    """Return the decompressed body of a row. Raises DamagedBodyError if it is missing or damaged."""
    try:
        return zstandard.ZstdDecompressor().decompress(store_of(session.get_bind()).read(held))
    except zstandard.ZstdError as error:
        raise DamagedBodyError(_DAMAGED) from error


def pack(keys: Sequence[int]) -> bytes:
    """Return `url_key`s as 8 bytes each."""
    return struct.pack(f">{len(keys)}q", *keys)


def unpack(packed: bytes) -> tuple[int, ...]:
    """Return packed `url_key`s."""
    return struct.unpack(f">{len(packed) // 8}q", packed[: len(packed) // 8 * 8])


def _new_links(new: Excluded) -> dict[str, object]:
    return {"packed": new.packed}


def _new_body(new: Excluded) -> dict[str, object]:
    return {"html": new.html}
