"""robots.txt by RFC 9309: after a server error the last copy applies; without a response the host is left alone."""

import datetime as dt
import logging
from time import monotonic
from typing import Final, NamedTuple

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response
from scrapy.robotstxt import RobotParser
from scrapy.utils.misc import build_from_crawler
from twisted.internet.defer import Deferred

from sitecrawl import stats
from sitecrawl.clock import now
from sitecrawl.config import Config
from sitecrawl.crawl.site import SiteCrawl
from sitecrawl.shell.exceptions import ForbiddenRequest, PostponedRequest, RefusedRequest, UnreachableRequest, given_up
from sitecrawl.shell.failure_text import failure_text
from sitecrawl.shell.site_spider import site_crawl_of
from sitecrawl.storage.db.session import Session
from sitecrawl.storage.hosts import netloc_of
from sitecrawl.storage.robots import RobotsRepository
from sitecrawl.storage.visits import FORBIDDEN, VisitRepository

logger = logging.getLogger(__name__)
# Scrapy logs a traceback for each unreachable robots.txt, although the reason is recorded with each page. This is a
# filter and not a level, because Scrapy resets all levels in each forked crawl, after this module was imported.
logging.getLogger("scrapy.downloadermiddlewares.robotstxt").addFilter(lambda record: record.levelno > logging.ERROR)

REASON = "robots.txt unreadable"
"""Finish reason of a crawl that can be resumed."""
MAX_BYTES = 500 * 1024
"""Maximum bytes that are read; RFC 9309 section 2.5 requires at least 500 KiB."""
NOT_NOW = frozenset((429, *range(500, 600)))
ENDLESS: Final = "max redirections reached"
"""Message of the error with which Scrapy ends a chain of redirects."""
FRESH: Final = 86_400.0
"""Seconds after which robots.txt is read again in a long crawl (RFC 9309 section 2.4)."""


class Copy(NamedTuple):
    """The last readable robots.txt of a host."""

    body: bytes
    read_at: dt.datetime


