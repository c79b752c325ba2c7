import json

import pytest

from sitecrawl.errors import EvaluationError
from sitecrawl.evaluation.gold import GoldPage, GoldSite, gold_sites
from sitecrawl.evaluation.plain import json_report
from sitecrawl.evaluation.runner import ALL_PAGES, Plan, evaluate_site, read_record, run
from sitecrawl.evaluation.summary import summarise
from sitecrawl.extractors import base
from tests.unit.evaluation.site import rows, write


@pytest.fixture
def sites(tmp_path):
    folder = tmp_path / "sites"
    folder.mkdir()
    for name in ("a", "b", "c"):
        write(folder / f"{name}.jsonl.gz", rows(6 if name != "c" else 3))
    return list(gold_sites(folder))


def test_content_pages_are_scored_and_others_only_told_apart(sites):
    result = evaluate_site(sites[0], Plan(("everything", "combined")))
    assert len(result.scores) == 2 * 7  # the page whose content is not known is left out
    content = [score for score in result.scores if score.method == "combined" and "word_f1" in score.metrics]
    assert len(content) == 6
    assert all(score.metrics["word_f1"] == 1 and score.metrics["node_f1"] > 0.6 for score in content)
    assert {score.learned for score in result.scores} == {8}
    whole = next(score for score in result.scores if score.method == "everything" and "word_f1" in score.metrics)
    assert whole.metrics["word_r"] == 1 > whole.metrics["word_p"]
    assert whole.metrics["node_p"] < 1 == whole.metrics["node_r"]
    (listing,) = (s for s in result.scores if s.method == "everything" and "listing_seen" in s.metrics)
    assert listing.metrics == {"listing_seen": 0.0}


def test_methods_that_need_the_site_are_left_out_when_nothing_was_learned(sites):
    result = evaluate_site(sites[0], Plan(("webconex", "sst", "cnr"), (0, 3, ALL_PAGES), False, 2))
    assert {(score.method, score.learned) for score in result.scores} == {
        ("cnr", 0),
        *((name, n) for name in ("webconex", "sst", "cnr") for n in (3, 8)),
    }
    assert set(result.scores[0].metrics) <= {"word_p", "word_r", "word_f1", "content_seen", "listing_seen"}


def test_a_page_that_cannot_be_parsed_is_named(sites):
    pages = (*sites[0].pages, GoldPage("empty", "https://harbour.example/empty", "", "x"))
    result = evaluate_site(GoldSite("sites", "a", pages), Plan(("everything",)))
    assert result.problems == ("sites, a: empty was left out: the page is empty.",)
    assert len(result.scores) == 7


def test_a_method_that_raises_or_hangs_is_an_error_of_that_page(sites, monkeypatch):
    class Broken:
        name = "broken"
        needs = frozenset()

        def extract(self, page, site=None):
            if page.url.endswith("/1.html"):
                while True:
                    pass
            if page.url.endswith("/2.html"):
                raise ValueError("no such thing")
            return base.Extraction((0,), "broken", 1.0)

    monkeypatch.setitem(base._CLASSES, "broken", Broken)
    result = evaluate_site(sites[0], Plan(("broken",), (0,), seconds=0.2))
    errors = {score.page.rsplit("/")[-1]: score for score in result.scores if score.error}
    assert set(errors) == {"1.html", "2.html"}
    assert errors["1.html"].error == "PageTimeoutError: over 0.2 s"
    assert errors["2.html"].error == "ValueError: no such thing"
    assert errors["2.html"].metrics["word_f1"] == errors["2.html"].metrics["node_f1"] == 0
    (summary,) = summarise(result.scores, ()).summaries
    assert (summary.errors, summary.pages) == (2, 7)


def test_processes_and_one_process_agree_and_a_stopped_run_goes_on(sites, tmp_path):
    plan = Plan(("combined", "webconex"), (0, 5))
    record, told = tmp_path / "record.jsonl", []
    once = run(sites, plan, jobs=2, record=record)
    report = json_report(summarise([s for r in once for s in r.scores], (), learned=(0, 5)), timing=False)
    lines = record.read_text().lstrip().splitlines()
    assert len(lines) == 3
    record.write_text(lines[1] + "\n" + lines[0][:100])  # killed while writing
    again = run(sites, plan, jobs=2, record=record, told=lambda done, result: told.append(done))
    assert json_report(summarise([s for r in again for s in r.scores], (), learned=(0, 5)), timing=False) == report
    assert told == [1, 2, 3]
    assert len(read_record(record)) == 3
    assert len(run(sites, Plan(("cnr",)), jobs=1, record=record)) == 3  # another plan is not found there
    assert len(read_record(record)) == 6


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


def test_the_best_is_compared_with_the_next(sites):
    scores = [score for r in run(sites, Plan(("combined", "everything"))) for score in r.scores]
    (found,) = summarise(scores, ()).comparisons[:1] or [None]
    assert (found.method, found.other) == ("combined", "everything")
    assert found.difference.low > 0
    assert json.loads(json_report(summarise(scores, ("b.", "a.", "a.")), timing=False))["problems"] == ["a.", "b."]
