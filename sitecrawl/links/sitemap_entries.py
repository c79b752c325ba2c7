"""Filters the entries of one sitemap, and counts the reasons for which URLs are left out."""

import datetime as dt
import re
from dataclasses import dataclass, field
from typing import Final, NamedTuple
from urllib.parse import urljoin

from sitecrawl.links.anchors import may_be_html
from sitecrawl.links.dates import Dated, parse_date, parse_past_date
from sitecrawl.links.scope import SiteScope
from sitecrawl.links.traps import TrapLimits, trap_problem
from sitecrawl.links.urls import MAX_URL_LENGTH, canonical_of, identity_of, key_of, split_url

MAX_URLS: Final = 50_000
"""Maximum pages taken from one file (sitemaps.org)."""
MAX_LOOKED_AT: Final = 4 * MAX_URLS
"""Maximum URLs of one file that are examined; URLs of other hosts count too."""
MAX_SITEMAPS: Final = 1000
"""Maximum sitemaps taken from one index. sitemaps.org allows 50,000; a crawl reads a thousand at most."""
RAW_LENGTH: Final = 4 * MAX_URL_LENGTH
"""Maximum characters of an address as written."""

_HOSTS: Final = 1000
"""Maximum hosts whose verdict is cached."""
WEB_HOST: Final = re.compile(r"\s*(https?://[^/?#\s]*)", re.IGNORECASE)


class SitemapEntry(NamedTuple):
    """A page, or a further sitemap, listed in a sitemap."""

    url: str
    url_key: int
    lastmod: Dated | None
    """None also for a date in the future and for an unreadable date."""


@dataclass(slots=True)
class SitemapCounts:
    """The number of entries of a file that were left out, by reason."""

    offsite: int = 0
    bad: int = 0
    """Not a usable http or https URL."""
    not_html: int = 0
    trapped: int = 0
    duplicate: int = 0
    future: int = 0
    """Number of dates in the future. They are ignored; their pages are kept."""
    stamped: int = 0
    """Number of dates of a file in which nearly all pages have the hour of the request as their date."""


@dataclass(slots=True)
class Sitemap:
    """The contents of one sitemap file."""

    kind: str = ""
    """`urlset`, `index` or `text`; `feed` for RSS and Atom, which `links.feeds` reads."""
    entries: list[SitemapEntry] = field(default_factory=list)
    """Pages of the site, or the sitemaps of an index; one for each URL key."""
    skipped: SitemapCounts = field(default_factory=SitemapCounts)
    problem: str | None = None
    """The reason, in words, if the file could only be read in part."""


class EnoughError(Exception):
    """Raised to stop reading a file at a limit."""


class EntryReader:
    """Filters the URLs of one file, one at a time."""

    def __init__(self, url: str, scope: SiteScope, now: dt.datetime, limits: TrapLimits) -> None:
        self.url = url
        self.scope = scope
        self.now = now
        self.limits = limits
        self.sitemap = Sitemap()
        self.looked_at = 0
        self.alternates: dict[str, None] = {}
        """Translations listed in entries; added last, since most are also separate entries with a date."""
        self._seen: set[int] = set()
        self._hosts: dict[str, str] = {}

    def add(self, loc: str, lastmod: str = "") -> None:
        """Add a URL, or count the reason for leaving it out. Raises EnoughError at a limit."""
        self.looked_at += 1
        problem = self._problem(loc.strip(), lastmod)
        if problem:
            setattr(self.sitemap.skipped, problem, getattr(self.sitemap.skipped, problem) + 1)
        most = MAX_SITEMAPS if self.sitemap.kind == "index" else MAX_URLS
        if len(self.sitemap.entries) >= most:
            self.stop(f"{most} {'sitemaps' if self.sitemap.kind == 'index' else 'pages'} were taken from it")
        if self.looked_at >= MAX_LOOKED_AT:
            self.stop(f"{MAX_LOOKED_AT} URLs of it were examined")

    def stop(self, reason: str) -> None:
        """Record the reason, and raise EnoughError to stop reading."""
        self.sitemap.problem = reason
        raise EnoughError

    def _problem(self, loc: str, lastmod: str) -> str:
        if not loc or len(loc) > RAW_LENGTH:
            return "bad"
        host = WEB_HOST.match(loc)
        if host is None:
            try:
                loc = urljoin(self.url, loc)
            except ValueError:
                return "bad"
        elif verdict := self._host_problem(host[1]):
            return verdict
        parts = split_url(loc)
        if parts is None:
            return "bad"
        if not self.scope.contains_parts(parts):
            return "offsite"
        if self.sitemap.kind != "index" and not may_be_html(parts):
            return "not_html"
        if trap_problem(parts, self.limits):
            return "trapped"
        key = key_of(identity_of(parts, canonical_of(parts)))
        if key in self._seen:
            return "duplicate"
        self._seen.add(key)
        dated = parse_past_date(lastmod, self.now) if lastmod else None
        self.sitemap.entries.append(SitemapEntry(parts.url, key, dated))
        return "future" if lastmod and dated is None and parse_date(lastmod) is not None else ""

    def _host_problem(self, host: str) -> str:
        """Return why the URLs of a host are left out, empty if they are not; cached, since this is most of the cost."""
        verdict = self._hosts.get(host)
        if verdict is None:
            parts = split_url(f"{host}/")
            verdict = "bad" if parts is None else "" if self.scope.contains_parts(parts) else "offsite"
            if len(self._hosts) < _HOSTS:
                self._hosts[host] = verdict
        return verdict
