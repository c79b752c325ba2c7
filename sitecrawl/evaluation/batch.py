"""Evaluates many gold sites: one task a site, in worker processes, each finished task put on record."""

import json
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import asdict
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final

from sitecrawl.errors import EvaluationError
from sitecrawl.evaluation.gold import GoldSite
from sitecrawl.evaluation.results import PageScore
from sitecrawl.evaluation.runner import Plan, SiteResult, evaluate_site, site_key

LATER: Final = 3
"""Tasks in the queue for each worker: sites are read as they are needed."""


def run(
    sites: Iterable[GoldSite],
    plan: Plan,
    *,
    jobs: int = 1,
    record: Path | None = None,
    told: Callable[[int, SiteResult], None] = lambda done, result: None,
) -> list[SiteResult]:
    """Evaluate all sites in `jobs` processes; return their results in the order of the sites.

    With `record`, each finished site is appended to that file, and sites found there are not run again; `told` hears
    of each finished site. Raises EvaluationError when the record cannot be read or written.
    """
    stored = read_record(record) if record is not None and record.exists() else {}
    results: dict[int, SiteResult] = {}
    pending: dict[Future[SiteResult], int] = {}

    def finish(futures: Iterable[Future[SiteResult]]) -> None:
        for future in futures:
            number = pending.pop(future)
            results[number] = future.result()
            if record is not None:
                _append(record, results[number])
            told(len(results), results[number])

    pool = ProcessPoolExecutor(jobs, get_context("spawn"))
    try:
        for number, site in enumerate(sites):
            known = stored.get(site_key(site, plan)) if stored else None
            if known is not None:
                results[number] = known
                told(len(results), known)
                continue
            if len(pending) >= LATER * jobs:
                finish(wait(pending, return_when=FIRST_COMPLETED).done)
            pending[pool.submit(evaluate_site, site, plan)] = number
        while pending:
            finish(wait(pending, return_when=FIRST_COMPLETED).done)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
    return [results[number] for number in sorted(results)]


def _append(record: Path, result: SiteResult) -> None:
    row = {"key": result.key, "problems": result.problems, "scores": [asdict(score) for score in result.scores]}
    try:
        with record.open("a", encoding="utf-8") as lines:
            lines.write("\n" + json.dumps(row, ensure_ascii=False))  # after a line that a stopped run left unfinished
    except OSError as error:
        raise EvaluationError(f"{record}: cannot be written: {error}") from error


def read_record(record: Path) -> dict[str, SiteResult]:
    """Return the finished sites of a record by their keys; a line that a stopped run left unfinished is passed over."""
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
