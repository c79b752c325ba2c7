"""A limit on response headers: Twisted keeps every header line of an answer in memory, however many a server sends.

Scrapy has no setting for it. Its HTTP/1.1 download handler, which plain and encrypted connections share, parses
answers with `_LenientHTTPClientParser`; the limit is put into that class, once a process. Other download handlers, if
a project chooses one, keep their own limits. A Scrapy without that class is refused at the start.
"""

from typing import Any, Final

import scrapy
from scrapy.core.downloader.handlers import http11
from twisted.python.failure import Failure
from twisted.web import _newclient

from sitecrawl.errors import ConfigError

MAX_LINES: Final = 500
MAX_BYTES: Final = 256 * 1024
"""Lines and bytes of the headers of one answer, interim answers included (RELIABILITY 4.3)."""

_DEPTH: Final = 10
"""Exceptions looked at from the outermost inwards."""


class TooManyHeadersError(_newclient.ParseError):
    """The headers of an answer are over the limit."""

    def __str__(self) -> str:
        return f"over {MAX_LINES} lines or {MAX_BYTES // 1024} KB of response headers"


def limit_headers() -> None:
    """Put the limit in place; a second call changes nothing. Raises ConfigError when there is no place for it."""
    parser: Any = getattr(http11, "_LenientHTTPClientParser", None)
    plain = getattr(parser, "lineReceived", None)
    if plain is None:
        raise ConfigError(
            f"Scrapy {scrapy.__version__} parses answers elsewhere, so their headers cannot be limited; use Scrapy 2.19"
        )
    if getattr(plain, "limited", False):
        return

    def line_received(self: Any, line: bytes) -> Any:
        if self.state != _newclient.HEADER:
            return plain(self, line)
        self.header_lines = getattr(self, "header_lines", 0) + 1
        self.header_bytes = getattr(self, "header_bytes", 0) + len(line)
        if self.header_lines > MAX_LINES or self.header_bytes > MAX_BYTES:
            transport = getattr(self.transport, "_producer", self.transport)
            transport.abortConnection()
            self._buffer = b""  # the lines that have arrived are not read either
            raise TooManyHeadersError("too many headers", line[:50])  # type: ignore[no-untyped-call]
        return plain(self, line)

    line_received.limited = True  # type: ignore[attr-defined]
    parser.lineReceived = line_received


def header_excess(error: BaseException | None) -> TooManyHeadersError | None:
    """Return the TooManyHeadersError that a failed download comes from, None if it failed of something else.

    Scrapy wraps what the parser raised: it is the cause of the error, or a reason of the cause.
    """
    for _ in range(_DEPTH):
        if error is None or isinstance(error, TooManyHeadersError):
            return error
        for reason in getattr(error, "reasons", None) or ():
            value = reason.value if isinstance(reason, Failure) else reason
            if isinstance(value, TooManyHeadersError):
                return value
        error = error.__cause__
    return None
