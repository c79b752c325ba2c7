"""The limit of depth of a crawl: how many links from the start page it goes, and when it goes farther."""

from typing import Final

MOST: Final = 50
"""Maximum times that the limit of depth is raised [OWN]: to 1,000 links by default."""


def first_limit(hard: int, step: int, deepest: int) -> int:
    """Return the limit of depth with which a crawl begins; 0 for none.

    `hard` is DEPTH_LIMIT, `step` is SITECRAWL_DEPTH_STEP, `deepest` the depth of the deepest stored page: an earlier
    crawl had reason to go so far.
    """
    soft = step * max(1, -(-deepest // step)) if step else 0
    return min((limit for limit in (hard, soft) if limit), default=0)


def next_limit(hard: int, step: int, limit: int) -> int:
    """Return the limit of depth after `limit`; 0 if it cannot be raised."""
    if not step or not limit or limit == hard or limit >= step * MOST:
        return 0
    return min(limit + step, hard or limit + step)
