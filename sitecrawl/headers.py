"""A limit on response headers: Twisted keeps every header line of an answer in memory, however many a server sends.

Scrapy has no setting for it. The HTTP/1.1 download handler, which plain and encrypted connections share, parses
answers with `_LenientHTTPClientParser`; the limit is put into that class, once a process. A test against a real server
says when Scrapy has moved it.
"""

from typing import Any, Final

from scrapy.core.downloader.handlers import http11
from twisted.web import _newclient

MAX_LINES: Final = 500
MAX_BYTES: Final = 256 * 1024
"""Lines and bytes of the headers of one answer (RELIABILITY 4.5)."""


class TooManyHeadersError(_newclient.ParseError):
    """The headers of an answer are over the limit."""


_PARSER: Any = http11._LenientHTTPClientParser


def limit_headers() -> None:
    """Put the limit in place; a second call changes nothing."""
    plain = _PARSER.lineReceived
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
            self._buffer = b""
            limits = f"over {MAX_LINES} lines or {MAX_BYTES // 1024} KB of response headers"
            raise TooManyHeadersError(limits, line[:50])  # type: ignore[no-untyped-call]
        return plain(self, line)

    line_received.limited = True  # type: ignore[attr-defined]
    _PARSER.lineReceived = line_received
