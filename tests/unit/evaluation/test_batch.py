import pytest

from sitecrawl.errors import EvaluationError
from sitecrawl.evaluation.batch import read_record, run
from sitecrawl.evaluation.plain import json_report
from sitecrawl.evaluation.runner import ALL_PAGES, Plan
from sitecrawl.evaluation.summary import summarise


def test_processes_and_one_process_agree_and_a_stopped_run_goes_on(sites, tmp_path):
    plan = Plan(("combined", "webconex"), (0, 5))
    record, told = tmp_path / "record.jsonl", []
    once = run(sites, plan, jobs=2, record=record)
    report = json_report(summarise([s for r in once for s in r.scores], (), learned=(0, 5)), timing=False)
    lines = record.read_text().lstrip().splitlines()
    assert len(lines) == 3
    record.write_text(lines[1] + "\n" + lines[0][:100])  # killed while writing
    again = run(sites, plan, jobs=2, record=record, report=lambda done, result: told.append(done))
    assert json_report(summarise([s for r in again for s in r.scores], (), learned=(0, 5)), timing=False) == report
    assert told == [1, 2, 3]
    assert len(read_record(record)) == 3
    assert len(run(sites, Plan(("cnr",)), jobs=1, record=record)) == 3  # another plan is not found there
    assert len(read_record(record)) == 6


def test_the_order_of_learning_is_part_of_the_plan(sites):
    """The preparation of fastce from two pages depends on the choice of the pages."""
    plans = [Plan(("fastce with_page=False",), (2,), False, learn_order=order) for order in ("crawl", "random")]
    crawl, shuffled = ([s.metrics for r in run(sites, plan, jobs=1) for s in r.scores] for plan in plans)
    assert len(crawl) == len(shuffled)
    assert crawl != shuffled


def test_sites_smaller_than_what_was_to_be_learned_count_with_the_others(sites):
    scores = [s for r in run(sites, Plan(("cnr",), (4, ALL_PAGES), False), jobs=2) for s in r.scores]
    assert {(score.site, score.learned) for score in scores} == {
        *(("a", n) for n in (4, 8)),
        *(("b", n) for n in (4, 8)),
        *(("c", n) for n in (4, 5)),
    }
    report = summarise(scores, (), learned=(4, ALL_PAGES))
    assert [(row.method, row.learned, row.sites) for row in report.summaries] == [("cnr", 4, 3), ("cnr", 8, 3)]


def test_a_record_that_cannot_be_read_is_named(tmp_path):
    (tmp_path / "record").mkdir()
    with pytest.raises(EvaluationError, match="record: cannot be read"):
        read_record(tmp_path / "record")
