"""Scrapy's HTTP/1.1 downloads, which let go when a crawl is stopped: a stalled one would hold it for long."""

import asyncio
from typing import Final

from scrapy import Request
from scrapy.core.downloader.handlers.http11 import HTTP11DownloadHandler
from scrapy.http import Response

from sitecrawl.shell.exceptions import PostponedRequest

GRACE: Final = 5.0
"""Seconds that downloads under way have when the crawl is stopped (RELIABILITY 4.12)."""
SLICE: Final = 0.5
"""Seconds after which it is looked whether it is."""


class StoppableHandler(HTTP11DownloadHandler):
    """Downloads for `http` and `https`."""

    async def download_request(self, request: Request) -> Response:
        """Return the answer. Raises PostponedRequest when the crawl is stopped first; the page stays due."""
        download = asyncio.ensure_future(super().download_request(request))
        left = GRACE
        while left > 0:
            await asyncio.wait({download}, timeout=SLICE)
            if download.done():
                return download.result()
            if not self._crawler.crawling:
                left -= SLICE
        download.cancel()
        await asyncio.wait({download}, timeout=SLICE)
        raise PostponedRequest("the crawl was stopped")
