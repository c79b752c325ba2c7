"""When is a page visited again? Values in, values out: no database, no clock.

Whoever records a visit calls `plan(policy, bounds, history, visit)` and stores what comes back. Three policies:

* `fixed`: always the initial interval;
* `adaptive`: half as long after a change, half as long again after none, as StormCrawler and Nutch do;
* `poisson`: the page's change rate is estimated (Cho and Garcia-Molina, "Estimating frequency of change", ACM TOIT
  3(3), 2003), and the interval is the one at which another visit would gain less freshness than it is worth (the
  same, "Effective page refresh policies for web crawlers", ACM TODS 28(4), 2003).

`docs/schedule.md` shows what each gives for the same number of fetches.
"""

import datetime as dt
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from typing import Final

from sitecrawl.errors import ConfigError

SLOWER: Final = 1.5
FASTER: Final = 0.5
"""Factors of `adaptive` (StormCrawler's AdaptiveScheduler: +-0.5; ARCHITECTURE 8)."""
BACK_OFF: Final = 2.0
"""Factor between two tries of a page that fails."""
MEMORY: Final = 24.0
"""Visits that the change rate is estimated from; older ones fade, so that a page may change its habits."""
JITTER: Final = 0.1
"""Largest share by which a page is visited early, so that a site's pages do not all fall due at once."""
GONE_VISITS: Final = 3
"""Visits in a row that found a page gone, after which it is not visited again."""
DEAD_SLOWER: Final = 2.0
"""Factor between two tries of a dead link; the first one comes after the longest interval of a page."""
COUNT: Final = 999
"""Largest streak that is counted."""
LONGEST: Final = 366 * 86_400
"""Seconds; no bound may be longer, and no observed time counts for more."""


