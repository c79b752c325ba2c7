import pytest
from scrapy.core.downloader.handlers import http11
from scrapy.exceptions import DownloadFailedError
from twisted.internet.testing import StringTransport
from twisted.python.failure import Failure
from twisted.web._newclient import HEADER, HTTPClientParser, Request, ResponseFailed
from twisted.web.http_headers import Headers

from sitecrawl.errors import ConfigError
from sitecrawl.shell import headers
from sitecrawl.shell.headers import MAX_BYTES, MAX_LINES, TooManyHeadersError, header_excess, limit_headers


@pytest.fixture
def parser():
    limit_headers()
    request = Request(b"GET", b"/", Headers({b"host": [b"example.org"]}), None)
    found = http11._LenientHTTPClientParser(request, lambda rest: None)
    found.makeConnection(StringTransport())
    return found


def test_as_many_lines_as_allowed_pass_and_one_more_does_not(parser):
    parser.dataReceived(b"HTTP/1.1 200 OK\r\n")
    assert parser.state == HEADER
    for number in range(MAX_LINES):
        parser.dataReceived(b"X-%d: a\r\n" % number)
    with pytest.raises(TooManyHeadersError, match="over 500 lines or 256 KB of response headers"):
        parser.dataReceived(b"X-More: a\r\n")
    assert parser.transport.disconnected


def test_as_many_bytes_as_allowed_pass_and_one_more_does_not(parser):
    parser.dataReceived(b"HTTP/1.1 200 OK\r\n")
    line = b"X: " + b"a" * 8189
    for _ in range(MAX_BYTES // len(line)):
        parser.dataReceived(line + b"\n")
    with pytest.raises(TooManyHeadersError):
        parser.dataReceived(b"X: aaaaaaaa\n")


def test_headers_of_interim_answers_count_too(parser):
    interim = b"HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n"  # two lines
    for _ in range(MAX_LINES // 2):
        parser.dataReceived(interim)
    with pytest.raises(TooManyHeadersError):
        parser.dataReceived(interim)


def test_the_limit_is_put_in_place_once():
    limit_headers()
    limited = http11._LenientHTTPClientParser.lineReceived
    limit_headers()
    assert http11._LenientHTTPClientParser.lineReceived is limited
    assert HTTPClientParser.lineReceived is not limited


def test_a_scrapy_that_parses_elsewhere_is_refused(monkeypatch):
    monkeypatch.delattr(headers.http11, "_LenientHTTPClientParser")
    with pytest.raises(ConfigError, match="parses responses elsewhere"):
        limit_headers()


def test_the_reason_is_found_in_what_scrapy_makes_of_it():
    excess = TooManyHeadersError("too many headers", b"X")
    outer = DownloadFailedError("failed")
    outer.__cause__ = ResponseFailed([Failure(ValueError("other")), Failure(excess)])
    assert header_excess(outer) is excess
    assert header_excess(excess) is excess
    assert header_excess(DownloadFailedError("other")) is None
    outer.__cause__ = ResponseFailed([Failure(ValueError("other"))])
    assert header_excess(outer) is None
