"""Writes a report as plain text: a table for the terminal, or JSON for programs."""

import json
from collections.abc import Mapping, Sequence
from typing import Final

from sitecrawl.evaluation.metrics import EVIDENCE, MAIN, MEASURES
from sitecrawl.evaluation.results import Comparison, Interval, MethodSummary, Report
from sitecrawl.plurals import counted

PLACES: Final = 6
"""Decimal places in JSON."""


# --- JSON ---


def json_report(report: Report, *, timing: bool = True) -> str:
    """Return the report as JSON with sorted keys.

    Everything that differs between two runs over the same pages, such as the date and the times, is under the key
    `timing`; without `timing`, two such runs produce the same text.
    """
    summaries = sorted(report.summaries, key=_key)
    found: dict[str, object] = {
        "versions": dict(report.versions),
        "problems": list(report.problems),
        "summaries": [_summary(row) for row in summaries],
        "comparisons": [_comparison(found) for found in report.comparisons],
    }
    if timing:
        rows = [
            {
                **_identity(row),
                "seconds_per_page": round(row.seconds_per_page, PLACES),
                "seconds_per_megabyte": round(row.seconds_per_megabyte, PLACES),
            }
            for row in summaries
        ]
        found["timing"] = {"date": report.date, "summaries": rows}
    return json.dumps(found, indent=1, sort_keys=True, ensure_ascii=False, allow_nan=False) + "\n"


def _key(row: MethodSummary) -> tuple[str, str, int]:
    return row.collection, row.method, row.learned


def _identity(row: MethodSummary) -> dict[str, object]:
    return {"collection": row.collection, "method": row.method, "learned": row.learned}


def _summary(row: MethodSummary) -> dict[str, object]:
    return {
        **_identity(row),
        "sites": row.sites,
        "pages": row.pages,
        "errors": row.errors,
        "metrics": {name: _interval(interval) for name, interval in row.metrics.items()},
        "by_site": {site: round(value, PLACES) for site, value in row.by_site.items()},
        "by_site_kind": {kind: round(value, PLACES) for kind, value in row.by_site_kind.items()},
    }


def _comparison(found: Comparison) -> dict[str, object]:
    return {
        "collection": found.collection,
        "method": found.method,
        "learned": found.learned,
        "other": found.other,
        "other_learned": found.other_learned,
        "metric": found.metric,
        "difference": _interval(found.difference),
    }


def _interval(interval: Interval) -> dict[str, float]:
    return {
        "mean": round(interval.mean, PLACES),
        "low": round(interval.low, PLACES),
        "high": round(interval.high, PLACES),
    }


# --- terminal ---


def text_table(report: Report, *, timing: bool = True, measure: str = "word") -> str:
    """Return a table for each collection, best F1 first; without `timing` it has no column of times.

    Precision, recall and the interval are shown for `measure`; for the other metrics only F1.
    """
    lines: list[str] = []
    metric = f"{measure}_f1"
    for collection, rows in by_collection(report).items():
        of = f"; P, R and F1 of {MEASURES[measure]}" if metric != MAIN else ""
        lines += [f"{collection}: {size_of(rows)}{of}", ""]
        others = [name for name in MEASURES if name != measure and any(f"{name}_f1" in row.metrics for row in rows)]
        evidence = sorted({name for row in rows for name in row.metrics if name.startswith(EVIDENCE)})
        titles = [_SHORT.get(name, name) for name in others]
        width = max(26, *(len(row.method) + 1 for row in rows))
        head = f"  {'method':<{width}}{'learned':>7}  {'P':>6}{'R':>6}{'F1':>6}  {'95 %':<12}"
        head += "".join(f"{name.removeprefix(EVIDENCE):>9}" for name in evidence)
        head += "".join(f"{title:>9}" for title in titles) + f"{'errors':>8}" + (f"{'ms/page':>9}" if timing else "")
        lines.append(head)
        for row in sorted(rows, key=lambda row: (-mean(row, metric), row.method, -row.learned)):
            main = row.metrics.get(metric)
            around = f"{main.low:.3f}-{main.high:.3f}" if main else "-"
            line = f"  {row.method:<{width}}{row.learned:>7}  "
            line += "".join(_cell(row, f"{measure}_{figure}", 6) for figure in ("p", "r", "f1"))
            line += f"  {around:<12}" + "".join(_count(row, name) for name in evidence)
            line += "".join(_cell(row, f"{name}_f1", 9) for name in others) + f"{row.errors:>8}"
            lines.append(line + (f"{1000 * row.seconds_per_page:>9.2f}" if timing else ""))
        lines += ["", *_differences(report, collection)]
        if lines[-1]:
            lines.append("")
    if report.problems:
        lines += [f"Left out, or in error ({len(report.problems)}):", *report.problems]
    return "\n".join(lines).rstrip() + "\n"


def _differences(report: Report, collection: str) -> list[str]:
    """Return the paired differences of a collection, one per line."""
    return [
        f"  {_at(found.method, found.learned)} less {_at(found.other, found.other_learned)}, {found.metric}: "
        f"{found.difference.mean:+.3f} ({found.difference.low:+.3f} to {found.difference.high:+.3f})"
        for found in report.comparisons
        if found.collection == collection
    ]


_SHORT: Final[Mapping[str, str]] = {
    "word": "words",
    "node": "nodes",
    "block": "blocks",
    "lcs": "LCSeq",
    "lcstring": "LCStr",
    "shingle": "shingles",
    "rouge2": "ROUGE-2",
}


def _cell(row: MethodSummary, name: str, width: int) -> str:
    interval = row.metrics.get(name)
    return f"{'-' if interval is None else f'{interval.mean:.3f}':>{width}}"


def _count(row: MethodSummary, name: str) -> str:
    return f"{f'{row.metrics[name].mean:.1f}' if name in row.metrics else '-':>9}"


def _at(method: str, learned: int) -> str:
    return f"{method} after {counted(learned, 'page')}" if learned else method


def size_of(rows: Sequence[MethodSummary]) -> str:
    """Return the size of a collection in words."""
    sites, pages = max(row.sites for row in rows), max(row.pages for row in rows)
    return f"{counted(sites, 'site')}, {counted(pages, 'page')}"


def mean(row: MethodSummary, metric: str = MAIN) -> float:
    """Return the mean of a metric, by default the one by which methods are ranked; 0 if the row lacks it."""
    return row.metrics[metric].mean if metric in row.metrics else 0.0


def by_collection(report: Report) -> dict[str, list[MethodSummary]]:
    """Return the rows by collection, in the order of the report."""
    found: dict[str, list[MethodSummary]] = {}
    for row in report.summaries:
        found.setdefault(row.collection, []).append(row)
    return found
