"""Simulates a year of a site that is crawled whenever it is due: starts, fetches, freshness and lateness by batch rule.

`python benchmarks/batch.py [--mix mixed] [--seed 1] [--days 360]`: sites of 5 to 1,000 pages with the change rates of
`schedule.py`, policy `poisson`, fake time. A crawl takes no time. The same seed gives the same figures.
"""

import argparse
import datetime as dt
from bisect import bisect_right, insort
from dataclasses import dataclass, field
from typing import NamedTuple

from schedule import DAY, START, Page, pages

from sitecrawl.scheduling import Bounds, History, Outcome, PlannedPage, Visit, plan, site_due

RULES = ((1, 0.0), (20, 0.05), (20, 0.1), (20, 0.2), (50, 0.1), (100, 0.25))
"""Batch rules: the number of due pages that is enough, and the share of its interval by which a page may be late."""
SIZES = (5, 20, 100, 1000)


@dataclass(slots=True)
class Copy:
    """The known facts about a page."""

    page: Page
    history: History = field(default_factory=History)
    visited: float = 0.0
    planned: float = 0.0
    seen: int = 0


class Result(NamedTuple):
    """The visits of all pages in the measured time."""

    crawls: int
    visits: int
    fresh: float
    """Share of time in which copies were current."""
    late: float
    """Mean lateness of a visit as a share of the page's interval."""
    worst: float
    """The maximum lateness."""
    overdue: int
    """Visits later than the longest interval after the one before."""


def live(world: list[Page], bounds: Bounds, days: int) -> Result:
    """Simulate the days; return the figures."""
    end = days * DAY
    copies = [Copy(page) for page in world]
    queue: list[tuple[float, int]] = sorted((0.0, number) for number in range(len(copies)))
    now, crawls, visits, fresh, late, worst, overdue = 0.0, 0, 0, 0.0, 0.0, 0.0, 0
    while now < end:
        crawls += 1
        due = bisect_right(queue, (now, len(copies)))
        taken, queue = queue[:due], queue[due:]
        for planned, number in taken:
            copy = copies[number]
            if copy.history.interval:
                share = (now - planned) / copy.history.interval
                late, worst = late + share, max(worst, share)
                overdue += now - copy.visited > bounds.maximum + 1
            fresh += _current(copy, now)
            visits += 1
            insort(queue, (_visit(copy, now, bounds), number))
        first = [_planned(copies[number], at) for at, number in queue[: bounds.batch]]
        when = site_due(first, bounds)
        assert when is not None
        now = max((when - START).total_seconds(), now + 1)
    fresh += sum(_current(copy, end) for copy in copies)
    return Result(crawls, visits, fresh / (end * len(copies)), late / max(visits, 1), worst, overdue)


def _current(copy: Copy, now: float) -> float:
    """Return the time since its last visit for which the copy of a page was current."""
    changes = copy.page.changes
    change = changes[copy.seen] if copy.seen < len(changes) else now
    return min(change, now) - copy.visited


def _visit(copy: Copy, now: float, bounds: Bounds) -> float:
    """Visit a page; return the time at which it is due again."""
    happened = bisect_right(copy.page.changes, now)
    new = copy.history.visited_at is None
    outcome = Outcome.NEW if new else Outcome.CHANGED if happened > copy.seen else Outcome.UNCHANGED
    made = plan("poisson", bounds, copy.history, Visit(outcome, START + dt.timedelta(seconds=now), copy.page.key))
    assert made.next_fetch_at is not None
    copy.history, copy.visited, copy.seen = made.history, now, happened
    return (made.next_fetch_at - START).total_seconds()


def _planned(copy: Copy, at: float) -> PlannedPage:
    return PlannedPage(START + dt.timedelta(seconds=at), copy.history.interval, copy.history.visited_at)


def main() -> None:
    """Simulate the batch rules, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mix", default="mixed")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--days", type=int, default=360)
    given = parser.parse_args()
    print(
        "| pages | enough, late | crawls per day | pages each | fetches per page | fresh | late, mean | worst |"
        " overdue |"
    )
    print("|---:|---|---:|---:|---:|---:|---:|---:|---:|")
    for size in SIZES:
        world = pages(given.mix, size, given.seed)
        for batch, late in RULES:
            done = live(world, Bounds(batch=batch, late=late), given.days)
            rates = f"{done.crawls / given.days:.2f} | {done.visits / done.crawls:.1f} | {done.visits / len(world):.1f}"
            lateness = f"{done.late:.1%} | {done.worst:.1%} | {done.overdue}"
            print(f"| {len(world)} | {batch}, {late} | {rates} | {done.fresh:.3f} | {lateness} |", flush=True)


if __name__ == "__main__":
    main()
