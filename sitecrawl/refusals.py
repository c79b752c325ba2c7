"""Why a request is never sent, or its answer not looked at: refused, forbidden, or not now."""

from typing import Final

from scrapy.exceptions import IgnoreRequest

PROBE: Final = "sitecrawl_probe"
"""In `Request.meta`: the request only asks whether its host answers."""
INVENTION: Final = "sitecrawl_invention"
"""In `Request.meta`: no page names the URL (`links.breeding`)."""
QUIET: Final = {
    "dont_retry": True,
    "dont_redirect": True,
    "dont_obey_robotstxt": True,  # the URL was allowed before
    "handle_httpstatus_all": True,
}
"""What else stands in the meta of such a request."""
FAILED_STREAK: Final = "sitecrawl_streak"
"""In `Request.meta`: the run of failures of its host that this request belongs to (`crawl.outage`)."""


class RefusedRequest(IgnoreRequest):
    """The request would leave the site, or reach what a crawl may not reach; `reason` says which."""

    def __init__(self, message: str = "", reason: str = "") -> None:
        super().__init__(message)
        self.reason = reason


class RefusedName(RefusedRequest):
    """The name in the URL resolves to an address that the crawl may not connect to: now, which may pass."""

    def __init__(self, message: str = "") -> None:
        super().__init__(message, "address")


class ForbiddenRequest(IgnoreRequest):
    """robots.txt forbids the URL."""


class PostponedRequest(IgnoreRequest):
    """Not now: nothing was learned about the page, which stays due."""
