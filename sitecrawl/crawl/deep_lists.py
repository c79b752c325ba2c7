"""Reads long archives to their end: lists that link to main content are followed beyond the depth limit.

A list at the limit is followed if the list that links to it also links to main content at the same depth: page 20 of an
archive, if page 19 links to articles. Endless calendars and filters link to none. In a later crawl a page at the limit
is also followed if an earlier crawl followed it. Each limit is raised for these pages alone. Own method.
"""

import asyncio
import logging

from sitecrawl.crawl.depth_limits import next_limit
from sitecrawl.crawl.out_of_scope import OutOfScope
from sitecrawl.crawl.site import SiteCrawl
from sitecrawl.links.selection import rank
from sitecrawl.storage.depths import DepthRepository, Edge
from sitecrawl.storage.revisits import RevisitRepository

logger = logging.getLogger(__name__)


def leading_on(edge: Edge) -> frozenset[int]:
    """Return the pages at the depth limit that are followed beyond it.

    These are the lists that are linked from a list which also links to main content there, and the pages that an
    earlier crawl followed.
    """
    found = set(edge.followed)
    for links in edge.above:
        if not edge.content.isdisjoint(links):
            found.update(edge.lists.intersection(links))
    return frozenset(found)


class DeepLists:
    """Raises the depth limit of the lists of one crawl that lead on."""

    def __init__(self, crawl: SiteCrawl, out_of_scope: OutOfScope) -> None:
        self.crawl, self.out_of_scope = crawl, out_of_scope
        self.passed = 0
        """Highest depth limit whose pages were judged."""

    async def follow(self) -> int:
        """Add the URLs beyond the next depth limit that pages which lead on link to; return how many.

        Call it when nothing is left to fetch or extract. If URLs are added, the crawl is no longer exhausted, and the
        next call goes on with the limit after it.
        """
        crawl = self.crawl
        frontier, hard, step = crawl.frontier, crawl.start.max_depth, crawl.config.depth_step
        if not step or frontier.stopped or frontier.full or not self.out_of_scope.follows_links:
            return 0
        site_id, crawl_id = crawl.site_id, crawl.crawl_id
        for limit in await crawl.writer.submit(lambda s: DepthRepository(s).edges(site_id, crawl_id, step)):
            if limit > self.passed and next_limit(hard, step, limit):
                self.passed = limit
                if added := await self._raise(limit):
                    return added
        return 0

    async def _raise(self, limit: int) -> int:
        """Raise one depth limit for the pages that lead on; return how many URLs are added."""
        crawl = self.crawl
        frontier, site_id, crawl_id = crawl.frontier, crawl.site_id, crawl.crawl_id
        edge = await crawl.writer.submit(lambda s: DepthRepository(s).edge(site_id, crawl_id, limit))
        pages = leading_on(edge)
        links = await crawl.writer.submit(lambda s: RevisitRepository(s).links_of(site_id, pages))
        # a page with `nofollow` has no links to follow
        leading = sorted(key for key, named in links.items() if not all(map(frontier.knows, named)))
        added = sum([await self._follow(key, limit + 1) for key in leading])
        if added:
            frontier.exhausted = False
            left = crawl.report.too_deep
            left[limit] -= added
            crawl.report.too_deep = +left  # an earlier run may have counted them: nothing below 1 is kept
            logger.info(
                "%d pages %d links from the start lead to main content: %d links more", len(leading), limit, added
            )
        return added

    async def _follow(self, key: int, depth: int) -> int:
        """Add the new URLs that a stored page links to; return how many."""
        crawl = self.crawl
        read = await asyncio.to_thread(crawl.bodies.read, key)
        if read is None:
            return 0
        _, page = read
        links, size = self.out_of_scope.followed(crawl.anchors.read(page).found), crawl.extraction.set_size
        ranked = rank(page, links, size, crawl.config.selection_order)
        found = crawl.frontier.find(ranked, depth, size, raised=True)
        await crawl.visits.discover(found)
        return len(found)
