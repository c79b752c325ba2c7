"""Simulates a year of recrawls: how fresh each policy of `sitecrawl.scheduling` keeps pages for how many fetches.

`python benchmarks/schedule.py [--pages N] [--seed S] [--write]`: 360 daily crawls of 2,000 pages with mixed change
rates. One parameter of each policy, its knob, is changed until the policy fetches as often as the others. `--write`
puts the tables and the chart into `docs`. The same seed gives the same figures.
"""

import argparse
import datetime as dt
import math
import random
import re
from bisect import bisect_right
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from sitecrawl.scheduling import (
    FASTER,
    SLOWER,
    Bounds,
    History,
    Outcome,
    Policy,
    Visit,
    adaptive,
    best_interval,
    plan,
    words,
)

DAY = 86_400
CRAWLS = 360
END = CRAWLS * DAY
START = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
BUDGETS = (30, 50, 75, 100, 130)
"""Fetches per page and year at which the policies are compared."""
DOCS = Path(__file__).parents[1] / "docs"


@dataclass(frozen=True, slots=True)
class Page:
    """A page that changes at known times."""

    kind: str
    """The way in which it changes (`MIXES`)."""
    changes: tuple[float, ...]
    """Seconds since the start at which the page changes."""
    key: int
    rate: float
    """Mean changes per second."""


MIXES = {
    "mixed": {"never": 0.25, "daily": 0.1, "hours": 0.1, "poisson": 0.45, "bursts": 0.1},
    "quiet": {"never": 0.45, "daily": 0.0, "hours": 0.02, "poisson": 0.48, "bursts": 0.05},
}
"""Shares of pages by the way in which they change: never; daily at a fixed hour; every 1 to 6 hours; at random, with a
mean of 2 days to a year; in bursts of 3 days, about every 45 days."""


def pages(mix: str, count: int, seed: int) -> list[Page]:
    """Return about `count` pages of a mix."""
    chance, made = random.Random(seed), []
    for kind, share in MIXES[mix].items():
        number = round(share * count)
        for i in range(number):
            changes = changing(kind, (i + 0.5) / number, chance)
            made.append(Page(kind, tuple(changes), chance.getrandbits(63), len(changes) / END))
    return made


def changing(kind: str, place: float, chance: random.Random) -> list[float]:
    """Return the times at which a page changes; `place`, from 0 to 1, is its position among the pages of its kind."""
    if kind == "daily":
        hour = chance.uniform(0, DAY)
        return [day * DAY + hour for day in range(CRAWLS)]
    if kind == "hours":
        return events(chance, (1 + 5 * place) * 3600)
    if kind == "poisson":
        return events(chance, 2 * (365 / 2) ** place * DAY)
    if kind == "bursts":
        starts = events(chance, 45 * DAY)
        return sorted(at for start in starts for at in events(chance, DAY / 2, start, start + 3 * DAY))
    return []


def events(chance: random.Random, mean: float, start: float = 0, end: float = END) -> list[float]:
    """Return random times between `start` and `end`, on average `mean` seconds apart (a Poisson process)."""
    found, at = [], start
    while (at := at + chance.expovariate(1 / mean)) < min(end, END):
        found.append(at)
    return found


class Year(NamedTuple):
    """The result of one year: visits per page and the share of time in which copies were current, also by kind."""

    visits: float
    freshness: float
    kinds: dict[str, tuple[float, float]]


def year(world: list[Page], policy: str | Policy | None, bounds: Bounds) -> Year:
    """Return the result of a year of daily crawls with a policy; None is the one that knows the true change rates."""
    kinds: dict[str, list[float]] = {}
    for page in world:
        visits, fresh = live(page, policy if policy is not None else oracle(page), bounds)
        sums = kinds.setdefault(page.kind, [0, 0, 0])
        sums[:] = sums[0] + 1, sums[1] + visits, sums[2] + fresh
    total = [sum(sums[i] for sums in kinds.values()) / len(world) for i in (1, 2)]
    return Year(total[0], total[1], {kind: (sums[1] / sums[0], sums[2] / sums[0]) for kind, sums in kinds.items()})


def live(page: Page, policy: str | Policy, bounds: Bounds) -> tuple[int, float]:
    """Return the number of visits of a page, and the share of the year in which the copy was current."""
    history, crawl, visits, fresh, seen = History(), 0, 0, 0.0, 0
    while crawl < CRAWLS:
        at = crawl * DAY
        happened = bisect_right(page.changes, at)
        outcome = Outcome.NEW if not visits else Outcome.CHANGED if happened > seen else Outcome.UNCHANGED
        made = plan(policy, bounds, history, Visit(outcome, START + dt.timedelta(seconds=at), page.key))
        history, seen, visits = made.history, happened, visits + 1
        due = (made.next_fetch_at - START).total_seconds() if made.next_fetch_at else END
        crawl = max(math.ceil(due / DAY), crawl + 1)
        change = page.changes[happened] if happened < len(page.changes) else END
        fresh += min(change, crawl * DAY, END) - at
    return visits, fresh / END


