"""Reasons why a request is not sent or its response is ignored: refused, forbidden, or postponed."""

import datetime as dt
from typing import Final

from scrapy.exceptions import IgnoreRequest

from sitecrawl.crawl.host_health import Hosts

PAGE: Final = "url_key"
"""Key of `Request.meta`: the URL key of the requested page; only requests for pages have it."""
SCOPE: Final = "scope"
"""`RefusedRequest.reason` of a URL that is out of the scope of the crawl."""
PROBE: Final = "sitecrawl_probe"
"""Key of `Request.meta`: the request only probes its host."""
INVENTION: Final = "sitecrawl_invention"
"""Key of `Request.meta`: the URL was invented by a trap probe (`links.infinite_spaces`)."""
QUIET: Final = {
    "dont_retry": True,
    "dont_redirect": True,
    "handle_httpstatus_all": True,
}
"""Further meta of a probe. It obeys robots.txt and the guard like any other request."""
NOT_BEFORE: Final = "sitecrawl_not_before"
"""Key of `Request.meta`: the time before which the server wants no request for the URL, if a crawl does not wait
that long."""
FAILED_STREAK: Final = "sitecrawl_streak"
"""Key of `Request.meta`: the streak of host failures that this request belongs to (`crawl.host_health`)."""


class RefusedRequest(IgnoreRequest):
    """The request would leave the site or reach a forbidden place; `reason` names it.

    `netloc` is the host and port of the refused URL, if they are the reason.
    """

    def __init__(self, message: str = "", reason: str = "", netloc: str = "") -> None:
        super().__init__(message)
        self.reason = reason
        self.netloc = netloc


class RefusedName(RefusedRequest):
    """The URL's host name resolves, for now, to an address that the crawl may not connect to."""

    def __init__(self, message: str = "") -> None:
        super().__init__(message, "address")


class ForbiddenRequest(IgnoreRequest):
    """robots.txt forbids the URL."""


class PostponedRequest(IgnoreRequest):
    """The request is not sent now. Nothing was learned about the page, which stays due."""


class UnreachableRequest(IgnoreRequest):
    """The URL's host was given up while the site's pages are on another host; the page fails for the host's reason."""

    def __init__(self, message: str, not_before: dt.datetime | None) -> None:
        super().__init__(message)
        self.not_before = not_before


def given_up(hosts: Hosts, netloc: str) -> PostponedRequest | UnreachableRequest:
    """Return the exception for a request to a host that was given up."""
    host = hosts.of(netloc)
    if hosts.is_home(netloc):
        return PostponedRequest(host.given_up)
    return UnreachableRequest(host.given_up, host.not_before)
