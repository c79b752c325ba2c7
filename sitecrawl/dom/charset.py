"""Charsets of pages: the bytes are believed where they contradict what the response or the page says.

A declared charset counts, as in browsers, but for two mistakes that the bytes give away. Servers add a charset of
their own to pages in another one (`AddDefaultCharset`), and pages keep an old `meta` when they are converted.
"""

import codecs
import re
from typing import Final

from w3lib.encoding import html_body_declared_encoding, html_to_unicode

UTF_8: Final = "utf-8"
WESTERN: Final = "cp1252"
"""What `w3lib`, as browsers do in most countries, reads ISO 8859-1 and pages without any charset as."""
ENOUGH: Final = {WESTERN: 1}
"""Least number of characters beyond ASCII by which a page in UTF-8 is known, by declared charset.

In Western European texts the bytes of one are never real text ("Ã©").
"""
ENOUGH_OTHERWISE: Final = 4
"""The same for other charsets [OWN]: one of seven common Chinese characters in GBK is UTF-8 as well."""
WIDE: Final = ("utf-16", "utf-32")
LONGEST_RUN: Final = 3
"""Most bytes beyond ASCII in a row in Western European words [OWN]; words in other scripts have longer runs."""
_RUN: Final = re.compile(rb"[\x80-\xff]{%d}" % (LONGEST_RUN + 1))
_ASCII: Final = bytes(range(128))


def decoded(body: bytes, charset: str | None) -> str:
    """Return the text of a page; `charset` is that of the response's headers, None if they name none."""
    return decode(body, charset)[1]


def decode(body: bytes, charset: str | None) -> tuple[str, str]:
    """Return the charset of a page and its text, as `decoded` does."""
    encoding, text = html_to_unicode(f"text/html; charset={charset}" if charset else None, body)
    real = real_charset(body, encoding)
    return (encoding, text) if real is None else (real, body.decode(real, "replace"))


def real_charset(body: bytes, declared: str) -> str | None:
    """Return the charset of a page whose declared one cannot be right; None if it can.

    - Bytes that are UTF-8 throughout are UTF-8, whatever is declared.
    - Bytes of which none beyond ASCII is part of UTF-8 are no UTF-8: the charset in the page's own `meta` counts, else
      that of Western European languages if the bytes look so.
    """
    declared = _name(declared)
    if declared.startswith(WIDE) or body.startswith(codecs.BOM_UTF8) or body.isascii():
        return None
    try:
        body.decode(UTF_8)
    except UnicodeDecodeError:
        return _instead_of_utf_8(body) if declared == UTF_8 else None
    bytes_beyond = len(body.translate(None, _ASCII))  # two or more a character
    return UTF_8 if declared != UTF_8 and bytes_beyond >= 2 * ENOUGH.get(declared, ENOUGH_OTHERWISE) else None


def _instead_of_utf_8(body: bytes) -> str | None:
    if not body.decode(UTF_8, "ignore").isascii():
        return None  # some of it is UTF-8: a page with damaged characters
    named = html_body_declared_encoding(body)
    if named and _name(named) != UTF_8:
        return named if _can_be(body, named) else None
    return None if _RUN.search(body) else WESTERN


def _can_be(body: bytes, encoding: str) -> bool:
    try:
        body.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True


def _name(encoding: str) -> str:
    try:
        return codecs.lookup(encoding).name
    except LookupError:
        return encoding.lower()
