"""The headers of a response that are read for its page: validators, language and robots directives."""

import datetime as dt
from dataclasses import dataclass
from typing import Final

from scrapy.http import Response

from sitecrawl.crawl.conditional_get import dated_validator

LANGUAGES: Final = 100
"""Maximum characters kept of a `Content-Language` header."""


@dataclass(frozen=True, slots=True)
class PageHeaders:
    """The validators, the language and the robots directives in the headers of a response."""

    moment: dt.datetime
    """Time at which the response was read."""
    etag: str | None
    last_modified: str | None
    """The `Last-Modified` of the response, if a later request may rely on it."""
    content_language: str | None
    """Cut to LANGUAGES characters."""
    robots: tuple[str, ...]
    """The `X-Robots-Tag` headers of the response."""


def page_headers(response: Response, moment: dt.datetime) -> PageHeaders:
    """Return the validators, the language and the robots directives of a response that is read at `moment`."""
    date, modified = header(response, "Date"), header(response, "Last-Modified")
    return PageHeaders(
        moment=moment,
        etag=header(response, "ETag"),
        last_modified=dated_validator(modified, date, moment),
        content_language=(header(response, "Content-Language") or "")[:LANGUAGES] or None,
        robots=tuple(value.decode("latin-1") for value in response.headers.getlist("X-Robots-Tag")),
    )


def header(response: Response, name: str) -> str | None:
    """Return a header of a response; None without it."""
    value = response.headers.get(name)
    return value.decode("latin-1") if value else None
