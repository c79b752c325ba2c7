"""Fetches a few pages of each layout a second time (`crawl.second_fetches`)."""

from typing import Final

from scrapy import Request, Spider
from scrapy.http import HtmlResponse, Response
from twisted.python.failure import Failure

from sitecrawl import stats
from sitecrawl.crawl.frontier import SAMPLE_PRIORITY
from sitecrawl.crawl.second_fetches import TwiceFetched
from sitecrawl.crawl.site import SiteCrawl
from sitecrawl.dom.page import Page
from sitecrawl.errors import PageError, StorageError
from sitecrawl.shell.exceptions import QUIET
from sitecrawl.spiders.pages import PageReader
from sitecrawl.spiders.response_classifier import recognised, requested_url

OK: Final = 200


class SecondFetchReader:
    """The second fetches of one crawl. Their responses are compared but not stored; failures are not retried."""

    def __init__(self, spider: Spider, crawl: SiteCrawl, pages: PageReader) -> None:
        self.spider, self.crawl, self.pages = spider, crawl, pages

    async def requests(self, *, last: bool = False) -> list[Request]:
        """Return the requests for the second fetches that are due; `last` means that nothing else is left to fetch."""
        chosen = await self.crawl.second_fetches.choose(last=last)
        self.spider.crawler.stats.inc_value(stats.PAGES_FETCHED_TWICE, len(chosen))
        return [self._request(one) for one in chosen]

    def _request(self, page: TwiceFetched) -> Request:
        return Request(
            page.url,
            callback=self.answered,
            errback=self.failed,
            priority=SAMPLE_PRIORITY,
            dont_filter=True,
            meta=dict(QUIET),
            cb_kwargs={"layout": page.layout, "key": page.url_key},
        )

    async def answered(self, response: Response, layout: int, key: int) -> None:
        """Compare a response with the stored page."""
        try:
            page, same = await self._read(response, key)
            await self.crawl.second_fetches.store(layout, key, page, same=same)
        except StorageError as error:
            self.spider.logger.warning("%s: its second fetch could not be stored: %s", response.url, error)

    async def _read(self, response: Response, key: int) -> tuple[Page | None, bool]:
        """Return the page of a response (None if it has none), and whether its body equals the stored one."""
        if response.status != OK or response.url != requested_url(response.request or Request(response.url)):
            return None, False
        response = recognised(response)
        if isinstance(response, HtmlResponse):
            first = await self.crawl.second_fetches.first(key, response.text)
            if first is not None:
                return first, True
        try:
            return await self.pages.page(response), False
        except PageError as error:
            self.spider.logger.info("passed over %s at its second fetch", error)
            return None, False

    def failed(self, failure: Failure) -> None:
        """Record that the second fetch got no response."""
        request: Request = failure.request  # type: ignore[attr-defined]
        self.crawl.second_fetches.unanswered(request.cb_kwargs["key"])
