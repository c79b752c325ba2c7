"""A URL that was found on a page or in a sitemap, and is not stored in the frontier yet."""

from typing import NamedTuple


class Discovered(NamedTuple):
    """One new URL of the frontier."""

    url_key: int
    url: str
    depth: int
    """Number of links between the start URL and this one."""
    hyperlink_distance: int | None
    dom_distance: int | None
    priority: int
    """Higher values are fetched earlier."""
    discovery: int
    """Sequence number: the order in which the URLs of a site were found."""
