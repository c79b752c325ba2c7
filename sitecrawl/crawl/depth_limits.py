"""The depth limit of a crawl, counted in links from the start page: its first value, and how it is raised."""

from typing import Final

MOST: Final = 50
"""Maximum number of steps of the depth limit [OWN]: 1,000 links by default."""


def first_limit(hard: int, step: int, deepest: int) -> int:
    """Return the depth limit with which a crawl begins; 0 for none.

    `hard` is DEPTH_LIMIT, `step` is SITECRAWL_DEPTH_STEP, `deepest` is the depth of the deepest stored page: an earlier
    crawl raised the limit that far.
    """
    soft = step * max(1, -(-deepest // step)) if step else 0
    return min((limit for limit in (hard, soft) if limit), default=0)


def next_limit(hard: int, step: int, limit: int) -> int:
    """Return the next higher depth limit after `limit`; 0 if it cannot be raised."""
    if not step or not limit or limit == hard or is_highest(step, limit):
        return 0
    return min(limit + step, hard or limit + step)


def is_highest(step: int, limit: int) -> bool:
    """Return whether a depth limit is the highest that steps of `step` links reach."""
    return limit >= step * MOST