class RobotsMiddleware(RobotsTxtMiddleware):
    """Scrapy's middleware with RFC 9309's status rules, a size limit, Crawl-delay, and copies for server errors."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        config = Config.from_mapping(crawler.settings)
        self._max_delay, self._keep = config.max_crawl_delay, dt.timedelta(seconds=config.robots_keep)
        self._read: dict[str, float] = {}
        self._copies: dict[str, Copy] = {}
        self._unreadable: dict[str, str] = {}
        self._not_asked: dict[str, RefusedRequest | PostponedRequest] = {}
        """The errors of hosts whose robots.txt was never requested; such an error says nothing about the host."""

    async def process_request(self, request: Request) -> None:  # type: ignore[override]
        """Return None to let a request pass.

        Raises ForbiddenRequest if robots.txt forbids it; PostponedRequest or UnreachableRequest if its host was given
        up, which an unreadable robots.txt causes; PostponedRequest if the request for robots.txt was postponed;
        RefusedRequest if the host, port or scheme is forbidden, or if a redirect led to another site whose robots.txt
        cannot be read.
        """
        crawl = self._crawl
        if crawl is not None and crawl.hosts.of(netloc_of(request.url)).given_up:
            raise given_up(crawl.hosts, netloc_of(request.url))
        try:
            await super().process_request(request)
        except (PostponedRequest, UnreachableRequest):
            raise
        except IgnoreRequest as error:
            raise ForbiddenRequest(FORBIDDEN) from error
        if request.meta.get("dont_obey_robotstxt"):
            return
        not_asked = self._not_asked.get(request.url.split("/")[2])
        if not_asked is not None:
            raise not_asked
        why = self._unreadable.get(request.url.split("/")[2])
        if why is not None:
            message = f"robots.txt cannot be read ({why})"
            if crawl is None:
                raise PostponedRequest(f"{message}; try again later")
            if not crawl.scope.contains(request.url):
                raise RefusedRequest(f"refused (offsite): {request.url[:200]}", "offsite")  # a redirect led there
            netloc = netloc_of(request.url)
            if not crawl.hosts.is_home(netloc):
                message = f"{netloc}: {message}"
            await crawl.visits.give_up(netloc, REASON, message)
            raise given_up(crawl.hosts, netloc)

    @property
    def _crawl(self) -> SiteCrawl | None:
        return site_crawl_of(self.crawler)

    async def robot_parser(self, request: Request) -> RobotParser | None:
        """Return the rules of the request's host, and apply its Crawl-delay."""
        netloc = request.url.split("/")[2]
        known = netloc in self._parsers
        if known and monotonic() - self._read[netloc] > FRESH and not isinstance(self._parsers[netloc], Deferred):
            del self._parsers[netloc]
            self._unreadable.pop(netloc, None)
            self._not_asked.pop(netloc, None)
            known = False
        if not known:
            self._read[netloc] = monotonic()
            await self._load(netloc, request)
        parser = await super().robot_parser(request)
        if parser is not None and not known:
            self._apply_delay(parser, request)
        return parser

    async def _parse_robots(self, response: Response, netloc: str, request: Request) -> None:
        if response.status in NOT_NOW:
            copy = self._copy(netloc, f"HTTP {response.status}")
            response = response.replace(body=copy.body if copy is not None else b"")
        else:
            if response.status >= 400:
                response = response.replace(body=b"")
            elif len(response.body) > MAX_BYTES:
                response = response.replace(body=response.body[:MAX_BYTES].rpartition(b"\n")[0])
            await self._store(netloc, request, response.body)
        await super()._parse_robots(response, netloc, request)

    def _robots_error(self, exc: Exception, netloc: str) -> None:
        if self._leads_nowhere(exc, netloc):
            # the last copy applies, or no rules (RFC 9309, 2.3.1.3): pages are requested, and their redirects decide
            copy = self._copies.get(netloc)
            rules = build_from_crawler(self._parserimpl, self.crawler, copy.body if copy is not None else b"")
            waiting = self._parsers[netloc]
            assert isinstance(waiting, Deferred)
            self._parsers[netloc] = rules
            waiting.callback(rules)
            return
        if isinstance(exc, RefusedRequest | PostponedRequest):  # no request was sent to the host
            self._not_asked[netloc] = exc
            super()._robots_error(exc, netloc)
            return
        # a host that does not answer for robots.txt would not answer for pages either: give it up for this run
        self._unreadable[netloc] = failure_text(exc) or type(exc).__name__
        self.crawler.stats.inc_value(f"{stats.ROBOTS}/unavailable")
        super()._robots_error(exc, netloc)

    def _leads_nowhere(self, exc: Exception, netloc: str) -> bool:
        """Return whether the robots.txt of a host of the site redirects to where it cannot be read.

        That is another site, a forbidden address, or one redirect after another (RFC 9309, 2.3.1.2).
        """
        elsewhere = isinstance(exc, RefusedRequest) and (exc.reason == "offsite" or exc.netloc not in ("", netloc))
        endless = isinstance(exc, IgnoreRequest) and str(exc) == ENDLESS
        return (
            (elsewhere or endless)
            and self._crawl is not None
            and self._crawl.scope.contains(f"http://{netloc}/robots.txt")
        )

    async def _load(self, netloc: str, request: Request) -> None:
        crawl = self._crawl
        if crawl is not None and crawl.scope.contains(request.url):
            site_id, since = crawl.site_id, now() - self._keep
            found = await crawl.writer.submit(lambda s: RobotsRepository(s).last(site_id, netloc, since))
            if found is not None:
                self._copies[netloc] = Copy(*found)

    async def _store(self, netloc: str, request: Request, body: bytes) -> None:
        """Store a robots.txt; if it differs from the last one, make URLs due that it no longer forbids."""
        crawl, copy = self._crawl, self._copies.get(netloc)
        if crawl is None or not crawl.scope.contains(request.url):
            return
        site_id, moment = crawl.site_id, now()
        parser = build_from_crawler(self._parserimpl, self.crawler, body)

        def allowed(url: str) -> bool:
            return netloc_of(url) == netloc_of(request.url) and parser.allowed(url, self._agent(request))

        def store(session: Session) -> None:
            RobotsRepository(session).keep(site_id, netloc, body, moment)
            if copy is None or copy.body != body:
                VisitRepository(session).allow(site_id, allowed, moment)

        await crawl.writer.submit(store)

    def _agent(self, request: Request) -> str | bytes:
        """Return the user agent whose rules in robots.txt apply, chosen as in Scrapy's middleware."""
        return self._robotstxt_useragent or request.headers.get("User-Agent") or self._default_useragent

    def _copy(self, netloc: str, why: str) -> Copy | None:
        """Return the last copy of a robots.txt that cannot be read; None if there is none that is recent enough."""
        copy = self._copies.get(netloc)
        if copy is None:
            self._unreadable[netloc] = why
            self.crawler.stats.inc_value(f"{stats.ROBOTS}/unavailable")
            return None
        self.crawler.stats.inc_value(f"{stats.ROBOTS}/copy")
        since = f"{copy.read_at:%Y-%m-%d %H:%M:%S} UTC"
        logger.warning("robots.txt of %s cannot be read (%s); its copy of %s applies", netloc, why, since)
        return copy

    def _apply_delay(self, parser: RobotParser, request: Request) -> None:
        delay = parser.crawl_delay(self._robotstxt_useragent or self._default_useragent)
        if not delay:
            return
        if delay > self._max_delay:
            message = "%s asks for %s s between requests; the crawl waits %s s (SITECRAWL_MAX_CRAWL_DELAY)"
            logger.warning(message, request.url, delay, self._max_delay)
        downloader = self.crawler.engine.downloader
        slot = downloader.slots.get(downloader.get_slot_key(request))
        if slot is not None:
            slot.delay = max(slot.delay, min(float(delay), self._max_delay))
            slot.jitter = 0.0  # the delay must be exact: Scrapy would vary it at random
            self.crawler.stats.set_value(f"{stats.ROBOTS}/crawl_delay", slot.delay)
