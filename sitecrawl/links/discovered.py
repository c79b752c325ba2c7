"""A URL that was found and is not yet fetched, on its way from a page or sitemap to the frontier."""

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