class Outcome(Enum):
    """What a visit found."""

    NEW = "new"
    CHANGED = "changed"
    UNCHANGED = "unchanged"
    MISSING = "missing"
    """A first 404, which is not believed yet."""
    GONE = "gone"
    """410, or a 404 that was confirmed."""
    DEAD = "dead"
    """404 or 410 where no page was ever found."""
    MOVED = "moved"
    """A permanent redirect: the target is a page of its own."""
    EXCLUDED = "excluded"
    """Forbidden by robots.txt or noindex, or no page at all."""
    ERROR = "error"
    """5xx, 403, a time-out: nothing is known of the page."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """Intervals of one site, in seconds."""

    minimum: int = 3_600
    maximum: int = 14 * 86_400
    initial: int = 86_400
    """After the first visit."""
    error: int = 2 * 3_600
    """After the first failure."""
    worth: int = 6 * 3_600
    """Seconds of freshness that another visit has to gain (`poisson` only); higher means fewer visits."""

    def __post_init__(self) -> None:
        if not 0 < self.minimum <= self.maximum <= LONGEST:
            raise ConfigError(
                f"intervals from {words(self.minimum)} to {words(self.maximum)} cannot be used:"
                f" more than 0, the shortest first, at most {words(LONGEST)}"
            )
        if min(self.initial, self.error, self.worth) <= 0:
            raise ConfigError("the initial interval, the error interval and the worth of a visit must be more than 0")

    def clamp(self, seconds: float) -> float:
        """Return the nearest interval that is allowed."""
        return min(max(seconds, self.minimum), self.maximum)


@dataclass(frozen=True, slots=True)
class History:
    """What is remembered of a page's visits; each field is a column of `page` of the same name but `interval`.

    A comparison is a visit that found the page's main text, when an earlier one had too.
    """

    interval: int | None = None
    """Seconds, before jitter: column `fetch_interval`."""
    visited_at: dt.datetime | None = None
    """Last visit that found the page."""
    comparisons: float = 0.0
    changes: float = 0.0
    changed_seconds: float = 0.0
    """Between visits of which the later one found a change."""
    unchanged_seconds: float = 0.0
    streak: int = 0
    """Comparisons in a row with the same outcome: above 0 unchanged, below 0 changed."""
    misses: int = 0
    """Visits in a row that did not find the page."""


@dataclass(frozen=True, slots=True)
class Visit:
    """One visit to a page."""

    outcome: Outcome
    at: dt.datetime
    url_key: int
    hub: bool = False
    """Whether the page leads to new pages (a listing, the start page): then it is never given up as too fast."""
    retry_after: float = 0.0
    """Seconds that the server asked to be left alone."""


@dataclass(frozen=True, slots=True)
class Plan:
    """When the next visit is due, and why."""

    history: History
    next_fetch_at: dt.datetime | None
    """None for never."""
    reason: str
    """For people: `unchanged 3 times: 12 d`."""


Policy = Callable[[Bounds, History, bool], tuple[float, str]]
"""From bounds, history after the visit, and whether the page is a hub: seconds, and a word on why (may be empty)."""


def plan(policy: str | Policy, bounds: Bounds, history: History, visit: Visit) -> Plan:
    """Return the history after a visit and the time of the next one.

    It is never beyond `bounds.maximum` from now, but that of a dead link, which is never beyond `LONGEST`.
    Raises ConfigError when there is no such policy.
    """
    if isinstance(policy, str):
        if policy not in POLICIES:
            raise ConfigError(f"there is no recrawl policy {policy!r}; there are {', '.join(POLICIES)}")
        policy = POLICIES[policy]
    if visit.outcome in (Outcome.NEW, Outcome.CHANGED, Outcome.UNCHANGED):
        after = _compared(history, visit)
        told_twice = after is history and history.interval is not None
        seconds, note = (history.interval or 0, "") if told_twice else policy(bounds, after, visit.hub)
        seconds = bounds.clamp(seconds)
        after = replace(after, interval=round(seconds))
        why = f"{_found(after, visit)}{', ' if note else ''}{note}"
        return _due(after, visit, max(bounds.minimum, seconds * (1 - JITTER * _share(visit.url_key))), why)
    return _not_found(bounds, history, visit)


def hasten(
    bounds: Bounds, history: History, due: dt.datetime | None, modified: dt.datetime, now: dt.datetime
) -> dt.datetime | None:
    """Return when to visit a page that a sitemap or feed says was modified; `due` when that is no news.

    A date in the future is none, and a site whose dates lie is believed less each time: after n visits that found
    nothing new, 2^n times the shortest interval passes before the next one.
    """
    if history.visited_at is None or not history.visited_at < modified <= now:
        return due
    patience = min(bounds.minimum * 2.0 ** min(max(history.streak, 0), 32), bounds.maximum)
    early = max(now, history.visited_at + dt.timedelta(seconds=patience))
    return early if due is None or early < due else due


def change_rate(history: History) -> float | None:
    """Return the estimated changes a second, None before the first comparison.

    For equal intervals T this is Cho and Garcia-Molina's estimator with bias correction, -log((n - X + 0.5) /
    (n + 0.5)) / T (section 4.2); for unequal ones the maximum of likelihood (section 4.3) with the intervals that
    held a change taken as equal, which needs sums only. Beyond the paper: no change yet counts as half a one, and the
    half visit without a change that corrects the bias shrinks when visit after visit finds a change, since then the
    page may be changing at any speed.
    """
    if history.comparisons <= 0:
        return None
    mean = (history.changed_seconds + history.unchanged_seconds) / history.comparisons
    if mean <= 0:
        return None
    changes, changed = history.changes, history.changed_seconds
    if changes < 0.5 or changed <= 0:
        changes, changed = 0.5, 0.5 * mean
    half = 0.5 * mean / max(1, -history.streak - 1)
    return changes / changed * math.log1p(changed / (history.unchanged_seconds + half))


def best_interval(rate: float, worth: float) -> float:
    """Return the seconds between visits at which one more visit gains `worth` seconds of freshness; may be infinite.

    With changes at `rate` and visits every I seconds our copy is current for (1 - exp(-rI)) / (rI) of the time; the
    derivative by visits is (1 - (1 + rI) exp(-rI)) / r. Pages that change more often than every `worth` seconds
    gain less from any visit: they get none ("Effective page refresh policies", section 5).
    """
    if rate <= 0 or rate * worth >= 1:
        return math.inf
    wanted, x = rate * worth, math.sqrt(2 * rate * worth)
    for _ in range(50):  # Newton; the function rises from 0 to 1
        step = (1 - (1 + x) * math.exp(-x) - wanted) / (x * math.exp(-x))
        x = max(x / 2, x - step)
        if abs(step) < 1e-9 * x:
            break
    return x / rate


def words(seconds: float) -> str:
    """Return a duration for people: `45 min`, `7.5 h`, `12 d`."""
    for unit, name in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= unit:
            number = seconds / unit
            return f"{number:.0f} {name}" if number >= 10 or number == int(number) else f"{number:.1f} {name}"
    return f"{seconds:.0f} s"


def _fixed(bounds: Bounds, history: History, hub: bool) -> tuple[float, str]:
    return bounds.initial, ""


def adaptive(slower: float, faster: float) -> Policy:
    """Return the policy that multiplies the interval by `slower` after no change and by `faster` after one."""

    def policy(bounds: Bounds, history: History, hub: bool) -> tuple[float, str]:
        if history.interval is None or not history.streak:
            return bounds.initial, ""
        return bounds.clamp(history.interval) * (slower if history.streak > 0 else faster), ""

    return policy


def _poisson(bounds: Bounds, history: History, hub: bool) -> tuple[float, str]:
    rate = change_rate(history)
    if rate is None:
        return history.interval or bounds.initial, ""
    seconds = best_interval(rate, bounds.worth)
    every = f"a change every {words(1 / rate)}"
    if seconds > bounds.maximum and rate * bounds.worth > 0.5:
        return (bounds.initial, every) if hub else (bounds.maximum, f"{every}, too fast to keep up with")
    return seconds, every


POLICIES: Final[Mapping[str, Policy]] = {"fixed": _fixed, "adaptive": adaptive(SLOWER, FASTER), "poisson": _poisson}


def _compared(history: History, visit: Visit) -> History:
    """Return the history with one visit more that found the page."""
    if visit.outcome is Outcome.NEW or history.visited_at is None:
        return History(visited_at=visit.at)
    changed = visit.outcome is Outcome.CHANGED
    elapsed = min((visit.at - history.visited_at).total_seconds(), LONGEST)
    if not elapsed:  # the same visit, told twice
        return history
    streak = min(history.streak, 0) - 1 if changed else max(history.streak, 0) + 1
    after = replace(history, visited_at=visit.at, misses=0, streak=max(-COUNT, min(streak, COUNT)))
    if elapsed <= 0:  # the clock was set back: there was a visit, but nobody knows after how long
        return after
    keep = min(1.0, MEMORY / (history.comparisons + 1))
    return replace(
        after,
        comparisons=(history.comparisons + 1) * keep,
        changes=(history.changes + changed) * keep,
        changed_seconds=(history.changed_seconds + elapsed * changed) * keep,
        unchanged_seconds=(history.unchanged_seconds + elapsed * (not changed)) * keep,
    )


def _not_found(bounds: Bounds, history: History, visit: Visit) -> Plan:
    """Return the plan after a visit that told nothing about the page's text; the estimates stay."""
    outcome, after = visit.outcome, replace(history, misses=min(history.misses + 1, COUNT))
    if outcome in (Outcome.MOVED, Outcome.EXCLUDED):
        return _due(replace(history, misses=0), visit, bounds.maximum, outcome.value)
    if outcome is Outcome.DEAD:
        seconds = min(bounds.maximum * DEAD_SLOWER ** min(after.misses - 1, 32), LONGEST)
        early = seconds * (1 - JITTER * _share(visit.url_key))
        return _due(after, visit, early, f"a dead link, found so {_times(after.misses)}")
    if outcome is Outcome.GONE and after.misses >= GONE_VISITS:
        return Plan(after, None, f"gone, found so {_times(after.misses)}: never again")
    if outcome is Outcome.GONE:
        return _due(after, visit, bounds.maximum, "gone")
    if outcome is Outcome.MISSING:
        return _due(after, visit, min(bounds.error, bounds.maximum), "missing, to be confirmed")
    seconds = retried_after(bounds, after.misses - 1)
    return _due(after, visit, min(max(seconds, visit.retry_after), bounds.maximum), f"failed {_times(after.misses)}")


def retried_after(bounds: Bounds, failures: int) -> float:
    """Return the seconds until what failed is tried again, after so many failures in a row before this one."""
    return min(bounds.error * BACK_OFF ** min(failures, 32), bounds.maximum)


def _due(history: History, visit: Visit, seconds: float, why: str) -> Plan:
    """Return the plan in words; the interval is spoken of as it is, jitter included."""
    return Plan(history, visit.at + dt.timedelta(seconds=round(seconds)), f"{why}: {words(seconds)}")


def _found(history: History, visit: Visit) -> str:
    if visit.outcome is Outcome.NEW or not history.streak:
        return "new"
    return f"{'unchanged' if history.streak > 0 else 'changed'} {_times(abs(history.streak))}"


def _times(count: int) -> str:
    return "once" if count == 1 else "twice" if count == 2 else f"{count} times"


def _share(url_key: int) -> float:
    """Return a number from 0 to below 1 that is always the same for a page; keys are hashes already."""
    return (url_key & 0xFFFFFFFF) / 2**32
