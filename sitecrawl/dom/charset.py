"""Decodes pages by their declared charset, or by their bytes if these contradict the declaration.

The declared charset is used, as in browsers, with three exceptions. Servers add a default charset to pages in another
one (`AddDefaultCharset`). Pages keep an old `meta` after they are converted. And some pages declare an impossible
charset: UTF-16 for bytes that are ASCII, or a codec of Python that is not a charset (`hex`).
"""

import codecs
import re
from functools import cache
from typing import Final

from w3lib.encoding import html_body_declared_encoding, html_to_unicode

UTF_8: Final = "utf-8"
WESTERN: Final = "cp1252"
"""The charset that `w3lib` and most browsers use for ISO 8859-1, and for pages without a declared charset."""
ENOUGH: Final = {WESTERN: 1}
"""Minimum number of characters beyond ASCII from which a page is known to be UTF-8, by declared charset.

One is enough for Western European charsets: decoded as one of them, it would be garbage ("Ã©").
"""
ENOUGH_OTHERWISE: Final = 4
"""The same for other charsets [OWN]: the bytes of one in seven common Chinese characters in GBK are valid UTF-8 too."""
WIDE: Final = ("utf-16", "utf-32")
"""Prefixes of the names of charsets with two or four bytes per character."""
NO_CHARSET: Final = "undefined"
"""A codec of Python that always fails."""
LONGEST_RUN: Final = 3
"""Maximum consecutive non-ASCII bytes in Western European words [OWN]; words in other scripts have longer runs."""
DAMAGED: Final = 0.5
"""Maximum valid characters of UTF-8 per invalid byte in pages of another charset [OWN]; EUC-JP has up to 0.4."""
LEAST: Final = 60
"""Minimum number of bytes beyond ASCII from which a charset is detected [OWN]."""
READ: Final = 4_000
"""Number of bytes of texts beyond ASCII from which a charset is detected."""
DETECTED: Final = (
    *("cp1251", "koi8_r", "koi8_u", "iso8859_5", "cp1250", "iso8859_2", "cp1252", "cp1253", "iso8859_7", "cp1254"),
    *("cp1255", "cp1256", "cp1257", "cp1258", "cp874", "cp932", "euc_jp", "gb18030", "big5", "cp949"),
)
"""The charsets that are detected: those of pages, without the many of other systems that have the same letters."""
_TEXT: Final = re.compile(rb"[\x80-\xff][^<>]*")
_RUN: Final = re.compile(rb"[\x80-\xff]{%d}" % (LONGEST_RUN + 1))
_ASCII: Final = bytes(range(128))
_SAMPLE: Final = b"<p>a+b-c \\n</p>"
"""ASCII text that has the same bytes in each charset of web pages."""


def decoded(body: bytes, charset: str | None) -> str:
    """Return the text of a page; `charset` is that of the response's headers, None if they have none."""
    return decode(body, charset)[1]


def decode(body: bytes, charset: str | None) -> tuple[str, str]:
    """Return (charset, text) of a page; see `decoded`."""
    try:
        encoding, text = html_to_unicode(f"text/html; charset={charset}" if charset else None, body)
    except (LookupError, UnicodeError):
        encoding, text = NO_CHARSET, ""
    real = real_charset(body, encoding)
    return (encoding, text) if real is None else (real, body.decode(real, "replace"))


def real_charset(body: bytes, declared: str) -> str | None:
    """Return the charset of a page whose declared one cannot be right; None if it can.

    - Bytes that are valid UTF-8 throughout are UTF-8, whatever is declared.
    - Bytes with next to no valid non-ASCII character of UTF-8 are not UTF-8: the charset in the page's `meta` is used,
      or else that of Western European languages if the bytes look like it, or else the one that the bytes reveal.
    - A codec that is not a charset, and UTF-16 for bytes without a zero, count as no declaration.
    """
    declared = _name(declared)
    if (declared.startswith(WIDE) and b"\0" in body) or body.startswith(codecs.BOM_UTF8):
        return None
    if not _is_charset(declared):
        return UTF_8 if _can_be(body, UTF_8) else _instead_of_utf_8(body) or UTF_8
    if body.isascii():
        return None
    if not _can_be(body, UTF_8):
        return _instead_of_utf_8(body) if declared == UTF_8 else None
    bytes_beyond = len(body.translate(None, _ASCII))  # two or more per character
    return UTF_8 if declared != UTF_8 and bytes_beyond >= 2 * ENOUGH.get(declared, ENOUGH_OTHERWISE) else None


def _instead_of_utf_8(body: bytes) -> str | None:
    """Return the charset of a page that is not UTF-8 throughout; None if it is a damaged page, or unknown."""
    text = body.decode(UTF_8, "replace")
    invalid = text.count("\ufffd")
    valid = len(text) - len(text.encode("ascii", "ignore")) - invalid
    if valid > DAMAGED * invalid:
        return None  # the page has some damaged characters
    named = html_body_declared_encoding(body)
    if named and _name(named) != UTF_8 and _is_charset(named):
        return named if _can_be(body, named) else None
    if not _RUN.search(body):
        return None if valid else WESTERN
    return _detected(body)


def _detected(body: bytes) -> str | None:
    """Return the charset that the bytes of a page's texts reveal; None if they are too few, or fit none."""
    from charset_normalizer import from_bytes  # noqa: PLC0415  (few pages need it)

    texts = b"\n".join(_TEXT.findall(body))[:READ]
    if len(texts.translate(None, _ASCII)) < LEAST:
        return None
    for end in range(len(texts), max(len(texts) - 4, 0), -1):  # a character may be cut off
        best = from_bytes(texts[:end], cp_isolation=list(DETECTED)).best()
        if best is not None and best.encoding != "ascii":
            return best.encoding
    return None


@cache
def _is_charset(encoding: str) -> bool:
    """Return whether a codec can be a charset of pages: ASCII stays ASCII, and invalid bytes can be replaced."""
    try:
        return (_SAMPLE + b"\xe9").decode(encoding, "replace").startswith(_SAMPLE.decode())
    except (LookupError, UnicodeError):
        return False


def _can_be(body: bytes, encoding: str) -> bool:
    """Return whether a page can be decoded without an error."""
    try:
        body.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True


def _name(encoding: str) -> str:
    """Return Python's name of a codec; the given name in lower case if the codec is unknown."""
    try:
        return codecs.lookup(encoding).name
    except LookupError:
        return encoding.lower()
