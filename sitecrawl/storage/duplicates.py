"""Pages of a site with the same main text, or nearly: which one is kept, and who follows it.

A page is a duplicate of an *original*: a page that is no duplicate itself. The original is the page that was there
first; it stays as long as it is found and its text is the same, so that an index does not go back and forth. When it
goes, or changes, the duplicate with the shortest URL takes its place, of two the one that was discovered earlier.
"""

import datetime as dt
import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from sqlalchemy import ColumnElement, CompoundSelect, bindparam, func, literal_column, select, union_all, update

from sitecrawl.links.urls import url_id, url_key
from sitecrawl.metadata.fields import RowStatus
from sitecrawl.storage.contents import ContentRepository, Operation
from sitecrawl.storage.db.prepared import PreparedSelect
from sitecrawl.storage.db.session import Session
from sitecrawl.storage.pages import PageStatus
from sitecrawl.storage.simhash_bands import BANDS, LEAST_CHARS, NEAREST, bands, distance, indexed_bands
from sitecrawl.storage.tables.models import CONTENT, PAGE

CANDIDATES: Final = 500
"""Originals that share one band with a page and are compared with it; a bound for sites whose pages are nearly all
alike."""
ENDED: Final = (PageStatus.REDIRECTED, PageStatus.GONE, PageStatus.EXCLUDED)
"""Pages in these states are nobody's original. A page that could not be fetched this time still is."""

NOINDEX: Final = "noindex"
"""`page.reason` of a page that forbids indexing (`crawl.page_lifecycle`)."""
CANONICAL: Final = "canonical: "
"""How the reason of a page begins that names another URL as its canonical one (`crawl.page_lifecycle`)."""

_SAME_PAGE = (CONTENT.c.site_id == PAGE.c.site_id) & (CONTENT.c.url_key == PAGE.c.url_key)
_WORD: Final = re.compile(r"\w+")


def _shared_band() -> CompoundSelect[int, int, str | None]:
    """Return the originals that share a band with a simhash; one look-up in an index for each band.

    With OR in place of UNION, SQLite reads all pages of the site.
    """
    parts = []
    for name in BANDS:
        band = CONTENT.c[name]
        found = select(CONTENT.c.url_key, CONTENT.c.simhash, CONTENT.c.title)
        found = found.where(CONTENT.c.site_id == bindparam("site_id"), band == bindparam(name))
        parts.append(select(found.order_by(CONTENT.c.url_key).limit(CANDIDATES).subquery()))
    return union_all(*parts)


_SHARED_BAND: Final = PreparedSelect(_shared_band())
_ORIGINALS: Final = (
    select(PAGE.c.url)
    .select_from(PAGE)
    .join(CONTENT, _SAME_PAGE)
    .where(
        CONTENT.c.site_id == bindparam("b_site"),
        CONTENT.c.url_key != bindparam("b_key"),
        CONTENT.c.text != "",
        CONTENT.c.duplicate_of.is_(None),
        CONTENT.c.indexed,
        PAGE.c.reason.is_(None) | (PAGE.c.status == int(PageStatus.ERROR)),
        PAGE.c.deletion.is_(None),
        PAGE.c.status.not_in([literal_column(str(int(status))) for status in ENDED]),
    )
    .order_by(PAGE.c.discovery)
)
"""The URLs of those pages but one that may be an original, earliest discovered first."""
_EXACT: Final = _ORIGINALS.where(CONTENT.c.digest == bindparam("b_digest"))
_FIRST_EXACT: Final = PreparedSelect(_EXACT.limit(1))


class Text(NamedTuple):
    """The text of a page as far as duplicates are recognised by it."""

    url_key: int
    digest: str
    simhash: int
    chars: int
    title: str | None


class _Settled(NamedTuple):
    """A page whose original is searched for."""

    text: Text
    url: str
    indexable: bool
    alias: bool
    """It names its original as its canonical page, so their texts need not be alike."""
    discovery: int


