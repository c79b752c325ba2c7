from sitecrawl.clock import now
from sitecrawl.crawl.site_statistics import SiteStatistics
from sitecrawl.dom.page import Page
from sitecrawl.items import PageItem
from sitecrawl.metadata.shared_values import Field, SiteValues
from sitecrawl.storage.db.engine import open_database, session_scope
from sitecrawl.storage.site_values import SiteValueRepository
from sitecrawl.storage.sites import SiteRepository
from tests.unit.crawl.crawling import PAGES, crawled, during, html


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


def test_a_page_counts_once_until_it_is_stored_and_in_no_later_crawl(sqlite_url):
    engine = open_database(sqlite_url)
    with session_scope(engine) as session:
        site_id = SiteRepository(session).get_or_add("example.org", "https://example.org/", now()).id
        statistics = SiteStatistics(session, site_id)
        one = item(1)
        values = statistics.count(one)
        assert one.reading is not None
        assert statistics.count(one) == values  # it is queried again before it is stored
        assert statistics.values.pages == 1
        statistics.stored(9)  # which was never counted
        assert statistics.pages == frozenset()
        statistics.stored(1)
        assert (statistics.pages, statistics.failed(1)) == ({1}, False)
    engine.dispose()


def test_what_was_decided_stays_whatever_later_pages_say(sqlite_url):
    engine = open_database(sqlite_url)
    with session_scope(engine) as session:
        sites = SiteRepository(session)
        site_id = sites.get_or_add("example.org", "https://example.org/", now()).id
        stored = SiteValueRepository(session)
        statistics = SiteStatistics(session, site_id)
        assert (statistics.decided, statistics.values.pages) == (False, 0)
        stored.count(site_id, statistics.count(item(1)))
        stored.decide(site_id)
        statistics.load(session)
        assert (statistics.decided, statistics.values.pages) == (True, 1)
        statistics.count(item(2))
        assert statistics.values.pages == 1
        taken = SiteValues({})
        other = SiteStatistics(session, sites.get_or_add("b.example", "https://b.example/", now()).id)
        other.take(taken)
        assert (other.decided, other.values is taken) == (True, True)
    engine.dispose()


def test_a_page_that_the_database_counts_meanwhile_is_not_counted_twice(sqlite_url):
    during(sqlite_url, lambda crawling: crawled(crawling, range(1, PAGES + 1)), reason="finished")
    engine = open_database(sqlite_url)
    with session_scope(engine) as session:
        site_id = SiteRepository(session).get("example.org").id
        statistics = SiteStatistics(session, site_id)
        (key, *_) = sorted(statistics.pages)
        statistics._pages.discard(key)
        one = item(1)
        one.url_key = key
        assert statistics.count(one) is not None
        before = statistics._counts.pages
        statistics.load(session)
        assert (before, statistics._counts.pages) == (PAGES + 1, PAGES)
        assert statistics.count(one) is None
    engine.dispose()
