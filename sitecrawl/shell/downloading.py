"""HTTP/1.1 downloads that are cancelled when the crawl stops, so that a stalled one does not delay the end."""

import asyncio
from typing import Final

from scrapy import Request
from scrapy.core.downloader.handlers.http11 import HTTP11DownloadHandler
from scrapy.http import Response

from sitecrawl.shell.exceptions import PostponedRequest

GRACE: Final = 5.0
"""Seconds that downloads in flight have once the crawl is stopped."""
SLICE: Final = 0.5
"""Seconds between checks whether the crawl is stopped."""


class StoppableHandler(HTTP11DownloadHandler):
    """Download handler for `http` and `https`."""

    async def download_request(self, request: Request) -> Response:
        """Return the response. Raises PostponedRequest if the crawl is stopped first; the page stays due."""
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
