"""A URL that was found and is not yet fetched, as it travels from a page or a sitemap to the frontier."""

from typing import NamedTuple


class Discovered(NamedTuple):
    """One URL of the frontier."""

    url_key: int
    url: str
    depth: int
    """Links between the start URL and this one."""
    hyperlink_distance: int | None
    dom_distance: int | None
    priority: int
    """Higher is fetched earlier."""
    discovery: int
    """Sequence number in which the URLs of a site were found."""
