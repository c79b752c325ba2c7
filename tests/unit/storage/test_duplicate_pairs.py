"""Tests of duplicates as they are shown: each with its original."""

import pytest

from sitecrawl.links.urls import url_id
from sitecrawl.storage.contents import ContentRepository
from sitecrawl.storage.duplicate_pairs import DuplicatePair, DuplicatePairRepository
from sitecrawl.storage.pages import PageRepository
from sitecrawl.storage.simhash_bands import indexed_bands
from sitecrawl.storage.sites import SiteRepository
from sitecrawl.storage.tables.models import CONTENT
from tests.fetched import fetched, url
from tests.unit.storage.test_contents import NOW, record

NEAR = 7
"""A simhash that shares three bands with that of every page."""


@pytest.fixture
def site_id(session):
    """Page 1 is the original of 2 (the same words) and 3 (nearly so); that of 4 has changed since; 5 is alone."""
    sites, pages, contents = SiteRepository(session), PageRepository(session), ContentRepository(session)
    ids = [sites.get_or_add(f"{name}.org", f"https://{name}.org/", NOW).id for name in "ab"]
    for site_id in ids:
        for key, words, original in (
            (1, "one", None),
            (2, "one", 1),
            (3, "other", 1),
            (4, "four", 6),
            (5, "five", None),
        ):
            pages.record(site_id, [fetched(key)])
            duplicate_of = url_id(url(original)) if original else None
            simhash = NEAR if key in (1, 3) else key << 60 | 1 << 44 | key << 30 | key << 14
            made = record(key, order=key, words=words, duplicate_of=duplicate_of, simhash=simhash, title=f"T{key}")
            contents.put(site_id, made, index=original is None)
            values = indexed_bands(simhash, 10_000, None) if original is None else {}
            session.execute(
                CONTENT.update()
                .where(CONTENT.c.site_id == site_id, CONTENT.c.url_key == key)
                .values(duplicate_of=duplicate_of, **values)
            )
    return ids[0]


def test_each_duplicate_has_its_original(session, site_id):
    found = {one.url_key: one for one in DuplicatePairRepository(session).pairs(site_id)}
    assert found == {
        2: DuplicatePair(2, url(2), "T2", True, 1, url(1)),
        3: DuplicatePair(3, url(3), "T3", False, 1, url(1)),
        4: DuplicatePair(4, url(4), "T4", False, None, None),
    }


def test_duplicates_are_counted_and_read_in_parts(session, site_id):
    pairs = DuplicatePairRepository(session)
    assert (pairs.count(site_id), pairs.count(site_id + 9)) == (3, 0)
    every = [one.url_key for one in pairs.pairs(site_id)]
    assert sorted(every) == [2, 3, 4]
    assert abs(every.index(2) - every.index(3)) == 1  # those of one original together
    assert [one.url_key for one in pairs.pairs(site_id, offset=1, limit=1)] == every[1:2]
    assert [one.url_key for one in pairs.pairs(site_id, url_key=3)] == [3]
    assert pairs.pairs(site_id, url_key=1) == []
