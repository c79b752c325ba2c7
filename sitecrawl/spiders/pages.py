"""Callbacks for pages: a response becomes a page item, or a fetch outcome if it holds no page."""

import datetime as dt
import logging
from collections.abc import AsyncIterator
from typing import Any, Final

from scrapy import Request, Spider
from scrapy.http import HtmlResponse, Response, TextResponse
from twisted.python.failure import Failure

from sitecrawl import stats
from sitecrawl.clock import now
from sitecrawl.crawl.conditional_get import dated_validator
from sitecrawl.crawl.frontier import LINK_PRIORITY
from sitecrawl.crawl.host_health import Suspended, netloc_of
from sitecrawl.crawl.page_lifecycle import FetchOutcome, FetchResult
from sitecrawl.crawl.sandbox import Sandbox
from sitecrawl.crawl.site import SiteCrawl
from sitecrawl.crawl.soft404 import Soft404Judge
from sitecrawl.crawl.work_turns import pause, work_turns
from sitecrawl.dom.heavy import is_heavy
from sitecrawl.dom.page import Page, check_size, parse_html
from sitecrawl.dom.script_shell import needs_scripts
from sitecrawl.errors import (
    EmptyPageError,
    PageError,
    PageNotTriedError,
    PageTooLargeError,
    StorageError,
    WritingEndedError,
)
from sitecrawl.items import PageItem
from sitecrawl.links.directives import read_directives
from sitecrawl.links.urls import url_key
from sitecrawl.shell.exceptions import FAILED_STREAK, NOT_BEFORE, UnreachableRequest
from sitecrawl.spiders.host_probes import HostProbes
from sitecrawl.spiders.page_redirects import PageRedirects
from sitecrawl.spiders.response_classifier import asked_url, recognised, redirect, unusable
from sitecrawl.spiders.response_classifier import failure as meaning
from sitecrawl.storage.pages import DuePage, PageStatus

logger = logging.getLogger(__name__)

NOT_MODIFIED: Final = 304
LANGUAGES: Final = 100
"""Maximum characters kept of a `Content-Language` header."""


