"""Reads the links from and to one stored page."""

from typing import NamedTuple

from sqlalchemy import and_, select

from sitecrawl.storage.bodies import unpack
from sitecrawl.storage.db.session import Session
from sitecrawl.storage.tables.models import LINK_TEXT, LINKS, PAGE


class LinkedPage(NamedTuple):
    """A page at the other end of a link."""

    url_key: int
    url: str
    text: str | None
    """Anchor text of the link; None where it is not stored."""


class PageLinkRepository:
    """Reads `links` and `link_text`."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def out(self, site_id: int, url_key: int) -> tuple[int, ...]:
        """Return the keys of the pages that a page links to, in the order of selection."""
        packed = self.session.scalar(
            select(LINKS.c.packed).where(LINKS.c.site_id == site_id, LINKS.c.url_key == url_key)
        )
        return unpack(packed) if packed else ()

    def into(self, site_id: int, url_key: int, limit: int) -> list[LinkedPage]:
        """Return at most `limit` pages that link to a page: one for each stored anchor text."""
        source = and_(PAGE.c.site_id == LINK_TEXT.c.site_id, PAGE.c.url_key == LINK_TEXT.c.source)
        rows = self.session.execute(
            select(PAGE.c.url_key, PAGE.c.url, LINK_TEXT.c.text)
            .select_from(LINK_TEXT)
            .join(PAGE, source)
            .where(LINK_TEXT.c.site_id == site_id, LINK_TEXT.c.url_key == url_key)
            .order_by(LINK_TEXT.c.text)
            .limit(limit)
        )
        return [LinkedPage(*row) for row in rows]