def oracle(page: Page) -> Policy:
    """Return the policy that knows the change rate of a page."""
    return lambda bounds, history, hub: (best_interval(page.rate, bounds.worth) if page.rate else math.inf, "")


def fixed(knob: float) -> tuple[str, Bounds]:
    """Return the policy `fixed` with an interval in seconds."""
    return "fixed", Bounds(initial=round(knob), maximum=60 * DAY)


def adaptive_minimum(knob: float) -> tuple[Policy, Bounds]:
    """Return the policy `adaptive` with a shortest interval in seconds."""
    return adaptive(SLOWER, FASTER), Bounds(minimum=round(knob), maximum=max(14 * DAY, round(knob)))


def adaptive_factor(knob: float) -> tuple[Policy, Bounds]:
    """Return the policy `adaptive` with a factor after no change."""
    return adaptive(knob, FASTER), Bounds()


def poisson(knob: float) -> tuple[str, Bounds]:
    """Return the policy `poisson` with a worth of a visit in seconds."""
    return "poisson", Bounds(worth=round(knob))


def perfect(knob: float) -> tuple[None, Bounds]:
    """Return bounds with a worth of a visit in seconds, for the policy that knows the change rates."""
    return None, Bounds(worth=round(knob))


KNOBS: dict[str, tuple[Callable[[float], tuple[str | Policy | None, Bounds]], float, float, str]] = {
    "fixed": (fixed, 3600, 60 * DAY, "interval"),
    "adaptive, shortest interval": (adaptive_minimum, 3600, 30 * DAY, "shortest interval"),
    "adaptive, factor": (adaptive_factor, 1.02, 30, "factor after no change"),
    "poisson": (poisson, 60, 30 * DAY, "worth of a visit"),
    "true rates": (perfect, 60, 30 * DAY, "worth of a visit"),
}
"""The parameter that changes the number of fetches, from its lowest to its highest value; higher gives fewer."""


class Found(NamedTuple):
    """The result of a policy whose knob was turned to spend a budget."""

    mix: str
    policy: str
    budget: float
    knob: float
    result: Year


def tune(mix: str, policy: str, budget: float, count: int, seed: int) -> Found:
    """Return the result of all pages with the value of the knob at which a tenth of them is nearest to the budget."""
    everything = pages(mix, count, seed)
    world = everything[::10]
    make, low, high, _ = KNOBS[policy]
    best: Found | None = None
    knob = low
    for turn in range(16):
        found = Found(mix, policy, budget, knob, year(world, *make(knob)))
        off = found.result.visits / budget - 1
        if best is None or abs(off) < abs(best.result.visits / budget - 1):
            best = found
        if abs(off) < 0.01 or (turn == 0 and off < 0) or (turn == 1 and off > 0):
            break
        if turn == 0:
            knob = high
        else:
            if turn > 1:
                low, high = (knob, high) if off > 0 else (low, knob)
            knob = math.sqrt(low * high)
    assert best is not None
    return best._replace(result=year(everything, *make(best.knob)))


def near(found: Found) -> bool:
    """Return whether a policy spends its budget, within 3 percent."""
    return abs(found.result.visits / found.budget - 1) < 0.03


def figure(found: Found) -> str:
    """Return the freshness as a cell of a table; a dash if the budget is not spent."""
    return f"{found.result.freshness:.3f}" if near(found) else "-"


def tables(results: list[Found], plain: dict[tuple[str, str], Year]) -> str:
    """Return the Markdown tables of each mix; `plain` has results by mix and policy without a budget."""
    lines = []
    for mix, shares in MIXES.items():
        parts = ", ".join(f"{share:.0%} {kind}" for kind, share in shares.items() if share)
        lines += [f"**{mix}** ({parts}): share of time that our copies are current", ""]
        lines.append("| fetches per page and year |" + "".join(f" {name} |" for name in KNOBS))
        lines.append("|---:|" + "---:|" * len(KNOBS))
        for budget in BUDGETS:
            row = [one for one in results if one.mix == mix and one.budget == budget]
            lines.append(f"| {budget} |" + "".join(f" {figure(one)} |" for one in row))
        kinds = [kind for kind, share in shares.items() if share]
        lines += ["", "| as it is set | fetches | fresh |" + "".join(f" {kind} |" for kind in kinds)]
        lines.append("|---|---:|---:|" + "---:|" * len(kinds))
        for (one, name), got in plain.items():
            if one == mix:
                cells = "".join(f" {got.kinds[kind][0]:.0f}, {got.kinds[kind][1]:.2f} |" for kind in kinds)
                lines.append(f"| `{name}` | {got.visits:.1f} | {got.freshness:.3f} |{cells}")
        lines.append("")
    return "\n".join(lines).rstrip()


