from sitecrawl.clock import now
from sitecrawl.crawl.site_statistics import SiteStatistics
from sitecrawl.dom.page import Page
from sitecrawl.items import PageItem
from sitecrawl.metadata.shared_values import Field
from sitecrawl.storage.db.engine import open_database, session_scope
from sitecrawl.storage.sites import SiteRepository
from tests.unit.crawl.crawling import html


def item(number):
    body = html(number)
    page = Page.from_html(body, f"https://example.org/{number}")
    return PageItem(page=page, url_key=number, html=body, http_status=200, depth=1, fetched_at=now())


def test_pages_that_are_about_to_be_stored_count_after_another_one_failed(sqlite_url):
    engine = open_database(sqlite_url)
    with session_scope(engine) as session:
        site_id = SiteRepository(session).get_or_add("example.org", "https://example.org/", now()).id
        statistics = SiteStatistics(session, site_id)
        values = [statistics.count(item(number)) for number in (1, 2)]
        assert all((Field.PAGES, 0) in one for one in values)
        assert statistics.values.pages == 2
        assert statistics.failed(1)
        statistics.load(session)
        assert (statistics.values.pages, statistics.pages) == (1, frozenset())
        statistics.stored(2)
        assert statistics.pages == {2}
        assert statistics.count(item(2)) is None  # a page counts once
        assert not statistics.failed(2)
    engine.dispose()
