"""Limits response headers: Twisted keeps every header line of a response in memory, however many a server sends.

Scrapy has no setting for this. Its HTTP/1.1 download handler, for plain and encrypted connections, parses responses
with `_LenientHTTPClientParser`. The limit is patched into that class once per process. Other download handlers have
their own limits. A version of Scrapy without that class is refused at the start.
"""

from typing import Any, Final

import scrapy
from scrapy.core.downloader.handlers import http11
from twisted.python.failure import Failure
from twisted.web import _newclient

from sitecrawl.errors import ConfigError

MAX_LINES: Final = 500
MAX_BYTES: Final = 256 * 1024
"""Maximum lines and bytes of the headers of one response, interim responses included."""

_DEPTH: Final = 10
"""Maximum number of nested exceptions that are examined."""


class TooManyHeadersError(_newclient.ParseError):
    """The headers of a response exceed the limit."""

    def __str__(self) -> str:
        return f"over {MAX_LINES} lines or {MAX_BYTES // 1024} KB of response headers"


def limit_headers() -> None:
    """Limit response headers in this process; a second call changes nothing.

    Raises ConfigError if Scrapy lacks the class that reads them.
    """
    parser: Any = getattr(http11, "_LenientHTTPClientParser", None)
    plain = getattr(parser, "lineReceived", None)
    if plain is None:
        raise ConfigError(
            f"Scrapy {scrapy.__version__} parses responses elsewhere, so headers cannot be limited; use Scrapy 2.19"
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
            self._buffer = b""  # drop the lines that were already received
            raise TooManyHeadersError("too many headers", line[:50])  # type: ignore[no-untyped-call]
        return plain(self, line)

    line_received.limited = True  # type: ignore[attr-defined]
    parser.lineReceived = line_received


def header_excess(error: BaseException | None) -> TooManyHeadersError | None:
    """Return the TooManyHeadersError that made a download fail; None for any other cause.

    Scrapy wraps the parser's exception as the cause of its own error, or as a reason of the cause.
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
