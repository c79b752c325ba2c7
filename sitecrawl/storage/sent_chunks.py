"""Records which chunks of each page each reader has; a reader is a sink, or the exports of one kind of pages."""

from collections.abc import Collection, Sequence
from typing import Final, NamedTuple

from sqlalchemy import delete, exists, or_, select, update

from sitecrawl.metadata.fields import RowStatus
from sitecrawl.storage.db.session import Session
from sitecrawl.storage.db.upsert import Excluded, upsert
from sitecrawl.storage.outbox import PageKey
from sitecrawl.storage.records import CANONICAL
from sitecrawl.storage.tables.models import CONTENT, PAGE, SENT_CHUNKS, SITE

_KEY: Final = ("reader", "site_id", "url_key")
_READ: Final = tuple(SENT_CHUNKS.c[name] for name in ("site_id", "url_key", "site", "url", "made_of", "chunks", "gone"))


class SentPage(NamedTuple):
    """The chunks of one page that a reader has."""

    key: PageKey
    site: str
    url: str
    made_of: str
    """Fingerprint of the text that the chunks were cut from."""
    chunks: dict[str, int]
    """Time in milliseconds since when the reader has each chunk, by id; 0 if it may not have the chunk."""
    gone: dict[str, int]
    """Time in milliseconds of the deletion of each deleted chunk, by id."""


class SentChunks:
    """Reads and writes `sent_chunks` for one reader."""

    def __init__(self, session: Session, reader: str) -> None:
        self.session, self.reader = session, reader

    def of(self, keys: Collection[PageKey]) -> dict[PageKey, SentPage]:
        """Return the chunks that the reader has of these pages; pages without any are left out."""
        wanted = set(keys)
        rows = self.session.execute(
            select(*_READ).where(
                SENT_CHUNKS.c.reader == self.reader,
                SENT_CHUNKS.c.site_id.in_({key.site_id for key in wanted}),
                SENT_CHUNKS.c.url_key.in_({key.url_key for key in wanted}),
            )
        )
        found = (_page(row) for row in rows)
        return {page.key: page for page in found if page.key in wanted}

    def put(self, pages: Sequence[SentPage]) -> None:
        """Store the chunks of pages that the reader has."""
        rows = [
            {
                **{"reader": self.reader, "site_id": page.key.site_id, "url_key": page.key.url_key},
                **{"site": page.site, "url": page.url, "made_of": page.made_of},
                **{"chunks": page.chunks, "gone": page.gone or None},
            }
            for page in pages
        ]
        upsert(self.session, SENT_CHUNKS, rows, _KEY, _replaced)

    def drop(self, keys: Collection[PageKey]) -> None:
        """Delete the rows of pages whose chunks the reader no longer has."""
        for key in keys:
            mine = (SENT_CHUNKS.c.reader == self.reader, SENT_CHUNKS.c.site_id == key.site_id)
            self.session.execute(delete(SENT_CHUNKS).where(*mine, SENT_CHUNKS.c.url_key == key.url_key))

    def forget(self) -> None:
        """Delete everything about the reader."""
        self.session.execute(delete(SENT_CHUNKS).where(SENT_CHUNKS.c.reader == self.reader))

    def adopt(self) -> None:
        """Give the rows of forgotten sites to the sites of the same name that were added since, page by page.

        Their pages have the same chunks, and these must not be deleted from the reader because of the earlier site.
        """
        mine = SENT_CHUNKS.c.reader == self.reader
        own = exists().where(SITE.c.id == SENT_CHUNKS.c.site_id, SITE.c.host == SENT_CHUNKS.c.site)
        named = select(SENT_CHUNKS.c.site_id, SENT_CHUNKS.c.site).where(mine, ~own).distinct()
        for old, host in self.session.execute(named).all():
            bare = host.removeprefix("www.")
            again = select(SITE.c.id, SITE.c.host).where(SITE.c.host.in_((bare, f"www.{bare}")))
            site = self.session.execute(again.order_by(SITE.c.host != host).limit(1)).first()
            if site is None or site.id == old:
                continue
            other = SENT_CHUNKS.alias()
            key = SENT_CHUNKS.c.url_key
            taken = exists().where(other.c.reader == self.reader, other.c.site_id == site.id, other.c.url_key == key)
            stored = exists().where(PAGE.c.site_id == old, PAGE.c.url_key == key)
            moved = update(SENT_CHUNKS).where(mine, SENT_CHUNKS.c.site_id == old, SENT_CHUNKS.c.site == host)
            self.session.execute(moved.where(~taken, ~stored).values(site_id=site.id, site=site.host))

    def doubt(self, after: PageKey | None = None, limit: int = 1000) -> PageKey | None:
        """Mark the chunks of the next pages as possibly missing from the reader, so that they are sent again.

        Return the key of the last of these pages; None at the end.
        """
        pages = self.after(after, limit)
        self.put([page._replace(made_of="", chunks=dict.fromkeys(page.chunks, 0)) for page in pages])
        return pages[-1].key if len(pages) == limit else None

    def after(self, after: PageKey | None, limit: int) -> list[SentPage]:
        """Return the next pages that the reader has chunks of, in the order of keys."""
        wanted = [SENT_CHUNKS.c.reader == self.reader]
        if after is not None:
            later = (SENT_CHUNKS.c.site_id == after.site_id) & (SENT_CHUNKS.c.url_key > after.url_key)
            wanted.append((SENT_CHUNKS.c.site_id > after.site_id) | later)
        rows = self.session.execute(
            select(*_READ).where(*wanted).order_by(SENT_CHUNKS.c.site_id, SENT_CHUNKS.c.url_key).limit(limit)
        )
        return [_page(row) for row in rows]

    def left(self, kind: str | None, site_ids: Collection[int] | None, limit: int) -> list[SentPage]:
        """Return pages of which the reader has chunks and may have none.

        Their content is gone, of another kind, or a duplicate, or they ask not to be indexed (`records.withheld`).
        """
        canonical = PAGE.c.reason.startswith(CANONICAL, autoescape=True)
        named = exists().where(
            PAGE.c.site_id == SENT_CHUNKS.c.site_id, PAGE.c.url_key == SENT_CHUNKS.c.url_key, canonical
        )
        live = exists().where(
            CONTENT.c.site_id == SENT_CHUNKS.c.site_id,
            CONTENT.c.url_key == SENT_CHUNKS.c.url_key,
            CONTENT.c.status != RowStatus.GONE,
            CONTENT.c.duplicate_of.is_(None),
            or_(CONTENT.c.indexed, named),
            *([CONTENT.c.kind == kind] if kind is not None else []),
        )
        wanted = [SENT_CHUNKS.c.reader == self.reader, ~live, SENT_CHUNKS.c.made_of != GONE]
        if site_ids is not None:
            wanted.append(SENT_CHUNKS.c.site_id.in_(site_ids))
        return [_page(row) for row in self.session.execute(select(*_READ).where(*wanted).limit(limit))]


GONE: Final = "gone"
"""`made_of` of a page that has no chunks any more."""


def _page(row: Sequence[object]) -> SentPage:
    site_id, url_key, site, url, made_of, chunks, gone = row
    return SentPage(PageKey(site_id, url_key), site, url, made_of, chunks, gone or {})  # type: ignore[arg-type]


def _replaced(new: Excluded) -> dict[str, object]:
    return {name: new[name] for name in ("site", "url", "made_of", "chunks", "gone")}
