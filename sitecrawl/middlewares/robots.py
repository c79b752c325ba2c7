"""robots.txt by RFC 9309: an error means the last copy, no answer means not now; Crawl-delay is kept."""

import datetime as dt
import logging
from time import monotonic
from typing import Any, Final, NamedTuple

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response
from scrapy.robotstxt import RobotParser
from twisted.internet.defer import Deferred

from sitecrawl import stats
from sitecrawl.clock import now
from sitecrawl.config import Config
from sitecrawl.crawl.host_health import netloc_of
from sitecrawl.crawl.site import SiteCrawl
from sitecrawl.shell.exceptions import ForbiddenRequest, PostponedRequest, RefusedRequest, UnreachableRequest, given_up
from sitecrawl.storage.robots import RobotsRepository

logger = logging.getLogger(__name__)
# Scrapy logs a traceback for each unreachable robots.txt; the reason is recorded with every page instead. A filter, not
# a level: Scrapy sets all levels anew in each forked crawl, long after this module was imported.
logging.getLogger("scrapy.downloadermiddlewares.robotstxt").addFilter(lambda record: record.levelno > logging.ERROR)

REASON = "robots.txt unreadable"
"""Why a crawl ended that is to be resumed."""
MAX_BYTES = 500 * 1024
"""RFC 9309 section 2.5: at least 500 KiB must be read."""
NOT_NOW = frozenset((429, *range(500, 600)))
FRESH: Final = 86_400.0
"""Seconds after which it is read again in a long crawl (RFC 9309 section 2.4)."""


class Copy(NamedTuple):
    """What robots.txt of a host said when it was last read."""

    body: bytes
    read_at: dt.datetime


class RobotsMiddleware(RobotsTxtMiddleware):
    """Scrapy's middleware with the status rules, the size cap, the delay, and copies for when it cannot be read."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        config = Config.from_mapping(crawler.settings)
        self._max_delay, self._keep = config.max_crawl_delay, dt.timedelta(seconds=config.robots_keep)
        self._read: dict[str, float] = {}
        self._copies: dict[str, Copy] = {}
        self._unreadable: dict[str, str] = {}
        self._not_asked: dict[str, RefusedRequest | PostponedRequest] = {}
        """Why robots.txt of a host was never asked for, which says nothing of the host."""

    async def process_request(self, request: Request) -> None:  # type: ignore[override]
        """Let a request pass.

        Raises ForbiddenRequest when robots.txt forbids it; PostponedRequest or UnreachableRequest when its host was
        given up, as it is when robots.txt cannot be read now; PostponedRequest when the request for robots.txt was
        postponed; RefusedRequest when a crawl may not come to its host, port or scheme at all, or when a redirect led
        it to another site whose robots.txt cannot be read.
        """
        crawl = self._crawl
        if crawl is not None and crawl.hosts.of(netloc_of(request.url)).given_up:
            raise given_up(crawl.hosts, netloc_of(request.url))
        try:
            await super().process_request(request)
        except (PostponedRequest, UnreachableRequest):
            raise
        except IgnoreRequest as error:
            raise ForbiddenRequest("forbidden by robots.txt") from error
        if request.meta.get("dont_obey_robotstxt"):
            return
        not_asked = self._not_asked.get(request.url.split("/")[2])
        if not_asked is not None:
            raise not_asked
        why = self._unreadable.get(request.url.split("/")[2])
        if why is not None:
            message = f"robots.txt cannot be read ({why}); nothing is fetched now, try again later"
            if crawl is None:
                raise PostponedRequest(message)
            if not crawl.scope.contains(request.url):
                raise RefusedRequest(f"refused (offsite): {request.url[:200]}", "offsite")  # a redirect led there
            netloc = netloc_of(request.url)
            if not crawl.hosts.is_home(netloc):
                message = f"{netloc}: robots.txt cannot be read ({why})"
            await crawl.visits.give_up(netloc, REASON, message)
            raise given_up(crawl.hosts, netloc)

    @property
    def _crawl(self) -> SiteCrawl | None:
        crawl: SiteCrawl | None = getattr(self.crawler.spider, "site_crawl", None)
        return crawl

    async def robot_parser(self, request: Request) -> RobotParser | None:
        """Return the rules of the request's host, and keep its Crawl-delay."""
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
        if isinstance(exc, RefusedRequest | PostponedRequest):  # nothing was sent to the host
            self._not_asked[netloc] = exc
            super()._robots_error(exc, netloc)
            return
        # a host that does not answer at all has no pages now either: it is left to the next run at once
        self._unreadable[netloc] = str(exc).strip() or type(exc).__name__
        self.crawler.stats.inc_value(f"{stats.ROBOTS}/unavailable")
        super()._robots_error(exc, netloc)

    async def _load(self, netloc: str, request: Request) -> None:
        crawl = self._crawl
        if crawl is not None and crawl.scope.contains(request.url):
            site_id, since = crawl.site.id, now() - self._keep
            found = await crawl.writer.submit(lambda s: RobotsRepository(s).last(site_id, netloc, since))
            if found is not None:
                self._copies[netloc] = Copy(*found)

    async def _store(self, netloc: str, request: Request, body: bytes) -> None:
        crawl = self._crawl
        if crawl is not None and crawl.scope.contains(request.url):
            site_id, moment = crawl.site.id, now()
            await crawl.writer.submit(lambda s: RobotsRepository(s).keep(site_id, netloc, body, moment))

    def _copy(self, netloc: str, why: str) -> Copy | None:
        """Return the last copy of a robots.txt that cannot be read, if there is one that is young enough."""
        copy = self._copies.get(netloc)
        if copy is None:
            self._unreadable[netloc] = why
            self.crawler.stats.inc_value(f"{stats.ROBOTS}/unavailable")
            return None
        self.crawler.stats.inc_value(f"{stats.ROBOTS}/copy")
        since = f"{copy.read_at:%Y-%m-%d %H:%M:%S} UTC"
        logger.warning("robots.txt of %s cannot be read (%s); what it said at %s counts", netloc, why, since)
        return copy

    def _apply_delay(self, parser: RobotParser, request: Request) -> None:
        delay = parser.crawl_delay(self._robotstxt_useragent or self._default_useragent)
        if not delay:
            return
        if delay > self._max_delay:
            logger.warning("%s asks for %s s between requests; %s s are kept", request.url, delay, self._max_delay)
        engine: Any = self.crawler.engine
        slot = engine.downloader.slots.get(engine.downloader.get_slot_key(request))
        if slot is not None:
            slot.delay = max(slot.delay, min(float(delay), self._max_delay))
            slot.jitter = 0.0  # not half of it either
            self.crawler.stats.set_value(f"{stats.ROBOTS}/crawl_delay", slot.delay)
