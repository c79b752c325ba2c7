"""Decides which sitemaps and feeds of a site are read in a crawl, in which order, and how many."""

import datetime as dt
from collections import deque
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple
from urllib.parse import urljoin

from sitecrawl.links.relations import Relation
from sitecrawl.links.scope import SiteScope
from sitecrawl.links.sitemap_entries import SitemapEntry
from sitecrawl.links.sitemaps import robots_sitemaps
from sitecrawl.links.urls import fetchable_url, url_key
from sitecrawl.storage.sources import SourceKind, StoredSource

MAX_SITEMAPS: Final = 1000
"""Maximum sitemaps read in one crawl."""
MAX_INDEXES: Final = 50
"""Maximum sitemap indexes among them that are followed, in case indexes name new indexes without end."""
MAX_DEPTH: Final = 2
"""Maximum nesting of sitemap indexes; sitemaps.org allows one level."""
MAX_FEEDS: Final = 20
"""Maximum feeds read in one crawl."""
NAMED_BY: Final = 2
"""Pages that must link to a feed before it is read, unless the start page does. This excludes the comment feeds of
single articles, which many weblogs have."""
MAX_CANDIDATES: Final = 1000
"""Maximum feeds remembered to which only one page has linked so far."""
USUAL: Final = "/sitemap.xml"
"""Path at which a sitemap is looked for if robots.txt names none."""
LOOK_AGAIN: Final = dt.timedelta(days=30)
"""Time after which a sitemap that was not there is looked for again. Own choice."""
WHOLE_AFTER: Final = dt.timedelta(days=7)
"""Time after which a source is requested without validators, since these may be wrong."""


class SourceRequest(NamedTuple):
    """A source to be requested."""

    url: str
    url_key: int
    kind: SourceKind
    depth: int = 0
    """Number of sitemap indexes above it."""
    parent: int | None = None
    etag: str | None = None
    last_modified: str | None = None
    """Validators of a conditional request; None if a 304 is not enough."""
    guessed: bool = False
    """Whether the URL is a guess: robots.txt does not name it, so a missing file is no failure."""


class Sources:
    """The sitemaps and feeds of one crawl; each is requested once."""

    def __init__(self, scope: SiteScope, stored: Iterable[StoredSource], now: dt.datetime) -> None:
        """Queue the feeds that earlier crawls read; sitemaps are added once robots.txt is read (`robots`)."""
        self.scope = scope
        self.now = now
        self.stored = {source.url_key: source for source in stored}
        self.refused = 0
        """Number of sitemaps and feeds left out by a limit."""
        self.read_any = False
        """Whether a sitemap or feed was asked for and answered."""
        self.confirmed: set[int] = set()
        """Sources whose dates hold: they were read in this crawl, or have not changed since they were."""
        self._waiting: deque[SourceRequest] = deque()
        self._asked: set[int] = set()
        self._open: set[int] = set()
        self._sitemaps = self._indexes = self._feeds = 0
        self._candidates: dict[int, int] = {}
        for source in self.stored.values():
            if source.kind is SourceKind.FEED and source.read_at is not None:
                self._add(source.url, source.url_key, SourceKind.FEED)

    @property
    def settled(self) -> bool:
        """Whether every known source has been read or has failed."""
        return not self._waiting and not self._open

    def robots(self, text: str, base: str) -> list[str]:
        """Add the sitemaps that robots.txt names; return those of other sites, which are not read.

        If it names none, the sitemap at the usual path is added.
        """
        elsewhere, named = [], robots_sitemaps(text, base)
        if not named:
            self.guess(base)
        for one in named:
            url = fetchable_url(one)
            if url is not None and self.scope.contains(url):
                self._add(url, url_key(url), SourceKind.SITEMAP)
            elif url is not None:
                elsewhere.append(url)
        return elsewhere

    def guess(self, base: str) -> None:
        """Add the sitemap at the usual path of a site, unless it was not there when it was last looked for."""
        url = fetchable_url(urljoin(base, USUAL))
        if url is None or not self.scope.contains(url):
            return
        before = self.stored.get(url_key(url))
        missing = before is not None and before.problem is not None and not before.pages
        looked = before.read_at if before is not None and missing else None
        if looked is None or looked <= self.now - LOOK_AGAIN:
            self._add(url, url_key(url), SourceKind.SITEMAP, guessed=True)

    def index(self, ask: SourceRequest, entries: Sequence[SitemapEntry]) -> int:
        """Add the sitemaps of an index that have changed since they were read; return the number of unchanged ones."""
        self._indexes += 1
        if ask.depth >= MAX_DEPTH or self._indexes > MAX_INDEXES:
            self.refused += len(entries)
            return 0
        unread = 0
        for url, key, lastmod in entries:
            before = self.stored.get(key)
            read_at = before.read_at if before is not None and before.problem is None else None
            if lastmod is not None and read_at is not None and lastmod.last < read_at > self.now - WHOLE_AFTER:
                unread += 1
                self.confirmed.add(key)
            else:
                self._add(url, key, SourceKind.SITEMAP, ask.depth + 1, ask.url_key)
        return unread

    def not_modified(self, ask: SourceRequest) -> None:
        """Add the sitemaps that an unchanged index named when it was read."""
        children = [source for source in self.stored.values() if source.parent == ask.url_key]
        if children and ask.depth < MAX_DEPTH:
            for child in children:
                self._add(child.url, child.url_key, SourceKind.SITEMAP, ask.depth + 1, ask.url_key)

    def feeds(self, named: Iterable[Relation], *, start: bool) -> None:
        """Count the feeds that a page links to, and add those to which enough pages link."""
        for url, key in named:
            if key in self._asked:
                continue
            votes = self._candidates.get(key, 0) + (NAMED_BY if start else 1)
            if votes >= NAMED_BY:
                self._candidates.pop(key, None)
                self._add(url, key, SourceKind.FEED)
            elif len(self._candidates) < MAX_CANDIDATES:
                self._candidates[key] = votes

    def take(self) -> list[SourceRequest]:
        """Return the sources to request now."""
        asks, self._waiting = list(self._waiting), deque()
        self._open.update(ask.url_key for ask in asks)
        return asks

    def done(self, ask: SourceRequest, *, missing: bool = False) -> None:
        """Record that the request of a source has ended; `missing` means that a guessed one does not exist."""
        self._open.discard(ask.url_key)
        self.read_any |= not missing

    def _add(
        self, url: str, key: int, kind: SourceKind, depth: int = 0, parent: int | None = None, *, guessed: bool = False
    ) -> None:
        if key in self._asked:
            return
        if self._sitemaps >= MAX_SITEMAPS if kind is SourceKind.SITEMAP else self._feeds >= MAX_FEEDS:
            self.refused += 1
            return
        self._asked.add(key)
        self._sitemaps += kind is SourceKind.SITEMAP
        self._feeds += kind is SourceKind.FEED
        before = self.stored.get(key)
        ask = SourceRequest(url, key, kind, depth, parent, guessed=guessed)
        if before is not None and before.problem is None and (before.read_at or self.now) > self.now - WHOLE_AFTER:
            ask = ask._replace(etag=before.etag, last_modified=before.last_modified)
        self._waiting.append(ask)
