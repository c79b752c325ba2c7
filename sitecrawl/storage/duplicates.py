"""Duplicates: pages of a site with the same or nearly the same main text.

A duplicate points to an *original*, a page that is no duplicate itself. The original is the page that was found first.
It stays the original while it exists and its text is the same, so that indexes do not switch between pages. If it is
deleted or changes, the duplicate with the shortest URL becomes the original; of equals, the one discovered earlier.
"""

import datetime as dt
import re
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from sqlalchemy import CompoundSelect, bindparam, func, literal_column, select, union_all, update

from sitecrawl.links.urls import url_id, url_key
from sitecrawl.metadata.fields import RowStatus
from sitecrawl.storage.content_change import Operation
from sitecrawl.storage.contents import ContentRepository
from sitecrawl.storage.db.prepared import PreparedChange, PreparedSelect
from sitecrawl.storage.db.session import Session
from sitecrawl.storage.pages import PageStatus
from sitecrawl.storage.records import CANONICAL, NOINDEX
from sitecrawl.storage.simhash_bands import BANDS, LEAST_CHARS, NEAREST, bands, distance, indexed_bands
from sitecrawl.storage.tables.models import CONTENT, CONTENT_OF_PAGE, PAGE

CANDIDATES: Final = 500
"""Maximum originals with a common band that are compared with a page, for sites with many nearly identical pages."""
ENDED: Final = (PageStatus.REDIRECTED, PageStatus.GONE, PageStatus.EXCLUDED)
"""Statuses of pages that cannot be originals. A page that only failed at its last visit still can."""

_WORD: Final = re.compile(r"\w+")


def _shared_band() -> CompoundSelect[int, int, str | None]:
    """Return the originals that share a band with a simhash, with one index look-up per band.

    With OR instead of UNION, SQLite reads all pages of the site.
    """
    parts = []
    for name in BANDS:
        band = CONTENT.c[name]
        found = select(CONTENT.c.url_key, CONTENT.c.simhash, CONTENT.c.title)
        found = found.where(CONTENT.c.site_id == bindparam("site_id"), band == bindparam(name))
        parts.append(select(found.order_by(CONTENT.c.url_key).limit(CANDIDATES).subquery()))
    return union_all(*parts)


_SHARED_BAND: Final = PreparedSelect(_shared_band())
_INDEXED: Final = (
    select(PAGE.c.url)
    .select_from(PAGE)
    .join(CONTENT, CONTENT_OF_PAGE)
    .where(
        CONTENT.c.site_id == bindparam("b_site"),
        CONTENT.c.url_key != bindparam("b_key"),
        CONTENT.c.indexed,
        PAGE.c.deletion.is_(None),
    )
    .order_by(PAGE.c.discovery)
)
"""Selects the URLs of indexed pages without one given page, earliest discovered first."""
_ORIGINALS: Final = _INDEXED.where(
    CONTENT.c.text != "",
    CONTENT.c.duplicate_of.is_(None),
    PAGE.c.reason.is_(None) | (PAGE.c.status == int(PageStatus.ERROR)),
    PAGE.c.status.not_in([literal_column(str(int(status))) for status in ENDED]),
)
"""Selects the URLs of possible originals."""
_EXACT: Final = _ORIGINALS.where(CONTENT.c.digest == bindparam("b_digest"))
_FIRST_EXACT: Final = PreparedSelect(_EXACT.limit(1))
_TITLED_EXACT: Final = PreparedSelect(_EXACT.add_columns(CONTENT.c.title).limit(CANDIDATES))
_ADOPTED_EXACT: Final = PreparedSelect(
    _INDEXED.where(
        CONTENT.c.digest == bindparam("b_digest"), PAGE.c.reason.startswith(CANONICAL, autoescape=True)
    ).limit(1)
)
"""Selects the URL of a page with a digest that is indexed in place of the canonical page that it names."""
_NEAR: Final = _ORIGINALS.add_columns(CONTENT.c.url_key, PAGE.c.discovery).where(
    CONTENT.c.url_key.in_(bindparam("b_near", expanding=True))
)
_FACTS: Final = (
    select(
        *(CONTENT.c.url_key, CONTENT.c.digest, CONTENT.c.simhash, func.length(CONTENT.c.text)),
        *(CONTENT.c.title, CONTENT.c.duplicate_of, PAGE.c.url, PAGE.c.reason, PAGE.c.discovery),
    )
    .select_from(CONTENT)
    .join(PAGE, CONTENT_OF_PAGE)
    .where(CONTENT.c.site_id == bindparam("b_site"))
)
_FACTS_OF_PAGE: Final = PreparedSelect(_FACTS.where(CONTENT.c.url_key == bindparam("b_key")))
_FACTS_OF_DUPLICATES: Final = PreparedSelect(_FACTS.where(CONTENT.c.duplicate_of == bindparam("b_original")))
_ADOPTED: Final = PreparedChange(
    update(CONTENT)
    .where(CONTENT.c.site_id == bindparam("b_site"), CONTENT.c.url_key == bindparam("b_key"))
    .values(duplicate_of=bindparam("b_original"), indexed=bindparam("b_indexed"))
)


