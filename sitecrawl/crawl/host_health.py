"""Does a host still answer? A circuit breaker for each host, so that one host's trouble is its own.

A host is a netloc: host and port as they are asked for. A failure that speaks of the server (no answer, 5xx, 403, 429)
may be the page's own fault or the host's; only the host's next good page tells. Until then the page is *suspended*:
neither an error nor due.
"""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from sitecrawl.crawl.page_lifecycle import Answer, Finding
from sitecrawl.storage.hosts import Breaker, StoredFailure, StoredHost, netloc_of

__all__ = ["HostHealth", "Hosts", "Suspended", "is_bad", "netloc_of"]

OUTAGE: Final = "outage"
"""Why a crawl ended that is to be resumed: the site does not answer."""
BUSY: Final = "busy"
"""Why a crawl ended that is to be resumed: the site asked to be left alone."""
WALLS: Final = frozenset((403, 429))
FIRST_PAUSE: Final = 5.0
LONGEST_PAUSE: Final = 300.0
"""Seconds before a host that is down is asked again, doubled each time."""
LONGEST_STREAK: Final = 10
"""How many times the failures that count as an outage the limit may grow to, on a host that has many bad pages."""
SEVERAL: Final = 3
"""URLs in a row that ask to be left alone for long, after which the host is tested: it may mean all of its pages."""
GOOD_URLS: Final = 4
"""Last good pages of a host that are remembered, to test it with."""


def is_bad(http_status: int) -> bool:
    """Say whether an answer may speak of the server rather than of the page."""
    return http_status >= 500 or http_status in WALLS


@dataclass(slots=True)
class HostHealth:
    """One host and port. Moments are seconds of a monotonic clock."""

    name: str
    """The netloc."""
    most: int
    """Failures in a row after which the host is tested; 0 for never."""
    patience: float
    """Seconds that an outage is waited out."""
    failures: int = 0
    """In a row."""
    streak: int = 0
    """Number of this run of failures; it goes up when a good page ends one."""
    good_urls: list[str] = field(default_factory=list)
    """Pages that the host answered well in this run, the last one first."""
    given_up: str = ""
    """Why nothing more is asked of it in this run; empty while it is."""
    given_up_before: int = 0
    """Runs in a row before this one in which it was given up."""
    not_before: dt.datetime | None = None
    """When it may be asked again."""
    outages: set[int] = field(default_factory=set)
    """Streaks in which the host was down."""
    waits: dict[str, dt.datetime] = field(default_factory=dict)
    """URLs of this streak that ask to be left alone for longer than a crawl waits, and until when."""
    pauses: int = 0
    stored: bool = False
    """Whether the database has a row of this host."""
    _unaskable: set[str] = field(default_factory=set)
    _factor: int = 1
    _began: float | None = None
    _since: dt.datetime | None = None
    _last: str = "in an earlier run"

    @property
    def suspect(self) -> bool:
        """Whether so much failed in a row that the host has to be tested before anything else is asked of it."""
        many = self.failures >= self.most * self._factor or len(self.waits) >= SEVERAL * self._factor
        return bool(self.most) and many and not self.given_up

    @property
    def breaker(self) -> Breaker:
        """The state of the circuit breaker."""
        if self.given_up:
            return Breaker.GIVEN_UP
        return Breaker.OPEN if self.suspect else Breaker.CLOSED

    def failed(self, moment: float, now: dt.datetime, why: str) -> int:
        """Count a failure; return the streak it belongs to."""
        if self._began is None:
            self._began = moment
        if self._since is None:
            self._since = now
        self.failures += 1
        self._last = why
        return self.streak

    def asked_to_wait(self, url: str, until: dt.datetime) -> None:
        """Note that a URL, which counts as failed, is not to be asked for before a moment."""
        self.waits[url] = until
        self.may_not_be_asked(url)

    def answered(self, url: str | None = None) -> None:
        """Note a good page, or a test that went well: what failed before failed by itself, unless the host was down."""
        if url is not None and url not in self._unaskable:
            self.good_urls = [url, *(one for one in self.good_urls if one != url)][:GOOD_URLS]
        if not self.failures:
            return
        if self.suspect and self.streak not in self.outages:  # it was up all the time: look less often
            self._factor = min(self._factor * 2, LONGEST_STREAK)
        self.end_streak()

    def end_streak(self) -> None:
        """Begin to count anew."""
        self.failures = self.pauses = 0
        self._began = self._since = None
        self.waits.clear()
        self.streak += 1

    def down(self, moment: float) -> float | None:
        """Note that the host does not answer; return the seconds to wait, None when it is to be given up.

        Who never gave a page in this run, or asked to be left alone, is not waited for.
        """
        self.outages.add(self.streak)
        failing = moment - self._began if self._began is not None else 0.0
        if not self.patience or self.waits or failing > self.patience:
            return None
        pause = min(FIRST_PAUSE * 2.0 ** min(self.pauses, 10), LONGEST_PAUSE, self.patience)
        self.pauses += 1
        return pause

    def give_up(self, why: str, not_before: dt.datetime | None = None) -> None:
        """Ask nothing more of the host in this run, and in others before `not_before`."""
        self.given_up, self.not_before = why, not_before

    # What the host is tested with -----------------------------------------------------------------------------

    def may_not_be_asked(self, url: str) -> None:
        """Note that a URL cannot be used to test the host: a trap, forbidden by robots.txt, or left alone."""
        self._unaskable.add(url)
        self.good_urls = [one for one in self.good_urls if one != url]

    def candidates(self, stored: Sequence[str]) -> list[str]:
        """Return the URLs to test the host with, best first; `stored` are pages that were good in earlier runs."""
        known = dict.fromkeys((*self.good_urls, *stored))
        return [url for url in known if url not in self._unaskable]

    # Words and rows -------------------------------------------------------------------------------------------

    def describe(self) -> str:
        """Return the state of a host that fails, for people."""
        since = f"{self._since:%Y-%m-%d %H:%M:%S} UTC" if self._since is not None else "the start"
        return f"{self.name} has not answered since {since} ({self.failures} failures in a row, the last: {self._last})"

    def row(self) -> StoredHost:
        """Return what is stored of the host."""
        given_up = self.given_up_before + bool(self.given_up)
        why = self.given_up or None
        return StoredHost(self.name, self.breaker, self.failures, self._since, given_up, self.not_before, why)

    def restore(self, row: StoredHost, now: dt.datetime, furthest: dt.datetime) -> None:
        """Take over what an earlier run stored.

        A host whose moment has not come is given up at once; one that was down is tested after its next failure. A
        moment after `furthest` was stored by a clock that was ahead, and does not count.
        """
        self.stored, self.given_up_before, self._since = True, row.given_up, row.failing_since
        if row.not_before is not None and now < row.not_before <= furthest:
            self.give_up(row.reason or f"{self.name} is left alone until {told(row.not_before)}", row.not_before)
            self.given_up_before -= 1
        self.failures = max(1, min(row.failures, self.most - 1))
        if row.breaker is not Breaker.CLOSED:
            self.outages.add(self.streak)


