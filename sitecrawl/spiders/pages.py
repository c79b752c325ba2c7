"""Callbacks for pages: make a page item of each response, or store its fetch outcome if it is no page."""

import logging
from collections.abc import AsyncIterator
from typing import Any, Final

from scrapy import Request, Spider
from scrapy.http import HtmlResponse, Response, TextResponse
from twisted.python.failure import Failure

from sitecrawl import stats
from sitecrawl.clock import now
from sitecrawl.crawl.frontier import LINK_PRIORITY
from sitecrawl.crawl.hosts import Suspended
from sitecrawl.crawl.page_lifecycle import FetchOutcome, FetchResult
from sitecrawl.crawl.replaced_texts import ReplacedTexts
from sitecrawl.crawl.sandbox import Sandbox
from sitecrawl.crawl.site import SiteCrawl
from sitecrawl.crawl.soft404 import Soft404Judge
from sitecrawl.crawl.work_turns import pause, work_turns
from sitecrawl.dom.heavy import is_heavy
from sitecrawl.dom.page import Page, parse_html
from sitecrawl.dom.script_shell import needs_scripts
from sitecrawl.dom.size_limits import check_size
from sitecrawl.errors import (
    EmptyPageError,
    PageError,
    PageNotTriedError,
    PageTooLargeError,
    StorageError,
    WritingEndedError,
)
from sitecrawl.items import ContentItem, PageItem
from sitecrawl.links.directives import read_directives
from sitecrawl.links.urls import url_key
from sitecrawl.shell.exceptions import FAILED_STREAK, NOT_BEFORE, UnreachableRequest
from sitecrawl.spiders.host_probes import HostProbes
from sitecrawl.spiders.page_redirects import PageRedirects
from sitecrawl.spiders.response_classifier import failure as meaning
from sitecrawl.spiders.response_classifier import recognised, redirect, requested_url, unusable, was_sent
from sitecrawl.spiders.response_headers import PageHeaders, header, page_headers
from sitecrawl.storage.hosts import netloc_of
from sitecrawl.storage.pages import DuePage, PageStatus

logger = logging.getLogger(__name__)

NOT_MODIFIED: Final = 304
NOT_HTML: Final = "not HTML"
"""Beginning of the reason of a URL with another kind of file."""


