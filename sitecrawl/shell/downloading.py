"""HTTP/1.1 downloads that are cancelled when the crawl stops, so that a stalled download does not delay its end."""

import asyncio
from time import monotonic
from typing import TYPE_CHECKING, Final, cast

from scrapy import Request
from scrapy.core.downloader.handlers.http11 import HTTP11DownloadHandler
from scrapy.crawler import Crawler
from scrapy.http import Response
from scrapy.utils.defer import maybe_deferred_to_future
from scrapy.utils.httpobj import urlparse_cached
from twisted.internet.defer import Deferred
from twisted.internet.error import DNSLookupError

from sitecrawl.crawl.work_turns import work_turns
from sitecrawl.shell.address_pace import AddressPace, shared_address
from sitecrawl.shell.certificates import NamedHosts, Policy
from sitecrawl.shell.exceptions import PostponedRequest
from sitecrawl.shell.resolver import GuardedResolver, ascii_name
from sitecrawl.shell.site_spider import site_spider_of

if TYPE_CHECKING:
    from scrapy.core.downloader import Downloader, Slot
    from twisted.web.iweb import IPolicyForHTTPS

GRACE: Final = 5.0
"""Seconds in which active downloads may finish after the crawl is stopped."""
SLICE: Final = 0.5
"""Seconds between checks whether the crawl is stopped."""


def sent_at(taken: float, now: float, delay: float) -> float:
    """Return the latest time, in seconds, at which a request is sent; the delay until the next one counts from it.

    A busy event loop is late by `now - taken`, where `taken` is the time at which it took the request from the queue,
    and perhaps by as much again until it writes to the socket. At most one `delay` is added.
    """
    return now + min(max(now - taken, 0.0), delay)


class StoppableHandler(HTTP11DownloadHandler):
    """A download handler for `http` and `https` that stops with the crawl."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        if crawler.settings.getbool("DOWNLOAD_VERIFY_CERTIFICATES"):
            self._contextFactory = cast("IPolicyForHTTPS", NamedHosts(cast("Policy", self._contextFactory)))
        self._asking: set[Request] = set()
        """Requests that wait for their turn at an address."""

    async def download_request(self, request: Request) -> Response:
        """Return the response. Raises PostponedRequest if the crawl is stopped before; the page stays due."""
        download = asyncio.ensure_future(self._in_turn(request))
        left = GRACE
        while left > 0:
            await asyncio.wait({download}, timeout=SLICE)
            if download.done():
                return download.result()
            if not self._crawler.crawling:
                left -= GRACE if request in self._asking else SLICE
        download.cancel()
        await asyncio.wait({download}, timeout=SLICE)
        raise PostponedRequest("the crawl was stopped")

    async def _in_turn(self, request: Request) -> Response:
        """Return the response to a request, which is sent when its address may receive the next request."""
        spider, slot = site_spider_of(self._crawler), self._slot(request)
        if spider is None or slot is None or slot.delay <= 0:
            return await super().download_request(request)
        slot.lastseen = sent_at(slot.lastseen, monotonic(), slot.delay)
        pace = spider.share.pace
        self._asking.add(request)
        try:
            await work_turns().of_request(spider.site_crawl.site_id)
            slot.lastseen = max(slot.lastseen, monotonic())
            address = await self._turn(pace, request, slot.delay) if pace is not None else ""
        finally:
            self._asking.discard(request)
        sent = monotonic()
        response = await super().download_request(request)
        if pace is not None:
            pace.answered(address, sent, request.meta.get("download_latency", 0.0), slot.delay)
        return response

    def _slot(self, request: Request) -> "Slot | None":
        """Return the downloader's slot for a request; None if another project's downloader has no slots."""
        downloader: Downloader = self._crawler.engine.downloader
        slots = getattr(downloader, "slots", {})
        return slots.get(downloader.get_slot_key(request)) if slots else None

    async def _turn(self, pace: AddressPace, request: Request, delay: float) -> str:
        """Wait for the turn of a request; return its address, or "" if that is unknown."""
        if request.meta.get("proxy"):
            return ""
        host = ascii_name(urlparse_cached(request).hostname or "")
        resolver = GuardedResolver.installed(self._crawler.settings)
        try:
            found = await maybe_deferred_to_future(Deferred.fromCoroutine(resolver.look_up(host)))
        except DNSLookupError:
            return ""  # the request itself will fail with a message
        address = shared_address(found)
        await pace.turn(address, delay)
        return address
