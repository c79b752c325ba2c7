"""The two forms of a URL: the one that is requested, and the one that identifies a page.

* `fetchable_url` is requested: the spelling of the link made valid, without fragment and tracking parameters;
* `canonical_url` identifies the page: query sorted, escapes normalised, session ids and repeated parameters removed
  (by w3lib and a thin layer).

Two URLs are the same page if their `identity` is equal: the canonical URL without scheme and `www.`. Keys are hashes of
it. None of these functions raises, so one malformed href never loses the others.
"""

import hashlib
import re
from ipaddress import IPv6Address
from typing import Final, NamedTuple

from w3lib.url import canonicalize_url, safe_url_string

from sitecrawl.links.parameters import without_state, without_tracking

MAX_URL_LENGTH: Final = 2083
"""Maximum characters; longer URLs are not requested."""

DEFAULT_PORTS: Final = {"http": 80, "https": 443}

_RAW_LIMIT: Final = 8 * MAX_URL_LENGTH
"""Maximum characters of a raw URL, which normalisation may shorten (fragment, tracking parameters)."""

_CLEAN: Final = re.compile(
    r"(https?)://([a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63})*)(?::([1-9][0-9]{2,3}|[1-5][0-9]{4}))?"
    r"((?:/(?!\.)[A-Za-z0-9_~.-]*)+)"
    r"(?:\?([A-Za-z0-9_~.-]+(?:=[A-Za-z0-9_~.-]*)?(?:&[A-Za-z0-9_~.-]+(?:=[A-Za-z0-9_~.-]*)?)*))?"
)
"""Matches URLs with nothing to escape or resolve, which are most URLs: for them w3lib is skipped (a test compares)."""

_PARTS: Final = re.compile(r"(https?)://([^/?#]*)([^?#]*)(?:\?([^#]*))?(?:#.*)?", re.DOTALL)
_NETLOC: Final = re.compile(r"(\[[^\]]+\]|[^:]*)(?::([0-9]*))?")
_HOST: Final = re.compile(r"[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*")
_MAX_HOST: Final = 253
_DOTS: Final = {".": 1, "%2e": 1, "..": 2, ".%2e": 2, "%2e.": 2, "%2e%2e": 2}
_MAX_STEPS: Final = 10
_MAY_CHANGE_AGAIN: Final = re.compile("[;(]|%(?![0-9A-Fa-f]{2})")
"""Matches forms that may change in a further round: removing a session id may expose another one or a dot segment,
and decoding may complete an escape (`%%41a`)."""

_USER: Final = re.compile(r"(^|//)[^/?#]*@")
"""Matches user info in a URL, with or without a scheme."""
_PATH_SESSION: Final = re.compile(r";(?:jsessionid|phpsessid|sessionid|sid)=[^/;]*", re.IGNORECASE)
_ASP_SESSION: Final = re.compile(r"/\((?:[A-Z]\([^()/]*\))+\)(?=/|$)", re.IGNORECASE)
"""Cookieless sessions of ASP.NET: `/(S(lit3py55t21z5v55vlm25s55))/page.aspx` (Heritrix: StripSessionIDs)."""


class UrlParts(NamedTuple):
    """The parts of a usable URL, from which `fetchable_url` is made."""

    scheme: str
    host: str
    """Lower case, punycode, no trailing dot; an IPv6 address in brackets."""
    port: int | None
    """None for the default port of the scheme."""
    path: str
    """Begins with a slash; dot segments are resolved."""
    query: str
    """Without tracking parameters."""

    @property
    def url(self) -> str:
        """The URL."""
        query = f"?{self.query}" if self.query else ""
        return f"{self.scheme}://{self.netloc}{self.path}{query}"

    @property
    def netloc(self) -> str:
        """Host, and the port unless it is the default."""
        return self.host if self.port is None else f"{self.host}:{self.port}"

    @property
    def site(self) -> str:
        """Host without `www.`, and the port unless it is the default."""
        return self.netloc if self.host == (bare := without_www(self.host)) else bare + self.netloc[len(self.host) :]


def without_www(host: str) -> str:
    """Return a host without a leading `www.`, unless only a top-level domain would be left."""
    bare = host.removeprefix("www.")
    return bare if "." in bare else host


def host_of(url: str) -> str:
    """Return the host of a URL without `www.`, with its port unless it is the default; empty if there is none."""
    parts = split_url(url)
    return parts.site if parts is not None else ""


def split_url(url: str) -> UrlParts | None:
    """Return the parts of a URL, or None if it cannot be fetched."""
    parts = _split(url)
    return parts if isinstance(parts, UrlParts) else None


def url_problem(url: str) -> str | None:
    """Return, in words, why a URL cannot be fetched, or None if it can."""
    parts = _split(url)
    return parts if isinstance(parts, str) else None


def masked(url: str) -> str:
    """Return a URL for messages: without user info, which may contain a password."""
    return _USER.sub(r"\1...@", url)


def fetchable_url(url: str) -> str | None:
    """Return an absolute URL as it is requested, or None if it cannot be.

    Scheme, `www.` and the order of the query are kept. Unusable are schemes other than http and https, a missing or
    malformed host, a bad port, user info, and more than `MAX_URL_LENGTH` characters.
    """
    parts = _split(url)
    return parts.url if isinstance(parts, UrlParts) else None


