"""The hosts of a crawl, and its suspended pages; the failure of one host does not affect others.

A failure that may concern the server (no response, 5xx, 403, 429) may also concern the page alone. The next good page
of the host shows which; until then the page is *suspended*: neither an error nor due.
"""

import datetime as dt
from collections.abc import Sequence
from typing import NamedTuple

from sitecrawl.crawl.host_health import HostHealth
from sitecrawl.crawl.page_lifecycle import FetchOutcome, FetchResult
from sitecrawl.storage.hosts import StoredFailure, StoredHost


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
