"""Tests of what the UI knows about the site of a page."""

from sitecrawl.config import Config
from sitecrawl.dom.page import Page
from sitecrawl.links.urls import url_key
from sitecrawl.storage.bodies import BodyRepository
from sitecrawl.storage.db.engine import open_database, session_scope
from sitecrawl.ui.knowledge import KnowledgeCache
from tests.unit.ui.conftest import HOST


def test_a_method_with_a_sample_of_the_site_is_given_that_of_a_crawl(url):
    config = Config(database_url=url, extractor="fastce", extractor_options={"size": 3})
    engine = open_database(url)
    with session_scope(engine) as session:
        keys = {url_key(f"https://{HOST}/{number}"): number for number in range(1, 13)}
        stored = BodyRepository(session).stored(1, next(iter(keys)))
        page = Page.from_html(stored.html, stored.url)
        context = KnowledgeCache(config).of(session, 1).context(session, 1, stored, page)
    engine.dispose()
    shown = [flat.text[flat.tag.index("h1") + 1] for flat in context.neighbours]
    assert shown == [f"Story {keys[key]}" for key in sorted(keys)[:3]]