class PageReader:
    """Makes the requests for pages of one crawl and handles their responses."""

    def __init__(self, spider: Spider, crawl: SiteCrawl, probes: HostProbes, sandbox: Sandbox) -> None:
        self.spider = spider
        self.crawl = crawl
        self.probes = probes
        self.sandbox = sandbox
        self.soft404_judge = Soft404Judge()
        self.replaced_texts = ReplacedTexts(crawl)
        self.page_redirects = PageRedirects(spider, crawl)

    def request(self, page: DuePage, *, priority: int | None = None) -> Request:
        """Return the request for a page that was taken from the frontier."""
        meta: dict[str, Any] = {"url_key": page.url_key, "depth": page.depth}
        if page.etag or page.last_modified:
            meta |= {"etag": page.etag, "last_modified": page.last_modified, "handle_httpstatus_list": [304]}
        return Request(
            page.url,
            callback=self.read,
            errback=self.failed,
            priority=page.priority if priority is None else priority,
            dont_filter=True,  # the frontier avoids duplicates
            meta=meta,
        )

    async def read(self, response: Response) -> AsyncIterator[ContentItem | PageItem]:
        """Yield the PageItem of a response, or the feed row of an unchanged page; store the outcome of any other."""
        await self.probes.settle()
        if response.status == NOT_MODIFIED:
            row = await self._not_modified(response)
            if row is not None:
                yield row
            return
        key = await self._arrived_at(response)
        if key is None:
            return
        fetch_outcome = unusable(response)
        if fetch_outcome is not None:
            await self._settle(key, response, fetch_outcome)
            return
        headers, response = page_headers(response, now()), recognised(response)
        if await self._is_identical(key, response, headers):
            stored, row = await self._store_identical(key, response, headers)
            if row is not None:
                yield row
            if stored:
                return
        page = await self._page_or_outcome(key, response)
        if page is not None:
            yield self._item(key, response, headers, page)

    async def _not_modified(self, response: Response) -> ContentItem | None:
        """Store the visit of a page that answered 304; return its row if the feed has unchanged pages."""
        key, requested, depth = int(response.meta["url_key"]), _requested_url(response), self._depth(response)
        if response.url == requested:
            self.spider.crawler.stats.inc_value(stats.PAGES_NOT_MODIFIED)
            return await self.crawl.visits.not_modified(key, requested, depth)
        fetch_outcome = FetchOutcome(FetchResult.FAILED, "HTTP 304 after a redirect")
        await self.crawl.visits.settle(key, requested, fetch_outcome, NOT_MODIFIED, depth)
        return None

    async def _arrived_at(self, response: Response) -> int | None:
        """Return the key of the final URL, and store a redirect to it; None if that URL has its own visit."""
        key, requested = int(response.meta["url_key"]), _requested_url(response)
        target = url_key(response.url) if response.url != requested else key
        if target == key:
            return key
        self.spider.crawler.stats.inc_value(stats.PAGES_REDIRECTED)
        moved = redirect(response.meta, response.url)
        await self.crawl.visits.settle(key, requested, moved, None, self._depth(response))
        if self.crawl.frontier.is_requested(target):
            self.spider.crawler.stats.inc_value(stats.PAGES_DUPLICATE)
            return None
        return target

    async def _settle(self, key: int, response: Response, fetch_outcome: FetchOutcome) -> None:
        """Store the outcome of a response without a page."""
        await self.crawl.visits.settle(key, response.url, fetch_outcome, response.status, self._depth(response))

    async def _store_identical(
        self, key: int, response: Response, headers: PageHeaders
    ) -> tuple[bool, ContentItem | None]:
        """Store the visit of a page with an unchanged body; return (whether it is stored, its feed row or None).

        After a database error the caller reads the page like any other, which tries again and reports the error.
        """
        requested, visits = _requested_url(response), self.crawl.visits
        try:
            row = await visits.identical(
                key, requested, self._depth(response), response.status, headers.etag, headers.last_modified
            )
        except WritingEndedError:
            raise
        except StorageError as error:
            logger.debug("%s: an identical page could not be stored: %s", requested, error)
            return False, None
        self.spider.crawler.stats.inc_value(stats.PAGES_IDENTICAL)
        return True, row

    async def _page_or_outcome(self, key: int, response: Response) -> Page | None:
        """Return the page of a response; None after storing the outcome of one without a page, or that redirects."""
        try:
            page = await self.page(response)
        except PageNotTriedError as error:
            await self._postpone(key, response.url, self._depth(response), error)
            return None
        except PageError as error:
            self._count_page_error(error)
            await self._settle(key, response, FetchOutcome(FetchResult.UNUSABLE, error.reason))
            return None
        await pause(page)
        fetch_outcome = self.soft404_judge.judge(page)
        redirect = None
        if fetch_outcome is not None:
            self.spider.crawler.stats.inc_value(stats.PAGES_PRETENDED)
        else:
            redirect = await self.page_redirects.followed(page, key, self._depth(response))
            fetch_outcome = redirect or await self.replaced_texts.judge(key, page)
        if redirect is None and needs_scripts(page):
            self.spider.crawler.stats.inc_value(stats.PAGES_SCRIPTED)
        if fetch_outcome is None:
            return page
        await self._settle(key, response, fetch_outcome)
        self.page_redirects.stored(key)
        return None

    def _item(self, key: int, response: Response, headers: PageHeaders, page: Page) -> PageItem:
        """Return the item of a page, and mark the page as arrived."""
        directives = read_directives(page.metas, headers.robots, headers.moment, self._agent)
        asks_again = not directives.expires  # a 304 would not show that the page has expired
        self.crawl.frontier.arrive(key, page=True)
        self.spider.crawler.stats.inc_value(stats.PAGES_PARSED)
        return PageItem(
            page=page,
            url_key=key,
            html=response.text if isinstance(response, TextResponse) else "",
            http_status=response.status,
            depth=self._depth(response),
            fetched_at=headers.moment,
            etag=headers.etag if asks_again else None,
            last_modified=headers.last_modified if asks_again else None,
            content_language=headers.content_language,
            noindex=directives.noindex,
            nofollow=directives.nofollow,
        )

    async def _is_identical(self, key: int, response: Response, headers: PageHeaders) -> bool:
        """Return whether a response equals the page's last one; False with robots headers, which must be read."""
        if not isinstance(response, TextResponse) or headers.robots or response.url != _requested_url(response):
            return False
        known = self.crawl.visits.known
        return await known.is_identical(key, response.text, headers.content_language, self._agent)

    async def page(self, response: Response) -> Page:
        """Return the parsed page of a response that `recognised` returned.

        Raises PageError if it has no page, or one that is too heavy.
        """
        if not isinstance(response, HtmlResponse):
            kind = header(response, "Content-Type") or "no content type"
            raise PageError(response.url, f"{NOT_HTML} ({kind})")
        if not response.body.strip():
            raise EmptyPageError(response.url, "the page is empty")
        check_size(response.url, response.text)
        if is_heavy(response.text):
            self.spider.crawler.stats.inc_value(stats.PAGES_TRIED)
            await self.sandbox.check(response.url, response.text)
        await work_turns().of_page(self.crawl.site_id)
        # not response.selector: it forms a reference cycle with the response, which stays in memory until collected
        root = parse_html(response.text, response.body if response.encoding == "utf-8" else None)
        if root is None:
            raise EmptyPageError(response.url, "the page is empty")
        page = Page.from_root(root, response.url, max_nodes=self.crawl.config.max_nodes)
        if not len(page.flat):
            raise EmptyPageError(response.url, "the page is empty")
        return page

    async def _postpone(self, key: int, url: str, depth: int, error: PageNotTriedError) -> None:
        """Leave a heavy page, which this machine was too busy to try, to the next crawl."""
        self.spider.crawler.stats.inc_value(stats.PAGES_UNTRIED)
        logger.warning("%s", error)
        new = self.crawl.frontier.add(key, url, depth, LINK_PRIORITY)  # a redirect may have led here first
        if new is not None:
            await self.crawl.visits.discover([new])
        await self.crawl.visits.postpone(key, error.reason)

    def _count_page_error(self, error: PageError) -> None:
        key = stats.PAGES_NOT_HTML
        if isinstance(error, PageTooLargeError):
            key = stats.PAGES_TOO_LARGE
        elif isinstance(error, EmptyPageError):
            key = stats.PAGES_EMPTY
        self.spider.crawler.stats.inc_value(key)
        logger.info("passed over %s", error)

    async def failed(self, failure: Failure) -> None:
        """Record why a page could not be fetched."""
        request: Request = failure.request  # type: ignore[attr-defined]
        key, depth, url = int(request.meta["url_key"]), self._depth(request), requested_url(request)
        fetch_outcome, http_status = meaning(failure.value, request)
        if fetch_outcome is None:
            await self.crawl.visits.postpone(key, str(failure.value))
            self.spider.crawler.stats.inc_value(stats.PAGES_POSTPONED)
            return
        streak = request.meta.get(FAILED_STREAK)
        if isinstance(failure.value, UnreachableRequest):
            not_before = failure.value.not_before
        elif streak is not None and fetch_outcome.result is FetchResult.FAILED:
            earliest = request.meta.get(NOT_BEFORE)
            until = self.crawl.visits.not_before(earliest) if earliest is not None else None
            netloc = netloc_of(request.url)
            await self.crawl.visits.suspend(
                Suspended(key, url, fetch_outcome, http_status, depth, netloc, streak, until)
            )
            await self.probes.settle()
            self.probes.wake()
            return
        else:
            not_before = None
        logger.info("could not fetch %s: %s", url, fetch_outcome.why)
        requested = was_sent(failure.value, request)
        decision = await self.crawl.visits.settle(
            key, url, fetch_outcome, http_status, depth, not_before=not_before, requested=requested
        )
        if decision is not None:
            if isinstance(failure.value, UnreachableRequest):
                self.crawl.frontier.spellings.failed(key, decision.reason or "")
            excluded = decision.status is PageStatus.EXCLUDED
            self.spider.crawler.stats.inc_value(stats.PAGES_EXCLUDED if excluded else stats.PAGES_FAILED)

    def _depth(self, visit: Request | Response) -> int:
        """Return the depth of a page: its request's depth, or less if a shorter path was found since."""
        return self.crawl.frontier.depth(int(visit.meta["url_key"]), int(visit.meta.get("depth", 0)))

    @property
    def _agent(self) -> str:
        """Product token of the user agent: the name of this crawler in robots directives."""
        settings = self.spider.settings
        agent = settings.get("ROBOTSTXT_USER_AGENT") or settings.get("USER_AGENT") or self.spider.name
        return str(agent).partition("/")[0].strip()


def _requested_url(response: Response) -> str:
    """Return the requested URL, before redirects."""
    return requested_url(response.request or Request(response.url))
