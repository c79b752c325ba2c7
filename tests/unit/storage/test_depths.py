import pytest

from sitecrawl.storage.contents import ContentRepository
from sitecrawl.storage.depths import DepthRepository
from sitecrawl.storage.pages import PageRepository, PageStatus
from sitecrawl.storage.sites import SiteRepository
from tests.integration.feeding import content
from tests.unit.storage.test_pages import NOW, fetch


@pytest.fixture
def site_id(session):
    return SiteRepository(session).get_or_add("example.org", "https://example.org/", NOW).id


def put(session, site_id, key, depth, kind, *links, crawl_id=1, status=PageStatus.FETCHED, duplicate_of=None):
    found = fetch(key, depth=depth, links=links, crawl_id=crawl_id, status=status)
    PageRepository(session).record(site_id, [found])
    record = content(key, f"words of page {key}", kind=kind, duplicate_of=duplicate_of)
    ContentRepository(session).put(site_id, record)


def test_the_edge_has_lists_and_main_content_of_one_depth_and_the_links_of_the_lists_above(session, site_id):
    put(session, site_id, 1, 18, "listing", 90)
    put(session, site_id, 2, 19, "listing", 4, 5)
    put(session, site_id, 3, 19, "content", 4)
    put(session, site_id, 4, 20, "listing", 91)
    put(session, site_id, 5, 20, "content")
    put(session, site_id, 6, 20, "content", duplicate_of="https://example.org/5")
    put(session, site_id, 7, 20, "none")
    put(session, site_id, 8, 20, "listing", crawl_id=2)
    put(session, site_id, 9, 20, "content", status=PageStatus.DEAD)
    edge = DepthRepository(session).edge(site_id, 1, 20)
    assert edge == ({4}, {5}, ((4, 5),), set())


def test_links_are_read_only_where_there_are_lists_and_main_content(session, site_id):
    put(session, site_id, 2, 19, "listing", 4)
    put(session, site_id, 4, 20, "listing")
    edge = DepthRepository(session).edge(site_id, 1, 20)
    assert edge == ({4}, set(), (), set())


def test_the_evidence_may_be_of_an_earlier_crawl(session, site_id):
    put(session, site_id, 2, 19, "listing", 4, 5)
    put(session, site_id, 4, 20, "listing", crawl_id=2)
    put(session, site_id, 5, 20, "content")
    edge = DepthRepository(session).edge(site_id, 2, 20)
    assert edge == ({4}, {5}, ((4, 5),), set())


def test_a_page_is_followed_again_if_it_leads_to_a_stored_page_beyond_the_limit(session, site_id):
    put(session, site_id, 4, 20, "listing", 7, 90, crawl_id=2)
    put(session, site_id, 5, 20, "content", 7, crawl_id=2)
    put(session, site_id, 6, 20, "listing", 8, 4, crawl_id=2)  # 8 is dead
    put(session, site_id, 3, 20, "listing", 7)  # the crawl did not read it
    put(session, site_id, 7, 21, "content")
    put(session, site_id, 8, 21, "content", status=PageStatus.DEAD)
    assert DepthRepository(session).edge(site_id, 2, 20).followed == {4, 5}


def test_the_edges_are_the_multiples_of_the_step_where_the_crawl_read_pages(session, site_id):
    for key, depth in ((1, 0), (2, 20), (3, 21), (4, 60), (5, 20)):
        put(session, site_id, key, depth, "listing")
    put(session, site_id, 6, 40, "listing", crawl_id=2)
    put(session, site_id, 7, 80, "listing", status=PageStatus.DEAD)
    assert DepthRepository(session).edges(site_id, 1, 20) == [20, 60]
