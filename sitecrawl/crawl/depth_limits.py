"""The depth limit of each page, counted in links from the start page, and how it is raised."""

from typing import Final

MOST: Final = 50
"""Maximum number of steps of the depth limit [OWN]: 1,000 links by default."""


def limit_of(hard: int, step: int, depth: int) -> int:
    """Return the depth limit for the links of a page at `depth`; 0 for none.

    `hard` is DEPTH_LIMIT, `step` is SITECRAWL_DEPTH_STEP. A page deeper than one step is known because the limit was
    raised for its own branch of the site, so the next multiple of `step` is its limit. Other branches keep theirs.
    """
    soft = step * max(1, -(-depth // step)) if step else 0
    return min((limit for limit in (hard, soft) if limit), default=0)


def next_limit(hard: int, step: int, limit: int) -> int:
    """Return the next higher depth limit after `limit`; 0 if it cannot be raised."""
    if not step or not limit or limit == hard or is_highest(step, limit):
        return 0
    return min(limit + step, hard or limit + step)


def is_highest(step: int, limit: int) -> bool:
    """Return whether a depth limit is the highest that steps of `step` links reach."""
    return limit >= step * MOST
