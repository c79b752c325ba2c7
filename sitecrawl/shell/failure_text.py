"""Describes failed downloads in words: Scrapy's messages without the internals of Twisted."""

import re
from typing import Final

from sitecrawl.printable import visible

NO_HTTP: Final = "the response is not HTTP (ParseError)"
CLOSED: Final = "the server closed the connection without an answer"
TOO_LARGE: Final = "the response is larger than DOWNLOAD_MAXSIZE ({} bytes)"
TOO_SLOW: Final = "the response took longer than DOWNLOAD_TIMEOUT ({} seconds)"
CERTIFICATE: Final = (
    "the server's certificate is not valid for this host; its owner has to renew it, or"
    " DOWNLOAD_VERIFY_CERTIFICATES=False accepts it"
)
NO_TLS: Final = "the server does not speak https at this port; try http://"
_FAILURE: Final = re.compile(r"\[?<twisted\.python\.failure\.Failure (?:\w+\.)*(\w+): ?(.*?)>(?:\]|(?=, <)|$)")
_OVER: Final = re.compile(r"bytes which is larger than download max size \((\d+)\)")
_SLOW: Final = re.compile(r"Getting \S+ took longer than ([\d.]+) seconds")
_CLOSED: Final = re.compile(r"(?:ConnectionDone|ConnectionLost): ")
_SILENT: Final = {"ResponseDataLossError": "the response was truncated"}
"""Messages for errors that have no message."""


def failure_text(error: BaseException | None) -> str:
    """Return one line with the reason why a download failed, without the type of the error; empty if unknown."""
    text = _FAILURE.sub(r"\1: \2", str(error)) or _SILENT.get(type(error).__name__, "")
    if large := _OVER.search(text):
        return TOO_LARGE.format(large[1])
    if _CLOSED.match(text):
        return CLOSED
    if "wrong version number" in text:  # OpenSSL read a response without TLS
        return NO_TLS
    if slow := _SLOW.match(text):
        return TOO_SLOW.format(f"{float(slow[1]):g}")
    if "certificate verify failed" in text or "VerificationError" in text:  # not trusted, or of another host
        return CERTIFICATE
    return NO_HTTP if "ParseError" in text else one_line(text)  # a ParseError quotes the bytes of the response


def one_line(text: str) -> str:
    """Return the beginning of the first line of a text, with control characters escaped."""
    return visible(text.splitlines()[0][:300]) if text else text
