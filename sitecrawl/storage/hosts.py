"""Hosts of a site that fail, and the pages whose failures are not yet understood.

A host is a netloc: host and port as they are asked for. `www.example.org` and `example.org.` are hosts of their own.
"""

import datetime as dt
from collections import Counter
from collections.abc import Collection
from enum import IntEnum
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

from sqlalchemy import Select, delete, select

from sitecrawl.dom.text import printable
from sitecrawl.storage.db.session import Session
from sitecrawl.storage.db.upsert import upsert
from sitecrawl.storage.page_change import REASON_LENGTH, SMALL
from sitecrawl.storage.pages import CHUNK, GOOD, may_be_asked
from sitecrawl.storage.tables.models import HostRow, PageRow, SuspendedRow

NETLOC_LENGTH: Final = 300
SAMPLE: Final = 200
"""Good pages of a site that are looked at."""
_DEFAULT_PORTS: Final = {"http": 80, "https": 443}
_HOST_KEY: Final = ("site_id", "netloc")
_PAGE_KEY: Final = ("site_id", "url_key")


class Breaker(IntEnum):
    """The state of a host's circuit breaker."""

    CLOSED = 0
    """Requests are sent."""
    OPEN = 1
    """So much failed in a row that nothing but a test is sent."""
    GIVEN_UP = 2
    """Nothing more was sent in that run."""


class StoredHost(NamedTuple):
    """What is stored of a host that fails."""

    netloc: str
    breaker: Breaker
    failures: int
    """In a row."""
    failing_since: dt.datetime | None
    given_up: int
    """Runs in a row in which the host was given up."""
    not_before: dt.datetime | None
    """Nothing is asked of it before."""
    reason: str | None
    """Why it was given up."""


class StoredFailure(NamedTuple):
    """A page that failed, and nobody knows yet whether the page or its host is at fault."""

    url_key: int
    url: str
    netloc: str
    reason: str
    http_status: int | None
    depth: int
    not_before: dt.datetime | None
    """When the server says that the page may be asked for again."""


def netloc_of(url: str) -> str:
    """Return host and port of a URL as they are asked for, in lower case, without the scheme's default port.

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
        """Return the hosts of a site that fail or asked to be left alone."""
        columns = (getattr(HostRow, name) for name in StoredHost._fields)
        rows = self.session.execute(select(*columns).where(HostRow.site_id == site_id).order_by(HostRow.netloc))
        return [StoredHost(netloc, Breaker(breaker), *others) for netloc, breaker, *others in rows]

    def put(self, site_id: int, host: StoredHost) -> None:
        """Store the state of a host that fails."""
        if len(host.netloc) <= NETLOC_LENGTH:
            reason = printable(host.reason)[:REASON_LENGTH] if host.reason else None
            row = {"site_id": site_id, **host._asdict(), "breaker": int(host.breaker), "reason": reason}
            upsert(self.session, HostRow, [row], _HOST_KEY, _host)

    def forget(self, site_id: int, netloc: str) -> None:
        """Delete the state of a host that is well again."""
        self.session.execute(delete(HostRow).where(HostRow.site_id == site_id, HostRow.netloc == netloc))

    def suspended(self, site_id: int) -> list[StoredFailure]:
        """Return the pages of a site whose failures are not understood."""
        columns = (getattr(SuspendedRow, name) for name in StoredFailure._fields)
        rows = self.session.execute(
            select(*columns).where(SuspendedRow.site_id == site_id).order_by(SuspendedRow.url_key)
        )
        return [StoredFailure(*row) for row in rows]

    def suspend(self, site_id: int, failure: StoredFailure) -> None:
        """Store a failure that is not understood."""
        row = {
            "site_id": site_id,
            **failure._asdict(),
            "url": printable(failure.url),
            "netloc": failure.netloc[:NETLOC_LENGTH],
            "reason": printable(failure.reason)[:REASON_LENGTH],
            "http_status": None if failure.http_status is None else min(failure.http_status, SMALL),
            "depth": min(failure.depth, SMALL),
        }
        upsert(self.session, SuspendedRow, [row], _PAGE_KEY, _failure)

    def understood(self, site_id: int, url_keys: Collection[int]) -> None:
        """Delete failures that are understood now."""
        keys = sorted(url_keys)
        for i in range(0, len(keys), CHUNK):
            self.session.execute(
                delete(SuspendedRow).where(
                    SuspendedRow.site_id == site_id, SuspendedRow.url_key.in_(keys[i : i + CHUNK])
                )
            )

    def good_urls(self, site_id: int, netloc: str, now: dt.datetime, limit: int) -> list[str]:
        """Return URLs of a host that gave a page at their last visit and may be asked for now, latest first."""
        latest = self._good(site_id).where(may_be_asked(now)).order_by(PageRow.fetched_at.desc())
        rows = self.session.scalars(latest)
        return [url for url in rows if netloc_of(url) == netloc][:limit]

    def home(self, site_id: int) -> str | None:
        """Return the netloc on which most of the site's pages are, None while there is no page.

        Looked at are the first pages by key. Keys are hashes, so they are pages at random.
        """
        rows = self.session.scalars(self._good(site_id).order_by(PageRow.url_key))
        found = Counter(map(netloc_of, rows))
        return found.most_common(1)[0][0] if found else None

    def _good(self, site_id: int) -> Select[Any]:
        return select(PageRow.url).where(PageRow.site_id == site_id, PageRow.status.in_(GOOD)).limit(SAMPLE)


def _host(new: Any) -> dict[str, Any]:
    return {name: new[name] for name in StoredHost._fields if name != "netloc"}


def _failure(new: Any) -> dict[str, Any]:
    return {name: new[name] for name in StoredFailure._fields if name != "url_key"}
