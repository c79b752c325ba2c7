"""Plans when a page is visited again, with pure functions that use neither a database nor a clock.

Over 300 lines: the policies share one history, and are read together with their sources.

Callers that record a visit call `plan(policy, bounds, history, visit)` and store the result. There are three policies:

* `fixed`: always the initial interval;
* `adaptive`: half the interval after a change, one and a half times the interval after none, as in StormCrawler and
  Nutch;
* `poisson`: the page's change rate is estimated (Cho and Garcia-Molina, "Estimating frequency of change", ACM TOIT
  3(3), 2003), and the interval is the one at which a further visit would gain less freshness than it is worth (the
  same authors, "Effective page refresh policies for web crawlers", ACM TODS 28(4), 2003).

`docs/schedule.md` compares them at the same number of fetches.
"""

import datetime as dt
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Final, NamedTuple

from sitecrawl.errors import ConfigError

SLOWER: Final = 1.5
FASTER: Final = 0.5
"""Factors of the interval in `adaptive` (StormCrawler's AdaptiveScheduler: +-0.5)."""
BACK_OFF: Final = 2.0
"""Factor between the intervals of attempts at a failing page."""
MEMORY: Final = 24.0
"""Number of visits from which the change rate is estimated; older ones fade, since the rate of a page may change."""
FAST_CHANGES: Final = 3.0
"""Minimum number of changes after which a page may count as changing too fast to keep up with [OWN].

A page that was corrected between two visits in an hour changed once in that hour, and perhaps never again.
"""
JITTER: Final = 0.1
"""Maximum share of its interval by which a page is visited early, so that a site's pages do not all become due at once.
"""
GONE_VISITS: Final = 3
"""Number of consecutive visits that find a page gone after which it is dropped, if the longest interval has passed."""
DEAD_SLOWER: Final = 2.0
"""Factor between the intervals of attempts at a dead link; the first follows after the longest interval of a page."""
COUNT: Final = 999
"""Maximum value of a streak."""
LONGEST: Final = 366 * 86_400
"""Maximum seconds of every bound; longer observed times count as this."""


FIRST_REST: Final = 60.0
LONGEST_REST: Final = 86_400.0
"""Seconds that a site waits after its second consecutive crawl has died, and the maximum of this pause [OWN]."""


