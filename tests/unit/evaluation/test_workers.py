"""Pages whose extraction never returns: their process is killed, and the results of all others stay the same."""

import os
from dataclasses import replace

import pytest

from sitecrawl.errors import EvaluationError, ExtractorError
from sitecrawl.evaluation import workers
from sitecrawl.evaluation.batch import read_record, run
from sitecrawl.evaluation.gold import gold_sites
from sitecrawl.evaluation.runner import Plan, evaluate_site
from tests.unit.evaluation.site import rows, write
from tests.unit.evaluation.stubborn import ends_slowly, install

LIMIT = 0.4
ENDED = 0.4
"""Seconds after which a process is ended from outside, where that is to happen; where not, a busy machine has a minute."""


@pytest.fixture
def sites(tmp_path, monkeypatch):
    folder = tmp_path / "sites"
    folder.mkdir()
    for name in ("a", "b"):
        write(folder / f"{name}.jsonl.gz", rows(4))
    (tmp_path / "package").mkdir()
    install(tmp_path / "package")
    monkeypatch.syspath_prepend(tmp_path / "package")
    return list(gold_sites(folder))


def timeless(result):
    return [replace(score, seconds=0.0) for score in result.scores]


@pytest.mark.parametrize(
    "method, error",
    [
        ("swallows", "PageTimeoutError: over 0.4 s"),
        ("swallows-once", "PageTimeoutError: over 0.4 s"),
        ("swallows-all", "PageTimeoutError: over 0.4 s, its process was ended"),
        ("backtracks", "PageTimeoutError: over 0.4 s"),
        ("in-c", "PageTimeoutError: over 0.4 s, its process was ended"),
        ("dies", "EvaluationError: its process was ended by signal 11, twice"),
        ("exits", "SystemExit: 3"),
    ],
)
def test_a_page_that_does_not_come_back_is_an_error_and_the_others_go_on(sites, tmp_path, method, error):
    plan = Plan(("cnr", method, "everything"), (0, 2), seconds=LIMIT)
    record = tmp_path / "record.jsonl"
    grace = ENDED if "was ended" in error else 60.0
    results = run(sites, plan, jobs=2, record=record, grace=grace)
    assert [result.scores[0].site for result in results] == ["a", "b"]
    without = [timeless(evaluate_site(site, replace(plan, methods=("cnr", "everything")))) for site in sites]
    for result, expected in zip(results, without, strict=True):
        failed = [score for score in result.scores if score.error]
        assert [(score.learned, score.page[-7:], score.error) for score in failed] == [
            (n, "/1.html", error) for n in (0, 2)
        ]
        assert all(score.metrics["word_f1"] == 0 for score in failed)
        own = [score for score in result.scores if score.method == method]
        assert len(own) == 2 * 5
        assert [score for score in timeless(result) if score.method != method] == expected
        named = [sentence for sentence in result.problems if "/1.html is an error of" in sentence]
        assert len(named) == (0 if method == "exits" else 2)
    assert read_record(record) == {result.key: result for result in results}
    assert run(sites, plan, jobs=2, record=record, grace=grace) == results


def test_a_page_whose_process_was_ended_from_outside_is_tried_again(sites):
    results = run(sites, Plan(("dies-once", "cnr"), (0,)), jobs=2)
    assert all(not score.error for result in results for score in result.scores)
    assert [len(result.scores) for result in results] == [2 * 5, 2 * 5]
    assert [result.problems for result in results] == [(), ()]


def test_a_site_whose_process_ends_outside_its_pages_is_left_out_and_not_put_on_record(sites, tmp_path):
    record = tmp_path / "record.jsonl"
    results = run(sites, Plan(("everything", "unlearnable"), (0,)), jobs=1, record=record)
    sentences = [f"sites, {name}: left out, its process ended with status 4, for the second time." for name in "ab"]
    assert [result.problems for result in results] == [(sentence,) for sentence in sentences]
    assert all(not result.scores for result in results)
    assert not record.exists()


def test_what_the_evaluation_itself_raises_comes_through_with_where_it_was(sites):
    with pytest.raises(ExtractorError, match="unknown extraction method 'guess'") as raised:
        run(sites, Plan(("guess",)))
    assert "site_scores" in raised.value.__notes__[0]


def test_a_process_that_cannot_start_is_named(sites, monkeypatch):
    monkeypatch.setattr(workers, "_serve", os._exit)  # its arguments are no status
    with pytest.raises(EvaluationError, match="cannot be started: it ended with status 1"):
        run(sites, Plan(("everything",)))


def test_a_process_that_ends_slowly_is_asked_for_its_status(sites, monkeypatch):
    """On a busy machine a process ends a while after its connection."""
    monkeypatch.setattr(workers, "_serve", ends_slowly)
    with pytest.raises(EvaluationError, match="cannot be started: it ended with status 3"):
        run(sites, Plan(("everything",)))
