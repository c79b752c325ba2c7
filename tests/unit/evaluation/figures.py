"""Made-up figures for tests."""

from sitecrawl.evaluation.results import Interval, MethodSummary, PageScore, Report


def score(site="a", page="1", method="combined", learned=0, **metrics):
    """Return the score of a page."""
    return PageScore(
        collection="golden",
        site=site,
        page=page,
        method=method,
        learned=learned,
        site_kind="",
        metrics=metrics,
        seconds=0.01,
        size=1000,
    )


def summary(method="combined", f1=0.9, *, collection="golden", learned=0, kinds=None, sites=None, **changes):
    """Return a row of a report."""
    found = {
        "collection": collection,
        "method": method,
        "learned": learned,
        "sites": 3,
        "pages": 12,
        "metrics": {
            "word_p": Interval(f1 + 0.02, f1, f1 + 0.04),
            "word_r": Interval(f1 - 0.02, f1 - 0.04, f1),
            "word_f1": Interval(f1, f1 - 0.03, f1 + 0.03),
        },
        "seconds_per_page": 0.004,
        "seconds_per_megabyte": 0.1,
        "errors": 0,
        "by_site": {"a": f1, "b": f1 - 0.1, "c": f1 + 0.05} if sites is None else sites,
        "by_site_kind": kinds or {},
    }
    return MethodSummary(**{**found, **changes})


def report(*summaries, **changes):
    """Return a report with these rows."""
    found = {"date": "2026-11-21", "versions": {"sitecrawl": "0.1.0"}, "summaries": summaries, "problems": ()}
    return Report(**{**found, **changes})
