"""Reads long archives to their end: lists that link to main content are followed beyond the depth limit.

A list at the limit is followed if the list that links to it also links to main content at the same depth: page 20 of an
archive, if page 19 links to articles. Endless calendars and filters link to none. Own method.
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
    """Return the lists at the depth limit that are linked from a list which also links to main content there."""
    found: set[int] = set()
    for links in edge.above:
        if not edge.content.isdisjoint(links):
            found.update(edge.lists.intersection(links))
    return frozenset(found)


class DeepLists:
    """Raises the limit of depth of one crawl."""

    def __init__(self, crawl: SiteCrawl, out_of_scope: OutOfScope) -> None:
        self.crawl, self.out_of_scope = crawl, out_of_scope

    async def follow(self) -> int:
        """Raise the depth limit, and add the URLs beyond it that such lists link to; return how many.

        Call it when nothing is left to fetch or extract. If URLs are added, the crawl is no longer exhausted.
        """
        crawl = self.crawl
        frontier, limit = crawl.frontier, crawl.frontier.max_depth
        higher = next_limit(crawl.start.max_depth, crawl.config.depth_step, limit)
        if not higher or frontier.stopped or frontier.full or not self.out_of_scope.follows_links:
            return 0
        site_id, crawl_id = crawl.site_id, crawl.crawl_id
        edge = await crawl.writer.submit(lambda s: DepthRepository(s).edge(site_id, crawl_id, limit))
        lists = leading_on(edge)
        links = await crawl.writer.submit(lambda s: RevisitRepository(s).links_of(site_id, lists))
        frontier.max_depth = higher
        # a page with `nofollow` has no links to follow
        added = sum([await self._follow(key, limit + 1) for key in sorted(lists) if links.get(key)])
        if added:
            frontier.exhausted = False
            crawl.report.too_deep = max(0, crawl.report.too_deep - added)  # an earlier run may have counted them
            logger.info(
                "%d lists %d links from the start lead to main content: %d links more", len(lists), limit, added
            )
        else:
            frontier.max_depth = limit
        return added

    async def _follow(self, key: int, depth: int) -> int:
        """Add the new URLs that a stored page links to; return how many."""
        crawl = self.crawl
        read = await asyncio.to_thread(crawl.bodies.read, key)
        if read is None:
            return 0
        _, page = read
        links, size = self.out_of_scope.followed(crawl.anchors.read(page).found), crawl.extraction.set_size
        found = crawl.frontier.find(rank(page, links, size, crawl.config.selection_order), depth, size)
        await crawl.visits.discover(found)
        return len(found)
