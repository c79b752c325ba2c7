"""Tests of the links of one stored page."""

import pytest

from sitecrawl.links.anchor_texts import LinkText
from sitecrawl.storage.anchor_texts import LinkTextRepository
from sitecrawl.storage.page_links import LinkedPage, PageLinkRepository
from sitecrawl.storage.pages import PageRepository
from sitecrawl.storage.sites import SiteRepository
from tests.fetched import fetched, url
from tests.unit.storage.test_contents import NOW


@pytest.fixture
def sites(session):
    """Two sites with pages 1 to 3; those of the first one link to each other."""
    found = [SiteRepository(session).get_or_add(f"{name}.org", f"https://{name}.org/", NOW).id for name in "ab"]
    for site_id in found:
        for key, links in ((1, (3, 2)), (2, (3,)), (3, ())):
            PageRepository(session).record(site_id, [fetched(key)._replace(links=links)])
    texts = LinkTextRepository(session)
    texts.record(found[0], 1, [LinkText(3, "Soup"), LinkText(2, "Bread")])
    texts.record(found[0], 2, [LinkText(3, "A bowl")])
    texts.record(found[1], 2, [LinkText(3, "Another site")])
    return found


def test_links_of_a_page_in_their_order(session, sites):
    links = PageLinkRepository(session)
    assert [links.out(sites[0], key) for key in (1, 2, 3, 4)] == [(3, 2), (3,), (), ()]
    assert links.out(max(sites) + 1, 1) == ()


def test_links_to_a_page_with_their_texts(session, sites):
    links = PageLinkRepository(session)
    assert links.into(sites[0], 3, 9) == [LinkedPage(2, url(2), "A bowl"), LinkedPage(1, url(1), "Soup")]
    assert links.into(sites[0], 3, 1) == [LinkedPage(2, url(2), "A bowl")]
    assert links.into(sites[0], 2, 9) == [LinkedPage(1, url(1), "Bread")]
    assert links.into(sites[1], 3, 9) == [LinkedPage(2, url(2), "Another site")]
    assert links.into(sites[0], 1, 9) == []
