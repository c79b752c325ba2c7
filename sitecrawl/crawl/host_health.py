"""The health of hosts: a circuit breaker per host, so that the failure of one host does not affect others.

A host is a netloc: host and port as requested. A failure that may concern the server (no response, 5xx, 403, 429) may
also concern the page alone. The next good page of the host shows which; until then the page is *suspended*: neither an
error nor due.
"""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from sitecrawl.crawl.page_lifecycle import FetchOutcome, FetchResult
from sitecrawl.storage.hosts import Breaker, StoredFailure, StoredHost, netloc_of

__all__ = ["HostHealth", "Hosts", "Suspended", "is_bad", "netloc_of"]

OUTAGE: Final = "outage"
"""Finish reason of a crawl to be resumed: the site does not answer."""
BUSY: Final = "busy"
"""Finish reason of a crawl to be resumed: the site asked the crawler to wait."""
WALLS: Final = frozenset((403, 429))
FIRST_PAUSE: Final = 5.0
LONGEST_PAUSE: Final = 300.0
"""Seconds before a host that is down is probed again, doubled each time."""
LONGEST_STREAK: Final = 10
"""Maximum factor by which the number of failures before a probe grows, on a host with many bad pages."""
SEVERAL: Final = 3
"""URLs in a row with a long Retry-After after which the host is probed: the wait may apply to all its pages."""
GOOD_URLS: Final = 4
"""Maximum remembered good pages of a host, for probing it."""


def is_bad(http_status: int) -> bool:
    """Return whether a response may concern the server rather than the page."""
    return http_status >= 500 or http_status in WALLS


@dataclass(slots=True)
class HostHealth:
    """The health of one host and port. Times are seconds of a monotonic clock."""

    name: str
    """The netloc."""
    most: int
    """Consecutive failures after which the host is probed; 0 for never."""
    patience: float
    """Maximum seconds that an outage is waited out."""
    failures: int = 0
    """Number of consecutive failures."""
    streak: int = 0
    """Number of this streak of failures; it increases when a good page ends one."""
    good_urls: list[str] = field(default_factory=list)
    """URLs of good pages of the host in this run, latest first."""
    given_up: str = ""
    """Why this run sends the host no more requests; empty while it does."""
    given_up_before: int = 0
    """Number of consecutive earlier runs that gave the host up."""
    not_before: dt.datetime | None = None
    """Time from which it may be requested again."""
    outages: set[int] = field(default_factory=set)
    """Streaks in which the host was down."""
    waits: dict[str, dt.datetime] = field(default_factory=dict)
    """URLs of this streak with a Retry-After longer than a crawl waits, each with the time at which it ends."""
    pause: float = FIRST_PAUSE
    """Seconds to wait before the next probe of a host that is down."""
    stored: bool = False
    """Whether the database has a row for this host."""
    _unaskable: set[str] = field(default_factory=set)
    _factor: int = 1
    _began: float | None = None
    _since: dt.datetime | None = None
    _last: str = "in an earlier run"

    @property
    def suspect(self) -> bool:
        """Whether enough requests failed in a row that the host must be probed before any other request."""
        many = self.failures >= self.most * self._factor or len(self.waits) >= SEVERAL * self._factor
        return bool(self.most) and many and not self.given_up

    @property
    def breaker(self) -> Breaker:
        """The state of the circuit breaker."""
        if self.given_up:
            return Breaker.GIVEN_UP
        return Breaker.OPEN if self.suspect else Breaker.CLOSED

    def failed(self, moment: float, now: dt.datetime, why: str) -> int:
        """Count a failure; return the streak that it belongs to."""
        if self._began is None:
            self._began = moment
        if self._since is None:
            self._since = now
        self.failures += 1
        self._last = why
        return self.streak

    def asked_to_wait(self, url: str, until: dt.datetime) -> None:
        """Record that a URL, which counts as failed, must not be requested before a time."""
        self.waits[url] = until
        self.may_not_be_asked(url)

    def answered(self, url: str | None = None) -> None:
        """Record a good page or probe: earlier failures concerned the pages alone, unless the host was down."""
        if url is not None and url not in self._unaskable:
            self.good_urls = [url, *(one for one in self.good_urls if one != url)][:GOOD_URLS]
        if not self.failures:
            return
        if self.suspect and self.streak not in self.outages:  # the host was up all the time: probe it less often
            self._factor = min(self._factor * 2, LONGEST_STREAK)
        self.end_streak()

    def end_streak(self) -> None:
        """Start a new streak."""
        self.failures, self.pause = 0, FIRST_PAUSE
        self._began = self._since = None
        self.waits.clear()
        self.streak += 1

    def down(self, moment: float) -> float | None:
        """Record that the host does not answer; return the seconds to wait, or None if it is to be given up.

        The crawl does not wait for a host that asked it to wait longer than a crawl lasts.
        """
        self.outages.add(self.streak)
        failing = moment - self._began if self._began is not None else 0.0
        if not self.patience or self.waits or failing > self.patience:
            return None
        pause = min(self.pause, self.patience)
        self.pause = min(2 * self.pause, LONGEST_PAUSE)
        return pause

    def give_up(self, why: str, not_before: dt.datetime | None = None) -> None:
        """Send the host no more requests in this run, and in later runs not before `not_before`."""
        self.given_up, self.not_before = why, not_before

    # Probes -----------------------------------------------------------------------------------------------------

    def may_not_be_asked(self, url: str) -> None:
        """Record that a URL cannot be used as a probe: a trap, forbidden by robots.txt, or left alone."""
        self._unaskable.add(url)
        self.good_urls = [one for one in self.good_urls if one != url]

    def candidates(self, stored: Sequence[str]) -> list[str]:
        """Return the URLs to probe the host with, best first; `stored` are pages that were good in earlier runs."""
        known = dict.fromkeys((*self.good_urls, *stored))
        return [url for url in known if url not in self._unaskable]

    # Description and stored row ---------------------------------------------------------------------------------

    def describe(self) -> str:
        """Return the state of a failing host as text."""
        since = f"{self._since:%Y-%m-%d %H:%M:%S} UTC" if self._since is not None else "the start"
        return f"{self.name} has not answered since {since} ({self.failures} failures in a row, the last: {self._last})"

    def row(self) -> StoredHost:
        """Return the row of the host."""
        given_up = self.given_up_before + bool(self.given_up)
        why = self.given_up or None
        return StoredHost(self.name, self.breaker, self.failures, self._since, given_up, self.not_before, why)

    def restore(self, row: StoredHost, now: dt.datetime, furthest: dt.datetime) -> None:
        """Restore the state that an earlier run stored.

        A host is given up at once while its `not_before` is in the future; a host that was down is probed after its
        next failure. A time after `furthest` was stored by a fast clock and is ignored.
        """
        self.stored, self.given_up_before, self._since = True, row.given_up, row.failing_since
        if row.not_before is not None and now < row.not_before <= furthest:
            self.give_up(row.reason or f"{self.name} is left alone until {time_text(row.not_before)}", row.not_before)
            self.given_up_before -= 1
        self.failures = max(1, min(row.failures, self.most - 1))
        if row.breaker is not Breaker.CLOSED:
            self.outages.add(self.streak)