class Outcome(Enum):
    """The result of a visit."""

    NEW = "new"
    CHANGED = "changed"
    UNCHANGED = "unchanged"
    MISSING = "missing"
    """A first 404, which must be confirmed by another visit."""
    GONE = "gone"
    """A 410, or a confirmed 404."""
    DEAD = "dead"
    """A 404 or 410 for a URL that was never a page."""
    MOVED = "moved"
    """A permanent redirect; the target is another page."""
    EXCLUDED = "excluded"
    """Forbidden by robots.txt or noindex, or not a page."""
    WITHDRAWN = "withdrawn"
    """A page that was published is now gone, moved, empty or forbidden, which may be a fault of the site."""
    ERROR = "error"
    """A 5xx, 403 or time-out, which reveals nothing about the page."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """Bounds on the intervals of one site, in seconds."""

    minimum: int = 3_600
    maximum: int = 14 * 86_400
    initial: int = 86_400
    """The interval after the first visit."""
    error: int = 2 * 3_600
    """The interval after the first failure."""
    worth: int = 6 * 3_600
    """Seconds of freshness that a further visit must gain (`poisson` only); higher means fewer visits."""
    batch: int = 20
    """Number of due pages that justify a crawl of the site."""
    late: float = 0.05
    """Maximum share of its interval that a due page waits until enough pages are due."""

    def __post_init__(self) -> None:
        if not 0 < self.minimum <= self.maximum <= LONGEST:
            raise ConfigError(
                f"intervals from {words(self.minimum)} to {words(self.maximum)} cannot be used:"
                f" more than 0, the shortest first, at most {words(LONGEST)}"
            )
        if min(self.initial, self.error, self.worth) <= 0:
            raise ConfigError("the initial interval, the error interval and the worth of a visit must be more than 0")

    def clamp(self, seconds: float) -> float:
        """Return the nearest allowed interval."""
        return min(max(seconds, self.minimum), self.maximum)


@dataclass(frozen=True, slots=True)
class History:
    """The remembered history of a page's visits. Each field is the column of `page` with its name, except `interval`.

    A comparison is a visit that found the main text of a page whose text an earlier visit had also found.
    """

    interval: int | None = None
    """Seconds before jitter; the column is `fetch_interval`."""
    visited_at: dt.datetime | None = None
    """Time of the last visit that found the page."""
    comparisons: float = 0.0
    changes: float = 0.0
    changed_seconds: float = 0.0
    """Number of intervals between visits whose later visit found a change."""
    unchanged_seconds: float = 0.0
    streak: int = 0
    """Number of consecutive comparisons with the same result: above 0 unchanged, below 0 changed."""
    misses: int = 0
    """Number of consecutive visits that did not find the page."""
    missing_since: dt.datetime | None = None
    """Time of the first of these visits."""


@dataclass(frozen=True, slots=True)
class Visit:
    """One visit to a page."""

    outcome: Outcome
    at: dt.datetime
    url_key: int
    hub: bool = False
    """Whether the page links to new pages (a listing, the start page); such a page is never given up."""
    retry_after: float = 0.0
    """Seconds for which the server asked the crawler to wait."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The history of a page after a visit, and the time of its next visit with the reason."""

    history: History
    next_fetch_at: dt.datetime | None
    """None for never."""
    reason: str
    """The reason in words: `unchanged 3 times: 12 d`."""


Policy = Callable[[Bounds, History, bool], tuple[float, str]]
"""A function that returns seconds and a reason, perhaps empty, given the bounds, the history after the visit, and
whether the page is a hub."""


def plan(policy: str | Policy, bounds: Bounds, history: History, visit: Visit) -> Plan:
    """Return the history after a visit and the time of the next one.

    The time is at most `bounds.maximum` from now; for a dead link at most `LONGEST`. Raises ConfigError for an unknown
    policy.
    """
    if isinstance(policy, str):
        if policy not in POLICIES:
            raise ConfigError(f"unknown recrawl policy {policy!r}; known: {', '.join(POLICIES)}")
        policy = POLICIES[policy]
    if visit.outcome in (Outcome.NEW, Outcome.CHANGED, Outcome.UNCHANGED):
        after = _compared(history, visit)
        already_counted = after is history and history.interval is not None
        seconds, note = (history.interval or 0, "") if already_counted else policy(bounds, after, visit.hub)
        seconds = bounds.clamp(seconds)
        after = replace(after, interval=round(seconds))
        why = f"{_found(after, visit)}{', ' if note else ''}{note}"
        return _due(after, visit, max(bounds.minimum, seconds * (1 - JITTER * _share(visit.url_key))), why)
    return _not_found(bounds, history, visit)


def bring_forward(
    bounds: Bounds, history: History, due: dt.datetime | None, modified: dt.datetime, now: dt.datetime
) -> dt.datetime | None:
    """Return when to visit a page that was modified according to a sitemap or feed; `due` if this changes nothing.

    A date in the future does not count. A site with wrong dates is believed less each time: after n visits that found
    nothing new, 2^n times the shortest interval passes before the next one.
    """
    if history.visited_at is None or not history.visited_at < modified <= now:
        return due
    patience = min(bounds.minimum * 2.0 ** min(max(history.streak, 0), 32), bounds.maximum)
    early = max(now, history.visited_at + dt.timedelta(seconds=patience))
    return early if due is None or early < due else due


class PlannedPage(NamedTuple):
    """A page whose next visit is planned."""

    due: dt.datetime
    interval: int | None
    """Seconds, before jitter; None for a page that was never found."""
    visited_at: dt.datetime | None
    """Time of the last visit that found the page."""


