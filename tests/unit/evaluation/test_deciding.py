import pytest

from sitecrawl.evaluation.gold import gold_sites
from sitecrawl.evaluation.runner import ALL_PAGES, Plan, evaluate_site
from sitecrawl.extractors import base
from sitecrawl.templates.decision import LayoutKind, PageEvidence
from tests.unit.evaluation.site import rows, write

FAULTY = "https://harbour.example/0.html"


class Obedient:
    """A method that reports the number of pages from which the layout of a page decided."""

    name = "obedient"
    needs = frozenset()

    def evidence(self, page, site):
        assert site.learned and site.template is not None
        return PageEvidence(LayoutKind.ARTICLE, 90.0, 1, "main")

    def extract(self, page, site=None):
        decision = site.decision if site is not None else None
        return base.Extraction((0,), self.name, 1.0, evidence={"told": decision.pages if decision else 0})


class Faulty(Obedient):
    """A method that fails on a page that gives evidence."""

    name = "faulty"

    def evidence(self, page, site):
        if page.url == FAULTY:
            raise ValueError("no such thing")
        return super().evidence(page, site)


@pytest.fixture
def site(tmp_path, monkeypatch):
    for one in (Obedient, Faulty):
        monkeypatch.setitem(base._CLASSES, one.name, one)
    write(tmp_path / "a.jsonl.gz", rows(40))
    (found,) = gold_sites(tmp_path)
    return found


def test_pages_obey_what_the_learned_pages_of_the_site_decide(site):
    result = evaluate_site(site, Plan(("obedient",), (0, 5, ALL_PAGES), False, 2, evidence=("told",)))
    told = {(one.learned, one.metrics["evidence_told"]) for one in result.scores if "word_f1" in one.metrics}
    assert told == {(0, 0), (5, 5), (42, 32)}


def test_a_method_that_cannot_decide_fails_on_each_page(site):
    result = evaluate_site(site, Plan(("faulty", "obedient"), (5,), False, 2))
    errors = [(one.method, one.error) for one in result.scores if "word_f1" in one.metrics]
    assert errors == [("faulty", "ValueError: no such thing")] * 2 + [("obedient", "")] * 2