class Suspended(NamedTuple):
    """A failed page, for which it is not known yet whether the page or its host failed."""

    url_key: int
    url: str
    fetch_outcome: FetchOutcome
    http_status: int | None
    depth: int
    host: str
    streak: int
    not_before: dt.datetime | None = None
    """Time from which the server allows the page to be requested again."""

    def row(self) -> StoredFailure:
        """Return the failure as a row of the database."""
        why = self.fetch_outcome.why
        return StoredFailure(self.url_key, self.url, self.host, why, self.http_status, self.depth, self.not_before)


class Understood(NamedTuple):
    """Suspended pages whose failures can be attributed."""

    own: list[Suspended]
    """Failures of the pages themselves."""
    again: list[Suspended]
    """Their host was down and answers again: they are fetched again."""
    left: list[Suspended]
    """Their host was given up."""


class Hosts:
    """The hosts of a crawl, and its suspended pages."""

    def __init__(self, most: int, patience: float, home: str = "", *, spread: bool = False) -> None:
        """`home` is the netloc that has the site's pages; with `spread`, several netlocs may have pages."""
        self.most, self.patience = most, patience
        self.home, self.spread = home, spread
        self.suspended: list[Suspended] = []
        self._hosts: dict[str, HostHealth] = {}
        self._again: set[int] = set()

    def of(self, name: str) -> HostHealth:
        """Return the health of a host."""
        if name not in self._hosts:
            self._hosts[name] = HostHealth(name, self.most, self.patience)
        return self._hosts[name]

    def is_home(self, name: str) -> bool:
        """Return whether a host has pages of the site, so that its outage is an outage of the site.

        Any other host is a variant in some links (`www.`, a port); its failures are failures of single pages.
        """
        return not self.home or name == self.home or (self.spread and bool(self.of(name).good_urls))

    def down(self, name: str, moment: float) -> float | None:
        """Record that a host does not answer; return the seconds to wait, or None if it is to be given up.

        The crawl does not wait for a variant that served no good page in this run.
        """
        host = self.of(name)
        pause = host.down(moment)
        return pause if self.is_home(name) or host.good_urls else None

    def restore(
        self,
        rows: Sequence[StoredHost],
        failures: Sequence[StoredFailure],
        now: dt.datetime,
        furthest: dt.datetime,
    ) -> None:
        """Restore the state that an earlier run of this site stored."""
        for row in rows:
            self.of(row.netloc).restore(row, now, furthest)
        for one in failures:
            host = self.of(one.netloc)
            host.failures = max(host.failures, 1)
            fetch_outcome = FetchOutcome(FetchResult.FAILED, one.reason)
            self.suspended.append(
                Suspended(
                    one.url_key,
                    one.url,
                    fetch_outcome,
                    one.http_status,
                    one.depth,
                    one.netloc,
                    host.streak,
                    one.not_before,
                )
            )

    def recovered(self) -> list[HostHealth]:
        """Return the hosts that have rows in the database and are healthy again."""
        return [host for host in self._hosts.values() if host.stored and not host.failures and not host.given_up]

    def understood(self) -> Understood:
        """Return the suspended pages whose failures can be attributed; `let_go` removes them once they are stored.

        A page is fetched again only once per run, since it may be what brings its host down.
        """
        found = Understood([], [], [])
        for one in self.suspended:
            host = self.of(one.host)
            if host.given_up:
                found.left.append(one)
            elif one.streak == host.streak:
                continue
            elif one.streak in host.outages and one.url_key not in self._again:
                found.again.append(one)
            else:
                found.own.append(one)
        return found

    def let_go(self, found: Understood) -> None:
        """Remove pages that were settled, or are fetched again."""
        gone = {*found.own, *found.again, *found.left}
        self._again.update(one.url_key for one in found.again)
        self.suspended = [one for one in self.suspended if one not in gone]


def time_text(moment: dt.datetime) -> str:
    """Return a time as text."""
    return f"{moment:%Y-%m-%d %H:%M} UTC"
