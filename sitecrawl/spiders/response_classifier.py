"""Classifies Scrapy's responses and failures as fetch outcomes (`crawl.page_lifecycle`)."""

from typing import Any, Final

from scrapy import Request
from scrapy.exceptions import DownloadCancelledError, IgnoreRequest
from scrapy.http import HtmlResponse, Response, TextResponse
from scrapy.spidermiddlewares.httperror import HttpError

from sitecrawl.binary_files import has_markup, is_binary, is_tagged
from sitecrawl.crawl.page_lifecycle import FetchOutcome, FetchResult, fetch_result
from sitecrawl.dom.charset import real_charset
from sitecrawl.shell.exceptions import (
    SCOPE,
    ForbiddenRequest,
    PostponedRequest,
    RefusedName,
    RefusedRequest,
    UnreachableRequest,
)
from sitecrawl.shell.failure_text import CLOSED, NO_HTTP, failure_text, one_line

ENDS = frozenset((FetchResult.NOT_FOUND, FetchResult.REMOVED, FetchResult.FORBIDDEN))
NOT_SENT = (ForbiddenRequest, RefusedRequest, UnreachableRequest)
REDIRECTS = frozenset((FetchResult.MOVED, FetchResult.MOVED_FOR_NOW))
ELSEWHERE: Final = frozenset(("offsite", SCOPE))
"""Reasons to refuse the target of a redirect for which the redirecting page itself is not refused."""

NO_ADDRESS: Final = ("Missing scheme in request url", "Invalid IPv6 URL")
"""Beginnings of Scrapy's and Python's messages about the target of a redirect that is no URL."""
COOKIE_NEEDED: Final = ", to itself; if the site needs its cookies sent back, set COOKIES_ENABLED=True"
"""The end of the reason of a page that redirects to itself."""


def recognised(response: Response) -> Response:
    """Return the response with the type and charset that its bytes show, if its Content-Type is clearly wrong.

    Scrapy takes program code with HTML tags in it for a page. A page that is not labelled as HTML must begin with a
    tag.
    """
    if isinstance(response, HtmlResponse) and is_binary(response.body):
        return _of_type(response, "a binary file, labelled as HTML")
    if "Content-Type" not in response.headers and has_markup(response.body):
        response = response.replace(cls=HtmlResponse)
    declared = (response.headers.get("Content-Type") or b"").lower()
    if isinstance(response, HtmlResponse) and declared and b"html" not in declared and not is_tagged(response.body):
        return _of_type(response, declared)
    if isinstance(response, TextResponse) and (real := real_charset(response.body, response.encoding)):
        return response.replace(encoding=real)
    return response


def _of_type(response: Response, content_type: str | bytes) -> Response:
    """Return a response with another Content-Type, and without its body, so that it is not read as a page."""
    return Response(
        response.url, status=response.status, headers={"Content-Type": content_type}, request=response.request
    )


def requested_url(request: Request) -> str:
    """Return the requested URL, before any redirect."""
    urls: list[str] = request.meta.get("redirect_urls", [])
    return urls[0] if urls else request.url


def redirect(meta: dict[str, Any], target: str) -> FetchOutcome:
    """Return the fetch outcome of a redirected URL, from the first redirect of its chain and the final `target`."""
    reasons = meta.get("redirect_reasons", [])
    first = fetch_result(reasons[0]) if reasons and isinstance(reasons[0], int) else FetchResult.MOVED_FOR_NOW
    return FetchOutcome(first if first in REDIRECTS else FetchResult.MOVED_FOR_NOW, target)


def unusable(response: Response) -> FetchOutcome | None:
    """Return the fetch outcome of a response whose status excludes a complete page; None if it may have one."""
    given = fetch_result(response.status)
    if given is FetchResult.PAGE or not 200 <= response.status < 300:
        return None
    return FetchOutcome(
        FetchResult.FAILED if given is FetchResult.FAILED else FetchResult.UNUSABLE, f"HTTP {response.status}"
    )


def was_sent(error: BaseException | None, request: Request) -> bool:
    """Return whether a failed request reached a server, at least before a redirect."""
    return not isinstance(error, NOT_SENT) or bool(request.meta.get("redirect_urls"))


def failure(error: BaseException | None, request: Request) -> tuple[FetchOutcome | None, int | None]:
    """Return the fetch outcome of an error, and its HTTP status; (None, None) if the request was postponed."""
    if isinstance(error, PostponedRequest):
        return None, None
    status = error.response.status if isinstance(error, HttpError) else None
    fetch_outcome = _fetch_outcome(error, request, status)
    if request.meta.get("redirect_urls"):
        if isinstance(error, RefusedRequest) and error.reason in ELSEWHERE:
            return redirect(request.meta, request.url), None
        if fetch_outcome.result in ENDS or (isinstance(error, RefusedRequest) and error.reason == "trap"):
            first = redirect(request.meta, request.url)
            # A temporary redirect may lead elsewhere later, so the error does not concern the page itself.
            fetch_outcome = first if first.result is FetchResult.MOVED_FOR_NOW else fetch_outcome
    return fetch_outcome, status


def _fetch_outcome(error: BaseException | None, request: Request, status: int | None) -> FetchOutcome:
    if status is not None:
        given = fetch_result(status)
        if given in REDIRECTS:  # Scrapy follows those with a usable Location
            return FetchOutcome(FetchResult.FAILED, f"HTTP {status} without a usable Location")
        if given is FetchResult.NOT_MODIFIED:
            return FetchOutcome(FetchResult.FAILED, f"HTTP {status} to an unconditional request")
        return FetchOutcome(given, f"HTTP {status}")
    if isinstance(error, ForbiddenRequest):
        return FetchOutcome(FetchResult.FORBIDDEN, str(error))
    if isinstance(error, UnreachableRequest | RefusedName):  # neither concerns the page
        return FetchOutcome(FetchResult.FAILED, one_line(str(error)))
    if isinstance(error, IgnoreRequest) and not isinstance(error, RefusedRequest) and "redirect_times" in request.meta:
        to_itself = COOKIE_NEEDED if set(request.meta.get("redirect_urls", ())) == {request.url} else ""
        return FetchOutcome(FetchResult.FAILED, f"{error}: {request.meta['redirect_times']} in a row{to_itself}")
    if isinstance(error, IgnoreRequest):
        return FetchOutcome(FetchResult.REFUSED, one_line(str(error) or type(error).__name__))
    cause = failure_text(error)
    if isinstance(error, ValueError) and cause.startswith(NO_ADDRESS):
        return FetchOutcome(FetchResult.FAILED, f"a redirect without a usable Location ({cause})")
    if cause in (NO_HTTP, CLOSED) or (
        cause and isinstance(error, DownloadCancelledError)
    ):  # an endless body has no message
        return FetchOutcome(FetchResult.FAILED, cause)
    return FetchOutcome(FetchResult.FAILED, one_line(f"{type(error).__name__}: {cause}".strip(": ")))
