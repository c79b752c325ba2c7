import pytest
from OpenSSL.SSL import Error
from scrapy.exceptions import DownloadCancelledError, DownloadFailedError, DownloadTimeoutError, ResponseDataLossError
from service_identity import VerificationError
from twisted.internet.error import ConnectionDone, ConnectionLost
from twisted.python.failure import Failure
from twisted.web._newclient import ParseError

from sitecrawl.shell.failure_text import CERTIFICATE, CLOSED, NO_TLS, failure_text


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (DownloadFailedError(str([Failure(ConnectionDone())])), CLOSED),
        (DownloadFailedError(str([Failure(ConnectionLost())])), CLOSED),
        (DownloadFailedError(str([Failure(ParseError("wrong", b"\x1b[2J"))])), "the response is not HTTP (ParseError)"),
        (
            DownloadCancelledError(
                "Expected to receive 30042485 bytes which is larger than download max size (10485760) in request <GET"
                " https://example.org/big>."
            ),
            "the response is larger than DOWNLOAD_MAXSIZE (10485760 bytes)",
        ),
        (DownloadFailedError(str([Failure(VerificationError(["DNSMismatch"]))])), CERTIFICATE),
        (
            DownloadFailedError(str([Failure(Error([("SSL routines", "", "certificate verify failed")]))])),
            CERTIFICATE,
        ),
        (DownloadFailedError(str([Failure(Error([("SSL routines", "", "wrong version number")]))])), NO_TLS),
        (DownloadCancelledError("Received 12 bytes"), "Received 12 bytes"),
        (
            DownloadTimeoutError("Getting https://example.org/slow took longer than 30.0 seconds."),
            "the response took longer than DOWNLOAD_TIMEOUT (30 seconds)",
        ),
        (ResponseDataLossError(), "the response was truncated"),
        (TimeoutError("no answer\nin time"), "no answer"),
        (TimeoutError(), ""),
    ],
)
def test_why_a_download_failed_is_one_line_of_words(error, text):
    assert failure_text(error) == text
