"""Why a request is never sent, or its answer not looked at: refused, forbidden, or not now."""

import datetime as dt
from typing import Final

from scrapy.exceptions import IgnoreRequest

from sitecrawl.crawl.host_health import Hosts

PAGE: Final = "url_key"
"""In `Request.meta`: the key of the page that is asked for; no other request has one."""
PROBE: Final = "sitecrawl_probe"
"""In `Request.meta`: the request only asks whether its host answers."""
INVENTION: Final = "sitecrawl_invention"
"""In `Request.meta`: no page names the URL (`links.infinite_spaces`)."""
QUIET: Final = {
    "dont_retry": True,
    "dont_redirect": True,
    "handle_httpstatus_all": True,
}
"""What else stands in the meta of such a request. It obeys robots.txt and the guard like any other."""
NOT_BEFORE: Final = "sitecrawl_not_before"
"""In `Request.meta`: when the server says that the URL may be asked for again, if that is later than a crawl waits."""
FAILED_STREAK: Final = "sitecrawl_streak"
"""In `Request.meta`: the run of failures of its host that this request belongs to (`crawl.host_health`)."""


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


class UnreachableRequest(IgnoreRequest):
    """The host of the URL was given up, and the site's pages are on another: the page fails for the host's reason."""

    def __init__(self, message: str, not_before: dt.datetime | None) -> None:
        super().__init__(message)
        self.not_before = not_before


def given_up(hosts: Hosts, netloc: str) -> PostponedRequest | UnreachableRequest:
    """Return what is raised for a request to a host that was given up."""
    host = hosts.of(netloc)
    if hosts.is_home(netloc):
        return PostponedRequest(host.given_up)
    return UnreachableRequest(host.given_up, host.not_before)
