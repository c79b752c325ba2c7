"""Requests invented URLs in folders that may be traps (`links.infinite_spaces`)."""

from collections.abc import Awaitable, Callable, Iterable, Iterator
from typing import Final

from scrapy import Request, Spider
from scrapy.http import Response
from twisted.python.failure import Failure

from sitecrawl import stats
from sitecrawl.crawl.frontier import SAMPLE_PRIORITY
from sitecrawl.crawl.host_health import is_bad
from sitecrawl.crawl.site import SiteCrawl
from sitecrawl.crawl.soft404 import soft404_outcome
from sitecrawl.dom.page import Page
from sitecrawl.errors import PageError
from sitecrawl.links.infinite_spaces import BRED, invented
from sitecrawl.links.urls import fetchable_url
from sitecrawl.shell.exceptions import INVENTION
from sitecrawl.spiders.response_classifier import recognised

FIRST: Final = SAMPLE_PRIORITY + 1
"""Priority of these requests: before all pages, since most of those may be in the trap."""
OK: Final = 200


class TrapProbes:
    """The trap probes of one crawl. Invented URLs are not pages, so none of their responses is stored."""

    def __init__(self, spider: Spider, crawl: SiteCrawl, page: Callable[[Response], Awaitable[Page]]) -> None:
        """`page` parses a response, or raises PageError."""
        self.spider, self.crawl, self.page = spider, crawl, page

    def requests(self, url: str, new: Iterable[str]) -> Iterator[Request]:
        """Count a page that was read and the URLs that it was the first to link to; yield the probes that are due."""
        self.crawl.infinite_spaces.read(url, new)
        yield from self.due()

    def due(self) -> Iterator[Request]:
        """Yield a probe for each suspected folder."""
        for folder in self.crawl.infinite_spaces.take():
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
        """Close the folder if its invented URL is a page with new links into the folder; else clear it."""
        if is_bad(response.status):
            self.crawl.infinite_spaces.unanswered(folder)
        elif response.status == OK and await self._breeds(response, folder):
            await self.crawl.closed_traps.store([self.crawl.infinite_spaces.close(folder)])
        else:
            self.crawl.infinite_spaces.clear(folder)
            await self.crawl.closed_traps.open(folder)

    async def _breeds(self, response: Response, folder: str) -> bool:
        try:
            page = await self.page(recognised(response))
        except PageError:
            return False
        if soft404_outcome(page) is not None:
            return False
        found, knows = self.crawl.anchors.read(page).found, self.crawl.frontier.knows
        new = [one for one in found if not knows(one.url_key) and (fetchable_url(one.url) or "").startswith(folder)]
        return len(new) >= BRED

    def failed(self, failure: Failure) -> None:
        """Leave the folder as it was: a failed request is not evidence of a trap."""
        request: Request = failure.request  # type: ignore[attr-defined]
        self.crawl.infinite_spaces.unanswered(request.cb_kwargs["folder"])
