"""Tests of the pages of each layout that commands show, on a real database."""

import pytest
from sqlalchemy import text

from sitecrawl.config import Config
from sitecrawl.crawl import layout_samples as module
from sitecrawl.crawl.layout_samples import layout_samples
from sitecrawl.extractors.base import Extraction
from sitecrawl.page_kind import Kind
from sitecrawl.storage.db.engine import open_database, session_scope
from sitecrawl.storage.sites import SiteRepository
from tests.unit.crawl.crawling import ROOT, crawled, during, html

NUMBERS = range(1, 8)


class Kinds:
    """A method that gives page N the kind in `kinds`, with the first node as its main content."""

    name = "kinds"

    def __init__(self, **kinds):
        self.kinds, self.contexts = kinds, []

    def extract(self, page, site):
        self.contexts.append(site)
        return Extraction((0,), self.name, 1.0, self.kinds.get(f"page{page.url.removeprefix(ROOT)}", Kind.CONTENT))


@pytest.fixture
def session(sqlite_url):
    during(sqlite_url, lambda crawling: crawled(crawling, NUMBERS), reason="finished")
    engine = open_database(sqlite_url)
    with session_scope(engine) as session:
        yield session
    engine.dispose()


def samples(session, method, **settings):
    site_id = SiteRepository(session).get("example.org").id
    return list(layout_samples(session, site_id, Config(**settings), method))


def urls(sample):
    return sorted(page.url.removeprefix(ROOT) for page, _ in sample.chosen)


def test_the_pages_of_a_layout_with_their_main_content(session):
    method = Kinds()
    (sample,) = samples(session, method)
    assert (sample.number, sample.pages) == (1, len(NUMBERS))
    assert urls(sample) == [str(number) for number in NUMBERS]
    assert {nodes for _, nodes in sample.chosen} == {(0,)}
    assert all(one.template is not None for one in method.contexts)
    assert any(one.learned for one in method.contexts)


def test_pages_without_main_content_are_left_out_and_listings_too_where_there_are_others(session, monkeypatch):
    kinds = {"page1": Kind.NONE, "page2": Kind.LISTING, "page3": Kind.LISTING}
    monkeypatch.setattr(module, "SEEN", 4)
    (enough,) = samples(session, Kinds(**kinds))
    assert urls(enough) == ["4", "5", "6", "7"]
    monkeypatch.setattr(module, "SEEN", 5)
    (few,) = samples(session, Kinds(**kinds))
    assert urls(few) == ["2", "3", "4", "5", "6", "7"]


def test_so_many_pages_are_examined(session, monkeypatch):
    monkeypatch.setattr(module, "SAMPLE", 3)
    (sample,) = samples(session, Kinds())
    assert (len(sample.chosen), sample.pages) == (3, len(NUMBERS))


def test_pages_that_cannot_be_read_are_passed_over(session):
    keys = session.scalars(text("SELECT url_key FROM body ORDER BY url_key")).all()
    session.execute(text("UPDATE body SET html = x'00' WHERE url_key = :key"), {"key": keys[0]})
    (sample,) = samples(session, Kinds())
    assert len(sample.chosen) == len(NUMBERS) - 1


def test_a_site_without_a_template_has_no_layouts(sqlite_url):
    during(sqlite_url, lambda crawling: crawling.page(f"{ROOT}1", html(1)), template_min_pages=30)
    engine = open_database(sqlite_url)
    with session_scope(engine) as session:
        assert samples(session, Kinds()) == []
    engine.dispose()
