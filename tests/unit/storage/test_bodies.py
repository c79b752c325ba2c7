"""Tests of stored bodies and links."""

import pytest
import zstandard
from sqlalchemy import text, update

from sitecrawl.errors import DamagedBodyError
from sitecrawl.storage.bodies import BodyRepository, pack, stored_html, unpack, unpacked
from sitecrawl.storage.pages import PageRepository, PageStatus
from sitecrawl.storage.revisits import RevisitRepository
from sitecrawl.storage.sites import SiteRepository
from sitecrawl.storage.tables.models import PAGE
from tests.fetched import fetched, url
from tests.unit.storage.test_contents import NOW


@pytest.fixture
def session(sqlite_session):
    return sqlite_session


@pytest.fixture
def site_id(session):
    """A site whose pages 1 to 3 have bodies, and another one with a page 1 of its own."""
    sites, pages = SiteRepository(session), PageRepository(session)
    for host in ("b.example", "a.example"):
        site_id = sites.get_or_add(host, f"https://{host}/", NOW).id
        made = [
            fetched(key)._replace(html=f"<p>{host} {key} \u00e9", fetch_order=9 - key, sample=(4, 5))
            for key in (1, 2, 3)
        ]
        pages.record(site_id, made if host == "a.example" else made[:1])
    return site_id


def test_a_page_is_read_with_its_body_or_without_one(session, site_id):
    bodies = BodyRepository(session)
    changes = {"reason": "noindex", "learned_version": 3, "content_language": "de", "layout": 2}
    session.execute(update(PAGE).where(PAGE.c.site_id == site_id, PAGE.c.url_key == 1).values(**changes))
    page = bodies.stored(site_id, 1)
    assert (page.url_key, page.url, page.html) == (1, url(1), "<p>a.example 1 \u00e9")
    assert (page.http_status, page.depth, page.fetched_at, page.sample) == (200, fetched(1).depth, NOW, (4, 5))
    assert (page.reason, page.learned_version, page.content_language, page.layout) == ("noindex", 3, "de", 2)
    bodies.drop(site_id, 1)
    assert bodies.stored(site_id, 1) == page._replace(html=None)
    assert [bodies.stored(site_id, key).html for key in (2, 3)] == ["<p>a.example 2 \u00e9", "<p>a.example 3 \u00e9"]
    assert bodies.stored(site_id, 99) is None
    other = SiteRepository(session).get("b.example").id
    assert bodies.stored(other, 1).html == "<p>b.example 1 \u00e9"


def test_only_a_page_that_was_fetched_replaces_the_body_and_the_links(session, site_id):
    bodies = BodyRepository(session)
    new = fetched(1)._replace(html="<p>new", links=(7, 8))
    bodies.put(site_id, new._replace(status=PageStatus.ERROR))
    assert bodies.stored(site_id, 1).html == "<p>a.example 1 \u00e9"
    bodies.put(site_id, new)
    assert bodies.stored(site_id, 1).html == "<p>new"
    bodies.put(site_id, new._replace(html=None, links=(9,)))
    assert bodies.stored(site_id, 1).html == "<p>new"
    assert RevisitRepository(session).links_of(site_id, [1]) == {1: (9,)}


def test_pages_with_a_body_are_listed_in_the_order_in_which_they_were_fetched(session, site_id):
    bodies = BodyRepository(session)
    assert bodies.fetched(site_id) == [3, 2, 1]
    session.execute(update(PAGE).where(PAGE.c.url_key == 2).values(status=int(PageStatus.GONE)))
    session.execute(update(PAGE).where(PAGE.c.url_key == 1).values(status=int(PageStatus.UNCHANGED)))
    assert bodies.fetched(site_id) == [3, 1]
    bodies.drop(site_id, 3)
    assert bodies.fetched(site_id) == [1]


def test_a_body_is_read_in_bytes(session, site_id):
    assert stored_html(session, site_id, 2) == "<p>a.example 2 \u00e9".encode()
    assert stored_html(session, site_id, 99) is None
    session.execute(text("UPDATE body SET html = x'00'"))
    with pytest.raises(DamagedBodyError, match=r"^the stored body is damaged; crawl the site again"):
        stored_html(session, site_id, 2)


@pytest.mark.parametrize("held", [b"\x00", zstandard.compress(b"\xff")])
def test_a_damaged_body_is_named_with_its_page(session, held):
    with pytest.raises(DamagedBodyError, match=r"^https://a\.example/7: the stored body is damaged"):
        unpacked(session, "https://a.example/7", held)


@pytest.mark.parametrize("keys", [(), (1,), (2**63 - 1, 0, 5)])
def test_keys_are_packed_in_eight_bytes_each(keys):
    packed = pack(keys)
    assert len(packed) == 8 * len(keys)
    assert unpack(packed) == keys
    assert unpack(packed + b"\x00" * 7) == keys  # what was cut is left out
