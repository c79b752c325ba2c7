"""Tests of originals whose duplicates were visited first after a change of the common text."""

import pytest
from sqlalchemy import text

from sitecrawl.storage.contents import ContentRepository
from sitecrawl.storage.db.engine import session_scope
from sitecrawl.storage.overtaken_originals import restore_originals
from tests.unit.storage.test_duplicates import LONG, NOW, _Site

FAR = 0xFFFF_FFFF


@pytest.fixture
def site(engine):
    return _Site(engine)


def changed(site, *keys, earlier="before", words=LONG):
    """Visit the pages in this order after their common text has changed."""
    for key in (1, 2, 3):
        site.put(key, words=words)
    for key in keys:
        site.put(key, "e", FAR, crawl_id=2, words=words)
    site.execute(f"UPDATE content SET earlier_text = '{earlier}' WHERE crawl_id = 2")
    site.execute("DELETE FROM outbox")


def restore(site, crawl_id=2):
    with session_scope(site.engine) as session:
        return restore_originals(session, site.id, crawl_id, 100, NOW)


def test_the_page_that_was_found_first_is_the_original_again(site):
    changed(site, 2, 3, 1)
    assert site.originals() == {1: 2, 2: None, 3: 2}
    assert restore(site) == 102
    assert site.originals() == {1: None, 2: 1, 3: 1}
    assert restore(site) == 100  # once is enough
    with session_scope(site.engine, write=False) as session:
        rows = list(ContentRepository(session).emitted(site.id, 2, after=100))
        told = session.execute(text("SELECT url_key, operation FROM outbox ORDER BY url_key")).all()
    assert [(row.record.url_key, row.status, site.key(row.record.duplicate_of)) for row in rows] == [
        (2, "changed", 1),
        (1, "changed", None),
    ]
    assert [tuple(row) for row in told] == [(1, 1), (2, 2)]  # 1 upsert, 2 delete


def test_a_page_that_is_visited_in_a_later_crawl_is_the_original_again_too(site):
    changed(site, 2, 1)
    site.execute("UPDATE content SET crawl_id = 1 WHERE url_key = 2")
    assert restore(site) == 102
    assert site.originals()[1] is None


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE content SET earlier_text = 'another' WHERE url_key = 1",  # a text of its own became that of the other
        "UPDATE content SET status = 'unchanged' WHERE url_key = 1",
        "UPDATE page SET discovery = 9 WHERE url_key = 1",
        "UPDATE page SET reason = 'noindex' WHERE url_key = 1",
        "UPDATE page SET reason = 'canonical' WHERE url_key = 2",
        "UPDATE content SET crawl_id = 1",
    ],
)
def test_other_duplicates_stay(site, change):
    changed(site, 2, 1)
    site.execute(change)
    assert restore(site) == 100
    assert site.originals()[1] == 2


def test_short_texts_may_be_mere_captions(site):
    changed(site, 2, 1, words="A caption.")
    assert restore(site) == 100
