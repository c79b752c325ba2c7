"""Reads the duplicates of a site with their originals, the pages that are kept instead of them."""

from typing import Final, NamedTuple

from sqlalchemy import func, or_, select

from sitecrawl.links.urls import url_id
from sitecrawl.storage.db.session import Session
from sitecrawl.storage.simhash_bands import bands
from sitecrawl.storage.tables.models import CONTENT, CONTENT_OF_PAGE, PAGE

CANDIDATES: Final = 500
"""Maximum pages among which the original of a duplicate is looked for."""


class DuplicatePair(NamedTuple):
    """A duplicate, and its original."""

    url_key: int
    url: str
    title: str | None
    exact: bool
    """Whether both have the same words."""
    original_key: int | None
    """None if the original is not among the candidates: its text has changed since."""
    original_url: str | None


class _Duplicate(NamedTuple):
    url_key: int
    url: str
    title: str | None
    duplicate_of: str | None
    digest: str | None
    simhash: int | None


class DuplicatePairRepository:
    """Reads `content` and `page`."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def count(self, site_id: int) -> int:
        """Return the number of duplicates of a site."""
        chosen = (CONTENT.c.site_id == site_id, CONTENT.c.duplicate_of.is_not(None))
        return self.session.number(select(func.count()).select_from(CONTENT).where(*chosen))

    def pairs(
        self, site_id: int, *, offset: int = 0, limit: int | None = None, url_key: int | None = None
    ) -> list[DuplicatePair]:
        """Return a part of the duplicates of a site, grouped by original; with `url_key`, that page's pair alone."""
        chosen = [CONTENT.c.site_id == site_id, CONTENT.c.duplicate_of.is_not(None)]
        if url_key is not None:
            chosen.append(CONTENT.c.url_key == url_key)
        rows = self.session.execute(
            select(
                *(PAGE.c.url_key, PAGE.c.url, CONTENT.c.title, CONTENT.c.duplicate_of),
                *(CONTENT.c.digest, CONTENT.c.simhash),
            )
            .select_from(CONTENT)
            .join(PAGE, CONTENT_OF_PAGE)
            .where(*chosen)
            .order_by(CONTENT.c.duplicate_of, CONTENT.c.url_key)
            .offset(offset)
            .limit(limit)
        ).all()
        return [self._pair(site_id, _Duplicate._make(row)) for row in rows]

    def _pair(self, site_id: int, one: _Duplicate) -> DuplicatePair:
        near = or_(*(CONTENT.c[name] == value for name, value in bands(one.simhash or 0).items()))
        original = (CONTENT.c.url_key != one.url_key, CONTENT.c.duplicate_of.is_(None))
        for same in (CONTENT.c.digest == one.digest, near):
            found = self.session.execute(
                select(PAGE.c.url_key, PAGE.c.url, CONTENT.c.digest)
                .select_from(CONTENT)
                .join(PAGE, CONTENT_OF_PAGE)
                .where(CONTENT.c.site_id == site_id, *original, same)
                .limit(CANDIDATES)
            )
            for key, url, digest in found:
                if url_id(url) == one.duplicate_of:
                    return DuplicatePair(one.url_key, one.url, one.title, digest == one.digest, key, url)
        return DuplicatePair(one.url_key, one.url, one.title, False, None, None)
