"""Conditional GET: sends stored validators as If-None-Match and If-Modified-Since."""

from scrapy import Request
from scrapy.crawler import Crawler

from sitecrawl import stats

VALIDATORS = {"etag": b"If-None-Match", "last_modified": b"If-Modified-Since"}
"""Keys of `Request.meta` and their headers (RFC 9110 section 13.1)."""


class ConditionalGetMiddleware:
    """Sends the validators in the meta of a request, but not to the target of its redirect."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "ConditionalGetMiddleware":
        """Build from the running crawl."""
        return cls(crawler)

    def process_request(self, request: Request) -> None:
        """Add the headers; remove them from a request that was redirected."""
        redirected = bool(request.meta.get("redirect_times"))
        sent = False
        for key, header in VALIDATORS.items():
            value = request.meta.get(key)
            if not value:
                continue
            if redirected:
                request.headers.pop(header, None)
            else:
                request.headers[header] = value.encode("latin-1", "ignore")
                sent = True
        if sent and not request.meta.get("retry_times"):
            self.crawler.stats.inc_value(stats.PAGES_CONDITIONAL)
