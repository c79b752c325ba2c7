"""Asks for invented URLs of folders that may be traps (`links.infinite_spaces`)."""

from collections.abc import Awaitable, Callable, Iterable, Iterator
from typing import Any, Final

from scrapy import Request
from scrapy.http import Response
from twisted.python.failure import Failure

from sitecrawl import stats
from sitecrawl.crawl.frontier import SAMPLE_PRIORITY
from sitecrawl.crawl.host_health import is_bad
from sitecrawl.crawl.site import SiteCrawl
from sitecrawl.crawl.soft404 import pretended
from sitecrawl.dom.page import Page
from sitecrawl.errors import PageError
from sitecrawl.links.infinite_spaces import BRED, invented
from sitecrawl.links.urls import fetchable_url
from sitecrawl.shell.exceptions import INVENTION

FIRST: Final = SAMPLE_PRIORITY + 1
"""Priority of these requests: before all pages, most of which may be the trap's."""
OK: Final = 200


class Inventions:
    """The invented URLs of one crawl. They are no pages: nothing of them is stored."""

    def __init__(self, spider: Any, crawl: SiteCrawl, page: Callable[[Response], Awaitable[Page]]) -> None:
        """`page` reads an answer; it raises PageError."""
        self.spider, self.crawl, self.page = spider, crawl, page

    def requests(self, url: str, new: Iterable[str]) -> Iterator[Request]:
        """Count a page that was read and the URLs that it was the first to name; yield what is to be asked for."""
        self.crawl.breeding.read(url, new)
        yield from self.due()

    def due(self) -> Iterator[Request]:
        """Yield what is to be asked for now: an invented URL of each folder that is suspected."""
        for folder in self.crawl.breeding.take():
            self.spider.crawler.stats.inc_value(stats.TRAPS_SUSPECTED)
            yield Request(
                invented(folder),
                callback=self.answered,
                errback=self.failed,
                priority=FIRST,
                dont_filter=True,
                meta={INVENTION: True, "dont_retry": True, "dont_redirect": True, "handle_httpstatus_all": True},
                cb_kwargs={"folder": folder},
            )

    async def answered(self, response: Response, folder: str) -> None:
        """Close the folder if there is such a page, and it names new pages of the folder; else it is honest."""
        if is_bad(response.status):
            self.crawl.breeding.unanswered(folder)
        elif response.status == OK and await self._breeds(response, folder):
            await self.crawl.closings.store([self.crawl.breeding.close(folder)])
        else:
            self.crawl.breeding.clear(folder)
            await self.crawl.closings.open(folder)

    async def _breeds(self, response: Response, folder: str) -> bool:
        try:
            page = await self.page(response)
        except PageError:
            return False
        if pretended(page) is not None:
            return False
        found, knows = self.crawl.anchors.read(page).found, self.crawl.frontier.knows
        new = [one for one in found if not knows(one.url_key) and (fetchable_url(one.url) or "").startswith(folder)]
        return len(new) >= BRED

    def failed(self, failure: Failure) -> None:
        """Leave a folder as it was: without an answer nothing is known."""
        request: Request = failure.request  # type: ignore[attr-defined]
        self.crawl.breeding.unanswered(request.cb_kwargs["folder"])
