"""The headers of a response that say something of its page."""

import datetime as dt
from typing import Final

from scrapy.http import Response

from sitecrawl.crawl.conditional_get import dated_validator

LANGUAGES: Final = 100
"""Maximum characters kept of a `Content-Language` header."""


def validators(response: Response, moment: dt.datetime) -> tuple[str | None, str | None]:
    """Return the ETag of a response, and its Last-Modified if a later request may rely on it."""
    date = header(response, "Date")
    return header(response, "ETag"), dated_validator(header(response, "Last-Modified"), date, moment)


def content_language(response: Response) -> str | None:
    """Return the `Content-Language` of a response, cut to LANGUAGES characters; None without one."""
    return (header(response, "Content-Language") or "")[:LANGUAGES] or None


def robots_tags(response: Response) -> list[str]:
    """Return the `X-Robots-Tag` headers of a response."""
    return [value.decode("latin-1") for value in response.headers.getlist("X-Robots-Tag")]


def header(response: Response, name: str) -> str | None:
    """Return a header of a response; None without it."""
    value = response.headers.get(name)
    return value.decode("latin-1") if value else None