def canonical_url(url: str) -> str | None:
    """Return the canonical form of an absolute URL, or None if it cannot be fetched; idempotent.

    Compared with `fetchable_url`, the query is sorted, escapes of unreserved characters are decoded and the others are
    in upper case, an IPv6 address is compressed, empty parameters get their `=`, and session ids and exact repeats of
    a parameter are removed.
    """
    parts = _split(url)
    return canonical_of(parts) if isinstance(parts, UrlParts) else None


def identity(url: str) -> str:
    """Return the identity of a page: the canonical URL without scheme and `www.`.

    A URL that cannot be fetched is its own identity.
    """
    parts = _split(url)
    return identity_of(parts, canonical_of(parts)) if isinstance(parts, UrlParts) else url.strip()


def identity_of(parts: UrlParts, canonical: str) -> str:
    """Return the identity of a split URL whose canonical form is known."""
    return parts.site + canonical[len(parts.scheme) + len("://") + len(parts.netloc) :]


def url_id(url: str) -> str:
    """Return 128 bits of blake2b of the identity as 32 hex digits."""
    return _digest(identity(url)).hex()


def url_key(url: str) -> int:
    """Return the first 63 bits of `url_id` as a number that fits a BIGINT."""
    return key_of(identity(url))


def key_of(page_identity: str) -> int:
    """Return the `url_key` of an identity."""
    return int.from_bytes(_digest(page_identity)[:8], "big") >> 1


def _digest(page_identity: str) -> bytes:
    return hashlib.blake2b(page_identity.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _split(url: str) -> UrlParts | str:
    """Return the parts of a URL, or the reason in words why it is unusable."""
    clean = _CLEAN.fullmatch(url) if len(url) <= MAX_URL_LENGTH else None
    if clean and len(clean[2]) <= _MAX_HOST:
        scheme, host, port, path, query = clean.groups()
        number = int(port) if port and int(port) != DEFAULT_PORTS[scheme] else None
        return UrlParts(scheme, host, number, path, without_tracking(query) if query else "")
    if len(url) > _RAW_LIMIT:
        return f"longer than {MAX_URL_LENGTH} characters"
    try:
        found = _PARTS.fullmatch(safe_url_string(url))
    except ValueError:  # urllib and the codecs raise it for brackets, ports and surrogates
        return "not a valid URL"
    if found is None:
        return "not an absolute http or https URL"
    scheme, netloc, path, query = found[1], found[2], found[3], found[4] or ""
    if "@" in netloc:
        return "user name or password in the URL"
    host, port = _host_and_port(scheme, netloc)
    if not host:
        return "no valid host or port"
    parts = UrlParts(scheme, host, port, resolve_dots(path or "/"), without_tracking(query))
    if len(parts.url) > MAX_URL_LENGTH:
        return f"longer than {MAX_URL_LENGTH} characters"
    return parts


def _host_and_port(scheme: str, netloc: str) -> tuple[str, int | None]:
    """Return (host, port or None for the default); an empty host if either is malformed."""
    found = _NETLOC.fullmatch(netloc)
    if found is None:
        return "", None
    host, port = found[1].lower(), int(found[2]) if found[2] else None
    if host.startswith("["):
        try:
            host = f"[{IPv6Address(host[1:-1]).compressed}]"
        except ValueError:
            return "", None
        if "%" in host:  # an IPv6 zone is only valid on one machine
            return "", None
    else:
        host = host.removesuffix(".")
        if len(host) > _MAX_HOST or not _HOST.fullmatch(host):
            return "", None
    if port is not None and not 0 < port < 65536:
        return "", None
    return host, None if port == DEFAULT_PORTS[scheme] else port


def resolve_dots(path: str) -> str:
    """Return an absolute path without `.` and `..` segments, escaped ones included (URL Standard)."""
    if "/." not in path and "/%2" not in path:
        return path
    resolved: list[str] = []
    segments = path.split("/")[1:]
    last = len(segments) - 1
    for position, segment in enumerate(segments):
        steps = _DOTS.get(segment.lower(), 0)
        if steps == 2 and resolved:
            resolved.pop()
        if not steps:
            resolved.append(segment)
        elif position == last:
            resolved.append("")
    return "/" + "/".join(resolved)


def canonical_of(parts: UrlParts) -> str:
    """Return the canonical form of a split URL."""
    url = parts.url
    if _CLEAN.fullmatch(url):
        if not parts.query:
            return url
        # w3lib writes `a` as `a=`, and sorts by name, then value
        names = [(name, value) for name, _, value in (one.partition("=") for one in parts.query.split("&"))]
        query = without_state("&".join([f"{name}={value}" for name, value in sorted(names)]))
        return f"{parts.scheme}://{parts.netloc}{parts.path}{f'?{query}' if query else ''}"
    for _ in range(_MAX_STEPS):
        before, url = url, _canonical_step(url, parts.netloc)
        if url == before or not _MAY_CHANGE_AGAIN.search(before):
            break
    return url


def _canonical_step(url: str, netloc: str) -> str:
    found = _PARTS.fullmatch(canonicalize_url(url))
    if found is None:  # does not happen for URLs that `_split` accepted, since w3lib keeps scheme and host
        return url
    path = found[3]
    if ";" in path or "(" in path:
        path = _ASP_SESSION.sub("", _PATH_SESSION.sub("", path)).rstrip(";")
        path = resolve_dots(path or "/")
    query = without_state(found[4] or "")
    return f"{found[1]}://{netloc}{path}{f'?{query}' if query else ''}"
