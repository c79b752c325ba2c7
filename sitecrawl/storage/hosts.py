"""Failing hosts of a site, and its suspended pages.

A host is a netloc: host and port as requested. `www.example.org` and `example.org.` are separate hosts.
"""

import datetime as dt
from collections import Counter
from collections.abc import Collection
from enum import IntEnum
from typing import Final, NamedTuple
from urllib.parse import urlsplit

from sqlalchemy import Select, delete, select

from sitecrawl.dom.text import printable
from sitecrawl.slices import slices
from sitecrawl.storage.db.session import Session
from sitecrawl.storage.db.upsert import Excluded, upsert
from sitecrawl.storage.page_change import REASON_LENGTH, SMALL
from sitecrawl.storage.pages import CHUNK, GOOD, may_be_requested
from sitecrawl.storage.tables.models import HOST, PAGE, SUSPENDED

NETLOC_LENGTH: Final = 300
"""Maximum characters of a stored netloc: a host name has at most 253 (RFC 1035)."""
SAMPLE: Final = 200
"""Maximum good pages of a site that are examined."""
_DEFAULT_PORTS: Final = {"http": 80, "https": 443}
_HOST_KEY: Final = ("site_id", "netloc")
_PAGE_KEY: Final = ("site_id", "url_key")


class Breaker(IntEnum):
    """The state of a host's circuit breaker."""

    CLOSED = 0
    """Requests are sent."""
    OPEN = 1
    """So many consecutive requests failed that only probes are sent."""
    GIVEN_UP = 2
    """No more requests are sent in this run."""


class StoredHost(NamedTuple):
    """The stored state of a failing host."""

    netloc: str
    breaker: Breaker
    failures: int
    """Number of consecutive failures."""
    failing_since: dt.datetime | None
    given_up: int
    """Number of consecutive runs that gave the host up."""
    not_before: dt.datetime | None
    """Time before which the host gets no request."""
    reason: str | None
    """Reason why it was given up; None if it was not."""


class StoredFailure(NamedTuple):
    """A suspended page: its failure cannot be attributed to the page or its host yet."""

    url_key: int
    url: str
    netloc: str
    reason: str
    http_status: int | None
    depth: int
    not_before: dt.datetime | None
    """Time from which the server allows the page to be requested again."""


def netloc_of(url: str) -> str:
    """Return the lower-case host and port of a URL as requested, without the scheme's default port.

    Unlike `links.urls.host_of` it keeps `www.` and a trailing dot. Empty for a URL without a host or with a bad port.
    """
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return ""
    if ":" in host:
        host = f"[{host}]"
    return host if not host or port in (None, _DEFAULT_PORTS.get(parts.scheme)) else f"{host}:{port}"


class HostRepository:
    """Reads and writes `host` and `suspended`."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def all(self, site_id: int) -> list[StoredHost]:
        """Return the hosts of a site that fail or asked the crawler to wait."""
        columns = (HOST.c[name] for name in StoredHost._fields)
        rows = self.session.execute(select(*columns).where(HOST.c.site_id == site_id).order_by(HOST.c.netloc))
        return [StoredHost(netloc, Breaker(breaker), *others) for netloc, breaker, *others in rows]

    def put(self, site_id: int, host: StoredHost) -> None:
        """Store the state of a failing host."""
        if len(host.netloc) <= NETLOC_LENGTH:
            reason = printable(host.reason)[:REASON_LENGTH] if host.reason else None
            row = {"site_id": site_id, **host._asdict(), "breaker": int(host.breaker), "reason": reason}
            upsert(self.session, HOST, [row], _HOST_KEY, _host)

    def forget(self, site_id: int, netloc: str) -> None:
        """Delete the state of a recovered host."""
        self.session.execute(delete(HOST).where(HOST.c.site_id == site_id, HOST.c.netloc == netloc))

    def suspended(self, site_id: int) -> list[StoredFailure]:
        """Return the suspended pages of a site."""
        columns = (SUSPENDED.c[name] for name in StoredFailure._fields)
        rows = self.session.execute(
            select(*columns).where(SUSPENDED.c.site_id == site_id).order_by(SUSPENDED.c.url_key)
        )
        return [StoredFailure(*row) for row in rows]

    def suspend(self, site_id: int, failure: StoredFailure) -> None:
        """Store a suspended page."""
        row = {
            "site_id": site_id,
            **failure._asdict(),
            "url": printable(failure.url),
            "netloc": failure.netloc[:NETLOC_LENGTH],
            "reason": printable(failure.reason)[:REASON_LENGTH],
            "http_status": None if failure.http_status is None else min(failure.http_status, SMALL),
            "depth": min(failure.depth, SMALL),
        }
        upsert(self.session, SUSPENDED, [row], _PAGE_KEY, _failure)

    def understood(self, site_id: int, url_keys: Collection[int]) -> None:
        """Delete the records of suspended pages whose outcome is known now."""
        for keys in slices(sorted(url_keys), CHUNK):
            self.session.execute(delete(SUSPENDED).where(SUSPENDED.c.site_id == site_id, SUSPENDED.c.url_key.in_(keys)))

    def good_urls(self, site_id: int, netloc: str, now: dt.datetime) -> list[str]:
        """Return URLs of a host that served a page at their last visit and may be requested now.

        The latest come first, then others of all ages.
        """
        good = self._good(site_id).where(may_be_requested(now))
        rows = dict.fromkeys(self.session.scalars(good.order_by(PAGE.c.fetched_at.desc())))
        rows |= dict.fromkeys(self.session.scalars(good.order_by(PAGE.c.url_key)))
        return [url for url in rows if netloc_of(url) == netloc]

    def home(self, site_id: int) -> str | None:
        """Return the netloc with most of the site's pages; None while there are no pages.

        Only the first pages by key are examined. Keys are hashes, so they are a random sample.
        """
        rows = self.session.scalars(self._good(site_id).order_by(PAGE.c.url_key))
        found = Counter(map(netloc_of, rows))
        return found.most_common(1)[0][0] if found else None

    def _good(self, site_id: int) -> Select[str]:
        return select(PAGE.c.url).where(PAGE.c.site_id == site_id, PAGE.c.status.in_(GOOD)).limit(SAMPLE)


def _host(new: Excluded) -> dict[str, object]:
    return {name: new[name] for name in StoredHost._fields if name != "netloc"}


def _failure(new: Excluded) -> dict[str, object]:
    return {name: new[name] for name in StoredFailure._fields if name != "url_key"}