_Facts = tuple[int, str | None, int | None, int, str | None, str | None, str, str | None, int]
"""Key, digest, simhash, characters, title and original of a content, and URL, reason and discovery of its page."""


class Text(NamedTuple):
    """The facts that identify duplicates."""

    url_key: int
    digest: str
    simhash: int
    chars: int
    title: str | None


class Settled(NamedTuple):
    """A page with the facts that decide whether it is a duplicate, and of which page."""

    text: Text
    url: str
    indexable: bool
    alias: bool
    """Whether the page declares its original as canonical; then their texts need not be similar."""
    discovery: int


class DuplicateRepository:
    """Reads `content` for originals, and maintains `duplicate_of`."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def original(self, site_id: int, page: Text) -> str | None:
        """Return the id of the original of a page; None if the page is not a duplicate.

        The digest of the text is compared first, then the simhash (at most NEAREST bits apart) if the titles have the
        same words: pages of one template differ at least in their titles. Titles also count for texts below
        LEAST_CHARS, which may be mere captions (docs/discovery.md has the figures).
        """
        if not page.chars:
            return None
        exact = {"b_site": site_id, "b_key": page.url_key, "b_digest": page.digest}
        if page.chars < LEAST_CHARS:
            words = _words(page.title)
            found = _TITLED_EXACT.all(self.session, exact)
            return next((url_id(url) for url, title in found if _words(title) == words), None)
        first = _FIRST_EXACT.first(self.session, exact)
        if first is not None:
            return url_id(first[0])
        near = min(self._near(site_id, page), default=None)
        return url_id(near[2]) if near is not None else None

    def _near(self, site_id: int, page: Text) -> Iterator[tuple[int, int, str]]:
        """Yield (distance, discovery, URL) of the near originals."""
        words = _words(page.title)
        shared = _SHARED_BAND.all(self.session, {"site_id": site_id, **bands(page.simhash)})
        near = {
            key: apart
            for key, simhash, title in shared
            if (apart := distance(simhash, page.simhash)) <= NEAREST and _words(title) == words
        }
        if near:
            rows = self.session.execute(_NEAR, {"b_site": site_id, "b_key": page.url_key, "b_near": list(near)})
            for url, key, discovery in rows:
                yield near[key], discovery, str(url)

    def review(
        self, site_id: int, crawl_id: int, emit_order: int, now: dt.datetime, replaced: Iterable[str] = ()
    ) -> int:
        """Find new originals for the duplicates of all pages whose text changed in this crawl, or that are `replaced`.

        `replaced` are URLs of pages whose feed row of this same crawl was replaced. Returns the last position in the
        feed, as `resettle` does.
        """
        changed = self.session.scalars(
            select(PAGE.c.url)
            .join(CONTENT, CONTENT_OF_PAGE)
            .where(CONTENT.c.site_id == site_id, CONTENT.c.crawl_id == crawl_id, CONTENT.c.status == RowStatus.CHANGED)
            .order_by(PAGE.c.discovery)
        ).all()
        for url in dict.fromkeys((*changed, *replaced)):
            emit_order = self.resettle(site_id, url, crawl_id, emit_order, now)
        return emit_order

    def resettle(self, site_id: int, url: str, crawl_id: int, emit_order: int, now: dt.datetime) -> int:
        """Find a new original for each duplicate of a page that changed or was deleted.

        The first one without an original becomes an original: it is queued for the indexes and gets a `changed` row in
        the feed. Returns the last position in the feed of `crawl_id`.
        """
        followers = sorted(
            _settled(_FACTS_OF_DUPLICATES.all(self.session, {"b_site": site_id, "b_original": url_id(url)})),
            key=lambda one: (not one.indexable, len(one.url), one.discovery),
        )
        held = ContentRepository(self.session).indexed(site_id, url_key(url))
        for one in followers:
            if held and one.alias:
                continue
            original = self.original(site_id, one.text)
            if original is not None:
                row = update(CONTENT).where(CONTENT.c.site_id == site_id, CONTENT.c.url_key == one.text.url_key)
                self.session.execute(row.values(duplicate_of=original))
                continue
            emit_order += 1
            self.announce(site_id, one, None, crawl_id, emit_order, now)
        return emit_order

    def settled(self, site_id: int, url_key: int) -> Settled:
        """Return the facts of a page with content."""
        (found,) = _settled(_FACTS_OF_PAGE.all(self.session, {"b_site": site_id, "b_key": url_key}))
        return found

    def announce(
        self, site_id: int, page: Settled, original: str | None, crawl_id: int, emit_order: int, now: dt.datetime
    ) -> None:
        """Make a page the duplicate of `original`, or with None an original, with a `changed` row in the feed.

        The indexes get the change.
        """
        key, simhash, chars = page.text.url_key, page.text.simhash, page.text.chars
        indexed = original is None and page.indexable
        self.session.execute(
            update(CONTENT)
            .where(CONTENT.c.site_id == site_id, CONTENT.c.url_key == key)
            .values(
                duplicate_of=original,
                status=RowStatus.CHANGED,
                indexed=indexed,
                crawl_id=crawl_id,
                emit_order=emit_order,
                extracted_at=now,  # else exports of what changed since a time would not have it
                **indexed_bands(simhash, chars, original),
            )
        )
        if page.indexable:
            operation = Operation.UPSERT if indexed else Operation.DELETE
            ContentRepository(self.session).queue(site_id, key, operation, now)

    def follow(self, site_id: int, url_key: int, original: str) -> None:
        """Make an unindexed page the duplicate of the page at URL `original`, without a feed row."""
        self.session.execute(
            update(CONTENT)
            .where(CONTENT.c.site_id == site_id, CONTENT.c.url_key == url_key)
            .values(duplicate_of=url_id(original), **dict.fromkeys(BANDS))
        )

    def adopt(self, site_id: int, url_key: int, now: dt.datetime) -> None:
        """Queue an unindexed page for the indexes, unless they have the same text already; without a feed row.

        The text may also be that of a page adopted before, such as another address of it that names the same dead URL.
        """
        chosen = {"b_site": site_id, "b_key": url_key}
        for one in _settled(_FACTS_OF_PAGE.all(self.session, chosen)):
            original = self.original(site_id, one.text)
            if original is None and one.text.chars >= LEAST_CHARS:
                found = _ADOPTED_EXACT.first(self.session, {**chosen, "b_digest": one.text.digest})
                original = url_id(found[0]) if found is not None else None
            _ADOPTED.run(self.session, {**chosen, "b_original": original, "b_indexed": original is None})
            if original is None:
                ContentRepository(self.session).queue(site_id, url_key, Operation.UPSERT, now)


def _settled(rows: Iterable[_Facts]) -> list[Settled]:
    return [
        Settled(
            Text(key, digest or "", simhash or 0, chars, title),
            url,
            reason != NOINDEX,
            _alias(reason, original),
            discovery,
        )
        for key, digest, simhash, chars, title, original, url, reason, discovery in rows
    ]


def _alias(reason: str | None, original: str | None) -> bool:
    return bool(reason and reason.startswith(CANONICAL)) and url_id((reason or "").removeprefix(CANONICAL)) == original


def _words(title: str | None) -> list[str]:
    """Return the words of a title in sorted order: a print view has the site's name first instead of last."""
    return sorted(_WORD.findall((title or "").lower()))
