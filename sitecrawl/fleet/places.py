"""Decides the next steps of a worker process, without side effects; the caller passes the time.

A process has a number of places, each for the crawl of one site. A free place takes the most overdue site. When no site
is due, the process checks again when the next one becomes due, but after `LOOK` seconds at most, since another process
may have added or released a site. When all places are taken and a site waits, the crawl that has run longest is stopped
if it has run for at least one turn; it is resumed later. So a site of a million pages does not keep small sites
waiting.
"""

from dataclasses import dataclass, field
from typing import Final, NamedTuple

LOOK: Final = 5.0
"""Maximum seconds between two checks for due sites."""
SOON: Final = 1.0
"""Minimum seconds until the next check after one that found no due site."""
FIRST_PAUSE: Final = 1.0
LONGEST_PAUSE: Final = 30.0
"""Minimum and maximum seconds until the next check after a database error; the pause doubles each time."""
OPENING: Final = 2
"""Crawls that may be opened at once. Opening one reads and parses pages, which slows the others down."""
NOTHING_DUE: Final = "no site is due"
"""Reason for the end of a process with `until_done`."""
TRIAL: Final = 60.0
"""Seconds that a process crawls one suspect before it takes another [OWN]. A resumed crawl first requests the pages
whose responses were pending when it died, so a harmful page usually takes effect at once."""
RETIREMENT: Final = 60.0
"""Seconds in which the crawls of a process that is to be replaced may finish before they are stopped."""


class Limits(NamedTuple):
    """Limits after which a process is replaced, and the length of a turn. 0 is no limit, except for `turn`."""

    places: int
    sites: int
    memory: int
    """Bytes in use by the process."""
    turn: float
    """Seconds that a crawl may run while another site waits."""
    until_done: bool = False
    """Whether the process ends once no site is due and none is being crawled."""


class Take(NamedTuple):
    """Take a due site, if there is one."""


class Look(NamedTuple):
    """Check whether a site waits for a place."""


class Wait(NamedTuple):
    """Wait until a crawl ends, but no longer than this time."""

    seconds: float


class Stop(NamedTuple):
    """Stop these crawls properly."""

    sites: tuple[int, ...]


class End(NamedTuple):
    """End the process."""

    why: str


Step = Take | Look | Wait | Stop | End


@dataclass(slots=True)
class Places:
    """The places of one process. Times are seconds of one clock that never goes back."""

    limits: Limits
    running: dict[int, float] = field(default_factory=dict)
    """Time at which each site was taken."""
    opening: set[int] = field(default_factory=set)
    suspects: dict[int, float] = field(default_factory=dict)
    """Time at which each suspect was taken: a site whose crawls have died with their processes."""
    begun: int = 0
    ending: str = ""
    """Reason why no more sites are taken; empty while sites are taken."""
    quiet: float = 0.0
    """Seconds between two checks while the process receives wake-ups; 0 if it receives none."""
    _at_once: bool = False
    _retired_at: float = 0.0
    _look_at: float = 0.0
    _pause: float = FIRST_PAUSE
    _stopped: set[int] = field(default_factory=set)

    def step(self, now: float, memory: int = 0) -> Step:
        """Return the next step; `memory` is the memory that the process uses, in bytes."""
        self._retire(now, memory)
        if self.ending:
            return self._wind_up(now)
        if len(self.opening) >= OPENING:
            return Wait(LOOK)
        if now < self._look_at:
            return Wait(self._look_at - now)
        return Take() if len(self.running) < self.limits.places else Look()

    def _wind_up(self, now: float) -> Step:
        if not self.running:
            return End(self.ending)
        left = 0.0 if self._at_once else self._retired_at + RETIREMENT - now
        if left > 0:
            return Wait(min(left, LOOK))
        remaining = tuple(site for site in self.running if site not in self._stopped)
        self._stopped.update(remaining)
        return Stop(remaining) if remaining else Wait(LOOK)

    def _retire(self, now: float, memory: int) -> None:
        if self.ending:
            return
        if self.limits.sites and self.begun >= self.limits.sites:
            self.ending = f"{self.begun} sites were crawled"
        elif self.limits.memory and memory > self.limits.memory:
            self.ending = f"{memory >> 20} MB of memory are in use"
        self._retired_at = now

    def takes_suspects(self, now: float) -> bool:
        """Return whether a suspect may be taken, which is so while no other one is on trial.

        If two were on trial, the harmful one would kill the harmless one too.
        """
        return all(now - since >= TRIAL for since in self.suspects.values())

    def taken(self, site: int, now: float, *, suspect: bool = False) -> None:
        """Record that a site was taken and its crawl is being opened."""
        self.running[site] = now
        if suspect:
            self.suspects[site] = now
        self.opening.add(site)
        self.begun += 1
        self._pause = FIRST_PAUSE

    def opened(self, site: int) -> None:
        """Record that a crawl is open."""
        self.opening.discard(site)

    def nothing_due(self, now: float, next_due: float | None) -> None:
        """Record that no site is due; `next_due` is the number of seconds until one is due, if known."""
        if self.limits.until_done and not self.running:
            self.ending = NOTHING_DUE
        self._pause = FIRST_PAUSE
        self._look_at = now + (self.quiet or min(max(next_due if next_due is not None else LOOK, SOON), LOOK))

    def wake(self) -> None:
        """Make the next step check for a due site."""
        self._look_at = 0.0

    def looked(self, now: float, *, waiting: bool) -> Stop | None:
        """Record whether a site waits for a place; return the crawl that must be stopped for it, if there is one."""
        self._pause = FIRST_PAUSE
        self._look_at = now + LOOK
        over = [
            (since, site)
            for site, since in self.running.items()
            if site not in self._stopped and now - since >= self.limits.turn
        ]
        if not waiting or not over or self._stopped:
            return None
        self._stopped.add(min(over)[1])
        return Stop((min(over)[1],))

    def failed(self, now: float) -> float:
        """Record that the database failed; return the seconds until the next attempt."""
        pause, self._pause = self._pause, min(2 * self._pause, LONGEST_PAUSE)
        self._look_at = now + pause
        return pause

    def ended(self, site: int) -> None:
        """Record that a crawl has ended and its site is released."""
        self.running.pop(site, None)
        self.suspects.pop(site, None)
        self.opening.discard(site)
        self._stopped.discard(site)
        if not self.ending:
            self._look_at = 0.0

    @property
    def draining(self) -> bool:
        """Whether all crawls must stop now; in a process that is to be replaced they may go on for a while."""
        return self._at_once

    def drain(self, why: str) -> None:
        """Take no more sites, and stop all crawls at the next step."""
        self.ending, self._at_once = why, True
