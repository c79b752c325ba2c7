"""The health of one host: its circuit breaker, and the pages by which it is probed.

A host is a netloc: host and port as requested. `crawl.hosts` has the hosts of a crawl.
"""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from sitecrawl.storage.hosts import Breaker, StoredHost

OUTAGE: Final = "outage"
"""Finish reason of a crawl to be resumed: the site does not answer."""
BUSY: Final = "busy"
"""Finish reason of a crawl to be resumed: the site asked the crawler to wait."""
WALLS: Final = frozenset((403, 429))
FIRST_PAUSE: Final = 5.0
"""Seconds before a host that is down is probed again; the pause doubles each time [OWN]."""
LONGEST_PAUSE: Final = 300.0
"""Maximum seconds of these pauses [OWN]."""
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


def time_text(moment: dt.datetime) -> str:
    """Return a time as text."""
    return f"{moment:%Y-%m-%d %H:%M} UTC"
