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
    assert (edge.lists, edge.content, edge.above) == ({4}, {5}, ((4, 5),))


def test_links_are_read_only_where_there_are_lists_and_main_content(session, site_id):
    put(session, site_id, 2, 19, "listing", 4)
    put(session, site_id, 4, 20, "listing")
    edge = DepthRepository(session).edge(site_id, 1, 20)
    assert (edge.lists, edge.content, edge.above) == ({4}, set(), ())
