"""The golden pages are what they say they are."""

import tomllib
from pathlib import Path

import pytest

from sitecrawl.dom.page import Page
from sitecrawl.evaluation.gold import KINDS, gold_sites
from sitecrawl.evaluation.words import words
from sitecrawl.links.scope import SiteScope

GOLDEN = Path(__file__).parents[1] / "golden"
SITES = list(gold_sites(GOLDEN))


def test_there_are_six_sites_of_different_kinds_and_nothing_is_left_out():
    assert len(SITES) >= 6
    assert sum(len(site.pages) for site in SITES) >= 30
    assert [problem for site in SITES for problem in site.problems] == []
    abouts = [tomllib.loads((GOLDEN / site.name / "site.toml").read_text()) for site in SITES]
    assert len({about["kind"] for about in abouts}) == len(SITES)
    assert len({about["language"] for about in abouts}) >= 5
    assert {about["license"] for about in abouts} == {"BSD-3-Clause"}
    assert sum(path.stat().st_size for path in GOLDEN.rglob("*")) < 700_000


@pytest.mark.parametrize("site", SITES, ids=lambda site: site.name)
def test_gold_text_is_on_its_page(site):
    scope = SiteScope(f"{site.name}.example")
    for gold in site.pages:
        assert gold.kind in KINDS
        assert bool(gold.text.strip()) == (gold.kind == "content"), gold.name
        assert scope.contains(gold.url)
        page = Page.from_html(gold.html, gold.url)
        missing = set(words(gold.text)) - set(words(page.text((0,))))
        assert not missing, (gold.name, sorted(missing)[:5])
        assert len(words(gold.text)) < 0.9 * len(words(page.text((0,))))


def test_pages_come_in_several_encodings():
    found = set()
    for site in SITES:
        for gold in site.pages:
            try:
                gold.html.decode("utf-8")
                found.add("utf-8")
            except UnicodeDecodeError:
                found.add("other")
                assert gold.html.decode("gb18030" if site.name == "chengshi-bao" else "windows-1251")
    assert found == {"utf-8", "other"}
