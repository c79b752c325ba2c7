"""Tests of the differences between rows."""

from sitecrawl.evaluation.summary import summarise

from .figures import score


def scores(method, learned, *values, measure="word"):
    return [
        score(site, "1", method, learned, **{f"{measure}_f1": value}) for site, value in zip("abc", values, strict=True)
    ]


ROWS = [
    *scores("cnr", 0, 0.5, 0.6, 0.7),
    *scores("cnr", 5, 0.5, 0.6, 0.7),
    *scores("sst", 5, 0.6, 0.8, 1.0),
    *scores("sst", 9, 0.7, 0.9, 1.0),
    *scores("peer:own", 0, 0.4, 0.4, 0.4),
]


def told(report):
    return {
        (one.method, one.learned, one.other, one.other_learned): round(one.difference.mean, 6)
        for one in report.comparisons
    }


def test_the_best_row_is_compared_with_the_best_of_the_others():
    assert told(summarise(ROWS, ())) == {
        ("sst", 9, "cnr", 0): 0.266667,
        ("sst", 9, "peer:own", 0): 0.466667,
    }


def test_every_row_is_compared_with_a_named_one_after_as_many_pages():
    assert told(summarise(ROWS, (), against="cnr")) == {
        ("sst", 5, "cnr", 5): 0.2,
        ("sst", 9, "cnr", 5): 0.266667,
        ("peer:own", 0, "cnr", 0): -0.2,
    }


def test_differences_are_of_the_measure_that_is_asked_for():
    rows = [*scores("cnr", 5, 0.1, 0.2, 0.3, measure="node"), *scores("sst", 5, 0.2, 0.4, 0.6, measure="node"), *ROWS]
    (found,) = summarise(rows, (), against="cnr", measure="node").comparisons
    assert (found.metric, round(found.difference.mean, 6)) == ("node_f1", 0.2)
