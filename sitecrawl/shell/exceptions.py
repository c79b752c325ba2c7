"""Reasons why a request is not sent or its response is ignored: refused, forbidden, or postponed."""

import datetime as dt
from typing import Final

from scrapy.exceptions import IgnoreRequest

from sitecrawl.crawl.hosts import Hosts

PAGE: Final = "url_key"
"""Key of `Request.meta` for the URL key of the requested page; only requests for pages have it."""
SCOPE: Final = "scope"
"""`RefusedRequest.reason` for a URL outside the scope of the crawl."""
PROBE: Final = "sitecrawl_probe"
"""Key of `Request.meta` for a request that only probes its host."""
INVENTION: Final = "sitecrawl_invention"
"""Key of `Request.meta` for a URL that was invented by a trap probe (`links.infinite_spaces`)."""
QUIET: Final = {
    "dont_retry": True,
    "dont_redirect": True,
    "handle_httpstatus_all": True,
}
"""Further `Request.meta` of a probe. Probes obey robots.txt and the guard like any other request."""
NOT_BEFORE: Final = "sitecrawl_not_before"
"""Key of `Request.meta` for the time before which the server wants no request for the URL, if it is too late for the
crawl to wait."""
FAILED_STREAK: Final = "sitecrawl_streak"
"""Key of `Request.meta` for the streak of host failures to which this request belongs (`crawl.host_health`)."""


class RefusedRequest(IgnoreRequest):
    """The request would leave the site or reach a forbidden address; `reason` says which.

    `netloc` is the host and port of the refused URL, if they are the reason.
    """

    def __init__(self, message: str = "", reason: str = "", netloc: str = "") -> None:
        super().__init__(message)
        self.reason = reason
        self.netloc = netloc


class RefusedName(RefusedRequest):
    """The URL's host name currently resolves to an address to which the crawl may not connect."""

    def __init__(self, message: str = "") -> None:
        super().__init__(message, "address")


class ForbiddenRequest(IgnoreRequest):
    """robots.txt forbids the URL."""


class PostponedRequest(IgnoreRequest):
    """The request is not sent now. Nothing was learned about the page, which stays due."""


class UnreachableRequest(IgnoreRequest):
    """The URL's host was given up, but it is not the host of most pages; the page fails for the host's reason."""

    def __init__(self, message: str, not_before: dt.datetime | None) -> None:
        super().__init__(message)
        self.not_before = not_before


def given_up(hosts: Hosts, netloc: str) -> PostponedRequest | UnreachableRequest:
    """Return the exception for a request to a host that was given up."""
    host = hosts.of(netloc)
    if hosts.is_home(netloc):
        return PostponedRequest(host.given_up)
    return UnreachableRequest(host.given_up, host.not_before)
