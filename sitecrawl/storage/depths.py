"""Reads the lists and the main content that a crawl found at one depth."""

from collections.abc import Collection
from typing import NamedTuple

from sqlalchemy import select

from sitecrawl.page_kind import Kind
from sitecrawl.storage.bodies import unpack
from sitecrawl.storage.db.session import Session
from sitecrawl.storage.pages import GOOD
from sitecrawl.storage.tables.models import CONTENT, CONTENT_OF_PAGE, LINKS, PAGE


class Edge(NamedTuple):
    """The pages of a crawl at one depth, and the lists that lead to them."""

    lists: frozenset[int]
    """Lists at this depth."""
    content: frozenset[int]
    """Pages at this depth with main content that no other page has."""
    above: tuple[tuple[int, ...], ...]
    """The links of each list one link nearer to the start."""


class DepthRepository:
    """Reads `page`, `content` and `links` by depth."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def edge(self, site_id: int, crawl_id: int, depth: int) -> Edge:
        """Return the pages that a crawl found at a depth, and the links of the lists one link nearer to the start."""
        lists, content, above = set[int](), set[int](), set[int]()
        rows = self.session.execute(
            select(PAGE.c.url_key, PAGE.c.depth, CONTENT.c.kind, CONTENT.c.duplicate_of)
            .join(CONTENT, CONTENT_OF_PAGE)
            .where(
                PAGE.c.site_id == site_id,
                PAGE.c.crawl_id == crawl_id,
                PAGE.c.depth.in_((depth - 1, depth)),
                PAGE.c.status.in_(GOOD),
            )
        )
        for key, found, kind, duplicate_of in rows:
            if kind == Kind.LISTING:
                (lists if found == depth else above).add(key)
            elif kind == Kind.CONTENT and found == depth and duplicate_of is None:
                content.add(key)
        links = self._links(site_id, above) if lists and content else ()
        return Edge(frozenset(lists), frozenset(content), links)

    def _links(self, site_id: int, keys: Collection[int]) -> tuple[tuple[int, ...], ...]:
        rows = self.session.scalars(
            select(LINKS.c.packed).where(LINKS.c.site_id == site_id, LINKS.c.url_key.in_(sorted(keys)))
        )
        return tuple(unpack(packed) for packed in rows)
