"""Distinguishes binary files and programs from pages by their first bytes, whatever their Content-Type says."""

from typing import Final

SIGNATURES: Final = (
    *(b"\x89PNG", b"GIF8", b"\xff\xd8\xff", b"%PDF-", b"PK\x03\x04"),
    *(b"\x1f\x8b", b"RIFF", b"\x7fELF", b"Rar!"),
)
"""First bytes of common binary files."""
MARKUP: Final = (b"<html", b"<!doctype html", b"<head", b"<body")
BLANK: Final = b" \t\n\r\f\x00\xef\xbb\xbf\xfe\xff"
"""White space, also in UTF-16, and byte order marks."""
READ: Final = 1024
"""Number of bytes that are read (WHATWG MIME Sniffing reads up to 1,445)."""
CONTROLS: Final = bytes({*range(0x01, 0x09), 0x0B, *range(0x0E, 0x1B), *range(0x1C, 0x20)})
"""Bytes that do not occur in text, by WHATWG MIME Sniffing, except NUL, which occurs in UTF-16 (see `DOUBLE`)."""
MOST_CONTROLS: Final = 0.01
"""Maximum share of such bytes in a text [OWN]. Random bytes have 10 %; none of 11,000 recorded pages has any."""
DOUBLE: Final = 0.1
"""Minimum share of NUL bytes in a response that may be UTF-16, where any byte may occur [OWN]."""


def is_binary(body: bytes) -> bool:
    """Return whether a response is binary: it has a known file signature, or control characters and no markup."""
    if body.startswith(SIGNATURES):
        return True
    head = body[:READ]
    controls = len(head) - len(head.translate(None, CONTROLS))
    return controls > MOST_CONTROLS * len(head) > 0 and head.count(0) < DOUBLE * len(head) and not has_markup(body)


def has_markup(body: bytes) -> bool:
    """Return whether the first bytes contain a tag that only HTML pages have."""
    head = body[:READ].lower()
    return any(tag in head for tag in MARKUP)


def is_tagged(body: bytes) -> bool:
    """Return whether a response begins with a tag, after any white space and byte order mark."""
    return body[:READ].lstrip(BLANK).startswith(b"<")
