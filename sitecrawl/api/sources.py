"""Parses the HTML given by a caller: text, bytes, or the response of an HTTP library."""

import re
from typing import Final, NamedTuple, Protocol, runtime_checkable

from sitecrawl.binary_files import is_binary
from sitecrawl.dom.page import Page as ParsedPage
from sitecrawl.errors import InputError, NotHtmlError
from sitecrawl.links.urls import MAX_URL_LENGTH, canonical_url, masked, url_problem

NO_URL = "about:blank"
"""Placeholder URL of a page without one. The page is not a front page, and its relative links stay unresolved."""
MAX_BYTES = 10 * 2**20
"""Maximum bytes of a page, the same as in a crawl."""
_SPACE_OR_TAG: Final = re.compile(r"[\s<>]")


@runtime_checkable
class ResponseWithBody(Protocol):
    """A Scrapy response."""

    @property
    def url(self) -> str:
        """The URL of the response."""
        ...

    @property
    def body(self) -> bytes:
        """The bytes of the response."""
        ...


@runtime_checkable
class ResponseWithContent(Protocol):
    """A response of the libraries requests or httpx."""

    @property
    def url(self) -> object:
        """The URL of the response; `str` of it is used."""
        ...

    @property
    def content(self) -> bytes:
        """The bytes of the response."""
        ...


Html = str | bytes | ResponseWithBody | ResponseWithContent
"""HTML as text, as bytes with or without a declared charset, or a response of Scrapy, requests or httpx."""


def parsed(html: Html, url: str | None, max_nodes: int) -> ParsedPage:
    """Return the parsed page.

    Raises InputError if `html` is not of a type in `Html` or the URL is malformed; NotHtmlError, EmptyPageError or
    PageTooLargeError for unusable content.
    """
    encoding: str | None = None
    if not isinstance(html, str | bytes):
        html, url, encoding = _parts(html, url)
    url = checked_url(url)
    if isinstance(html, str) and is_url(html):
        raise InputError(
            f"html is the URL {html.strip()}; give the HTML of the page, which sitecrawl.extract does not fetch"
        )
    if isinstance(html, bytes):
        if is_binary(html):
            raise NotHtmlError(url, "not HTML; give an HTML page")
        if len(html) > MAX_BYTES:
            raise NotHtmlError(url, f"over {MAX_BYTES // 2**20} MiB; sitecrawl does not read pages of that size")
    return ParsedPage.from_html(html, url, encoding, max_nodes=max_nodes)


def is_url(text: str) -> bool:
    """Return whether a text is a web address and nothing else."""
    short = text.strip()
    return (
        len(short) < MAX_URL_LENGTH
        and short.lower().startswith(("http://", "https://"))
        and not _SPACE_OR_TAG.search(short)
    )


class _Parts(NamedTuple):
    """Body, URL and charset of a response."""

    body: bytes
    url: str
    charset: str | None
    """The charset in its headers."""


def _parts(response: object, url: str | None) -> _Parts:
    """Return the parts of a response; `url` replaces its own URL. Raises InputError for any other object."""
    if isinstance(response, ResponseWithBody) and isinstance(response.body, bytes):
        body = response.body
    elif isinstance(response, ResponseWithContent) and isinstance(response.content, bytes):
        body = response.content
    else:
        raise InputError(
            f"html is {type(response).__name__}; give str, bytes, or a response of Scrapy, requests or httpx"
            " with its body"
        )
    headers = getattr(response, "headers", None)
    declared = headers.get("Content-Type") if headers is not None else None
    if isinstance(declared, bytes):
        declared = declared.decode("latin-1")
    charset = (declared or "").lower().partition("charset=")[2].split(";")[0].strip(" \"'")
    return _Parts(body, url or str(response.url), charset or None)


def checked_url(url: str | None) -> str:
    """Return the URL of a page, or NO_URL for None. Raises InputError for a malformed URL."""
    if url is None or url == NO_URL:
        return NO_URL
    if not isinstance(url, str):
        raise InputError(f"url is {type(url).__name__}; give a str, or None for a page without a URL")
    if not url.startswith(("file:", "about:")) and canonical_url(url) is None:
        raise InputError(
            f"{masked(url)!r:.200} is not the URL of a page ({url_problem(url)});"
            " give an absolute http or https URL, or None"
        )
    return url
