"""Floors: minimum figures of an evaluation, which reveal a change that makes a method worse.

They are in a TOML file, with a table for each collection and method:

    [golden.combined]
    word_f1 = 0.95

    [golden."webconex@30"]
    word_f1 = 0.80

`METHOD` is the row with the most pages learned, `METHOD@N` the one after N pages.
"""

import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path

from sitecrawl.errors import ConfigError
from sitecrawl.evaluation.results import MethodSummary, Report

Floors = Mapping[str, Mapping[str, Mapping[str, float]]]
"""Floor by collection, method and metric."""


def read_floors(path: Path) -> Floors:
    """Return the floors in a file. Raises ConfigError naming the file if it cannot be read or is malformed."""
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"{path}: cannot be read: {error}") from error
    for collection, methods in found.items():
        if not isinstance(methods, dict):
            raise ConfigError(f"{path}: {collection} is not a table of methods; write [{collection}.METHOD]")
        for method, metrics in methods.items():
            if not isinstance(metrics, dict):
                raise ConfigError(
                    f"{path}: {collection}.{method} is not a table of metrics; write METRIC = 0.9 below it"
                )
            for metric, floor in metrics.items():
                if isinstance(floor, bool) or not isinstance(floor, int | float) or not 0 <= floor <= 1:
                    raise ConfigError(f"{path}: {collection}.{method}.{metric} is {floor!r}, not a number from 0 to 1")
    return found


def check(report: Report, floors: Floors) -> list[str]:
    """Return a sentence for each floor that is not reached, sorted; empty if all are reached.

    A floor is not reached if its method or metric is missing in its collection. Collections missing from the report are
    skipped, since an evaluation may cover only some; if all are missing, no floor counts as reached.
    """
    evaluated = {summary.collection for summary in report.summaries}
    if floors and evaluated.isdisjoint(floors):
        return [f"No floor was checked: there are floors for {_list(floors)}, and figures for {_list(evaluated)}."]
    fallen = []
    for collection, methods in floors.items():
        if collection not in evaluated:
            continue
        for method, metrics in methods.items():
            summary = _summary(report, collection, method)
            for metric, floor in metrics.items():
                sentence = _fallen(f"{collection}: {metric} of {method}", summary, metric, floor)
                if sentence:
                    fallen.append(sentence)
    return sorted(fallen)


def _summary(report: Report, collection: str, method: str) -> MethodSummary | None:
    """Return the row that a floor applies to."""
    name, separator, learned = method.rpartition("@")
    if not separator:
        name = method
    rows = [row for row in report.summaries if (row.collection, row.method) == (collection, name)]
    if separator:
        rows = [row for row in rows if str(row.learned) == learned]
    return max(rows, key=lambda row: row.learned, default=None)


def _fallen(figure: str, summary: MethodSummary | None, metric: str, floor: float) -> str:
    """Return the problem with a figure in words; "" if the figure reaches its floor."""
    if summary is None:
        return f"{figure} has a floor of {floor:g}, but the method was not evaluated."
    found = summary.metrics.get(metric)
    if found is None:
        return f"{figure} has a floor of {floor:g}, but there is no such figure."
    if round(found.mean, 6) < floor:
        return f"{figure} is {found.mean:.6f}, below its floor of {floor:g}."
    return ""


def _list(names: Iterable[str]) -> str:
    return ", ".join(sorted(names)) or "nothing"
