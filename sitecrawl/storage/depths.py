"""Reads the lists and the main content that a crawl found at one depth."""

from typing import NamedTuple

from sqlalchemy import select

from sitecrawl.page_kind import Kind
from sitecrawl.storage.db.session import Session
from sitecrawl.storage.pages import GOOD
from sitecrawl.storage.revisits import RevisitRepository
from sitecrawl.storage.tables.models import CONTENT, CONTENT_OF_PAGE, PAGE


class Edge(NamedTuple):
    """The pages of a site at one depth, and the lists that lead to them.

    The pages to judge are those that the crawl read. The evidence is stored by any crawl, since a crawl of the pages
    that are due does not read their neighbours.
    """

    lists: frozenset[int]
    """Lists at this depth that the crawl read."""
    content: frozenset[int]
    """Stored pages at this depth with main content that no other page has."""
    above: tuple[tuple[int, ...], ...]
    """The links of each stored list one link nearer to the start."""
    followed: frozenset[int] = frozenset()
    """Pages at this depth that the crawl read, and from which an earlier crawl followed links: one of their links leads
    to a stored page one link farther from the start."""


class DepthRepository:
    """Reads `page`, `content` and `links` by depth."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def edge(self, site_id: int, crawl_id: int, depth: int) -> Edge:
        """Return the pages of a site at a depth, and the links of the lists one link nearer to the start."""
        lists, content, above, read, deeper = set[int](), set[int](), set[int](), set[int](), set[int]()
        rows = self.session.execute(
            select(PAGE.c.url_key, PAGE.c.depth, PAGE.c.crawl_id, CONTENT.c.kind, CONTENT.c.duplicate_of)
            .join(CONTENT, CONTENT_OF_PAGE)
            .where(PAGE.c.site_id == site_id, PAGE.c.depth.between(depth - 1, depth + 1), PAGE.c.status.in_(GOOD))
        )
        for key, found, last_crawl, kind, duplicate_of in rows:
            if found > depth:
                deeper.add(key)
                continue
            own = found == depth and last_crawl == crawl_id
            if own:
                read.add(key)
            if kind == Kind.LISTING:
                if own:
                    lists.add(key)
                elif found < depth:
                    above.add(key)
            elif kind == Kind.CONTENT and found == depth and duplicate_of is None:
                content.add(key)
        revisits = RevisitRepository(self.session)
        links = tuple(revisits.links_of(site_id, above).values()) if lists and content else ()
        ahead = revisits.links_of(site_id, read) if deeper else {}
        followed = frozenset(key for key, named in ahead.items() if not deeper.isdisjoint(named))
        return Edge(frozenset(lists), frozenset(content), links, followed)

    def edges(self, site_id: int, crawl_id: int, step: int) -> list[int]:
        """Return the multiples of `step` at which a crawl read pages, in ascending order."""
        depths = self.session.scalars(
            select(PAGE.c.depth)
            .where(
                PAGE.c.site_id == site_id,
                PAGE.c.crawl_id == crawl_id,
                PAGE.c.depth >= step,
                PAGE.c.depth % step == 0,
                PAGE.c.status.in_(GOOD),
            )
            .distinct()
        )
        return sorted(depths)
