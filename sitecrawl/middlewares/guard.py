"""Sees every request last before the network: links, redirects, robots.txt, sitemaps and retries alike."""

import logging
from typing import Any, Final
from urllib.parse import urlsplit

from scrapy import Request
from scrapy.crawler import Crawler

from sitecrawl import stats
from sitecrawl.config import Config
from sitecrawl.crawl.closings import Closings
from sitecrawl.headers import header_excess
from sitecrawl.links.breeding import is_invented
from sitecrawl.network import AddressRules, GuardedResolver, parse_allowances
from sitecrawl.refusals import INVENTION, RefusedRequest

logger = logging.getLogger(__name__)

INVENTED_HERE: Final = "a trap: the crawler invented this URL itself"


class GuardMiddleware:
    """Refuses other schemes, other ports, private addresses, hosts that are not the crawled site's, and traps."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        config = Config.from_mapping(crawler.settings)
        spider: Any = crawler.spider
        self.scope = getattr(spider, "scope", None)
        crawl: Any = getattr(spider, "site_crawl", None)
        self.closings: Closings | None = None if crawl is None else crawl.closings
        allowances = parse_allowances(config.allowed_addresses)
        self.rules = AddressRules(getattr(spider, "start_url", None), allowances)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "GuardMiddleware":
        """Build from the running crawl."""
        return cls(crawler)

    def process_request(self, request: Request) -> None:
        """Let a request pass. Raises RefusedRequest."""
        reason = self.rules.refusal(request.url)
        if reason is None and self.scope is not None and not self.scope.contains(request.url):
            reason = "offsite"
        if reason is not None:
            raise self._refused(request, reason)
        if self.closings is not None and not request.meta.get(INVENTION):
            trap = self.closings.refusal(request.url) or (INVENTED_HERE if is_invented(request.url) else None)
            if trap is not None:
                self.crawler.stats.inc_value(stats.TRAPS_REFUSED)
                raise RefusedRequest(trap, "trap")
        GuardedResolver.ask(_host(request), self.rules)

    def _refused(self, request: Request, reason: str) -> RefusedRequest:
        self.crawler.stats.inc_value(stats.GUARD_REFUSED)
        self.crawler.stats.inc_value(f"{stats.GUARD_REFUSED}/{reason}")
        message = f"refused ({reason}): {request.url[:200]}"
        if self.closings is None:  # a spider of another project, which keeps no record of its URLs
            logger.warning("%s; see SITECRAWL_ALLOWED_ADDRESSES", message)
        return RefusedRequest(message, reason)

    def process_exception(self, request: Request, exception: Exception) -> None:
        """Fail a page for the reason of this guard, and at once: it is not asked for again.

        Raises RefusedRequest for a name that resolves to a private address, TooManyHeadersError for an answer that
        has too many headers.
        """
        if _host(request) in self.rules.refused:
            raise self._refused(request, "address") from exception
        excess = header_excess(exception)
        if excess is not None:
            self.crawler.stats.inc_value(stats.GUARD_HEADERS)
            raise excess from exception


def _host(request: Request) -> str:
    return (urlsplit(request.url).hostname or "").rstrip(".")