class Suspended(NamedTuple):
    """A page that failed while its host did not answer well."""

    url_key: int
    url: str
    finding: Finding
    http_status: int | None
    depth: int
    host: str
    streak: int
    not_before: dt.datetime | None = None
    """When the server says that the page may be asked for again."""

    def row(self) -> StoredFailure:
        """Return what is stored of it."""
        why = self.finding.why
        return StoredFailure(self.url_key, self.url, self.host, why, self.http_status, self.depth, self.not_before)


class Understood(NamedTuple):
    """Suspended pages whose failures are understood."""

    own: list[Suspended]
    """Failures of the pages' own."""
    again: list[Suspended]
    """The host was down, and answers again: they are fetched again."""
    left: list[Suspended]
    """Their host was given up."""


class Hosts:
    """The hosts of a crawl, and the pages whose failures are not yet understood."""

    def __init__(self, most: int, patience: float, home: str = "", *, spread: bool = False) -> None:
        """`home` is the netloc on which the site's pages are; with `spread` they may be on several."""
        self.most, self.patience = most, patience
        self.home, self.spread = home, spread
        self.suspended: list[Suspended] = []
        self._hosts: dict[str, HostHealth] = {}
        self._again: set[int] = set()

    def of(self, name: str) -> HostHealth:
        """Return a host."""
        if name not in self._hosts:
            self._hosts[name] = HostHealth(name, self.most, self.patience)
        return self._hosts[name]

    def is_home(self, name: str) -> bool:
        """Say whether pages of the site are on a host, so that it is an outage of the site when it is down.

        Any other host is a variant that some links name; its failures are those of its pages.
        """
        return not self.home or name == self.home or (self.spread and bool(self.of(name).good_urls))

    def down(self, name: str, moment: float) -> float | None:
        """Note that a host does not answer; return the seconds to wait, None when it is to be given up.

        A variant that never gave a page in this run is not waited for.
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
        """Take over what an earlier run of this site stored."""
        for row in rows:
            self.of(row.netloc).restore(row, now, furthest)
        for one in failures:
            host = self.of(one.netloc)
            host.failures = max(host.failures, 1)
            finding = Finding(Answer.FAILED, one.reason)
            self.suspended.append(
                Suspended(
                    one.url_key, one.url, finding, one.http_status, one.depth, one.netloc, host.streak, one.not_before
                )
            )

    def recovered(self) -> list[HostHealth]:
        """Return the hosts that the database has rows of, and that are well again."""
        return [host for host in self._hosts.values() if host.stored and not host.failures and not host.given_up]

    def understood(self) -> Understood:
        """Take out what is understood.

        A page is fetched again once in a run: it may be what brings its host down.
        """
        found, waiting = Understood([], [], []), []
        for one in self.suspended:
            host = self.of(one.host)
            if host.given_up:
                found.left.append(one)
            elif one.streak == host.streak:
                waiting.append(one)
            elif one.streak in host.outages and one.url_key not in self._again:
                self._again.add(one.url_key)
                found.again.append(one)
            else:
                found.own.append(one)
        self.suspended = waiting
        return found


def told(moment: dt.datetime) -> str:
    """Return a moment as people are told of it."""
    return f"{moment:%Y-%m-%d %H:%M} UTC"
