"""Does a host still answer? Kept per host, so that an outage costs no page its turn and no bad page stops a crawl.

A failure that speaks of the server (no answer, 5xx, 403, 429) may be the page's own fault or that of the host; only the
host's next good answer tells. Until then the failed page is *suspended*: neither an error nor due.
"""

import datetime as dt
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from sitecrawl.crawl.life import Finding

OUTAGE: Final = "outage"
"""Why a crawl ended that is to be resumed."""
WALLS: Final = frozenset((403, 429))
FIRST_PAUSE: Final = 5.0
LONGEST_PAUSE: Final = 300.0
"""Seconds before a host that is down is asked again, doubled each time (RELIABILITY 4.7)."""
LONGEST_STREAK: Final = 10
"""How many times the failures that count as an outage the limit may grow to, on a host that has many bad pages."""


def is_bad(http_status: int) -> bool:
    """Say whether an answer may speak of the server rather than of the page."""
    return http_status >= 500 or http_status in WALLS


@dataclass(slots=True)
class HostHealth:
    """One host. Moments are seconds of a monotonic clock."""

    name: str
    most: int
    """Failures in a row after which the host is tested; 0 for never."""
    patience: float
    """Seconds that an outage is waited out."""
    failures: int = 0
    """In a row."""
    streak: int = 0
    """Number of this run of failures; it goes up when a good answer ends one."""
    good_url: str | None = None
    """What the host answered well last."""
    given_up: str = ""
    """Why nothing more is asked of it in this run; empty while it is."""
    outages: set[int] = field(default_factory=set)
    """Streaks in which the host was down."""
    pauses: int = 0
    _factor: int = 1
    _began: float = 0.0
    _since: dt.datetime | None = None
    _last: str = ""

    @property
    def suspect(self) -> bool:
        """Whether so much failed in a row that the host has to be tested before anything else is asked of it."""
        return bool(self.most) and self.failures >= self.most * self._factor and not self.given_up

    def failed(self, moment: float, now: dt.datetime, why: str) -> int:
        """Count a failure; return the streak it belongs to."""
        if not self.failures:
            self._began, self._since = moment, now
        self.failures += 1
        self._last = why
        return self.streak

    def answered(self, url: str | None = None) -> None:
        """Note a good answer: what failed before it failed by itself, unless the host was down."""
        if url is not None:
            self.good_url = url
        if not self.failures:
            return
        if self.suspect and self.streak not in self.outages:  # it was up all the time: look less often
            self._factor = min(self._factor * 2, LONGEST_STREAK)
        self.failures = self.pauses = 0
        self.streak += 1

    def down(self, moment: float) -> float | None:
        """Note that the host does not answer; return the seconds to wait, None when it is given up."""
        self.outages.add(self.streak)
        if moment - self._began > self.patience:
            self.given_up = f"{self.describe()}; given up after {moment - self._began:.0f} s"
            return None
        pause = min(FIRST_PAUSE * 2.0 ** min(self.pauses, 10), LONGEST_PAUSE, self.patience)
        self.pauses += 1
        return pause

    def describe(self) -> str:
        """Return the state of a host that fails, for people."""
        since = f"{self._since:%Y-%m-%d %H:%M:%S} UTC" if self._since is not None else "the start"
        return f"{self.name} has not answered since {since} ({self.failures} failures in a row, the last: {self._last})"


class Suspended(NamedTuple):
    """A page that failed while its host did not answer well."""

    url_key: int
    url: str
    finding: Finding
    http_status: int | None
    depth: int
    host: str
    streak: int


class Hosts:
    """The hosts of a crawl, and the pages whose failures are not yet understood."""

    def __init__(self, most: int, patience: float) -> None:
        self.most, self.patience = most, patience
        self.suspended: list[Suspended] = []
        self._hosts: dict[str, HostHealth] = {}
        self._again: set[int] = set()

    def of(self, name: str) -> HostHealth:
        """Return a host."""
        if name not in self._hosts:
            self._hosts[name] = HostHealth(name, self.most, self.patience)
        return self._hosts[name]

    def understood(self) -> tuple[list[Suspended], list[Suspended], list[Suspended]]:
        """Take out what is understood: (failures of the pages' own, to be fetched again, left to the next run).

        A page is fetched again once in a run: it may be what brings its host down.
        """
        own: list[Suspended] = []
        again: list[Suspended] = []
        left: list[Suspended] = []
        waiting: list[Suspended] = []
        for one in self.suspended:
            host = self.of(one.host)
            if host.given_up:
                left.append(one)
            elif one.streak == host.streak:
                waiting.append(one)
            elif one.streak in host.outages and one.url_key not in self._again:
                self._again.add(one.url_key)
                again.append(one)
            else:
                own.append(one)
        self.suspended = waiting
        return own, again, left
