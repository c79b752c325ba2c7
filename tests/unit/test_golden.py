"""The golden pages are what they say they are."""

import re
import tomllib
from pathlib import Path

import pytest
from w3lib.encoding import html_body_declared_encoding

from sitecrawl.dom.page import Page
from sitecrawl.evaluation.gold import KINDS, gold_sites
from sitecrawl.evaluation.words import words
from sitecrawl.links.scope import SiteScope

GOLDEN = Path(__file__).parents[1] / "golden"
SITES = list(gold_sites(GOLDEN))
HTML = sorted(GOLDEN.glob("*/*.html"))
OUTSIDE_THE_TEXT = {
    "a comment": r"<!--.*?-->",
    "a template": r"<template>.*?</template>",
    "a noscript": r"<noscript>.*?</noscript>",
    "a hidden element": r"<p hidden>.*?</p>",
    "an element that is not displayed": r'<div [^>]*style="display: none">.*?</div>',
    "data for machines": r'<script type="application/ld\+json">.*?</script>',
}


def facts(html):
    """The toml file of a page, read without the gold reader, which fills in missing values."""
    return tomllib.loads(html.with_suffix(".toml").read_text(encoding="utf-8"))


def source(html):
    """The text of a page in the encoding that it declares. Raises UnicodeDecodeError if it is in another."""
    body = html.read_bytes()
    declared = html_body_declared_encoding(body)
    if declared != "utf-8":  # bytes of UTF-8 are valid, if senseless, in most others
        with pytest.raises(UnicodeDecodeError):
            body.decode("utf-8")
    return body.decode(declared)


def test_there_are_six_sites_of_different_kinds_and_nothing_is_left_out():
    assert len(SITES) >= 6
    assert sum(len(site.pages) for site in SITES) == len(HTML) >= 39
    assert [problem for site in SITES for problem in site.problems] == []
    abouts = [tomllib.loads((GOLDEN / site.name / "site.toml").read_text(encoding="utf-8")) for site in SITES]
    assert [about["url"] for about in abouts] == [f"https://{site.name}.example/" for site in SITES]
    assert all(about["name"] for about in abouts)
    assert len({about["kind"] for about in abouts}) == len(SITES)
    assert len({about["language"] for about in abouts}) >= 5
    assert {about["license"] for about in abouts} == {"BSD-3-Clause"}
    assert sum(path.stat().st_size for path in GOLDEN.rglob("*") if path.is_file()) < 600_000


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


@pytest.mark.parametrize("html", HTML, ids=lambda html: f"{html.parent.name}/{html.stem}")
def test_a_page_says_its_kind_and_url_and_is_in_the_encoding_that_it_declares(html):
    said = facts(html)
    assert set(said) == {"url", "kind"}
    assert said["kind"] in KINDS
    assert said["url"].startswith(f"https://{html.parent.name}.example/")
    lines = html.with_suffix(".txt").read_text(encoding="utf-8").splitlines()
    assert lines == [line.strip() for line in lines if line.strip()]
    assert "\ufffd" not in source(html)


def test_urls_are_all_different():
    urls = [facts(html)["url"] for html in HTML]
    assert len(set(urls)) == len(urls)


def test_pages_come_in_several_encodings():
    assert {html_body_declared_encoding(html.read_bytes()) for html in HTML} == {"utf-8", "gb18030", "cp1251"}
    assert sum(not html.read_bytes().isascii() for html in HTML) >= 20


@pytest.mark.parametrize("pattern", OUTSIDE_THE_TEXT.values(), ids=OUTSIDE_THE_TEXT)
def test_what_no_reader_sees_is_on_a_page_and_in_no_gold_text(pattern):
    found = [(html, part) for html in HTML for part in re.findall(pattern, source(html), flags=re.DOTALL)]
    assert found
    for html, part in found:
        sentence = " ".join(words(re.sub(r"</?[a-z]+[^>]*>|<!--|-->", " ", part)))
        assert sentence not in " ".join(words(html.with_suffix(".txt").read_text(encoding="utf-8")))


def test_one_page_nests_four_hundred_deep():
    pages = (Page.from_html(gold.html, gold.url) for site in SITES for gold in site.pages)
    assert max(max(page.flat.depth) for page in pages) >= 400
