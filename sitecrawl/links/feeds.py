"""Reads RSS and Atom feeds, which list the newest pages of a site, with feedparser and limits.

feedparser takes 0.3 ms per entry, and up to 0.1 ms per tag of a malformed feed, which it parses again with its own
parser. With the limits below, the worst feed takes a few seconds.
"""

import datetime as dt
import re
from dataclasses import dataclass, field
from io import BytesIO
from typing import Any, Final, NamedTuple
from urllib.parse import urljoin

from sitecrawl.errors import FeedError
from sitecrawl.links.anchors import may_be_html
from sitecrawl.links.dates import FIRST_YEAR, SLACK, Dated
from sitecrawl.links.decompression import Pieces
from sitecrawl.links.scope import SiteScope
from sitecrawl.links.urls import canonical_of, identity_of, key_of, split_url

MAX_BYTES: Final = 2 * 2**20
"""Maximum decompressed bytes of a feed; full-text feeds of 100 articles have about 1 MiB."""
MAX_TAGS: Final = 40_000
MAX_REFERENCES: Final = 400_000
"""Maximum character references (`&`): HTML inside a feed is escaped, with three references per tag."""
MAX_ENTRIES: Final = 1000
"""Maximum entries of a feed that are examined."""

_ENTITY: Final = re.compile(rb"<!\s*ENTITY|<\0!\0E\0N\0T|\0<\0!\0E\0N\0T", re.IGNORECASE)
_PARSER_OPTIONS: Final = {"sanitize_html": False, "resolve_relative_uris": False}
"""feedparser runs without sanitizing and URI resolution: only links and dates are used."""


class FeedEntry(NamedTuple):
    """A page listed in a feed."""

    url: str
    url_key: int
    dated: Dated | None
    """Time of the last change, or else of publication; None also for a time in the future."""


@dataclass(slots=True)
class FeedCounts:
    """The number of entries of a feed that were left out, by reason."""

    offsite: int = 0
    bad: int = 0
    """The entry has no link, or no usable one."""
    not_html: int = 0
    duplicate: int = 0
    future: int = 0
    """Dates in the future: the pages are kept, the dates are ignored."""
    over: int = 0
    """Entries beyond `MAX_ENTRIES`."""


@dataclass(slots=True)
class Feed:
    """The contents of a feed."""

    entries: list[FeedEntry] = field(default_factory=list)
    """In feed order, one for each URL key."""
    skipped: FeedCounts = field(default_factory=FeedCounts)
    problem: str | None = None
    """The reason, in words, if the feed could only be read in part."""


def read_feed(body: bytes, url: str, scope: SiteScope, now: dt.datetime, *, content_type: str = "") -> Feed:
    """Return the pages of the site that a feed lists.

    Raises FeedError for a body that is neither RSS nor Atom, declares entities, or exceeds a limit.
    """
    pieces = Pieces(body, MAX_BYTES)
    plain = b"".join(pieces)
    if pieces.problem is not None:
        raise FeedError(url, pieces.problem)
    if _ENTITY.search(plain):
        raise FeedError(url, "it declares entities, which are refused")
    if plain.count(b"<") > MAX_TAGS or plain.count(b"&") > MAX_REFERENCES:
        raise FeedError(url, f"over {MAX_TAGS} tags or {MAX_REFERENCES} references")
    import feedparser  # noqa: PLC0415  (30 ms, and many sites have no feed)

    headers = {"content-location": url, "content-type": content_type or "application/xml"}
    try:
        # pass a stream, never the text: feedparser opens a string that looks like a URL or a file name
        parsed: Any = feedparser.parse(BytesIO(plain), response_headers=headers, **_PARSER_OPTIONS)
    except Exception as error:  # feedparser's parsers raise many types on hostile input
        raise FeedError(url, f"cannot be parsed ({type(error).__name__}: {error})"[:200]) from error
    if not parsed.get("version"):
        raise FeedError(url, "neither RSS nor Atom")
    feed = Feed()
    if parsed.get("bozo"):
        feed.problem = f"malformed: {parsed.get('bozo_exception')}"[:200]
    entries = parsed.get("entries") or []
    feed.skipped.over = max(0, len(entries) - MAX_ENTRIES)
    seen: set[int] = set()
    for entry in entries[:MAX_ENTRIES]:
        _take(feed, entry, url, scope, now, seen)
    return feed


def _take(feed: Feed, entry: Any, base: str, scope: SiteScope, now: dt.datetime, seen: set[int]) -> None:
    skipped = feed.skipped
    try:
        link = urljoin(base, str(entry.get("link") or "").strip())
    except ValueError:
        link = ""
    parts = split_url(link) if entry.get("link") else None
    if parts is None:
        skipped.bad += 1
        return
    if not scope.contains_parts(parts):
        skipped.offsite += 1
        return
    if not may_be_html(parts):
        skipped.not_html += 1
        return
    key = key_of(identity_of(parts, canonical_of(parts)))
    if key in seen:
        skipped.duplicate += 1
        return
    seen.add(key)
    # feedparser's own `get` warns when it substitutes one date for another
    dated = _dated(dict.get(entry, "updated_parsed")) or _dated(dict.get(entry, "published_parsed"))
    if dated is not None and dated.first > now + SLACK:
        skipped.future += 1
        dated = None
    feed.entries.append(FeedEntry(parts.url, key, dated))


def _dated(parsed: Any) -> Dated | None:
    """Convert a struct_time of feedparser, which is in UTC."""
    try:
        moment = dt.datetime(*parsed[:6]).replace(tzinfo=dt.UTC)
    except (TypeError, ValueError, OverflowError):
        return None
    return Dated(moment, moment) if moment.year >= FIRST_YEAR else None
