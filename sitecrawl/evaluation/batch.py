"""Evaluates many gold sites: one task a site, in worker processes, each finished part of a site put on record."""

import json
import os
import signal
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import asdict
from multiprocessing import get_context, parent_process
from pathlib import Path
from threading import Thread
from typing import Any, Final

from sitecrawl.errors import EvaluationError, SitecrawlError
from sitecrawl.evaluation.fingerprint import code_fingerprint, site_key
from sitecrawl.evaluation.gold import GoldSite
from sitecrawl.evaluation.results import PageScore
from sitecrawl.evaluation.runner import Part, Plan, SiteResult, evaluate_site

LATER: Final = 3
"""Tasks in the queue for each worker: sites are read as they are needed."""
_NOTHING: Final = SiteResult("", 0, (), ())


def run(
    sites: Iterable[GoldSite],
    plan: Plan,
    *,
    jobs: int = 1,
    record: Path | None = None,
    told: Callable[[int, SiteResult], None] = lambda done, result: None,
) -> list[SiteResult]:
    """Evaluate all sites in `jobs` processes; return their results in the order of the sites.

    With `record`, a line is appended to that file for each (site, method, pages learned) when its site is finished,
    and what is found there is not run again; `told` hears of each finished site. A site whose process ends is left
    out and named. Raises EvaluationError when the record cannot be read or written.
    """
    stored = read_record(record) if record is not None and record.exists() else {}
    code = code_fingerprint(plan.methods)
    results: dict[int, SiteResult] = {}
    pending: dict[Future[SiteResult], tuple[int, str, GoldSite]] = {}
    pool = _pool(jobs)

    def submit(number: int, key: str, site: GoldSite) -> None:
        nonlocal pool
        known = {(part.method, part.learned) for part in stored.get(key, _NOTHING).parts}
        try:
            future = pool.submit(evaluate_site, site, plan, known)
        except BrokenProcessPool:  # a worker has just died; what it worked on is seen to when its future is
            pool = _pool(jobs)
            future = pool.submit(evaluate_site, site, plan, known)
        pending[future] = (number, key, site)

    def finish(futures: Iterable[Future[SiteResult]]) -> None:
        for future in futures:
            number, key, site = pending.pop(future)
            new = _outcome(future, site, plan)
            if record is not None:
                _append(record, key, new)
            results[number] = _merged(stored.get(key, _NOTHING), new, plan)
            told(len(results), results[number])

    try:
        for number, site in enumerate(sites):
            key = site_key(site, plan, code)
            known = stored.get(key)
            if known is not None and {(p.method, p.learned) for p in known.parts}.issuperset(plan.parts(known.pages)):
                results[number] = _merged(known, known, plan)
                told(len(results), results[number])
                continue
            if len(pending) >= LATER * jobs:
                finish(wait(pending, return_when=FIRST_COMPLETED).done)
            submit(number, key, site)
        while pending:
            finish(wait(pending, return_when=FIRST_COMPLETED).done)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
    return [results[number] for number in sorted(results)]


def _pool(jobs: int) -> ProcessPoolExecutor:
    return ProcessPoolExecutor(jobs, get_context("spawn"), _begin)


def _begin() -> None:
    """Begin a worker: Ctrl-C is left to its parent, with which it ends, however that ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


def _outcome(future: Future[SiteResult], site: GoldSite, plan: Plan) -> SiteResult:
    """Return a site's result. When a worker died, all futures break: each site is tried again in its own process."""
    try:
        try:
            return future.result()
        except BrokenProcessPool:
            with _pool(1) as alone:
                return alone.submit(evaluate_site, site, plan).result()
    except SitecrawlError:
        raise
    except BrokenProcessPool:
        why = "the process that worked on it ended, as for want of memory"
    except Exception as error:  # noqa: BLE001  (the other sites go on; it is named in the report)
        why = f"{type(error).__name__}: {error}"
    return SiteResult(site.name, 0, (), (*site.problems, f"{site.collection}, {site.name}: left out, {why}."))


def _merged(known: SiteResult, new: SiteResult, plan: Plan) -> SiteResult:
    """Return what the plan asks for of a stored result and a new one."""
    parts = {(part.method, part.learned): part for part in (*known.parts, *new.parts)}
    chosen = (parts.get(one) for one in plan.parts(new.pages))
    return SiteResult(new.name, new.pages, tuple(part for part in chosen if part is not None), new.problems)


def _append(record: Path, key: str, result: SiteResult) -> None:
    about = {"key": key, "site": result.name, "pages": result.pages, "problems": result.problems}
    rows = (about | asdict(part) for part in result.parts)
    try:
        with record.open("a", encoding="utf-8") as lines:
            for row in rows:  # on a new line, for a stopped run may have left one unfinished
                lines.write("\n" + json.dumps(row, ensure_ascii=False))
    except OSError as error:
        raise EvaluationError(f"{record}: cannot be written: {error}") from error


def read_record(record: Path) -> Mapping[str, SiteResult]:
    """Return what is on record by the keys of sites; a line that a stopped run left unfinished is passed over.

    Raises EvaluationError when the file cannot be read.
    """
    found: dict[str, SiteResult] = {}
    try:
        with record.open(encoding="utf-8") as lines:
            for line in lines:
                try:
                    row: dict[str, Any] = json.loads(line)
                    scores = tuple(PageScore(**score) for score in row["scores"])
                    part = Part(row["method"], row["learned"], scores)
                    before = found.get(row["key"], _NOTHING).parts
                    found[row["key"]] = SiteResult(row["site"], row["pages"], (*before, part), tuple(row["problems"]))
                except (ValueError, KeyError, TypeError):
                    continue
    except (OSError, UnicodeDecodeError) as error:
        raise EvaluationError(f"{record}: cannot be read: {error}") from error
    return found
