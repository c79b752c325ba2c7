"""Tests of pinned floors."""

import pytest

from sitecrawl.errors import ConfigError
from sitecrawl.evaluation.floors import check, read_floors
from sitecrawl.evaluation.results import Interval

from .figures import report, summary

FLOORS = """
[golden.combined]
word_f1 = 0.9
word_p = 0.9

[golden."webconex@5"]
word_f1 = 0.7

[other."peer:trafilatura"]
word_f1 = 1
"""
FOUND = report(
    summary("combined", 0.5, learned=0),
    summary("combined", 0.9, learned=30),
    summary("webconex", 0.7, learned=5),
    summary("webconex", 0.6, learned=30),
    summary("peer:trafilatura", 0.8),
)


@pytest.fixture
def floors(tmp_path):
    """Return a function that reads floors from a text."""

    def read(text=FLOORS):
        path = tmp_path / "floors.toml"
        path.write_text(text, encoding="utf-8")
        return read_floors(path)

    return read


def test_floors_that_are_held(floors):
    assert check(FOUND, floors()) == []
    assert check(FOUND, {}) == []


def test_floors_that_are_not_held(floors):
    text = FLOORS.replace("0.9", "0.925").replace("0.7", "0.71").replace("[other.", "[golden.")
    assert check(FOUND, floors(text)) == [
        "golden: word_f1 of combined is 0.900000, below its floor of 0.925.",
        "golden: word_f1 of peer:trafilatura is 0.800000, below its floor of 1.",
        "golden: word_f1 of webconex@5 is 0.700000, below its floor of 0.71.",
        "golden: word_p of combined is 0.920000, below its floor of 0.925.",
    ]


def test_figures_are_compared_as_they_are_reported():
    """A figure that equals its floor as printed reaches the floor."""
    just = summary(metrics={"word_f1": Interval(0.8999999, 0, 1)})
    assert check(report(just), {"golden": {"combined": {"word_f1": 0.9}}}) == []
    below = summary(metrics={"word_f1": Interval(0.899999, 0, 1)})
    assert len(check(report(below), {"golden": {"combined": {"word_f1": 0.9}}})) == 1


def test_what_was_not_evaluated_does_not_hold_its_floor():
    missing = {"golden": {"cnr": {"word_f1": 0.1}, "webconex@7": {"word_f1": 0.1}, "combined": {"node_f1": 0.1}}}
    assert check(FOUND, missing) == [
        "golden: node_f1 of combined has a floor of 0.1, but there is no such figure.",
        "golden: word_f1 of cnr has a floor of 0.1, but the method was not evaluated.",
        "golden: word_f1 of webconex@7 has a floor of 0.1, but the method was not evaluated.",
    ]


def test_a_report_without_any_of_the_collections_holds_nothing():
    floors = {"one": {"cnr": {"word_f1": 0.1}}, "two": {}}
    assert check(FOUND, floors) == ["No floor was checked: there are floors for one, two, and figures for golden."]
    assert check(report(), floors) == ["No floor was checked: there are floors for one, two, and figures for nothing."]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("golden = 1", r"golden is not a table of methods"),
        ("[golden]\ncombined = 0.9", r"golden\.combined is not a table of metrics"),
        ("[golden.combined]\nword_f1 = '0.9'", r"golden\.combined\.word_f1 is '0\.9', not a number from 0 to 1"),
        ("[golden.combined]\nword_f1 = 95", r"is 95, not"),
        ("[golden.combined]\nword_f1 = true", r"is True, not"),
        ("[golden.combined]\nword_f1 = nan", r"is nan, not"),
        ("[golden", r"floors\.toml: cannot be read"),
    ],
)
def test_wrong_files_are_named(floors, text, message):
    with pytest.raises(ConfigError, match=message):
        floors(text)


def test_missing_and_binary_files_are_named(tmp_path):
    with pytest.raises(ConfigError, match=r"none\.toml: cannot be read"):
        read_floors(tmp_path / "none.toml")
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigError, match=r"bytes\.toml: cannot be read"):
        read_floors(tmp_path / "bytes.toml")