COLOURS = ("#7f7f7f", "#ff7f0e", "#d62728", "#1f77b4", "#2ca02c")


def chart(results: list[Found]) -> str:
    """Return a chart of freshness by fetches, with a line for each policy, as SVG."""
    width, height, left, bottom, top = 720, 400, 60, 50, 20
    most = max(BUDGETS) * 1.05
    low = math.floor(min(one.result.freshness for one in results) * 20) / 20
    high = math.ceil(max(one.result.freshness for one in results) * 20) / 20

    def x(visits: float) -> float:
        return round(left + (width - left - 200) * visits / most, 1)

    def y(freshness: float) -> float:
        return round(height - bottom - (height - bottom - top) * (freshness - low) / (high - low), 1)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif"'
        ' font-size="12">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
    ]
    for step in range(round((high - low) * 20) + 1):
        value = low + step / 20
        parts.append(f'<line x1="{left}" x2="{x(most)}" y1="{y(value)}" y2="{y(value)}" stroke="#ddd"/>')
        parts.append(f'<text x="{left - 8}" y="{y(value) + 4}" text-anchor="end">{value:.0%}</text>')
    parts += [
        f'<text x="{x(visits)}" y="{height - bottom + 18}" text-anchor="middle">{visits}</text>'
        for visits in range(0, int(most) + 1, 20)
    ]
    middle = (left + x(most)) / 2
    parts.append(f'<text x="{middle}" y="{height - 12}" text-anchor="middle">fetches per page and year</text>')
    parts.append(
        f'<text x="14" y="{height / 2}" text-anchor="middle" transform="rotate(-90 14 {height / 2})">'
        "share of time that our copy is current</text>"
    )
    for number, (name, colour) in enumerate(zip(KNOBS, COLOURS, strict=True)):
        line = sorted({one.result[:2] for one in results if one.policy == name})
        points = " ".join(f"{x(visits)},{y(fresh)}" for visits, fresh in line)
        dash = ' stroke-dasharray="5 4"' if name == "true rates" else ""
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"{dash}/>')
        parts += [f'<circle cx="{x(visits)}" cy="{y(fresh)}" r="3" fill="{colour}"/>' for visits, fresh in line]
        row = top + 20 + 20 * number
        parts.append(f'<line x1="{width - 190}" x2="{width - 165}" y1="{row}" y2="{row}" stroke="{colour}"{dash}/>')
        parts.append(f'<text x="{width - 160}" y="{row + 4}">{name}</text>')
    return "\n".join([*parts, "</svg>", ""])


def main() -> None:
    """Print the tables, or write them and the chart."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--write", action="store_true", help="put the tables and the chart into docs")
    options = parser.parse_args()
    asked = [(mix, name, budget) for mix in MIXES for name in KNOBS for budget in BUDGETS]
    with ProcessPoolExecutor(options.processes) as pool:
        runs = [pool.submit(tune, *one, options.pages, options.seed) for one in asked]
        results = [run.result() for run in runs]
    plain = {
        (mix, name): year(pages(mix, options.pages, options.seed), name, Bounds())
        for mix in MIXES
        for name in ("fixed", "adaptive", "poisson")
    }
    for mix, name, budget, knob, got in results:
        turned = f"{knob:.2f}" if name == "adaptive, factor" else words(knob)
        print(f"{mix} {name:28} {budget:3} wanted {got.visits:7.2f} got {got.freshness:.4f} fresh, {turned}")
    print(text := tables(results, plain))
    if options.write:
        page = DOCS / "schedule.md"
        marked = re.compile(r"(<!-- benchmarks/schedule.py -->\n).*?(\n<!-- end -->)", re.DOTALL)
        page.write_text(marked.sub(lambda found: found[1] + text + found[2], page.read_text(encoding="utf-8")), "utf-8")
        (DOCS / "schedule.svg").write_text(chart([one for one in results if one.mix == "mixed"]), "utf-8")


if __name__ == "__main__":
    main()
