"""Summarises the scores of pages as a report: means over sites, intervals, and differences to the best peer."""

import datetime as dt
import platform
from collections.abc import Iterable, Sequence
from importlib.metadata import version
from math import fsum

from sitecrawl.evaluation.intervals import difference, figures, interval, site_means
from sitecrawl.evaluation.metrics import MAIN
from sitecrawl.evaluation.peers import PREFIX, peer_versions
from sitecrawl.evaluation.results import Comparison, MethodSummary, PageScore, Report

PACKAGES = ("sitecrawl", "lxml")


def summarise(scores: Iterable[PageScore], problems: Sequence[str], *, learned: Sequence[int] = ()) -> Report:
    """Return the report on all scores.

    Sites with fewer pages than should be learned count under the requested number: `learned` lists those numbers, with
    -1 for all pages, which the report shows as the largest number of pages of any site.
    """
    groups: dict[tuple[str, str, int], list[PageScore]] = {}
    for score in scores:
        groups.setdefault((score.collection, score.method, score.learned), []).append(score)
    merged = _by_plan(groups, learned) if learned else groups
    summaries = [_summary(*key, rows) for key, rows in sorted(merged.items())]
    versions = {name: version(name) for name in PACKAGES} | peer_versions() | {"Python": platform.python_version()}
    today = dt.datetime.now(dt.UTC).date().isoformat()
    return Report(today, versions, summaries, sorted(set(problems)), _comparisons(merged, summaries))


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


def _comparisons(
    groups: dict[tuple[str, str, int], list[PageScore]], summaries: Sequence[MethodSummary]
) -> list[Comparison]:
    """Compare the best row of each collection with the best of the other methods and the best of the peers."""
    found = []
    for collection in sorted({row.collection for row in summaries}):
        rows = [row for row in summaries if row.collection == collection and MAIN in row.metrics]
        rows.sort(key=lambda row: (-row.metrics[MAIN].mean, row.method, row.learned))
        own = [row for row in rows if not row.method.startswith(PREFIX)]
        peers = [row for row in rows if row.method.startswith(PREFIX)]
        if not own:
            continue
        others = [row for row in own if row.method != own[0].method][:1] + peers[:1]
        for other in others:
            one, two = (figures(groups[row.collection, row.method, row.learned], MAIN) for row in (own[0], other))
            found.append(
                Comparison(
                    collection, own[0].method, own[0].learned, other.method, other.learned, MAIN, difference(one, two)
                )
            )
    return found
