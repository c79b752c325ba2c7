"""The scores of the methods on the golden pages must not fall below their floors; after a rise, lift the floor."""

from pathlib import Path

import pytest

from sitecrawl import twins
from sitecrawl.evaluation.batch import run
from sitecrawl.evaluation.floors import check, read_floors
from sitecrawl.evaluation.gold import gold_sites
from sitecrawl.evaluation.runner import ALL_PAGES, Plan
from sitecrawl.evaluation.summary import summarise
from sitecrawl.extractors.base import extractor_names

GOLDEN = Path(__file__).parents[1] / "golden"


@pytest.mark.parametrize("extension", ["auto", "off"])
def test_no_method_falls_below_its_floor(extension, monkeypatch):
    monkeypatch.setenv(twins.VARIABLE, extension)  # the processes that evaluate inherit it
    learned = (0, ALL_PAGES)
    results = run(list(gold_sites(GOLDEN)), Plan(tuple(extractor_names()), learned, all_metrics=False), jobs=2)
    report = summarise([score for result in results for score in result.scores], (), learned=learned)
    floors = read_floors(GOLDEN / "floors.toml")
    assert check(report, floors) == []
    assert {name.partition("@")[0] for name in floors["golden"]} == set(extractor_names())
    assert not any(row.errors for row in report.summaries)