def site_due(first: Sequence[PlannedPage], bounds: Bounds) -> dt.datetime | None:
    """Return when a site is due, which is when enough pages are due or one page is too late; None without pages.

    `first` contains the pages that are due first, in order, at most `bounds.batch` of them. Starting a crawl costs as
    much as fetching about twenty pages, so a due page waits for others. No page waits longer than the longest interval
    since its last visit, since the extra wait is at most the time by which jitter shortened its interval.
    """
    if not first:
        return None
    too_late = min(_too_late(page, bounds) for page in first)
    return min(too_late, first[bounds.batch - 1].due) if len(first) >= bounds.batch else too_late


def _too_late(page: PlannedPage, bounds: Bounds) -> dt.datetime:
    waited = page.due + dt.timedelta(seconds=bounds.late * (page.interval or bounds.initial))
    if page.visited_at is None:
        return waited
    return min(waited, max(page.due, page.visited_at + dt.timedelta(seconds=bounds.maximum)))


def change_rate(history: History) -> float | None:
    """Return the estimated changes per second; None before the first comparison.

    For equal intervals T this is Cho and Garcia-Molina's estimator with bias correction, -log((n - X + 0.5) / (n +
    0.5)) / T (section 4.2). For unequal intervals it is the maximum likelihood estimate (section 4.3) with the
    intervals that contain a change taken as equal, so that only sums are needed. Two rules go beyond the paper: no
    change yet counts as half a change, and the half visit that corrects the bias shrinks while every visit finds a
    change, since the page may then change at any rate.
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
    """Return the interval in seconds at which one more visit gains `worth` seconds of freshness; may be infinite.

    With changes at `rate` r and visits every I seconds, the stored copy is current for (1 - exp(-rI)) / (rI) of the
    time. Its derivative by the number of visits is (1 - (1 + rI) exp(-rI)) / r. Pages that change more often than every
    `worth` seconds gain less from any visit and get none ("Effective page refresh policies", section 5).
    """
    if rate <= 0 or rate * worth >= 1:
        return math.inf
    wanted, x = rate * worth, math.sqrt(2 * rate * worth)
    for _ in range(50):  # Newton's method; the function increases from 0 to 1
        step = (1 - (1 + x) * math.exp(-x) - wanted) / (x * math.exp(-x))
        x = max(x / 2, x - step)
        if abs(step) < 1e-9 * x:
            break
    return x / rate


def words(seconds: float) -> str:
    """Return a duration in words: `45 min`, `7.5 h`, `12 d`."""
    for unit, name in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= unit:
            number = seconds / unit
            return f"{number:.0f} {name}" if number >= 10 or number == int(number) else f"{number:.1f} {name}"
    return f"{seconds:.0f} s"


def _fixed(bounds: Bounds, history: History, hub: bool) -> tuple[float, str]:
    return bounds.initial, ""


def adaptive(slower: float, faster: float) -> Policy:
    """Return a policy that multiplies the interval by `slower` after no change and by `faster` after a change."""

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
    too_fast = seconds > bounds.maximum and rate * bounds.worth > 0.5
    if too_fast and not history.changes:  # the page was visited again too soon to see a change
        return history.interval or bounds.initial, ""
    if too_fast and history.changes < FAST_CHANGES:
        return bounds.initial, f"{every}, too few to tell"
    if too_fast:
        return (bounds.initial, every) if hub else (bounds.maximum, f"{every}, too fast to keep up with")
    return seconds, every


POLICIES: Final[Mapping[str, Policy]] = {"fixed": _fixed, "adaptive": adaptive(SLOWER, FASTER), "poisson": _poisson}


def _compared(history: History, visit: Visit) -> History:
    """Return the history after another visit that found the page."""
    if visit.outcome is Outcome.NEW or history.visited_at is None:
        return History(visited_at=visit.at)
    changed = visit.outcome is Outcome.CHANGED
    elapsed = min((visit.at - history.visited_at).total_seconds(), LONGEST)
    if not elapsed:  # the same visit was reported twice
        return history
    streak = min(history.streak, 0) - 1 if changed else max(history.streak, 0) + 1
    after = replace(history, visited_at=visit.at, misses=0, missing_since=None, streak=max(-COUNT, min(streak, COUNT)))
    if elapsed <= 0:  # the clock was set back: the interval before this visit is unknown
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
    """Return the plan after a visit that revealed nothing about the page's text; the estimates stay."""
    outcome = visit.outcome
    if outcome in (Outcome.MOVED, Outcome.EXCLUDED):
        return _due(replace(history, misses=0, missing_since=None), visit, bounds.maximum, outcome.value)
    since = history.missing_since or visit.at
    after = replace(history, misses=min(history.misses + 1, COUNT), missing_since=since)
    if outcome is Outcome.WITHDRAWN or (visit.hub and outcome in (Outcome.GONE, Outcome.DEAD)):
        seconds = retried_after(bounds, after.misses - 1)
        return _due(after, visit, seconds, f"{outcome.value}, found so {_times(after.misses)}")
    if outcome is Outcome.DEAD:
        seconds = min(bounds.maximum * DEAD_SLOWER ** min(after.misses - 1, 32), LONGEST)
        early = seconds * (1 - JITTER * _share(visit.url_key))
        return _due(after, visit, early, f"a dead link, found so {_times(after.misses)}")
    if outcome is Outcome.GONE and after.misses >= GONE_VISITS and _away(history, visit) >= bounds.maximum:
        return Plan(after, None, f"gone, found so {_times(after.misses)}: never again")
    if outcome is Outcome.GONE:
        return _due(after, visit, bounds.maximum, "gone")
    if outcome is Outcome.MISSING:
        return _due(after, visit, min(bounds.error, bounds.maximum), "missing, to be confirmed")
    seconds = retried_after(bounds, after.misses - 1)
    return _due(after, visit, min(max(seconds, visit.retry_after), bounds.maximum), f"failed {_times(after.misses)}")


