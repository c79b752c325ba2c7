"""Tests of the table for the terminal and of the JSON report."""

import json
from dataclasses import replace

import pytest

from sitecrawl.evaluation.plain import json_report, text_table
from sitecrawl.evaluation.results import Comparison, Interval

from .figures import report, summary

FOUND = report(
    summary("peer:trafilatura", 0.83, errors=2, seconds_per_page=0.0213),
    summary("combined", 0.90, learned=0),
    summary("combined", 0.96, learned=30, kinds={"wiki": 1 / 3, "blog": 0.97}),
    summary("density", 0.7, collection="articles", sites={"only": 0.7}, pages=1, metrics={}),
    problems=["One page was left out.", "The peer 'x' is left out."],
    comparisons=[
        Comparison("golden", "combined", 30, "peer:trafilatura", 0, "word_f1", Interval(0.13, 0.1, 0.16)),
    ],
)


def again(found, **changes):
    """Return the report of another run: same figures, other times and order."""
    rows = [replace(row, seconds_per_page=1.5, seconds_per_megabyte=9.0) for row in reversed(found.summaries)]
    return replace(found, date="2027-01-01", summaries=rows, **changes)


# --- terminal ---


def test_the_table():
    assert text_table(FOUND).splitlines() == [
        "golden: 3 sites, 12 pages",
        "",
        "  method                    learned       P     R    F1  95 %          errors  ms/page",
        "  combined                       30   0.980 0.940 0.960  0.930-0.990        0     4.00",
        "  combined                        0   0.920 0.880 0.900  0.870-0.930        0     4.00",
        "  peer:trafilatura                0   0.850 0.810 0.830  0.800-0.860        2    21.30",
        "",
        "  combined after 30 pages less peer:trafilatura, word_f1: +0.130 (+0.100 to +0.160)",
        "",
        "articles: 3 sites, 1 page",
        "",
        "  method                    learned       P     R    F1  95 %          errors  ms/page",
        "  density                         0       -     -     -  -                  0     4.00",
        "",
        "Left out, or in error (2):",
        "One page was left out.",
        "The peer 'x' is left out.",
    ]


def test_the_table_of_another_measure_shows_its_precision_and_recall():
    figures = {f"node_{name}": Interval(value, value, value) for name, value in (("p", 0.5), ("r", 1.0), ("f1", 0.625))}
    row = summary("webconex equality=tag+children size=8", 0.9, learned=7)
    table = text_table(report(replace(row, metrics={**row.metrics, **figures})), measure="node", timing=False)
    assert table.splitlines() == [
        "golden: 3 sites, 12 pages; P, R and F1 of Nodes",
        "",
        "  method                                learned       P     R    F1  95 %            words  errors",
        "  webconex equality=tag+children size=8       7   0.500 1.000 0.625  0.625-0.625     0.900       0",
    ]


def test_the_table_without_times_has_no_times():
    assert text_table(FOUND, timing=False) == text_table(
        replace(FOUND, summaries=[replace(row, seconds_per_page=7.0) for row in FOUND.summaries]), timing=False
    )
    assert "ms/page" not in text_table(FOUND, timing=False)


def test_the_table_has_a_column_for_each_measure():
    metrics = {f"{name}_f1": Interval(0.5, 0.4, 0.6) for name in ("word", "node", "lcs", "rouge2")}
    lines = text_table(report(summary(metrics=metrics), summary("cnr"))).splitlines()
    assert lines[2].split()[5:] == ["95", "%", "nodes", "LCSeq", "ROUGE-2", "errors", "ms/page"]
    assert lines[3].split()[-5:] == ["-", "-", "-", "0", "4.00"]
    assert lines[4].split()[-5:] == ["0.500", "0.500", "0.500", "0", "4.00"]
    assert len({len(line) for line in lines[2:5]}) == 1


# --- JSON ---


def test_runs_differ_in_timing_only():
    one, other = json.loads(json_report(FOUND)), json.loads(json_report(again(FOUND)))
    assert one["timing"] != other["timing"]
    assert one.pop("timing")["date"] == "2026-11-21"
    del other["timing"]
    assert one == other
    assert json_report(FOUND, timing=False) == json_report(again(FOUND), timing=False)
    assert json.loads(json_report(FOUND, timing=False)) == one


def test_figures_are_rounded_and_keys_sorted():
    source = json_report(FOUND)
    found = json.loads(source)
    assert source == json.dumps(found, indent=1, sort_keys=True, ensure_ascii=False) + "\n"
    row = found["summaries"][2]
    assert (row["collection"], row["method"], row["learned"]) == ("golden", "combined", 30)
    assert row["by_site_kind"] == {"blog": 0.97, "wiki": 0.333333}
    assert row["metrics"]["word_f1"] == {"mean": 0.96, "low": 0.93, "high": 0.99}
    assert [entry["method"] for entry in found["summaries"]] == ["density", "combined", "combined", "peer:trafilatura"]
    assert found["comparisons"][0]["difference"] == {"mean": 0.13, "low": 0.1, "high": 0.16}
    assert found["timing"]["summaries"][3] == {
        "collection": "golden",
        "method": "peer:trafilatura",
        "learned": 0,
        "seconds_per_page": 0.0213,
        "seconds_per_megabyte": 0.1,
    }


def test_figures_that_are_no_numbers_are_refused():
    with pytest.raises(ValueError, match="JSON compliant"):
        json_report(report(summary(metrics={"word_f1": Interval(float("nan"), 0, 1)})))


def test_evidence_is_a_column():
    row = summary("fastce", 0.9, learned=7)
    counted = replace(row, metrics={**row.metrics, "evidence_blocks": Interval(41.25, 30, 50)})
    first, *_ = text_table(report(counted, summary("cnr", 0.8)), timing=False).split("\n\n")[1:]
    assert first.splitlines() == [
        "  method                    learned       P     R    F1  95 %           blocks  errors",
        "  fastce                          7   0.920 0.880 0.900  0.870-0.930      41.2       0",
        "  cnr                             0   0.820 0.780 0.800  0.770-0.830         -       0",
    ]
