"""Classifies Scrapy's responses and failures as fetch outcomes (`crawl.page_lifecycle`)."""

import re
from typing import Any, Final

from scrapy import Request
from scrapy.exceptions import IgnoreRequest
from scrapy.http import HtmlResponse, Response
from scrapy.spidermiddlewares.httperror import HttpError

from sitecrawl.crawl.page_lifecycle import Answer, Finding, answer
from sitecrawl.printable import visible
from sitecrawl.shell.exceptions import (
    ForbiddenRequest,
    PostponedRequest,
    RefusedName,
    RefusedRequest,
    UnreachableRequest,
)

ENDS = frozenset((Answer.NOT_FOUND, Answer.REMOVED, Answer.FORBIDDEN))
REDIRECTS = frozenset((Answer.MOVED, Answer.MOVED_FOR_NOW))

BINARY: Final = (
    *(b"\x89PNG", b"GIF8", b"\xff\xd8\xff", b"%PDF-", b"PK\x03\x04"),
    *(b"\x1f\x8b", b"RIFF", b"\x7fELF", b"Rar!"),
)
"""First bytes of binary files, whatever their Content-Type says."""
MARKUP: Final = (b"<html", b"<!doctype html", b"<head", b"<body")
SNIFFED: Final = 1024
"""Bytes that are searched for markup if a response has no Content-Type (WHATWG MIME Sniffing)."""

_FAILURE: Final = re.compile(r"\[?<twisted\.python\.failure\.Failure (?:\w+\.)*(\w+): ?(.*?)>(?:\]|(?=, <)|$)")
_SILENT: Final = {"ResponseDataLossError": "the response was truncated"}
"""Messages for errors that have none."""


def recognised(response: Response) -> Response:
    """Return the response with the type of its bytes, if its Content-Type is missing or plainly wrong."""
    if isinstance(response, HtmlResponse) and response.body.startswith(BINARY):
        return Response(response.url, headers={"Content-Type": "a binary file, labelled as HTML"})
    if "Content-Type" not in response.headers and any(tag in response.body[:SNIFFED].lower() for tag in MARKUP):
        return response.replace(cls=HtmlResponse)
    return response


def asked_url(request: Request) -> str:
    """Return the requested URL, before any redirect."""
    urls: list[str] = request.meta.get("redirect_urls", [])
    return urls[0] if urls else request.url


def redirect(meta: dict[str, Any], target: str) -> Finding:
    """Return the fetch outcome of a redirected URL by the first redirect; the rest of the chain is the target's."""
    reasons = meta.get("redirect_reasons", [])
    first = answer(reasons[0]) if reasons and isinstance(reasons[0], int) else Answer.MOVED_FOR_NOW
    return Finding(first if first in REDIRECTS else Answer.MOVED_FOR_NOW, target)


def unusable(response: Response) -> Finding | None:
    """Return the fetch outcome of a response that cannot hold a whole page; None if it may hold one."""
    given = answer(response.status)
    if given is Answer.PAGE or not 200 <= response.status < 300:
        return None
    return Finding(Answer.FAILED if given is Answer.FAILED else Answer.UNUSABLE, f"HTTP {response.status}")


def failure(error: BaseException | None, request: Request) -> tuple[Finding | None, int | None]:
    """Return the fetch outcome of an error, and its HTTP status; (None, None) if the request was postponed."""
    if isinstance(error, PostponedRequest):
        return None, None
    status = error.response.status if isinstance(error, HttpError) else None
    finding = _finding(error, request, status)
    if request.meta.get("redirect_urls"):
        if isinstance(error, RefusedRequest) and error.reason == "offsite":
            return redirect(request.meta, request.url), None
        if finding.answer in ENDS:
            first = redirect(request.meta, request.url)
            # A temporary redirect may end elsewhere later: the error says nothing about the page itself.
            finding = first if first.answer is Answer.MOVED_FOR_NOW else finding
    return finding, status


def _finding(error: BaseException | None, request: Request, status: int | None) -> Finding:
    if status is not None:
        given = answer(status)
        if given in REDIRECTS:  # Scrapy follows those with a usable Location
            return Finding(Answer.FAILED, f"HTTP {status} without a usable Location")
        if given is Answer.NOT_MODIFIED:
            return Finding(Answer.FAILED, f"HTTP {status} to an unconditional request")
        return Finding(given, f"HTTP {status}")
    if isinstance(error, ForbiddenRequest):
        return Finding(Answer.FORBIDDEN, str(error))
    if isinstance(error, UnreachableRequest | RefusedName):  # neither says anything about the page
        return Finding(Answer.FAILED, _line(str(error)))
    if isinstance(error, IgnoreRequest) and not isinstance(error, RefusedRequest) and "redirect_times" in request.meta:
        return Finding(Answer.FAILED, f"{error}: {request.meta['redirect_times']} in a row")
    if isinstance(error, IgnoreRequest):
        return Finding(Answer.REFUSED, _line(str(error) or type(error).__name__))
    said = _FAILURE.sub(r"\1: \2", str(error)) or _SILENT.get(type(error).__name__, "")
    if "ParseError" in said:  # the message contains the bytes of the response
        return Finding(Answer.FAILED, "the response is not HTTP (ParseError)")
    return Finding(Answer.FAILED, _line(f"{type(error).__name__}: {said}".strip(": ")))


def _line(text: str) -> str:
    return visible(text.splitlines()[0][:300]) if text else text
