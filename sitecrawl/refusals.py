"""Why a request is never sent, or its answer not looked at: refused, forbidden, or not now."""

from scrapy.exceptions import IgnoreRequest


class RefusedRequest(IgnoreRequest):
    """The request would leave the site, or reach what a crawl may not reach; `reason` says which."""

    def __init__(self, message: str = "", reason: str = "") -> None:
        super().__init__(message)
        self.reason = reason


class ForbiddenRequest(IgnoreRequest):
    """robots.txt forbids the URL."""


class PostponedRequest(IgnoreRequest):
    """Not now: nothing was learned about the page, which stays due."""
