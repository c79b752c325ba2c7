import json

import pytest

from sitecrawl.evaluation.batch import run
from sitecrawl.evaluation.gold import GoldPage, GoldSite
from sitecrawl.evaluation.plain import json_report
from sitecrawl.evaluation.runner import ALL_PAGES, Plan, _Measured, _metrics, evaluate_site
from sitecrawl.evaluation.summary import summarise
from sitecrawl.extractors import base


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


def test_evidence_is_averaged_where_a_method_has_it(sites):
    result = evaluate_site(sites[0], Plan(("cnr", "everything"), (ALL_PAGES,), False, evidence=("blocks",)))
    found = {
        (score.method, "evidence_blocks" in score.metrics) for score in result.scores if "word_f1" in score.metrics
    }
    assert found == {("cnr", True), ("everything", False)}


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


def test_pages_of_several_encodings_are_read_and_what_is_not_in_theirs_is_counted(sites):
    html = "<html><head><meta charset={}></head><body><p>Гавань, причал</p></body></html>"
    written = (("windows-1251", "cp1251"), ("koi8-r", "koi8-r"), ("utf-8", "cp1251"), ("", "utf-16"))
    pages = tuple(
        GoldPage(f"{said} {real}", f"https://harbour.example/{i}", html.format(said).encode(real), "Гавань, причал")
        for i, (said, real) in enumerate(written)
    )
    result = evaluate_site(GoldSite("own", "a", pages), Plan(("everything",), (0,)))
    assert [score.metrics["word_f1"] for score in result.scores] == [1, 1, 0, 1]
    assert result.problems == ("own, a: utf-8 cp1251 has 12 characters that are not utf-8.",)


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


def test_the_best_is_compared_with_the_next(sites):
    scores = [score for r in run(sites, Plan(("combined", "everything"))) for score in r.scores]
    (found,) = summarise(scores, ()).comparisons[:1] or [None]
    assert (found.method, found.other) == ("combined", "everything")
    assert found.difference.low > 0
    assert json.loads(json_report(summarise(scores, ("b.", "a.", "a.")), timing=False))["problems"] == ["a.", "b."]


@pytest.mark.parametrize(
    ("gold", "verdict", "seen"),
    [
        ("listing", "listing", 1),
        ("listing", "none", 0),
        ("none", "none", 1),
        ("none", "listing", 1),
        ("none", "content", 0),
    ],
)
def test_a_listing_is_seen_if_it_is_called_so(gold, verdict, seen):
    page = GoldPage("a", "https://a.example/", b"", "", gold)
    assert _metrics(page, "", verdict, Plan(("combined",)), _Measured()) == {"listing_seen": seen}
