import pytest
from sqlalchemy import update

from sitecrawl.storage.contents import ContentRepository
from sitecrawl.storage.pages import PageRepository, PageStatus
from sitecrawl.storage.revisits import RevisitRepository, Validators
from sitecrawl.storage.sites import SiteRepository
from sitecrawl.storage.tables.models import BODY
from tests.fetched import fetched, url
from tests.unit.storage.test_contents import NOW, record

ETAG, DATE = '"e"', "Sat, 03 Feb 2024 04:05:06 GMT"


@pytest.fixture
def site_id(session):
    """Pages 1 to 5 of two crawls: with an ETag, a date, neither, without content, and one that failed since."""
    site_id = SiteRepository(session).get_or_add("example.org", "https://example.org/", NOW).id
    pages, contents = PageRepository(session), ContentRepository(session)
    for key, etag, date in ((1, ETAG, None), (2, None, DATE), (3, None, None), (4, ETAG, None), (5, ETAG, None)):
        made = fetched(key)._replace(
            etag=etag, last_modified=date, links=(key * 10, -key), crawl_id=1 + (key == 2), fetch_order=9 - key
        )
        pages.record(site_id, [made])
        if key != 4:
            contents.put(
                site_id, record(key=key, order=key, words=f"text {key}", kind="listing" if key == 2 else "content")
            )
    pages.record(site_id, [fetched(5, status=PageStatus.ERROR, reason="HTTP 500", html=None)])
    return site_id


def test_validators_of_pages_that_were_found_and_extracted(session, site_id):
    revisits = RevisitRepository(session)
    assert revisits.validators(site_id, range(1, 7)) == {
        1: Validators(ETAG, None, 0, (10, -1), "content"),
        2: Validators(None, DATE, 0, (20, -2), "listing"),
        3: Validators(None, None, 0, (30, -3), "content"),
    }
    assert revisits.validators(site_id, [3, 2]).keys() == {2, 3}
    assert revisits.validators(site_id + 1, [1]) == {}
    assert revisits.validators(site_id, []) == {}


def test_a_body_is_compared_with_the_stored_one(session, site_id):
    revisits = RevisitRepository(session)
    stored = fetched(1).html
    assert stored
    assert revisits.body(site_id, 1) == stored.encode()
    assert revisits.body(site_id, 6) is None
    session.execute(update(BODY).where(BODY.c.url_key == 1).values(html=b"damaged"))
    assert revisits.body(site_id, 1) is None


def test_many_pages_are_read_in_parts(session, site_id, monkeypatch):
    monkeypatch.setattr("sitecrawl.storage.revisits.CHUNK", 1)
    revisits = RevisitRepository(session)
    assert revisits.validators(site_id, [1, 2, 3]).keys() == {1, 2, 3}
    assert revisits.links_of(site_id, [3, 1, 99]) == {1: (10, -1), 3: (30, -3)}


def test_links_of_the_pages_that_a_crawl_found_in_the_order_of_fetching(session, site_id):
    revisits = RevisitRepository(session)
    assert list(revisits.links_in_order(site_id, 1)) == [(url(key), (key * 10, -key)) for key in (4, 3, 1)]
    assert sorted(revisits.links(site_id, 1)) == sorted((key * 10, -key) for key in (1, 3, 4))
    assert list(revisits.links(site_id, 2)) == [(20, -2)]
    assert list(revisits.links(site_id + 1, 1)) == list(revisits.links_in_order(site_id, 3)) == []
