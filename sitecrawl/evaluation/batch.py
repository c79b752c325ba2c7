"""Evaluates many gold sites in worker processes, one task per site, and records each finished task."""

import json
from collections.abc import Callable, Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from sitecrawl.errors import EvaluationError
from sitecrawl.evaluation.gold import GoldSite
from sitecrawl.evaluation.results import PageScore
from sitecrawl.evaluation.runner import Plan, SiteResult, site_key, site_result
from sitecrawl.evaluation.workers import GRACE, Crew, Task


def run(
    sites: Iterable[GoldSite],
    plan: Plan,
    *,
    jobs: int = 1,
    record: Path | None = None,
    report: Callable[[int, SiteResult], None] = lambda done, result: None,
    grace: float = GRACE,
) -> list[SiteResult]:
    """Evaluate all sites in `jobs` processes; return their results in the order of the sites.

    With `record`, each finished site is appended to that file, and sites found there are not run again. `report` is
    called with the number of finished sites and each result. If a page has not finished `grace` seconds after its
    limit, its process is killed. Raises EvaluationError if the record cannot be read or written, or no process can be
    started.
    """
    stored = read_record(record) if record is not None and record.exists() else {}
    results: dict[int, SiteResult] = {}

    def finish(tasks: Iterable[Task]) -> None:
        for task in tasks:
            result = site_result(task.site, plan, task.scores, task.problems)
            results[task.number] = result
            if record is not None and not task.lost:
                _append(record, result)
            report(len(results), result)

    crew = Crew(plan, jobs, grace=grace)
    try:
        for number, site in enumerate(sites):
            known = stored.get(site_key(site, plan)) if stored else None
            if known is not None:
                results[number] = known
                report(len(results), known)
                continue
            while crew.full:
                finish(crew.finished())
            crew.give(Task(number, site))
        while crew.busy:
            finish(crew.finished())
    finally:
        crew.close()
    return [results[number] for number in sorted(results)]


def _append(record: Path, result: SiteResult) -> None:
    row = {"key": result.key, "problems": result.problems, "scores": [asdict(score) for score in result.scores]}
    try:
        with record.open("a", encoding="utf-8") as lines:
            lines.write("\n" + json.dumps(row, ensure_ascii=False))  # a stopped run may have left an incomplete line
    except OSError as error:
        raise EvaluationError(f"{record}: cannot be written: {error}") from error


def read_record(record: Path) -> dict[str, SiteResult]:
    """Return the finished sites in a record by key; an incomplete line of a stopped run is skipped."""
    found = {}
    try:
        with record.open(encoding="utf-8") as lines:
            for line in lines:
                try:
                    row: dict[str, Any] = json.loads(line)
                    scores = tuple(PageScore(**score) for score in row["scores"])
                    found[row["key"]] = SiteResult(row["key"], scores, tuple(row["problems"]))
                except (ValueError, KeyError, TypeError):
                    continue
    except (OSError, UnicodeDecodeError) as error:
        raise EvaluationError(f"{record}: cannot be read: {error}") from error
    return found