class PageReader:
    """Makes the requests for pages of one crawl and handles their responses."""

    def __init__(self, spider: Spider, crawl: SiteCrawl, probes: HostProbes, sandbox: Sandbox) -> None:
        self.spider = spider
        self.crawl = crawl
        self.probes = probes
        self.sandbox = sandbox
        self.soft404_judge = Soft404Judge()
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

    async def read(self, response: Response) -> AsyncIterator[Any]:
        """Yield a PageItem for a response; record the reason if it holds no page."""
        await self.probes.settle()
        crawl, depth = self.crawl, int(response.meta.get("depth", 0))
        key, asked = int(response.meta["url_key"]), asked_url(response.request or Request(response.url))
        if response.status == NOT_MODIFIED:
            if response.url == asked:
                self.spider.crawler.stats.inc_value(stats.PAGES_NOT_MODIFIED)
                row = await crawl.visits.not_modified(key, asked, depth)
                if row is not None:
                    yield row
                return
            await crawl.visits.settle(
                key, asked, FetchOutcome(FetchResult.FAILED, "HTTP 304 after a redirect"), 304, depth
            )
            return
        if response.url != asked:
            target = url_key(response.url)
            if target != key:
                self.spider.crawler.stats.inc_value(stats.PAGES_REDIRECTED)
                await crawl.visits.settle(key, asked, redirect(response.meta, response.url), None, depth)
                if crawl.frontier.is_asked(target):
                    self.spider.crawler.stats.inc_value(stats.PAGES_DUPLICATE)
                    return
                key = target
        fetch_outcome = unusable(response)
        if fetch_outcome is not None:
            await crawl.visits.settle(key, response.url, fetch_outcome, response.status, depth)
            return
        if await self._is_identical(key, response):
            try:
                row = await crawl.visits.identical(key, asked, depth, response.status, *_validators(response, now()))
            except WritingEndedError:
                raise
            except StorageError as error:  # read it as any page: that tries once more, and says what fails
                logger.debug("%s: an identical page could not be stored: %s", asked, error)
            else:
                self.spider.crawler.stats.inc_value(stats.PAGES_IDENTICAL)
                if row is not None:
                    yield row
                return
        try:
            page = await self.page(response)
        except PageNotTriedError as error:
            await self._postpone(key, response.url, depth, error)
            return
        except PageError as error:
            self._count_page_error(error)
            fetch_outcome = FetchOutcome(FetchResult.UNUSABLE, error.reason)
            await crawl.visits.settle(key, response.url, fetch_outcome, response.status, depth)
            return
        await pause(page)
        fetch_outcome = self.soft404_judge.judge(page)
        if fetch_outcome is not None:
            self.spider.crawler.stats.inc_value(stats.PAGES_PRETENDED)
        else:
            fetch_outcome = await self.page_redirects.followed(page, key, depth)
        if fetch_outcome is not None:
            await crawl.visits.settle(key, response.url, fetch_outcome, response.status, depth)
            self.page_redirects.stored(key)
            return
        headers = [value.decode("latin-1") for value in response.headers.getlist("X-Robots-Tag")]
        moment = now()
        etag, last_modified = _validators(response, moment)
        directives = read_directives(page.metas, headers, moment, self._agent)
        if directives.expires:  # a 304 would not tell that the time has come
            etag = last_modified = None
        crawl.frontier.arrive(key, page=True)
        self.spider.crawler.stats.inc_value(stats.PAGES_PARSED)
        if needs_scripts(page):
            self.spider.crawler.stats.inc_value(stats.PAGES_SCRIPTED)
        yield PageItem(
            page=page,
            url_key=key,
            html=response.text if isinstance(response, TextResponse) else "",
            http_status=response.status,
            depth=depth,
            fetched_at=moment,
            etag=etag,
            last_modified=last_modified,
            content_language=_content_language(response),
            noindex=directives.noindex,
            nofollow=directives.nofollow,
        )

    async def _is_identical(self, key: int, response: Response) -> bool:
        """Tell whether a response repeats the last one of its page; headers that speak to robots are always read."""
        if not isinstance(response, TextResponse) or "X-Robots-Tag" in response.headers:
            return False
        if response.url != asked_url(response.request or Request(response.url)):
            return False
        return await self.crawl.visits.known.is_identical(key, response.text, _content_language(response), self._agent)

    async def page(self, response: Response) -> Page:
        """Return the parsed page of a response. Raises PageError if it holds no page or one that is too heavy."""
        response = recognised(response)
        if not isinstance(response, HtmlResponse):
            kind = _header(response, "Content-Type") or "no content type"
            raise PageError(response.url, f"not HTML ({kind})")
        if not response.body.strip():
            raise EmptyPageError(response.url, "the page is empty")
        check_size(response.url, response.text)
        if is_heavy(response.text):
            self.spider.crawler.stats.inc_value(stats.PAGES_TRIED)
            await self.sandbox.check(response.url, response.text)
        await work_turns().of_page(self.crawl.site.id)
        # not response.selector, which forms a cycle with its response and keeps each page until Python collects cycles
        root = parse_html(response.text, response.body if response.encoding == "utf-8" else None)
        if root is None:
            raise EmptyPageError(response.url, "the page is empty")
        page = Page.from_root(root, response.url, max_nodes=self.crawl.config.max_nodes)
        if not len(page.flat):
            raise EmptyPageError(response.url, "the page is empty")
        return page

    async def _postpone(self, key: int, url: str, depth: int, error: PageNotTriedError) -> None:
        """Leave to the next crawl a heavy page that this machine could not try now."""
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
        key, depth, url = int(request.meta["url_key"]), int(request.meta.get("depth", 0)), asked_url(request)
        fetch_outcome, http_status = meaning(failure.value, request)
        if fetch_outcome is None:
            await self.crawl.visits.postpone(key, str(failure.value))
            self.spider.crawler.stats.inc_value(stats.PAGES_POSTPONED)
            return
        streak = request.meta.get(FAILED_STREAK)
        if isinstance(failure.value, UnreachableRequest):
            not_before = failure.value.not_before
        elif streak is not None and fetch_outcome.result is FetchResult.FAILED:
            asked = request.meta.get(NOT_BEFORE)
            until = self.crawl.visits.not_before(asked) if asked is not None else None
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
        decision = await self.crawl.visits.settle(key, url, fetch_outcome, http_status, depth, not_before=not_before)
        if decision is not None:
            if isinstance(failure.value, UnreachableRequest):
                self.crawl.frontier.spellings.failed(key, decision.reason or "")
            excluded = decision.status is PageStatus.EXCLUDED
            self.spider.crawler.stats.inc_value(stats.PAGES_EXCLUDED if excluded else stats.PAGES_FAILED)

    @property
    def _agent(self) -> str:
        """Product token of the user agent, by which robots directives name this crawler."""
        settings = self.spider.settings
        agent = settings.get("ROBOTSTXT_USER_AGENT") or settings.get("USER_AGENT") or self.spider.name
        return str(agent).partition("/")[0].strip()


def _validators(response: Response, moment: dt.datetime) -> tuple[str | None, str | None]:
    """Return the ETag of a response, and its Last-Modified if a later request may rely on it."""
    date = _header(response, "Date")
    return _header(response, "ETag"), dated_validator(_header(response, "Last-Modified"), date, moment)


def _content_language(response: Response) -> str | None:
    return (_header(response, "Content-Language") or "")[:LANGUAGES] or None


def _header(response: Response, name: str) -> str | None:
    value = response.headers.get(name)
    return value.decode("latin-1") if value else None
