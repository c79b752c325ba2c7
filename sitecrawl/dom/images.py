"""Finds the real URL of an image with a placeholder: in attributes for scripts, `srcset`, `picture` and `noscript`."""

import re
from typing import Final

from lxml.etree import _Element

# fmt: off
_LAZY: Final = (
    "data-src", "data-lazy-src", "data-original", "data-lazy", "data-full-src", "data-hi-res-src", "data-echo",
)
# fmt: on
"""Attributes with the URL for lazy-loading scripts [OWN: the names documented by those scripts]."""
_LAZY_SETS: Final = ("data-srcset", "data-lazy-srcset")
_ADDRESS: Final = re.compile(r"(?!data:|about:|javascript:|#)(?=[^\s{}<>\"]*[./])[^\s{}<>\"]+", re.IGNORECASE)
_PLACEHOLDER: Final = re.compile(
    r"(?:blank|spacer|placeholder|transparent|loading|lazy|pixel|1x1|grey|empty)[\w.-]*\.(?:gif|png|svg|jpe?g)(?:\?|$)",
    re.IGNORECASE,
)
MAX_SET: Final = 10_000
"""Maximum characters of a URL and of a `srcset`; the longest real ones have a dozen URLs."""
_CANDIDATE: Final = re.compile(r"\s*([^\s,]\S*[^\s,]|[^\s,])(?:\s+([\d.]+)([wx]))?\s*(?:,|$)")


def image_address(image: _Element) -> str | None:
    """Return the address of an `img` element as written, or None.

    The first of these counts: the attribute for scripts; `src`, unless it is a placeholder; the largest of `srcset`;
    the sources of the surrounding `picture`; the image of a following `noscript` element; a placeholder.
    """
    for name in _LAZY:
        found = _address(image.get(name))
        if found:
            return found
    for name in _LAZY_SETS:
        found = largest(image.get(name))
        if found:
            return found
    src = _address(image.get("src"))
    if src and not _PLACEHOLDER.search(src):
        return src
    return largest(image.get("srcset")) or _picture(image) or _noscript(image) or src


def largest(candidates: str | None) -> str | None:
    """Return the address in a `srcset` with the largest width or density; the first of equals."""
    best, most = None, -1.0
    for match in _CANDIDATE.finditer((candidates or "")[:MAX_SET]):
        try:
            size = float(match[2] or 1)
        except ValueError:
            continue
        if size > most and _address(match[1]):
            best, most = match[1], size
    return best


def _address(value: str | None) -> str | None:
    value = (value or "").strip()
    return value if len(value) <= MAX_SET and _ADDRESS.fullmatch(value) else None


def _picture(image: _Element) -> str | None:
    """Return the best address of the last source of a `picture`; earlier sources have newer formats."""
    above = image.getparent()
    if above is None or above.tag not in ("picture", "source"):  # libxml2 nests what are siblings in HTML
        return None
    while above.tag == "source" and (outer := above.getparent()) is not None:
        above = outer
    found = None
    for source in above.iter("source"):
        found = largest(source.get("srcset") or source.get("data-srcset")) or found
    return found


def _noscript(image: _Element) -> str | None:
    """Return the address of the image for browsers without scripts."""
    after = image.getnext()
    if after is None or after.tag != "noscript":
        return None
    inner = next(after.iter("img"), None)
    return _address(inner.get("src")) if inner is not None else None