def _away(history: History, visit: Visit) -> float:
    """Return the seconds since the last visit that found the page; infinite if there was none."""
    return math.inf if history.visited_at is None else (visit.at - history.visited_at).total_seconds()


def retried_after(bounds: Bounds, failures: int) -> float:
    """Return the seconds until a failed page is tried again, after `failures` earlier consecutive failures."""
    return min(bounds.error * BACK_OFF ** min(failures, 32), bounds.maximum)


def _due(history: History, visit: Visit, seconds: float, why: str) -> Plan:
    """Return the plan with a visit after some seconds; its reason states this interval after `why`."""
    return Plan(history, visit.at + dt.timedelta(seconds=round(seconds)), f"{why}: {words(seconds)}")


def _found(history: History, visit: Visit) -> str:
    if visit.outcome is Outcome.NEW or not history.streak:
        return "new"
    return f"{'unchanged' if history.streak > 0 else 'changed'} {_times(abs(history.streak))}"


def _times(count: int) -> str:
    return "once" if count == 1 else "twice" if count == 2 else f"{count} times"


def _share(url_key: int) -> float:
    """Return a number in [0, 1) that is constant for a page and uniformly distributed, since keys are hashes."""
    return (url_key & 0xFFFFFFFF) / 2**32


def death_pause(deaths: int, luck: float) -> dt.timedelta:
    """Return the pause of a site after `deaths` consecutive crawls have died.

    The pause doubles with each death, from a minute to a day. `luck`, a random number from 0 to 1, scales it by 0.5 to
    1.5.
    """
    seconds = min(FIRST_REST * 2.0 ** min(deaths - 2, 20), LONGEST_REST)
    return dt.timedelta(seconds=seconds * (0.5 + luck))