class DuplicateRepository:
    """Finds the originals of pages, and updates `content.duplicate_of`."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def original(self, site_id: int, page: Text) -> str | None:
        """Return the feed id of the original of a page, None when the page is no duplicate.

        First by the digest of the text; then by simhash, at most NEAREST bits apart, if the titles have the same
        words: pages made from one template differ in their titles at least. Titles count for texts under LEAST_CHARS
        too, which may be no more than a caption (docs/discovery.md has the figures).
        """
        if not page.chars:
            return None
        exact = {"b_site": site_id, "b_key": page.url_key, "b_digest": page.digest}
        if page.chars < LEAST_CHARS:
            words = _words(page.title)
            found = self.session.execute(_EXACT.add_columns(CONTENT.c.title).limit(CANDIDATES), exact)
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
            rows = self.session.execute(
                _ORIGINALS.add_columns(CONTENT.c.url_key, PAGE.c.discovery).where(CONTENT.c.url_key.in_(near)),
                {"b_site": site_id, "b_key": page.url_key},
            )
            for url, key, discovery in rows:
                yield near[key], discovery, str(url)

    def review(self, site_id: int, crawl_id: int, emit_order: int, now: dt.datetime) -> int:
        """Call `resettle` for all pages whose text changed in this crawl; return the last place in its feed."""
        changed = self.session.scalars(
            select(PAGE.c.url)
            .join(CONTENT, _SAME_PAGE)
            .where(CONTENT.c.site_id == site_id, CONTENT.c.crawl_id == crawl_id, CONTENT.c.status == RowStatus.CHANGED)
            .order_by(PAGE.c.discovery)
        ).all()
        for url in changed:
            emit_order = self.resettle(site_id, url, crawl_id, emit_order, now)
        return emit_order

    def resettle(self, site_id: int, url: str, crawl_id: int, emit_order: int, now: dt.datetime) -> int:
        """Find a new original for each duplicate of a page that changed or was deleted.

        A duplicate without one becomes an original: it is indexed, and gets a `changed` row in the feed. Returns the
        last place in the feed of `crawl_id`.
        """
        followers = sorted(
            self._settled(site_id, CONTENT.c.duplicate_of == url_id(url)),
            key=lambda one: (not one.indexable, len(one.url), one.discovery),
        )
        held = ContentRepository(self.session).indexed(site_id, url_key(url))
        for one in followers:
            if held and one.alias:
                continue
            original = self.original(site_id, one.text)
            row = update(CONTENT).where(CONTENT.c.site_id == site_id, CONTENT.c.url_key == one.text.url_key)
            if original is not None:
                self.session.execute(row.values(duplicate_of=original))
                continue
            emit_order += 1
            self.session.execute(
                row.values(
                    duplicate_of=None,
                    status=RowStatus.CHANGED,
                    indexed=one.indexable,
                    crawl_id=crawl_id,
                    emit_order=emit_order,
                    **indexed_bands(one.text.simhash, one.text.chars, None),
                )
            )
            if one.indexable:
                ContentRepository(self.session).queue(site_id, one.text.url_key, Operation.UPSERT, now)
        return emit_order

    def follow(self, site_id: int, url_key: int, original: str) -> None:
        """Make an unindexed page the duplicate of the page at a URL, without a feed row."""
        self.session.execute(
            update(CONTENT)
            .where(CONTENT.c.site_id == site_id, CONTENT.c.url_key == url_key)
            .values(duplicate_of=url_id(original), **dict.fromkeys(BANDS))
        )

    def adopt(self, site_id: int, url_key: int, now: dt.datetime) -> None:
        """Index a page that is not indexed, unless an indexed page has the same text; without a feed row."""
        for one in self._settled(site_id, CONTENT.c.url_key == url_key):
            original = self.original(site_id, one.text)
            row = update(CONTENT).where(CONTENT.c.site_id == site_id, CONTENT.c.url_key == url_key)
            self.session.execute(row.values(duplicate_of=original, indexed=original is None))
            if original is None:
                ContentRepository(self.session).queue(site_id, url_key, Operation.UPSERT, now)

    def _settled(self, site_id: int, which: ColumnElement[bool]) -> list[_Settled]:
        content = (CONTENT.c.url_key, CONTENT.c.digest, CONTENT.c.simhash, func.length(CONTENT.c.text))
        more = (CONTENT.c.title, CONTENT.c.duplicate_of, PAGE.c.url, PAGE.c.reason, PAGE.c.discovery)
        rows = self.session.execute(
            select(*content, *more)
            .select_from(CONTENT)
            .join(PAGE, _SAME_PAGE)
            .where(CONTENT.c.site_id == site_id, which)
        )
        return [
            _Settled(
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
    """Return the words of a title, sorted: a print view may have the name of the site first instead of last."""
    return sorted(_WORD.findall((title or "").lower()))
