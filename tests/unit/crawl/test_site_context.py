"""Tests of what the database knows about the site of a single page."""

import pytest
from sqlalchemy import Engine

from sitecrawl.config import Config
from sitecrawl.crawl.site_context import stored_site
from sitecrawl.dom.page import Page
from sitecrawl.errors import UnknownSiteError
from sitecrawl.extractors.base import get_extractor
from sitecrawl.links.comparison import Comparison
from sitecrawl.links.urls import url_key
from sitecrawl.storage.revisits import RevisitRepository
from tests.unit.crawl.crawling import PAGES, ROOT, crawled, during, html

NUMBERS = range(1, PAGES + 1)


async def linked(crawling):
    for number in NUMBERS:
        await crawling.page(f"{ROOT}{number}", html(number, links=tuple(f"/{other}" for other in NUMBERS)))
    await crawled(crawling, ())


@pytest.fixture
def known(sqlite_url):
    during(sqlite_url, linked, reason="finished")
    return Config(database_url=sqlite_url, sample_pages=2)


def context(config, url, *, extractor="combined", host=None, body=None):
    page = Page.from_html(body or html(50, links=("/1", "/2", "/3")), url)
    found = stored_site(config, page, get_extractor(extractor), host)
    return found and found.context


@pytest.mark.parametrize(
    ("url", "learned"), [(f"{ROOT}1", True), (f"{ROOT}50", False), (f"{ROOT}1#part", True), ("page.html", None)]
)
def test_the_template_of_the_site_of_a_url(known, url, learned):
    found = context(known, url)
    if learned is None:
        assert found is None
    else:
        assert (found.template.pages_seen, found.learned, found.neighbours) == (PAGES, learned, ())
        assert found.blocks is not None


@pytest.mark.parametrize(("url", "seen"), [(f"{ROOT}1", PAGES), (f"{ROOT}50", None)])
def test_a_page_that_matches_no_layout_has_the_one_that_the_crawl_stored(known, url, seen):
    unlike = f"<table>{''.join(f'<tr><td><b>Row {i}</b><td><i>of the</i> table' for i in range(40))}</table>"
    template = context(known, url, body=unlike).template
    assert (template and template.pages_seen) == seen


def test_the_site_that_is_named_counts_for_a_file(known):
    found = context(known, "page.html", host="example.org")
    assert (found.template.pages_seen, found.learned) == (PAGES, False)


@pytest.mark.parametrize("host", ["other.example", ""])
def test_a_site_that_is_not_known_is_an_error_where_it_was_asked_for(known, host):
    with pytest.raises(UnknownSiteError, match=r"nothing about this site; (known:|did you mean) example\.org"):
        context(known, f"{ROOT}1", host=host)
    assert context(known, "https://other.example/1") is None


def test_a_database_that_is_not_there_is_not_made(tmp_path):
    config = Config(database_url=f"sqlite:///{tmp_path}/missing.db")
    assert context(config, f"{ROOT}1") is None
    with pytest.raises(UnknownSiteError):
        context(config, f"{ROOT}1", host="example.org")
    assert list(tmp_path.iterdir()) == []


def test_a_site_without_a_template_yet(sqlite_url):
    async def one(crawling):
        await crawling.page(f"{ROOT}1", html(1))

    during(sqlite_url, one)
    assert context(Config(database_url=sqlite_url), f"{ROOT}1") is None


def texts(found):
    return len(found.neighbours)


def titles(flats):
    return [flat.text[flat.tag.index("h1") + 1] for flat in flats]


@pytest.mark.parametrize("url", [f"{ROOT}1", f"{ROOT}50"])
def test_the_pages_that_a_page_is_compared_with(known, url):
    """Those that were selected when it was crawled, or what its links lead to: as many as the method reads."""
    for size in (1, 3):
        page = Page.from_html(html(50, links=("/1", "/2", "/3")), url)
        found = stored_site(known, page, get_extractor("webconex", size=size)).context
        assert texts(found) == max(size, known.sample_pages)


def test_a_page_whose_links_lead_to_no_stored_page_is_compared_with_those_fetched_first(known):
    assert texts(context(known, f"{ROOT}50", extractor="temex", body=html(50, links=("/91", "/92")))) == 3


def test_a_method_with_a_sample_of_the_site_is_given_pages_by_their_keys_not_the_first_ones(known):
    page = Page.from_html(html(50), f"{ROOT}50")
    by_key = sorted(NUMBERS, key=lambda number: url_key(f"{ROOT}{number}"))
    assert by_key[:3] != [1, 2, 3]
    for size in (3, 25):
        found = stored_site(known, page, get_extractor("fastce", size=size)).context
        assert titles(found.neighbours) == [f"Title {number}" for number in by_key[:size]]


@pytest.mark.parametrize(("extractor", "reads"), [("temex", True), ("webconex", False)])
def test_the_links_of_other_pages_are_read_for_the_method_that_looks_at_them(known, monkeypatch, extractor, reads):
    asked = []
    links_of = RevisitRepository.links_of
    monkeypatch.setattr(
        RevisitRepository, "links_of", lambda self, site, keys: asked.append(set(keys)) or links_of(self, site, keys)
    )
    context(known, f"{ROOT}50", extractor=extractor)
    assert [keys >= {url_key(f"{ROOT}{number}") for number in (1, 2, 3)} for keys in asked] == [True] * reads


@pytest.mark.parametrize(("extractor", "sampled"), [("rbm-td", True), ("webconex", False)])
def test_only_a_method_without_a_sample_of_the_site_is_given_what_a_page_links_to(
    known, monkeypatch, extractor, sampled
):
    monkeypatch.setattr(Comparison, "keys", lambda *_: iter(()))
    assert texts(context(known, f"{ROOT}50", extractor=extractor)) == (PAGES if sampled else 0)


def test_the_database_is_closed_after_a_look(known, monkeypatch):
    closed = []
    monkeypatch.setattr(Engine, "dispose", lambda self, **_: closed.append(self))
    context(known, f"{ROOT}1")
    assert closed
