"""The last check of every request before it is sent: also of redirects, robots.txt, sitemaps and retries."""

import logging
from typing import Final
from urllib.parse import urlsplit

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import CannotResolveHostError
from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet.defer import Deferred
from twisted.internet.error import DNSLookupError

from sitecrawl import stats
from sitecrawl.config import Config
from sitecrawl.crawl.site import SiteCrawl
from sitecrawl.links.crawl_rules import REASONS
from sitecrawl.links.infinite_spaces import is_invented
from sitecrawl.shell.addresses import AddressRules, Reach, Refusal, parse_allowances, port_of
from sitecrawl.shell.exceptions import INVENTION, PAGE, PROBE, SCOPE, PostponedRequest, RefusedName, RefusedRequest
from sitecrawl.shell.headers import header_excess
from sitecrawl.shell.internet import IpAddress
from sitecrawl.shell.resolver import GuardedResolver
from sitecrawl.shell.site_spider import Ending, site_crawl_of, site_spider_of

logger = logging.getLogger(__name__)

INVENTED_HERE: Final = "a trap: the crawler invented this URL itself"
MOVED: Final = "address"
"""Finish reason of a crawl whose start host resolves to a forbidden address; the crawl can be resumed."""


class GuardMiddleware:
    """Refuses other schemes and ports, private addresses, hosts outside the site, and traps."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        config = Config.from_mapping(crawler.settings)
        self.crawl, spider = site_crawl_of(crawler), site_spider_of(crawler)
        self.engine: Ending | None = None if spider is None else spider.engine
        start_url = None if self.crawl is None else self.crawl.start_url
        reach = Reach.parse(self.crawl.reach) if self.crawl is not None and self.crawl.reach else None
        allowances = parse_allowances(config.allowed_addresses)
        self.rules = AddressRules(start_url, allowances, reach=reach, witness=self)
        self._left_out: set[tuple[str, IpAddress]] = set()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "GuardMiddleware":
        """Build from the running crawl."""
        return cls(crawler)

    async def process_request(self, request: Request) -> None:
        """Return None to let a request pass.

        Raises RefusedRequest for a forbidden URL, and PostponedRequest if the start host resolves to a forbidden
        address.
        """
        reason = self.rules.refusal(request.url)
        if reason is None and self.crawl is not None and not self.crawl.scope.contains(request.url):
            reason = "offsite"
        if reason is not None:
            raise self._refused(request, reason)
        self._check_scope(request)
        if self.crawl is not None and not request.meta.get(INVENTION):
            trap = self.crawl.closed_traps.refusal(request.url) or (INVENTED_HERE if is_invented(request.url) else None)
            if trap is not None:
                self.crawler.stats.inc_value(stats.TRAPS_REFUSED)
                raise RefusedRequest(trap, "trap")
        host, proxy = _host(request), request.meta.get("proxy")
        if proxy:
            self.rules.trust_proxy(proxy)
        resolver = GuardedResolver.installed(self.crawler.settings)
        resolver.ask(host, port_of(request.url), self.rules)
        if self.crawl is not None and self.rules.is_own(host):
            if host in self.rules.refused:
                raise PostponedRequest(self.rules.refused[host].why)
            if self.rules.reach is None and not proxy:
                await self._decide(self.crawl, resolver, host)

    def _check_scope(self, request: Request) -> None:
        """Check a page that a redirect may lead to. Raises RefusedRequest if it is out of the scope of the crawl."""
        spider = site_spider_of(self.crawler)
        if spider is None or not request.meta.keys() & {PAGE, PROBE}:
            return
        refusal = spider.discovery.out_of_scope.refusal(request.url)
        if refusal is not None:
            raise RefusedRequest(REASONS[refusal], SCOPE)

    async def _decide(self, crawl: SiteCrawl, resolver: GuardedResolver, host: str) -> None:
        """Decide which addresses the start host may resolve to, and record that before the first connection.

        Raises CannotResolveHostError like a connection, so that the request is retried.
        """
        try:
            found = await maybe_deferred_to_future(Deferred.fromCoroutine(resolver.look_up(host)))
        except DNSLookupError as error:
            raise CannotResolveHostError(str(error)) from error
        reach = self.rules.decide(found, known=crawl.answered)
        if reach is not None and self.rules.reach is None:
            await crawl.record_reach(str(reach))
            self.rules.reach = reach

    def left_out(self, host: str, address: IpAddress) -> None:
        """Warn once that one of several addresses of a host is forbidden and not used."""
        if (host, address) not in self._left_out:
            self._left_out.add((host, address))
            self.crawler.stats.inc_value(stats.GUARD_LEFT_OUT)
            logger.warning("%s also resolves to %s, to which this crawl may not connect; it is not used", host, address)

    def process_exception(self, request: Request, exception: Exception) -> None:
        """Replace the error of a connection that the address rules refused, so that it is not retried.

        Raises RefusedName for a host that resolves to a private address; PostponedRequest if that is the start host,
        whose pages keep their state; TooManyHeadersError for a response with too many headers.
        """
        host = _host(request)
        refusal = self.rules.refused.get(host)
        if refusal is not None:
            self._count("address")
            if self.crawl is not None and self.rules.is_own(host):
                self._end(self.crawl, refusal)
                raise PostponedRequest(refusal.why) from exception
            message = f"refused (address): {request.url[:200]}: {refusal.why}"
            self._say(message)
            raise RefusedName(message) from exception
        excess = header_excess(exception)
        if excess is not None:
            self.crawler.stats.inc_value(stats.GUARD_HEADERS)
            raise excess from exception

    def _end(self, crawl: SiteCrawl, refusal: Refusal) -> None:
        """End the crawl, since its start host now resolves to an address that cannot be the site's."""
        if crawl.report.moved is not None:
            return
        crawl.report.moved = refusal.why, refusal.remedy(crawl.site.host)
        logger.error("%s: refused: %s; nothing is fetched from there, and the crawl ends", crawl.site.host, refusal.why)
        if self.engine is not None:
            self.engine.end(MOVED)

    def _refused(self, request: Request, reason: str) -> RefusedRequest:
        self._count(reason)
        message = f"refused ({reason}): {request.url[:200]}"
        self._say(message)
        return RefusedRequest(message, reason, urlsplit(request.url).netloc)

    def _say(self, message: str) -> None:
        """Log a refusal if the spider is not sitecrawl's, since other spiders do not store the outcomes of URLs."""
        if self.crawl is None:
            logger.warning("%s; see SITECRAWL_ALLOWED_ADDRESSES", message)

    def _count(self, reason: str) -> None:
        self.crawler.stats.inc_value(stats.GUARD_REFUSED)
        self.crawler.stats.inc_value(f"{stats.GUARD_REFUSED}/{reason}")


def _host(request: Request) -> str:
    return (urlsplit(request.url).hostname or "").rstrip(".")
