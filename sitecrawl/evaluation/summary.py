"""Summarises the scores of pages as a report: means over sites, intervals, and differences between rows."""

import datetime as dt
import platform
from collections.abc import Iterable, Iterator, Sequence
from importlib.metadata import version
from math import fsum
from typing import TypeAlias

from sitecrawl.evaluation.intervals import difference, figures, interval, site_means
from sitecrawl.evaluation.metrics import MAIN
from sitecrawl.evaluation.peers import PREFIX, peer_versions
from sitecrawl.evaluation.results import Comparison, MethodSummary, PageScore, Report

PACKAGES = ("sitecrawl", "lxml")


def summarise(
    scores: Iterable[PageScore],
    problems: Sequence[str],
    *,
    learned: Sequence[int] = (),
    against: str | None = None,
    measure: str = "word",
) -> Report:
    """Return the report on all scores, with differences of `measure` between rows.

    The differences are between the best row and the best of the others, or between every row and the row `against`.

    Sites with fewer pages than requested count under the requested number: `learned` lists the requested numbers, with
    -1 for all pages, which the report shows as the largest number of pages of any site.
    """
    groups: dict[tuple[str, str, int], list[PageScore]] = {}
    for score in scores:
        groups.setdefault((score.collection, score.method, score.learned), []).append(score)
    merged = _by_plan(groups, learned) if learned else groups
    summaries = [_summary(*key, rows) for key, rows in sorted(merged.items())]
    versions = {name: version(name) for name in PACKAGES} | peer_versions() | {"Python": platform.python_version()}
    today = dt.datetime.now(dt.UTC).date().isoformat()
    metric = f"{measure}_f1"
    pairs = _best_pairs(summaries, metric) if against is None else _pairs_with(summaries, against, metric)
    comparisons = [_comparison(merged, one, other, metric) for one, other in pairs]
    return Report(today, versions, summaries, sorted(set(problems)), comparisons)


def _by_plan(
    groups: dict[tuple[str, str, int], list[PageScore]], learned: Sequence[int]
) -> dict[tuple[str, str, int], list[PageScore]]:
    most = max((score.learned for rows in groups.values() for score in rows), default=0)
    wanted = sorted({most if n < 0 else n for n in learned})
    by_page: dict[tuple[str, str], dict[tuple[str, str], dict[int, PageScore]]] = {}
    for (collection, method, count), rows in groups.items():
        pages = by_page.setdefault((collection, method), {})
        for score in rows:
            pages.setdefault((score.site, score.page), {})[count] = score
    merged: dict[tuple[str, str, int], list[PageScore]] = {}
    for (collection, method), pages in by_page.items():
        for target in (0,) if method.startswith(PREFIX) else wanted:
            for counts in pages.values():
                had = max((count for count in counts if count <= target), default=None)
                if had is not None and (had or not target):
                    merged.setdefault((collection, method, target), []).append(counts[had])
    return merged


def _summary(collection: str, method: str, learned: int, rows: Sequence[PageScore]) -> MethodSummary:
    names = sorted({name for score in rows for name in score.metrics})
    kinds = sorted({score.site_kind for score in rows if score.site_kind})
    megabytes = sum(score.size for score in rows) / 1e6
    seconds = fsum(score.seconds for score in rows)
    main = figures(rows, MAIN)
    by_kind = {kind: figures([score for score in rows if score.site_kind == kind], MAIN) for kind in kinds}
    return MethodSummary(
        collection=collection,
        method=method,
        learned=learned,
        sites=len({score.site for score in rows}),
        pages=len(rows),
        metrics={name: interval(figures(rows, name)) for name in names},
        seconds_per_page=seconds / len(rows),
        seconds_per_megabyte=seconds / megabytes if megabytes else 0.0,
        errors=sum(bool(score.error) for score in rows),
        by_site=site_means(main),
        by_site_kind={kind: interval(found).mean for kind, found in by_kind.items() if found},
    )


Pair: TypeAlias = tuple[MethodSummary, MethodSummary]


def _best_pairs(summaries: Sequence[MethodSummary], metric: str) -> Iterator[Pair]:
    """Yield, for each collection, the best row paired with the best of the other methods and the best of the peers."""
    for collection in sorted({row.collection for row in summaries}):
        rows = [row for row in summaries if row.collection == collection and metric in row.metrics]
        rows.sort(key=lambda row: (-row.metrics[metric].mean, row.method, row.learned))
        own = [row for row in rows if not row.method.startswith(PREFIX)]
        peers = [row for row in rows if row.method.startswith(PREFIX)]
        if own:
            others = [row for row in own if row.method != own[0].method][:1] + peers[:1]
            yield from ((own[0], other) for other in others)


def _pairs_with(summaries: Sequence[MethodSummary], name: str, metric: str) -> Iterator[Pair]:
    """Yield every other row paired with the named row that learned as many pages, or else the most pages."""
    for row in summaries:
        named = {
            one.learned: one
            for one in summaries
            if one.collection == row.collection and one.method == name and metric in one.metrics
        }
        if named and row.method != name and metric in row.metrics:
            yield row, named.get(row.learned, named[max(named)])


def _comparison(
    groups: dict[tuple[str, str, int], list[PageScore]], one: MethodSummary, other: MethodSummary, metric: str
) -> Comparison:
    first, second = (figures(groups[row.collection, row.method, row.learned], metric) for row in (one, other))
    found = difference(first, second)
    return Comparison(one.collection, one.method, one.learned, other.method, other.learned, metric, found)
